// The style sheet and the script of the HTML page.
#pragma once

#include <string_view>

namespace rowgate::reports {

std::string_view page_style();
std::string_view page_script();

}  // namespace rowgate::reports
