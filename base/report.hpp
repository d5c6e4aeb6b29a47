// The report model: every command makes one `Report`, every output format is a function of it.
// Plain data, no behaviour but the counts. Text in it may come from hostile input: it is stored as
// it is, and each renderer escapes it for its own format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"

namespace rowgate::base {

// How a cell or a summary line should look; carries no information that its text does not.
enum class Tone : std::uint8_t { plain, good, bad, caution, unknown, muted };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;

  friend bool operator==(const Cell&, const Cell&) = default;
};

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string name;
  Align align = Align::left;

  friend bool operator==(const Column&, const Column&) = default;
};

struct Table {
  std::string id;     // stable, kebab-case: "capabilities"
  std::string title;  // for people
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as wide as `columns`
  std::vector<std::string> notes;       // footnotes, one line each
  // A detail table is folded in markdown and HTML, and left to --verbose on a terminal.
  bool detail = false;
  // A heat map: the first column names the row, the other cells are coloured by their tone.
  bool matrix = false;

  friend bool operator==(const Table&, const Table&) = default;
};

// Points of a plot: x is shared by all lines of a series.
struct Line {
  std::string name;
  std::vector<double> y;     // NaN where there is no value
  std::vector<double> low;   // empty, or the interval's lower ends
  std::vector<double> high;  // empty, or the interval's upper ends

  friend bool operator==(const Line&, const Line&) = default;
};

enum class Scale : std::uint8_t { linear, logarithmic };

struct Series {
  std::string id;
  std::string title;
  std::string x_label;  // with its unit
  std::string y_label;  // with its unit
  Scale x_scale = Scale::linear;
  Scale y_scale = Scale::linear;
  std::vector<double> x;
  std::vector<Line> lines;

  friend bool operator==(const Series&, const Series&) = default;
};

struct SummaryLine {
  std::string subject;  // "io.delta:delta-spark_2.13:4.3.1"
  std::string verdict;  // "works" / "breaks" / "undecidable: needs …"
  std::string text;     // one sentence
  Tone tone = Tone::plain;

  friend bool operator==(const SummaryLine&, const SummaryLine&) = default;
};

// A finding that the gate does not count, and who said so.
enum class SuppressionKind : std::uint8_t { ignore, baseline };

struct Suppressed {
  Finding finding;
  SuppressionKind kind = SuppressionKind::ignore;
  std::string reason;   // the ignore entry's; for a baseline, which file
  std::string expires;  // "2027-01-31", empty for a baseline

  friend bool operator==(const Suppressed&, const Suppressed&) = default;
};

// What a gate with `--fail-on` decided.
struct GateOutcome {
  bool failed = false;
  std::vector<std::string> fail_on;  // "error", "undecidable", …
  std::string text;                  // one sentence with the counts

  friend bool operator==(const GateOutcome&, const GateOutcome&) = default;
};

// What was looked at, and what could not be. `skipped` never shrinks silently: a report whose
// inputs were not all read says so.
struct Coverage {
  std::string what;  // "jars", "POMs", "scenarios"
  std::uint64_t done = 0;
  std::uint64_t skipped = 0;

  friend bool operator==(const Coverage&, const Coverage&) = default;
};

// The only part of a report that may differ between two runs on the same input.
struct Provenance {
  std::string tool_version;
  std::string started_at;  // UTC, RFC 3339
  double elapsed_ms = 0;
  std::vector<std::pair<std::string, std::string>> facts;  // "cpu" -> "…", in display order

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct Report {
  std::string command;  // "audit"
  std::string title;
  // Facts of the input that belong to the result: target, repositories. In display order.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<SummaryLine> summary;
  std::vector<Table> tables;
  std::vector<Series> series;
  std::vector<Finding> findings;       // in report order
  std::vector<Suppressed> suppressed;  // in report order of their findings
  std::optional<GateOutcome> gate;     // where a gate was applied
  std::vector<Coverage> coverage;
  Provenance provenance;

  friend bool operator==(const Report&, const Report&) = default;
};

const char* to_string(Tone tone);
const char* to_string(SuppressionKind kind);

// Number of findings by severity, indexed by `Severity`.
std::array<std::size_t, 4> count_by_severity(const std::vector<Finding>& findings);

}  // namespace rowgate::base
