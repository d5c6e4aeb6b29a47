#include "jarscan/descriptor.hpp"

#include <cstdint>
#include <cstring>

namespace rowgate::jarscan {
namespace {

constexpr std::size_t kMaxDimensions = 255;
constexpr std::size_t kMaxParameterSlots = 255;

// The internal form of a class or interface name: unqualified names joined by '/'.
bool is_internal_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.back() == '/') return false;
  char before = 'a';
  for (const char c : name) {
    if (c == '.' || c == ';' || c == '[' || (c == '/' && before == '/')) return false;
    before = c;
  }
  return true;
}

}  // namespace

std::size_t field_descriptor_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == '[') ++at;
  if (at > kMaxDimensions || at == text.size()) return 0;
  switch (text[at]) {
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z': return at + 1;
    case 'L': {
      const std::size_t end = text.find(';', at + 1);
      if (end == std::string_view::npos) return 0;
      return is_internal_name(text.substr(at + 1, end - at - 1)) ? end + 1 : 0;
    }
    default: return 0;
  }
}

bool is_field_descriptor(std::string_view text) {
  return !text.empty() && field_descriptor_length(text) == text.size();
}

bool is_method_descriptor(std::string_view text) {
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  std::size_t slots = 0;
  while (!text.empty() && text.front() != ')') {
    const std::size_t length = field_descriptor_length(text);
    if (length == 0) return false;
    slots += text.front() == 'J' || text.front() == 'D' ? 2 : 1;
    if (slots > kMaxParameterSlots) return false;
    text.remove_prefix(length);
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  return text == "V" || is_field_descriptor(text);
}

bool is_class_name(std::string_view name) {
  return name.starts_with('[') ? is_field_descriptor(name) : is_internal_name(name);
}

bool is_unqualified_name(std::string_view name) {
  return !name.empty() && name.find_first_of(".;[/") == std::string_view::npos;
}

bool is_method_name(std::string_view name) {
  if (name == "<init>" || name == "<clinit>") return true;
  return is_unqualified_name(name) && name.find_first_of("<>") == std::string_view::npos;
}

namespace {

// Whether each byte of an unsigned number is 0x01..0x7F. The subtraction borrows into the high bit
// of a zero byte; what it says wrongly is only ever "no".
template <class Word>
bool is_plain(const char* at) {
  constexpr auto kOnes = static_cast<Word>(0x0101010101010101);
  constexpr auto kHigh = static_cast<Word>(0x8080808080808080);
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return ((word | (word - kOnes)) & kHigh) == 0;
}

// Almost all constants are plain ASCII: words at a time, the last one overlapping the one before.
bool is_plain_ascii(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (text.size() >= 8) {
    for (; end - at >= 8; at += 8)
      if (!is_plain<std::uint64_t>(at)) return false;
    return is_plain<std::uint64_t>(end - 8);
  }
  if (text.size() >= 4) return is_plain<std::uint32_t>(at) && is_plain<std::uint32_t>(end - 4);
  for (; at < end; ++at)
    if (static_cast<signed char>(*at) <= 0) return false;
  return true;
}

}  // namespace

bool is_modified_utf8(std::string_view text) {
  if (is_plain_ascii(text)) return true;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto continues = [&](std::ptrdiff_t i) {
    return end - at > i && (static_cast<unsigned char>(at[i]) & 0xC0) == 0x80;
  };
  while (at < end) {
    const auto c = static_cast<unsigned char>(*at);
    if (c >= 0x01 && c <= 0x7F) {
      ++at;
    } else if ((c & 0xE0) == 0xC0) {
      if (!continues(1)) return false;
      at += 2;
    } else if ((c & 0xF0) == 0xE0) {
      if (!continues(1) || !continues(2)) return false;
      at += 3;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace rowgate::jarscan
