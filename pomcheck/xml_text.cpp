#include "pomcheck/xml_text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | point >> 12);
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | point >> 18);
    out += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

enum class ByteOrder : std::uint8_t { big, little };

std::string from_utf16(std::string_view bytes, ByteOrder order) {
  std::string out;
  out.reserve(bytes.size());
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(order == ByteOrder::big ? first << 8 | second
                                                              : second << 8 | first);
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t point = unit(i);
    if (point >= 0xD800 && point < 0xE000) {
      const std::uint32_t low = i + 3 < bytes.size() ? unit(i + 2) : 0;
      if (point < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        i += 2;
      } else {
        point = 0xFFFD;  // half a surrogate pair
      }
    }
    append_utf8(out, point);
  }
  return out;
}

std::string from_latin1(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 16);
  for (const char c : bytes) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

// The encoding that <?xml … encoding="…"?> names, in lower case; empty when it names none.
std::string declared_encoding(std::string_view bytes) {
  if (!bytes.starts_with("<?xml")) return {};
  const std::string_view declaration =
      bytes.substr(0, std::min(bytes.find("?>"), std::size_t{200}));
  const std::size_t at = declaration.find("encoding");
  if (at == std::string_view::npos) return {};
  const std::size_t open = declaration.find_first_of("\"'", at);
  if (open == std::string_view::npos) return {};
  const std::size_t close = declaration.find(declaration[open], open + 1);
  if (close == std::string_view::npos) return {};
  return base::to_lower(declaration.substr(open + 1, close - open - 1));
}

}  // namespace

std::string xml_to_utf8(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(bytes.substr(2), ByteOrder::big);
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(bytes.substr(2), ByteOrder::little);
  if (bytes.starts_with("\0<"sv)) return from_utf16(bytes, ByteOrder::big);
  if (bytes.starts_with("<\0"sv)) return from_utf16(bytes, ByteOrder::little);
  if (bytes.starts_with("\xEF\xBB\xBF")) return std::string(bytes.substr(3));
  const std::string encoding = declared_encoding(bytes);
  if (encoding.empty() || encoding == "utf-8" || encoding == "utf8" || encoding == "us-ascii")
    return std::string(bytes);
  return from_latin1(bytes);
}

LineTable::LineTable(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    newlines_.push_back(static_cast<std::uint32_t>(at));
}

std::uint32_t LineTable::line_of(std::size_t offset) const {
  const auto before = std::lower_bound(newlines_.begin(), newlines_.end(), offset);
  return static_cast<std::uint32_t>(before - newlines_.begin()) + 1;
}

}  // namespace rowgate::pomcheck
