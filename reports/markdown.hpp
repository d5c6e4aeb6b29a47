// A report as GitHub-flavoured markdown: a file, or a comment on a pull request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/report.hpp"

namespace rowgate::reports {

// GitHub refuses comments of more than 65,536 characters.
inline constexpr std::size_t kCommentBytes = 65'000;

struct MarkdownOptions {
  // What does not fit is left out at the boundary of a row or a finding, and the end says how much.
  // Heading, gate and counts always stand, which takes up to 20,000 bytes. 0: no limit.
  std::size_t max_bytes = kCommentBytes;
};

// Text of the input is escaped so that it can neither leave its table cell, nor become markup, a
// link, or a mention of a user. Detail tables, evidence and suppressed findings are folded.
std::string render_markdown(const base::Report& report, const MarkdownOptions& options = {});

// `text` as inline markdown that renders as itself; one line. Longer than `max_width` columns: with
// its middle shortened to `…`.
std::string markdown_escape(std::string_view text, std::size_t max_width = 400);

}  // namespace rowgate::reports
