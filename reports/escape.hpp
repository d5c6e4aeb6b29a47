// Escaping for HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace rowgate::reports {

// `text` as content of an element or of a quoted attribute, in HTML and in XML 1.0 alike: made
// printable first, so there is no character that XML forbids, and `& < > " '` as references.
std::string html_escape(std::string_view text);

}  // namespace rowgate::reports
