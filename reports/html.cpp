#include "reports/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "base/checks.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "reports/config.hpp"
#include "reports/escape.hpp"
#include "reports/html_assets.hpp"
#include "reports/layout.hpp"
#include "reports/series_table.hpp"
#include "reports/svg.hpp"

namespace rowgate::reports {
namespace {

using base::Cell;
using base::Finding;
using base::Report;
using base::Severity;
using base::Table;

constexpr std::size_t kMaxValueBytes = 32 << 10;
constexpr std::size_t kBriefWidth = 600;
constexpr std::size_t kOpenFindings = 8;  // with at most so many, all are unfolded

std::string show(std::string_view text) {
  return html_escape(text.size() <= kMaxValueBytes ? text : printable_start(text, kMaxValueBytes));
}

// For places where a name of kilobytes would bury the others: the middle becomes `…`.
std::string show_briefly(std::string_view text) {
  return html_escape(shorten(printable_start(text, kMaxValueBytes), kBriefWidth));
}

// "sha256-<base64>", as a content security policy wants it.
std::string policy_hash(std::string_view contents) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = base::digest(base::DigestKind::sha256, base::as_bytes(contents));
  std::string out = "sha256-";
  std::uint32_t bits = 0;
  unsigned have = 0;
  for (const char c : hex) {
    bits = bits << 4 | static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    have += 4;
    if (have >= 6) {
      have -= 6;
      out += kAlphabet[(bits >> have) & 63];
    }
  }
  if (have > 0) out += kAlphabet[(bits << (6 - have)) & 63];
  return out + '=';  // 32 bytes always leave one character of padding
}

class HtmlRenderer {
 public:
  HtmlRenderer(const Report& report, const HtmlOptions& options)
      : report_(report), options_(options) {}

  std::string render() {
    const std::string style = fmt::format("{}{}", page_style(), plot_style());
    put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
        policy_hash(style), policy_hash(page_script()), page_title(), style);
    header();
    put("<main>\n");
    summary();
    for (const Table& table : report_.tables)
      if (table.matrix) write_table(table);
    findings();
    plots();
    tables();
    suppressed();
    put("</main>\n");
    footer();
    put("<script>{}</script>\n</body>\n</html>\n", page_script());
    return std::move(out_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }

  std::string page_title() const {
    return report_.title.empty() ? fmt::format("rowgate {}", show_briefly(report_.command))
                                 : fmt::format("{} – rowgate {}", show_briefly(report_.title),
                                               show_briefly(report_.command));
  }

  void facts(const std::vector<std::pair<std::string, std::string>>& pairs) {
    if (pairs.empty()) return;
    put("<dl class=\"facts\">\n");
    for (const auto& [name, value] : pairs)
      put("<dt>{}</dt><dd>{}</dd>\n", show_briefly(name), show_briefly(value));
    put("</dl>\n");
  }

  void header() {
    put("<header class=\"top\">\n<p class=\"kicker\">rowgate {}</p>\n<h1>{}</h1>\n",
        show_briefly(report_.command),
        show_briefly(report_.title.empty() ? report_.command : report_.title));
    facts(report_.inputs);
    if (report_.gate)
      put("<p class=\"gate {}\">{} Gate {}: {}</p>\n", report_.gate->failed ? "bad" : "good",
          report_.gate->failed ? "✗" : "✓", report_.gate->failed ? "failed" : "passed",
          show_briefly(report_.gate->text));
    const auto counts = base::count_by_severity(report_.findings);
    put("<ul class=\"counts\">\n");
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const char* name = base::to_string(static_cast<Severity>(i));
      put("<li class=\"{}{}\"><b>{}</b><span>{}</span></li>\n", counts[i] > 0 ? "on " : "", name,
          base::with_thousands(counts[i]),
          fmt::format(
              "{}{}", name,
              counts[i] == 1 || static_cast<Severity>(i) == Severity::undecidable ? "" : "s"));
    }
    for (const base::Coverage& entry : report_.coverage)
      put("<li class=\"{}\"><b>{}</b><span>{} looked at{}</span></li>\n",
          entry.skipped > 0 ? "on warning" : "on", base::with_thousands(entry.done),
          show_briefly(entry.what),
          entry.skipped > 0 ? fmt::format(", <strong>{} could not be</strong>",
                                          base::with_thousands(entry.skipped))
                            : std::string());
    put("</ul>\n</header>\n");
  }

  void summary() {
    if (report_.summary.empty()) return;
    put("<h2>Summary</h2>\n<div class=\"card scroll\"><table class=\"sortable\" id=\"summary\">\n"
        "<thead><tr><th scope=\"col\">subject</th><th scope=\"col\">verdict</th>"
        "<th scope=\"col\">why</th></tr></thead>\n<tbody>\n");
    for (const base::SummaryLine& line : report_.summary)
      put("<tr><td>{}</td><td><span class=\"pill {}\">{}</span></td><td>{}</td></tr>\n",
          show_briefly(line.subject), base::to_string(line.tone), show_briefly(line.verdict),
          show_briefly(line.text));
    put("</tbody></table></div>\n");
  }

  void table_body(const Table& table) {
    put("<div class=\"scroll\"><table class=\"sortable{}\">\n<thead><tr>",
        table.matrix ? " matrix" : "");
    for (const base::Column& column : table.columns)
      put("<th scope=\"col\"{}>{}</th>", column.align == base::Align::right ? " class=\"r\"" : "",
          show_briefly(column.name));
    put("</tr></thead>\n<tbody>\n");
    for (const auto& row : table.rows) {
      put("<tr>");
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Cell& cell = c < row.size() ? row[c] : kEmptyCell;
        if (table.matrix && c == 0)
          put("<th scope=\"row\">{}</th>", show_briefly(cell.text));
        else
          put("<td{}>{}</td>", cell_class(table.columns[c], cell), show_briefly(cell.text));
      }
      put("</tr>\n");
    }
    put("</tbody></table></div>\n");
    if (table.rows.empty()) put("<p class=\"foot\">no rows</p>\n");
    for (const std::string& note : table.notes)
      put("<p class=\"foot\">{}</p>\n", show_briefly(note));
  }

  static std::string cell_class(const base::Column& column, const Cell& cell) {
    std::string classes = cell.tone == base::Tone::plain ? "" : base::to_string(cell.tone);
    if (column.align == base::Align::right) classes += classes.empty() ? "r" : " r";
    return classes.empty() ? classes : fmt::format(" class=\"{}\"", classes);
  }

  void write_table(const Table& table) {
    const std::string title = show_briefly(table.title.empty() ? table.id : table.title);
    if (table.detail) {
      put("<details class=\"card fold\"><summary>{} ({} row{})</summary>\n", title,
          base::with_thousands(table.rows.size()), table.rows.size() == 1 ? "" : "s");
      table_body(table);
      put("</details>\n");
    } else {
      put("<section class=\"card\"><h3>{}</h3>\n", title);
      table_body(table);
      put("</section>\n");
    }
  }

  void tables() {
    const auto wanted = [](const Table& table) { return !table.matrix; };
    if (std::none_of(report_.tables.begin(), report_.tables.end(), wanted)) return;
    put("<h2>Tables</h2>\n");
    for (const Table& table : report_.tables)
      if (wanted(table) && !table.detail) write_table(table);
    for (const Table& table : report_.tables)
      if (wanted(table) && table.detail) write_table(table);
  }

  // The subjects get numbers, so that no name has to stand in an attribute that a script reads.
  void filter_form() {
    put("<form class=\"filter\" id=\"filter\" hidden>\n<fieldset aria-label=\"severity\">");
    const auto counts = base::count_by_severity(report_.findings);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const char* name = base::to_string(static_cast<Severity>(i));
      put("<label><input type=\"checkbox\" name=\"severity\" value=\"{0}\" checked> {0} "
          "({1})</label>",
          name, base::with_thousands(counts[i]));
    }
    put("</fieldset>\n<label>connector <select name=\"subject\"><option value=\"\">all</option>");
    std::vector<const std::string*> names(subjects_.size());
    for (const auto& [name, index] : subjects_) names[index] = &name;
    for (std::size_t i = 0; i < names.size(); ++i)
      put("<option value=\"{}\">{}</option>", i,
          html_escape(shorten(printable_start(*names[i], kMaxValueBytes), 90)));
    put("</select></label>\n<label>text <input type=\"search\" name=\"text\"></label>\n"
        "<output name=\"shown\"></output>\n</form>\n");
  }

  void findings() {
    if (report_.findings.empty()) return;
    for (const Finding& finding : report_.findings)
      subjects_.emplace(finding.subject, subjects_.size());
    put("<h2 id=\"findings\">Findings</h2>\n");
    filter_form();
    const bool open = report_.findings.size() <= kOpenFindings;
    for (const Finding& finding : report_.findings) write_finding(finding, open);
  }

  void finding_summary(const Finding& finding) {
    put("<summary><span class=\"pill {0}\">{0}</span> <code>{1}</code> {2} "
        "<span class=\"subject\">{3}</span></summary>\n<div class=\"body\"><dl>\n",
        base::to_string(finding.severity), show_briefly(finding.check_id),
        show_briefly(finding.message), show_briefly(finding.subject));
  }

  void entry(std::string_view name, std::string_view value) {
    if (!value.empty()) put("<dt>{}</dt><dd>{}</dd>\n", name, show(value));
  }
  void code_entry(std::string_view name, std::string_view value) {
    if (!value.empty()) put("<dt>{}</dt><dd><code>{}</code></dd>\n", name, show(value));
  }

  void write_finding(const Finding& finding, bool open) {
    put("<details class=\"finding {0}\" data-severity=\"{0}\" data-subject=\"{1}\"{2}>",
        base::to_string(finding.severity), subjects_.at(finding.subject), open ? " open" : "");
    finding_summary(finding);
    finding_body(finding);
    if (!options_.ignore_until.empty())
      put("<dt>to ignore it</dt><dd><pre>{}</pre></dd>\n",
          lines(ignore_entry(finding, options_.ignore_until)));
    put("</dl></div></details>\n");
  }

  // Text of ours with line ends of ours.
  static std::string lines(std::string_view text) {
    std::string out;
    for (std::string_view line : base::split(base::trim(text), '\n'))
      out += (out.empty() ? "" : "\n") + show(line);
    return out;
  }

  void finding_body(const Finding& finding) {
    const base::Check* check = base::find_check(finding.check_id);
    code_entry("at", finding.location.to_string());
    if (finding.symbol != finding.location.member) code_entry("symbol", finding.symbol);
    if (!finding.evidence.empty()) {
      put("<dt>evidence</dt><dd><pre>");
      for (std::size_t i = 0; i < finding.evidence.size(); ++i)
        put("{}{}", i == 0 ? "" : "\n", show(finding.evidence[i]));
      put("</pre></dd>\n");
    }
    if (check != nullptr) entry("meaning", check->meaning);
    entry("help", !finding.help.empty() ? std::string_view(finding.help)
                  : check != nullptr    ? check->remedy
                                        : std::string_view());
  }

  void plots() {
    if (report_.series.empty()) return;
    put("<h2>Plots</h2>\n");
    for (const base::Series& series : report_.series) {
      put("<section class=\"card\"><h3>{}</h3>\n{}", show_briefly(series.title),
          render_svg(series, SvgKind::embedded));
      put("<details class=\"fold\"><summary>The numbers</summary>\n");
      table_body(numbers_of(series));
      put("</details></section>\n");
    }
  }

  static Table numbers_of(const base::Series& series) {
    Table table = series_table(series, IntervalStyle::words);
    if (!series.y_label.empty()) table.notes.push_back("Values are " + series.y_label + ".");
    return table;
  }

  void suppressed() {
    if (report_.suppressed.empty()) return;
    put("<h2>Not counted</h2>\n");
    put("<details class=\"card fold\" id=\"suppressed\"><summary>{} findings that are ignored or "
        "in "
        "the baseline</summary>\n",
        base::with_thousands(report_.suppressed.size()));
    for (const base::Suppressed& suppressed : report_.suppressed) {
      put("<details class=\"finding note\">");
      finding_summary(suppressed.finding);
      entry(base::to_string(suppressed.kind), suppressed.reason);
      entry("until", suppressed.expires);
      finding_body(suppressed.finding);
      put("</dl></div></details>\n");
    }
    put("</details>\n");
  }

  void footer() {
    put("<footer>\n<details class=\"fold\"><summary>How this report was made</summary>\n");
    std::vector<std::pair<std::string, std::string>> rows;
    const base::Provenance& provenance = report_.provenance;
    if (!provenance.tool_version.empty()) rows.emplace_back("rowgate", provenance.tool_version);
    if (!provenance.started_at.empty()) rows.emplace_back("started", provenance.started_at);
    rows.emplace_back("took", fmt::format("{:.1f} s", provenance.elapsed_ms / 1000));
    rows.insert(rows.end(), provenance.facts.begin(), provenance.facts.end());
    facts(rows);
    put("</details>\n</footer>\n");
  }

  inline static const Cell kEmptyCell{};
  const Report& report_;
  const HtmlOptions& options_;
  std::map<std::string, std::size_t> subjects_;  // subject -> number, in order of the findings
  std::string out_;
};

}  // namespace

std::string render_html(const Report& report, const HtmlOptions& options) {
  return HtmlRenderer(report, options).render();
}

}  // namespace rowgate::reports
