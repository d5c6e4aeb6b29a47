#include "reports/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rowgate::reports {
namespace {

std::size_t code_point_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Bytes and columns of the first code point of `text`, which is not empty.
struct Glyph {
  std::size_t bytes;
  std::size_t width;
};

Glyph first_glyph(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) return {1, 1};
  const std::size_t bytes = std::min(code_point_length(text[0]), text.size());
  return {bytes, base::display_width(text.substr(0, bytes))};
}

std::string_view suffix_of_width(std::string_view text, std::size_t width) {
  std::size_t start = text.size(), used = 0;
  while (start > 0) {
    std::size_t begin = start - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    used += base::display_width(text.substr(begin, start - begin));
    if (used > width) break;
    start = begin;
  }
  return text.substr(start);
}

bool breaks_after(char c) {
  return std::string_view("./:,-$;_=").find(c) != std::string_view::npos;
}

// Where the line that starts `text` ends and where the next one starts, in bytes.
struct Break {
  std::size_t end;
  std::size_t next;
};

Break find_break(std::string_view text, std::size_t width) {
  std::size_t fits = prefix_of_width(text, width).size();
  if (fits == 0 && !text.empty()) fits = first_glyph(text).bytes;  // a wide glyph, a column of one
  if (fits == text.size()) return {fits, fits};
  if (text[fits] == ' ') return {fits, fits + 1};
  const std::size_t space = text.substr(0, fits).rfind(' ');
  if (space != std::string_view::npos && space > 0) return {space, space + 1};
  // A break that leaves less than a third of the line is worse than cutting the word.
  for (std::size_t at = fits; at > fits / 3 && at > 0; --at)
    if (breaks_after(text[at - 1])) return {at, at};
  return {fits, fits};
}

}  // namespace

std::string_view prefix_of_width(std::string_view text, std::size_t width) {
  std::size_t end = 0, used = 0;
  while (end < text.size()) {
    const Glyph glyph = first_glyph(text.substr(end));
    if (used + glyph.width > width) break;
    used += glyph.width;
    end += glyph.bytes;
  }
  return text.substr(0, end);
}

std::string shorten(std::string_view text, std::size_t width) {
  if (text.size() <= width || base::display_width(text) <= width) return std::string(text);
  if (width <= 1) return width == 0 ? "" : "…";
  const std::size_t head = (width - 1) / 2;
  return fmt::format("{}…{}", prefix_of_width(text, head), suffix_of_width(text, width - 1 - head));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t max_lines) {
  width = std::max<std::size_t>(width, 1);
  std::vector<std::string> lines;
  do {
    if (lines.size() + 1 == max_lines && base::display_width(text) > width) {
      lines.push_back(fmt::format("{}…", prefix_of_width(text, width - 1)));
      return lines;
    }
    const Break at = find_break(text, width);
    std::string_view line = text.substr(0, at.end);
    while (line.size() > 1 && line.back() == ' ') line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(at.next);
    while (!lines.empty() && !text.empty() && text.front() == ' ') text.remove_prefix(1);
  } while (!text.empty());
  return lines;
}

std::vector<std::size_t> share_width(const std::vector<std::size_t>& natural, std::size_t available,
                                     std::size_t minimum) {
  std::size_t needed = 0;
  for (std::size_t width : natural) needed += std::min(width, minimum);
  if (needed > available) return {};
  // The cap is raised as far as the sum allows: columns below it keep their width.
  std::size_t low = minimum, high = available;
  const auto sum_under = [&](std::size_t cap) {
    std::size_t sum = 0;
    for (std::size_t width : natural) sum += std::min(width, cap);
    return sum;
  };
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    if (sum_under(middle) <= available)
      low = middle;
    else
      high = middle - 1;
  }
  std::vector<std::size_t> widths;
  std::size_t left = available - sum_under(low);
  for (std::size_t width : natural) {
    std::size_t given = std::min(width, low);
    if (width > low && left > 0) {
      ++given;
      --left;
    }
    widths.push_back(given);
  }
  return widths;
}

std::string printable_start(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return base::printable(text);
  std::size_t end = max_bytes;
  // Not inside a code point, as far as the bytes are UTF-8 at all.
  while (end > 0 && max_bytes - end < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return fmt::format("{}… (+{} bytes)", base::printable(text.substr(0, end)),
                     base::with_thousands(text.size() - end));
}

}  // namespace rowgate::reports
