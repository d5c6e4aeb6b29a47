// Merging is a left fold: each run is laid over what the runs before it gave. Every step looks for
// an item of the same identity (a table's id, an input's name), takes it as it is when equal, and
// otherwise adds a second one that carries the run's name. The cost is linear in the texts but for
// the lookups by identity, which are quadratic in the number of tables and series.
#include "reports/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"

namespace rowgate::reports {
namespace {

using base::Cell;
using base::Report;
using base::Series;
using base::Table;

template <class T>
bool contains(const std::vector<T>& items, const T& wanted) {
  return std::find(items.begin(), items.end(), wanted) != items.end();
}

template <class T>
void add_missing(std::vector<T>& items, const std::vector<T>& more) {
  for (const T& item : more)
    if (!contains(items, item)) items.push_back(item);
}

// A matrix with the cells of both, or false when they disagree about a cell.
bool join_matrix(Table& table, const Table& other) {
  if (!table.matrix || !other.matrix || table.columns.empty() || other.columns.empty())
    return false;
  Table joined = table;
  std::vector<std::size_t> column_of;  // other's column -> joined's
  for (const base::Column& column : other.columns) {
    const auto at = std::find_if(joined.columns.begin(), joined.columns.end(),
                                 [&](const base::Column& c) { return c.name == column.name; });
    column_of.push_back(static_cast<std::size_t>(at - joined.columns.begin()));
    if (at == joined.columns.end()) joined.columns.push_back(column);
  }
  if (column_of[0] != 0) return false;
  const Cell not_run{"not run", base::Tone::muted};
  for (auto& row : joined.rows) row.resize(joined.columns.size(), not_run);
  for (const auto& row : other.rows) {
    if (row.empty()) continue;
    auto at = std::find_if(joined.rows.begin(), joined.rows.end(),
                           [&](const auto& r) { return r[0].text == row[0].text; });
    if (at == joined.rows.end()) {
      joined.rows.emplace_back(joined.columns.size(), not_run);
      at = joined.rows.end() - 1;
      (*at)[0] = row[0];
    }
    for (std::size_t c = 1; c < row.size() && c < column_of.size(); ++c) {
      Cell& cell = (*at)[column_of[c]];
      if (cell != not_run && cell != row[c]) return false;
      cell = row[c];
    }
  }
  add_missing(joined.notes, other.notes);
  table = std::move(joined);
  return true;
}

constexpr std::string_view kRunColumn = "run";

// Appends `other`'s rows under a leading column that says which run they are from.
bool append_rows(Table& table, const std::string& first_name, const Table& other,
                 const std::string& name) {
  if (table.matrix || other.matrix) return false;
  const bool named = !table.columns.empty() && table.columns[0].name == kRunColumn;
  std::vector<base::Column> columns = table.columns;
  if (named) columns.erase(columns.begin());
  if (columns != other.columns) return false;
  if (!named) {
    table.columns.insert(table.columns.begin(), base::Column{std::string(kRunColumn)});
    for (auto& row : table.rows) row.insert(row.begin(), Cell{first_name});
  }
  for (const auto& row : other.rows) {
    std::vector<Cell> named_row = {Cell{name}};
    named_row.insert(named_row.end(), row.begin(), row.end());
    table.rows.push_back(std::move(named_row));
  }
  add_missing(table.notes, other.notes);
  return true;
}

void add_table(Report& merged, const Table& table, const std::string& first_name,
               const std::string& name) {
  if (contains(merged.tables, table)) return;
  for (Table& have : merged.tables)
    if (have.id == table.id &&
        (join_matrix(have, table) || append_rows(have, first_name, table, name)))
      return;
  Table added = table;
  const bool taken = std::any_of(merged.tables.begin(), merged.tables.end(),
                                 [&](const Table& have) { return have.id == table.id; });
  if (taken) added.title = fmt::format("{} ({})", table.title, name);
  merged.tables.push_back(std::move(added));
}

// A gap is equal to a gap, although NaN is not equal to NaN.
bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

bool same_line(const base::Line& a, const base::Line& b) {
  return a.name == b.name && same_numbers(a.y, b.y) && same_numbers(a.low, b.low) &&
         same_numbers(a.high, b.high);
}

bool same_axes(const Series& a, const Series& b) {
  return a.id == b.id && same_numbers(a.x, b.x) && a.x_label == b.x_label &&
         a.y_label == b.y_label && a.x_scale == b.x_scale && a.y_scale == b.y_scale;
}

void add_series(Report& merged, const Series& series, const std::string& name) {
  for (Series& have : merged.series) {
    if (!same_axes(have, series)) continue;
    for (const base::Line& line : series.lines) {
      if (std::any_of(have.lines.begin(), have.lines.end(),
                      [&](const base::Line& other) { return same_line(line, other); }))
        continue;
      base::Line added = line;
      const bool taken =
          std::any_of(have.lines.begin(), have.lines.end(),
                      [&](const base::Line& other) { return other.name == line.name; });
      if (taken) added.name = fmt::format("{} ({})", line.name, name);
      have.lines.push_back(std::move(added));
    }
    return;
  }
  Series added = series;
  const bool taken = std::any_of(merged.series.begin(), merged.series.end(),
                                 [&](const Series& have) { return have.id == series.id; });
  if (taken) added.title = fmt::format("{} ({})", series.title, name);
  merged.series.push_back(std::move(added));
}

void add_inputs(Report& merged, const Report& report, const std::string& name) {
  for (const auto& input : report.inputs) {
    if (contains(merged.inputs, input)) continue;
    const bool taken = std::any_of(merged.inputs.begin(), merged.inputs.end(),
                                   [&](const auto& have) { return have.first == input.first; });
    merged.inputs.emplace_back(taken ? fmt::format("{} ({})", input.first, name) : input.first,
                               input.second);
  }
}

void add_coverage(Report& merged, const Report& report) {
  for (const base::Coverage& entry : report.coverage) {
    const auto at =
        std::find_if(merged.coverage.begin(), merged.coverage.end(),
                     [&](const base::Coverage& have) { return have.what == entry.what; });
    if (at == merged.coverage.end()) {
      merged.coverage.push_back(entry);
    } else {
      at->done += entry.done;
      at->skipped += entry.skipped;
    }
  }
}

void add_provenance(base::Provenance& merged, const base::Provenance& run,
                    const std::string& name) {
  if (merged.started_at.empty() || (!run.started_at.empty() && run.started_at < merged.started_at))
    merged.started_at = run.started_at;
  merged.elapsed_ms += run.elapsed_ms;
  merged.facts.emplace_back(
      name, fmt::format("rowgate {}, started {}", run.tool_version, run.started_at));
  for (const auto& [fact, value] : run.facts)
    merged.facts.emplace_back(fmt::format("{}: {}", name, fact), value);
}

void merge_gates(Report& merged, const std::vector<NamedReport>& runs) {
  std::size_t gated = 0;
  std::vector<std::string> failed;
  base::GateOutcome outcome;
  for (const auto& [name, report] : runs) {
    if (!report.gate) continue;
    ++gated;
    if (report.gate->failed) failed.push_back(fmt::format("{} ({})", name, report.gate->text));
    add_missing(outcome.fail_on, report.gate->fail_on);
  }
  if (gated == 0) return;
  outcome.failed = !failed.empty();
  outcome.text = failed.empty() ? fmt::format("all {} gated runs passed", gated)
                                : fmt::format("{} of {} gated runs failed: {}", failed.size(),
                                              gated, base::join(failed, "; "));
  if (gated < runs.size())
    outcome.text += fmt::format("; {} runs had no gate", runs.size() - gated);
  merged.gate = std::move(outcome);
}

}  // namespace

Report merge(const std::vector<NamedReport>& runs) {
  if (runs.empty()) return {};
  if (runs.size() == 1) return runs[0].report;
  Report merged;
  std::set<std::string> commands, versions;
  for (const auto& [name, report] : runs) {
    commands.insert(report.command);
    versions.insert(report.provenance.tool_version);
    add_inputs(merged, report, name);
    add_missing(merged.summary, report.summary);
    for (const Table& table : report.tables) add_table(merged, table, runs[0].name, name);
    for (const Series& series : report.series) add_series(merged, series, name);
    merged.findings.insert(merged.findings.end(), report.findings.begin(), report.findings.end());
    merged.suppressed.insert(merged.suppressed.end(), report.suppressed.begin(),
                             report.suppressed.end());
    add_coverage(merged, report);
    add_provenance(merged.provenance, report.provenance, name);
  }
  merged.command = commands.size() == 1 ? *commands.begin() : "report";
  merged.title = fmt::format("{} runs merged", runs.size());
  merged.provenance.tool_version =
      versions.size() == 1 ? *versions.begin()
                           : fmt::format("{}", fmt::join(versions.begin(), versions.end(), ", "));
  base::normalise(merged.findings);
  auto& suppressed = merged.suppressed;
  std::stable_sort(suppressed.begin(), suppressed.end(), [](const auto& a, const auto& b) {
    return base::report_order(a.finding, b.finding);
  });
  suppressed.erase(std::unique(suppressed.begin(), suppressed.end()), suppressed.end());
  merge_gates(merged, runs);
  return merged;
}

}  // namespace rowgate::reports
