// Preparing XML for pugixml: to UTF-8, and byte offsets back to lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::pomcheck {

// The document as UTF-8 without a byte order mark. UTF-16 is known by its mark or its first
// characters; an encoding that the declaration names and that is neither UTF-8 nor ASCII is read as
// Latin-1, which is right for every coordinate and at worst misspells a person's name.
std::string xml_to_utf8(std::string_view bytes);

// Line numbers of a text, found by binary search.
class LineTable {
 public:
  explicit LineTable(std::string_view text);
  std::uint32_t line_of(std::size_t offset) const;  // 1-based

 private:
  std::vector<std::uint32_t> newlines_;
};

}  // namespace rowgate::pomcheck
