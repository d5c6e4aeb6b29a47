#include "reports/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/escape.hpp"
#include "reports/layout.hpp"
#include "reports/series_table.hpp"

namespace rowgate::reports {
namespace {

using base::Finding;
using base::Report;
using base::Severity;
using base::Table;
using base::Tone;

constexpr std::size_t kOpenFindings = 20;   // findings with their evidence; the others are a list
constexpr std::size_t kEvidenceLines = 20;  // of one finding
constexpr std::size_t kNoticeBytes = 400;   // kept free for the closing notice
constexpr std::size_t kMaxValueBytes = 8 << 10;
constexpr std::size_t kAnyWidth = static_cast<std::size_t>(-1);

// Marks that survive without colour, so that a table can be skimmed.
const char* mark(Tone tone) {
  switch (tone) {
    case Tone::good: return "✅ ";
    case Tone::bad: return "❌ ";
    case Tone::caution: return "⚠️ ";
    case Tone::unknown: return "❔ ";
    case Tone::plain:
    case Tone::muted: return "";
  }
  return "";
}

const char* mark(Severity severity) {
  switch (severity) {
    case Severity::error: return "❌";
    case Severity::warning: return "⚠️";
    case Severity::undecidable: return "❔";
    case Severity::note: return "ℹ️";
  }
  return "";
}

// Appends while the limit allows and counts what it had to leave out.
class Page {
 public:
  explicit Page(std::size_t max_bytes)
      : budget_(max_bytes == 0 ? kAnyWidth : std::max(max_bytes, 2 * kNoticeBytes) - kNoticeBytes) {
  }

  // True when `text` and, later, `closing` fit; then `text` is written.
  bool add(std::string_view text, std::size_t closing_bytes = 0) {
    if (out_.size() + text.size() + closing_bytes > budget_) return false;
    out_ += text;
    return true;
  }
  void add_always(std::string_view text) { out_ += text; }

  void left_out(std::string_view what, std::size_t count) {
    if (count == 0) return;
    for (auto& [name, total] : dropped_) {
      if (name != what) continue;
      total += count;
      return;
    }
    dropped_.emplace_back(what, count);
  }

  std::string take() {
    if (dropped_.empty()) return std::move(out_);
    std::string list;
    for (const auto& [name, count] : dropped_) {
      const std::string entry = fmt::format("{} {}", base::with_thousands(count), name);
      if (list.size() + entry.size() > kNoticeBytes - 160) {
        list += ", and more";
        break;
      }
      list += (list.empty() ? "" : ", ") + entry;
    }
    out_ += fmt::format(
        "\n> **Left out to fit the size limit:** {}. The text, JSON and HTML reports hold them.\n",
        list);
    return std::move(out_);
  }

 private:
  std::size_t budget_;
  std::string out_;
  std::vector<std::pair<std::string, std::size_t>> dropped_;  // what, and how many
};

// For the lines that are HTML, in which markdown is not read.
std::string html_title(std::string_view text) {
  std::string escaped = html_escape(shorten(printable_start(text, kMaxValueBytes), 200));
  for (std::size_t at = escaped.find('@'); at != std::string::npos; at = escaped.find('@', at + 1))
    escaped.insert(at + 1, "&#8203;");
  return escaped;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", cell);
  return row + '\n';
}

std::string table_header(const std::vector<base::Column>& columns) {
  std::string names = "|", rule = "|";
  for (const base::Column& column : columns) {
    names += fmt::format(" {} |", markdown_escape(column.name));
    rule += column.align == base::Align::left ? " :-- |" : " --: |";
  }
  return names + '\n' + rule + '\n';
}

void write_table(Page& page, const Table& table) {
  const std::string title = markdown_escape(table.title.empty() ? table.id : table.title);
  if (table.columns.empty() || table.rows.empty()) {
    if (!page.add(fmt::format("\n### {}\n\nNo rows.\n", title))) page.left_out("tables", 1);
    return;
  }
  const std::string closing = table.detail ? "\n</details>\n" : "";
  std::string opening =
      table.detail
          ? fmt::format("\n<details><summary>{} ({} row{})</summary>\n\n", html_title(table.title),
                        base::with_thousands(table.rows.size()), table.rows.size() == 1 ? "" : "s")
          : fmt::format("\n### {}\n\n", title);
  opening += table_header(table.columns);
  if (!page.add(opening, closing.size())) {
    page.left_out("tables", 1);
    return;
  }
  std::size_t written = 0;
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      cells.push_back(c < row.size() ? mark(row[c].tone) + markdown_escape(row[c].text)
                                     : std::string());
    if (!page.add(table_row(cells), closing.size())) break;
    ++written;
  }
  for (const std::string& note : table.notes)
    if (!page.add(fmt::format("\n{}\n", markdown_escape(base::trim(note))), closing.size())) {
      page.left_out("notes of tables", 1);
      break;
    }
  page.add_always(closing);
  page.left_out(fmt::format("rows of “{}”", markdown_escape(table.title, 24)),
                table.rows.size() - written);
}

// Plots are shown as their numbers; the HTML report draws them.
Table table_of(const base::Series& series) {
  Table table = series_table(series, IntervalStyle::words);
  table.id = series.id;
  table.title = fmt::format("{} ({})", series.title, series.y_label);
  table.detail = true;
  return table;
}

// A finding's identity as a list item; the details follow it, folded.
std::string finding_head(const Finding& finding) {
  std::string head =
      fmt::format("- {} **{}** {}: {}", mark(finding.severity), markdown_escape(finding.check_id),
                  markdown_escape(finding.subject), markdown_escape(finding.message));
  return head + '\n';
}

std::string finding_details(const Finding& finding) {
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("  - {}: {}\n", name, markdown_escape(value));
  };
  line("at", finding.location.to_string());
  if (finding.symbol != finding.location.member) line("symbol", finding.symbol);
  std::size_t shown = 0;
  for (const std::string& evidence : finding.evidence) {
    if (shown++ == kEvidenceLines) {
      text += fmt::format("  - … {} lines of evidence more in the full report\n",
                          finding.evidence.size() - kEvidenceLines);
      break;
    }
    line("evidence", evidence);
  }
  const base::Check* check = base::find_check(finding.check_id);
  line("help", !finding.help.empty() ? std::string_view(finding.help)
               : check != nullptr    ? check->remedy
                                     : std::string_view());
  return text;
}

std::string counts_line(const std::vector<Finding>& findings) {
  const auto counts = base::count_by_severity(findings);
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto severity = static_cast<Severity>(i);
    text += fmt::format("{}{} {} {}{}", text.empty() ? "" : ", ", mark(severity), counts[i],
                        base::to_string(severity),
                        counts[i] == 1 || severity == Severity::undecidable ? "" : "s");
  }
  return text;
}

// A run of findings; returns how many fitted.
std::size_t write_some(Page& page, const Report& report, std::size_t first, std::size_t last,
                       std::size_t closing_bytes) {
  for (std::size_t i = first; i < last; ++i) {
    const std::string head = finding_head(report.findings[i]);
    if (!page.add(head + finding_details(report.findings[i]), closing_bytes) &&
        !page.add(head, closing_bytes))
      return i - first;
  }
  return last - first;
}

void write_findings(Page& page, const Report& report) {
  if (report.findings.empty()) return;
  if (!page.add(fmt::format("\n### Findings\n\n{}\n\n", counts_line(report.findings)))) {
    page.left_out("findings", report.findings.size());
    return;
  }
  const std::size_t open = std::min(report.findings.size(), kOpenFindings);
  std::size_t written = write_some(page, report, 0, open, 0);
  if (written == open && open < report.findings.size()) {
    const std::string closing = "\n</details>\n";
    if (page.add(fmt::format("\n<details><summary>{} more findings</summary>\n\n",
                             base::with_thousands(report.findings.size() - open)),
                 closing.size())) {
      written += write_some(page, report, open, report.findings.size(), closing.size());
      page.add_always(closing);
    }
  }
  page.left_out("findings", report.findings.size() - written);
}

void write_suppressed(Page& page, const Report& report) {
  if (report.suppressed.empty()) return;
  const std::string closing = "\n</details>\n";
  std::size_t written = 0;
  if (page.add(fmt::format("\n<details><summary>{} findings not counted (ignored, or in the "
                           "baseline)</summary>\n\n",
                           base::with_thousands(report.suppressed.size())),
               closing.size())) {
    for (const base::Suppressed& entry : report.suppressed) {
      std::string text = finding_head(entry.finding);
      text += fmt::format("  - {}: {}{}{}\n", base::to_string(entry.kind),
                          markdown_escape(entry.reason), entry.expires.empty() ? "" : ", until ",
                          markdown_escape(entry.expires));
      if (!page.add(text, closing.size())) break;
      ++written;
    }
    page.add_always(closing);
  }
  page.left_out("findings that are not counted", report.suppressed.size() - written);
}

std::string heading(const Report& report) {
  std::string text = report.title.empty()
                         ? fmt::format("## rowgate {}\n", markdown_escape(report.command))
                         : fmt::format("## rowgate {}: {}\n", markdown_escape(report.command),
                                       markdown_escape(report.title));
  if (report.gate)
    text +=
        fmt::format("\n**{} Gate {}:** {}\n", report.gate->failed ? "❌" : "✅",
                    report.gate->failed ? "failed" : "passed", markdown_escape(report.gate->text));
  return text;
}

void write_summary(Page& page, const Report& report) {
  if (report.summary.empty()) return;
  Table table;
  table.columns = {{"subject"}, {"verdict"}, {""}};
  std::size_t written = 0;
  if (page.add('\n' + table_header(table.columns)))
    for (const base::SummaryLine& line : report.summary) {
      if (!page.add(table_row({markdown_escape(line.subject),
                               mark(line.tone) + markdown_escape(line.verdict),
                               markdown_escape(line.text)})))
        break;
      ++written;
    }
  page.left_out("lines of the summary", report.summary.size() - written);
}

void write_inputs(Page& page, const Report& report) {
  std::size_t written = 0;
  if (!report.inputs.empty()) page.add("\n");
  for (const auto& [name, value] : report.inputs) {
    if (!page.add(fmt::format("- {}: {}\n", markdown_escape(name), markdown_escape(value)))) break;
    ++written;
  }
  page.left_out("inputs", report.inputs.size() - written);
}

// Comes first, so that what could not be looked at is not what gets left out.
void write_coverage(Page& page, const Report& report) {
  if (report.coverage.empty()) return;
  std::size_t written = 0;
  page.add("\n");
  for (const base::Coverage& entry : report.coverage) {
    if (!page.add(fmt::format(
            "{}{}: {} looked at{}", written == 0 ? "" : "; ", markdown_escape(entry.what, 60),
            base::with_thousands(entry.done),
            entry.skipped == 0
                ? std::string()
                : fmt::format(", **{} could not be**", base::with_thousands(entry.skipped)))))
      break;
    ++written;
  }
  page.add_always("\n");
  page.left_out("counts of what was looked at", report.coverage.size() - written);
}

}  // namespace

std::string markdown_escape(std::string_view text, std::size_t max_width) {
  const std::string shown = shorten(printable_start(text, kMaxValueBytes), max_width);
  std::string out;
  out.reserve(shown.size() + shown.size() / 8);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      // Neither a mention of a user nor a mail address: a zero-width space parts the sign from the
      // name.
      case '@': out += "@&#8203;"; break;
      case ':':  // no bare links
        out += std::string_view(shown).substr(i).starts_with("://") ? "&#58;" : ":";
        break;
      case 'w':
      case 'W':
        out += base::equals_ignoring_case(std::string_view(shown).substr(i, 4), "www.")
                   ? (c == 'w' ? "&#119;" : "&#87;")
                   : std::string_view(&c, 1);
        break;
      case '#':  // no reference to an issue
        out += "\\#";
        if (i + 1 < shown.size() && shown[i + 1] >= '0' && shown[i + 1] <= '9') out += "&#8203;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
      case '$':
        out += '\\';
        out += c;
        break;
      case '-':
      case '+':
      case '=':  // no list and no heading rule at the start of a line
        if (i == 0) out += '\\';
        out += c;
        break;
      case '.':
      case ')':  // no ordered list
        if (i > 0 && i + 1 < shown.size() && shown[i + 1] == ' ' &&
            shown.find_first_not_of("0123456789") == i)
          out += '\\';
        out += c;
        break;
      default: out += c;
    }
  }
  return out;
}

std::string render_markdown(const Report& report, const MarkdownOptions& options) {
  Page page(options.max_bytes);
  page.add_always(heading(report));
  write_coverage(page, report);
  write_summary(page, report);
  write_inputs(page, report);
  // Findings stand above the tables: they are what a comment on a pull request is read for.
  write_findings(page, report);
  for (const Table& table : report.tables)
    if (!table.detail) write_table(page, table);
  for (const Table& table : report.tables)
    if (table.detail) write_table(page, table);
  for (const base::Series& series : report.series) write_table(page, table_of(series));
  write_suppressed(page, report);
  return page.take();
}

}  // namespace rowgate::reports
