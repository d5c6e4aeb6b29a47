#include "pomcheck/version_text.hpp"

namespace rowgate::pomcheck {
namespace {

// The lower case of a letter that UTF-8 writes in two bytes; 0 when it stays as it is.
unsigned lower_two_byte(unsigned point) {
  if ((point >= 0xC0 && point <= 0xDE && point != 0xD7) || (point >= 0x391 && point <= 0x3A9))
    return point + 0x20;
  if (point >= 0x410 && point <= 0x42F) return point + 0x20;
  if (point >= 0x400 && point <= 0x40F) return point + 0x50;
  return 0;
}

}  // namespace

std::string_view strip_leading_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? std::string_view() : digits.substr(first);
}

std::weak_ordering compare_numbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::string version_lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
      continue;
    }
    const auto lead = static_cast<unsigned char>(c);
    if (lead < 0xC3 || lead > 0xD0 || i + 1 == text.size()) {
      out += c;
      continue;
    }
    const unsigned point = (lead & 0x1Fu) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3Fu);
    const unsigned lower = lower_two_byte(point);
    if (point == 0x130) {
      out += "i\xCC\x87";
    } else if (lower != 0) {
      out += static_cast<char>(0xC0 | lower >> 6);
      out += static_cast<char>(0x80 | (lower & 0x3F));
    } else {
      out += text.substr(i, 2);
    }
    ++i;
  }
  return out;
}

}  // namespace rowgate::pomcheck
