// A report as GitHub-flavoured markdown: a file, or a comment on a pull request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/report.hpp"

namespace rowgate::reports {

struct MarkdownOptions {
  // GitHub and GitLab refuse larger comments (65,536 characters on GitHub). What does not fit is
  // left out at the boundary of a row or a finding, and the end says how much. 0: no limit.
  std::size_t max_bytes = 0;
};

inline constexpr std::size_t kCommentBytes = 65'000;

// Text of the input is escaped so that it can neither leave its table cell, nor become markup, a
// link, or a mention of a user. Detail tables, evidence and suppressed findings are folded.
std::string render_markdown(const base::Report& report, const MarkdownOptions& options = {});

// `text` as inline markdown that renders as itself; one line. Longer than `max_width` columns: with
// its middle shortened to `…`.
std::string markdown_escape(std::string_view text, std::size_t max_width = 400);

}  // namespace rowgate::reports
