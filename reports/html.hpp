// A report as one self-contained HTML page.
#pragma once

#include <string>

#include "base/report.hpp"

namespace rowgate::reports {

struct HtmlOptions {
  // As in TextOptions: the last day of the ignore entries that findings offer. Empty: none.
  std::string ignore_until;
};

// The page asks nothing of any network: its content security policy allows its own style sheet and
// script, by their hashes, and nothing else. Without scripts everything is readable; with them
// tables sort, and findings can be filtered by severity, subject and text. Follows
// prefers-color-scheme and prints with everything unfolded.
std::string render_html(const base::Report& report, const HtmlOptions& options = {});

}  // namespace rowgate::reports
