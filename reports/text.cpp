#include "reports/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/config.hpp"
#include "reports/layout.hpp"
#include "reports/series_table.hpp"

namespace rowgate::reports {
namespace {

using base::Cell;
using base::Finding;
using base::Report;
using base::Severity;
using base::Table;
using base::Tone;

constexpr std::size_t kGap = 2;            // between columns
constexpr std::size_t kNarrowest = 8;      // a column narrower than this cannot be read
constexpr std::size_t kCellLines = 6;      // in brief tables
constexpr std::size_t kEvidenceLines = 4;  // in brief findings
constexpr std::size_t kMaxValueBytes = 32 << 10;

enum class Style { plain, bold, dim, red, green, yellow, magenta };

const char* sgr(Style style) {
  switch (style) {
    case Style::plain: return "";
    case Style::bold: return "\x1b[1m";
    case Style::dim: return "\x1b[2m";
    case Style::red: return "\x1b[31m";
    case Style::green: return "\x1b[32m";
    case Style::yellow: return "\x1b[33m";
    case Style::magenta: return "\x1b[35m";
  }
  return "";
}

Style style_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return Style::plain;
    case Tone::good: return Style::green;
    case Tone::bad: return Style::red;
    case Tone::caution: return Style::yellow;
    case Tone::unknown: return Style::magenta;
    case Tone::muted: return Style::dim;
  }
  return Style::plain;
}

Style style_of(Severity severity) {
  switch (severity) {
    case Severity::error: return Style::red;
    case Severity::warning: return Style::yellow;
    case Severity::undecidable: return Style::magenta;
    case Severity::note: return Style::dim;
  }
  return Style::plain;
}

std::string plural(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", base::with_thousands(count), word,
                     count == 1 || word == "undecidable" ? "" : "s");
}

class TextRenderer {
 public:
  TextRenderer(const Report& report, const TextOptions& options)
      : report_(report), options_(options), width_(std::max<std::size_t>(options.width, 40)) {}

  std::string render() {
    heading();
    summary();
    for (const Table& table : report_.tables) write_table(table);
    for (const base::Series& series : report_.series) write_series(series);
    findings();
    suppressed();
    coverage();
    gate();
    return std::move(out_);
  }

 private:
  std::string paint(Style style, std::string_view text) const {
    if (options_.colour == Colour::off || style == Style::plain || text.empty())
      return std::string(text);
    return fmt::format("{}{}\x1b[0m", sgr(style), text);
  }

  static std::string show(std::string_view text) { return printable_start(text, kMaxValueBytes); }

  void blank_line() {
    if (!out_.empty()) out_ += '\n';
  }

  // `first` stands before the first line, blanks of the same width before the others.
  void paragraph(std::string_view first, std::string_view text, Style style = Style::plain) {
    const std::size_t indent = base::display_width(first);
    const std::size_t room = width_ > indent + 10 ? width_ - indent : 10;
    std::string_view start = first;
    const std::string blanks(indent, ' ');
    for (const std::string& line : wrap(text, room)) {
      out_ += start;
      out_ += paint(style, line);
      out_ += '\n';
      start = blanks;
    }
  }

  void title(std::string_view text) {
    blank_line();
    for (const std::string& line : wrap(text, width_)) {
      out_ += paint(Style::bold, line);
      out_ += '\n';
    }
  }

  // Name and value pairs, the values under each other.
  void pairs(const std::vector<std::pair<std::string, std::string>>& values) {
    std::size_t widest = 0;
    for (const auto& [name, value] : values)
      widest = std::max(widest, base::display_width(show(name)));
    widest = std::min(widest, width_ / 3);
    for (const auto& [name, value] : values)
      paragraph(fmt::format("  {}  ", pad(shorten(show(name), widest), widest, base::Align::left)),
                show(value));
  }

  void heading() {
    const std::string command =
        report_.command.empty() ? "rowgate" : fmt::format("rowgate {}", show(report_.command));
    title(report_.title.empty() ? command : fmt::format("{}: {}", command, show(report_.title)));
    pairs(report_.inputs);
  }

  void summary() {
    if (report_.summary.empty()) return;
    blank_line();
    std::size_t widest = 0;
    for (const auto& line : report_.summary)
      widest = std::max(widest, base::display_width(show(line.verdict)));
    widest = std::min(widest, width_ / 3);
    for (const auto& line : report_.summary) {
      const std::string verdict = shorten(show(line.verdict), widest);
      std::string first = paint(style_of(line.tone), verdict);
      first += std::string(widest - base::display_width(verdict), ' ');
      bool started = false;
      for (const std::string& piece : wrap(show(line.subject), room(widest + kGap))) {
        out_ += started ? std::string(widest, ' ') : first;
        out_ += fmt::format("  {}\n", paint(Style::bold, piece));
        started = true;
      }
      if (!line.text.empty()) paragraph(std::string(widest + kGap, ' '), show(line.text));
    }
  }

  std::size_t room(std::size_t taken) const { return width_ > taken + 10 ? width_ - taken : 10; }

  static std::string pad(std::string text, std::size_t width, base::Align align) {
    const std::size_t used = base::display_width(text);
    if (used >= width) return text;
    return align == base::Align::left ? text + std::string(width - used, ' ')
                                      : std::string(width - used, ' ') + text;
  }

  void write_table(const Table& table) {
    title(show(table.title.empty() ? table.id : table.title));
    if (table.detail && options_.detail == Detail::brief) {
      paragraph("  ", fmt::format("{}, shown with --verbose", plural(table.rows.size(), "row")),
                Style::dim);
      return;
    }
    std::vector<std::vector<Cell>> rows;
    rows.reserve(table.rows.size());
    for (const auto& row : table.rows) {
      std::vector<Cell> shown;
      for (const Cell& cell : row) shown.push_back({show(cell.text), cell.tone});
      shown.resize(table.columns.size());
      rows.push_back(std::move(shown));
    }
    std::vector<Cell> header;
    for (const base::Column& column : table.columns) header.push_back({show(column.name)});

    std::vector<std::size_t> natural;
    for (std::size_t c = 0; c < header.size(); ++c) {
      natural.push_back(base::display_width(header[c].text));
      for (const auto& row : rows)
        natural[c] = std::max(natural[c], base::display_width(row[c].text));
    }
    const std::size_t gaps = 2 + (natural.empty() ? 0 : kGap * (natural.size() - 1));
    const auto widths = share_width(natural, width_ > gaps ? width_ - gaps : 0, kNarrowest);
    if (natural.empty() || rows.empty()) {
      paragraph("  ", "no rows", Style::dim);
    } else if (widths.empty()) {
      write_blocks(header, rows);
    } else {
      write_row(table, header, widths, Style::bold);
      for (const auto& row : rows) write_row(table, row, widths, Style::plain);
    }
    for (const std::string& note : table.notes) paragraph("  note: ", show(note), Style::dim);
  }

  void write_row(const Table& table, const std::vector<Cell>& row,
                 const std::vector<std::size_t>& widths, Style style) {
    const std::size_t max_lines =
        options_.detail == Detail::full ? static_cast<std::size_t>(-1) : kCellLines;
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(wrap(row[c].text, widths[c], max_lines));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t line = 0; line < height; ++line) {
      std::string text = "  ";
      std::size_t pending = 0;  // blanks that are only written when something follows
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (c > 0) pending += kGap;
        const std::string piece = line < cells[c].size() ? cells[c][line] : std::string();
        const std::size_t used = base::display_width(piece);
        const std::size_t blanks = widths[c] > used ? widths[c] - used : 0;
        const bool right = table.columns[c].align == base::Align::right;
        if (right) pending += blanks;
        if (!piece.empty()) {
          text.append(pending, ' ');
          pending = 0;
          text += paint(style == Style::plain ? style_of(row[c].tone) : style, piece);
        }
        if (!right) pending += blanks;
      }
      out_ += text;
      out_ += '\n';
    }
  }

  // A row a block, for tables with more columns than the width can hold.
  void write_blocks(const std::vector<Cell>& header, const std::vector<std::vector<Cell>>& rows) {
    std::size_t widest = 0;
    for (const Cell& cell : header) widest = std::max(widest, base::display_width(cell.text));
    widest = std::min(widest, width_ / 3);
    bool first_row = true;
    for (const auto& row : rows) {
      if (!first_row) out_ += '\n';
      first_row = false;
      for (std::size_t c = 0; c < row.size(); ++c)
        paragraph(
            fmt::format("  {}  ", pad(shorten(header[c].text, widest), widest, base::Align::left)),
            row[c].text, style_of(row[c].tone));
    }
  }

  // Terminals get a plot's numbers as a table.
  void write_series(const base::Series& series) {
    Table table = series_table(series, IntervalStyle::brackets);
    table.id = series.id;
    table.title = series.title;
    table.detail = true;
    if (!series.y_label.empty()) table.notes.push_back("values are " + series.y_label);
    write_table(table);
  }

  bool listed(const Finding& finding) const {
    return finding.severity != Severity::note || options_.notes == Notes::listed;
  }

  void write_counts() {
    const auto counts = base::count_by_severity(report_.findings);
    std::size_t used = width_;  // the first count starts a line
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const auto severity = static_cast<Severity>(i);
      const std::string text = plural(counts[i], base::to_string(severity));
      const bool fits = used + 2 + text.size() + 1 <= width_;  // and a comma after it
      if (!out_.ends_with('\n')) out_ += fits ? ", " : ",\n";
      if (out_.ends_with('\n')) out_ += "  ";
      used = fits ? used + 2 + text.size() : 2 + text.size();
      out_ += paint(style_of(severity), text);
    }
    out_ += '\n';
  }

  void findings() {
    if (report_.findings.empty()) return;
    title("Findings");
    write_counts();
    for (const Finding& finding : report_.findings)
      if (listed(finding)) write_finding(finding);
    const std::size_t notes =
        base::count_by_severity(report_.findings)[static_cast<std::size_t>(Severity::note)];
    if (notes > 0 && options_.notes == Notes::counted) {
      out_ += '\n';
      paragraph("  ", fmt::format("{} not listed, shown with --all", plural(notes, "note")),
                Style::dim);
    }
  }

  void write_finding(const Finding& finding) {
    out_ += '\n';
    const std::string severity = base::to_string(finding.severity);
    const std::string id = show(finding.check_id);
    const std::size_t indent = severity.size() + 1 + base::display_width(id) + 1;
    bool first = true;
    for (const std::string& line : wrap(show(finding.subject), room(indent))) {
      if (first)
        out_ += fmt::format("{} {} ", paint(style_of(finding.severity), severity),
                            paint(Style::bold, id));
      else
        out_ += std::string(indent, ' ');
      out_ += line + '\n';
      first = false;
    }
    paragraph("  ", show(finding.message));
    const std::string place = show(finding.location.to_string());
    if (!place.empty()) paragraph("  at ", place, Style::dim);
    if (!finding.symbol.empty() && finding.symbol != finding.location.member)
      paragraph("  symbol ", show(finding.symbol), Style::dim);
    const std::size_t shown = options_.detail == Detail::full
                                  ? finding.evidence.size()
                                  : std::min(finding.evidence.size(), kEvidenceLines);
    for (std::size_t i = 0; i < shown; ++i) paragraph("  | ", show(finding.evidence[i]));
    if (shown < finding.evidence.size())
      paragraph("  | ",
                fmt::format("… {} of evidence more, shown with --verbose",
                            plural(finding.evidence.size() - shown, "line")),
                Style::dim);
    const std::string help = help_of(finding);
    if (!help.empty()) paragraph("  help: ", help);
    if (!options_.ignore_until.empty()) write_ignore_entry(finding);
  }

  // Not wrapped: it is to be copied. Its own escapes keep it to printable characters.
  void write_ignore_entry(const Finding& finding) {
    out_ += "  to ignore it:\n";
    const std::string entry = ignore_entry(finding, options_.ignore_until);
    for (std::string_view line : base::split(base::trim(entry), '\n'))
      out_ += fmt::format("    {}\n", paint(Style::dim, line));
  }

  static std::string help_of(const Finding& finding) {
    if (!finding.help.empty()) return show(finding.help);
    const base::Check* check = base::find_check(finding.check_id);
    return check == nullptr ? std::string() : std::string(check->remedy);
  }

  void suppressed() {
    if (report_.suppressed.empty()) return;
    title("Not counted");
    if (options_.detail == Detail::brief) {
      std::size_t ignored = 0;
      for (const auto& entry : report_.suppressed)
        if (entry.kind == base::SuppressionKind::ignore) ++ignored;
      paragraph("  ",
                fmt::format("{} ignored by rowgate.toml, {} in the baseline, shown with --verbose",
                            plural(ignored, "finding"), report_.suppressed.size() - ignored),
                Style::dim);
      return;
    }
    for (const auto& entry : report_.suppressed) {
      const Finding& finding = entry.finding;
      paragraph("  ",
                fmt::format("{} {} {}: {}", base::to_string(finding.severity),
                            show(finding.check_id), show(finding.subject), show(finding.message)));
      paragraph("    ",
                fmt::format("{}: {}{}{}", base::to_string(entry.kind), show(entry.reason),
                            entry.expires.empty() ? "" : ", until ", show(entry.expires)),
                Style::dim);
    }
  }

  void coverage() {
    if (report_.coverage.empty()) return;
    blank_line();
    for (const base::Coverage& entry : report_.coverage) {
      std::string text =
          fmt::format("{}: {} looked at", show(entry.what), base::with_thousands(entry.done));
      if (entry.skipped > 0)
        text += fmt::format(", {} could not be", base::with_thousands(entry.skipped));
      paragraph("", text, entry.skipped > 0 ? Style::yellow : Style::dim);
    }
  }

  void gate() {
    if (!report_.gate) return;
    blank_line();
    paragraph("",
              fmt::format("gate {}: {}", report_.gate->failed ? "failed" : "passed",
                          show(report_.gate->text)),
              report_.gate->failed ? Style::red : Style::green);
  }

  const Report& report_;
  const TextOptions options_;
  const std::size_t width_;
  std::string out_;
};

}  // namespace

std::string render_text(const Report& report, const TextOptions& options) {
  return TextRenderer(report, options).render();
}

}  // namespace rowgate::reports
