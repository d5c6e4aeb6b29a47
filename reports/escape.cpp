#include "reports/escape.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/text.hpp"

namespace rowgate::reports {
namespace {

// U+FFFE, U+FFFF are well-formed UTF-8 and not XML characters (XML 1.0, production 2).
std::string_view noncharacter_at(std::string_view text, std::size_t i) {
  const std::string_view three = text.substr(i, 3);
  return three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF" ? three : std::string_view();
}

}  // namespace

std::string html_escape(std::string_view text) {
  const std::string shown = base::printable(text);
  std::string out;
  out.reserve(shown.size() + shown.size() / 8);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    switch (const char c = shown[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\xEF':
        if (noncharacter_at(shown, i).empty()) {
          out += c;
        } else {
          out += shown[i + 2] == '\xBE' ? "\\u{FFFE}" : "\\u{FFFF}";
          i += 2;
        }
        break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace rowgate::reports
