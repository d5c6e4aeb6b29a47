#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "harness/drift.hpp"
#include "harness/failure.hpp"

namespace rowgate::harness {
namespace {

base::Cell plain(std::string text) {
  return {std::move(text), base::Tone::plain};
}

base::Tone tone_of(DriftOutcome outcome) {
  switch (outcome) {
    case DriftOutcome::kept: return base::Tone::good;
    case DriftOutcome::restarted:
    case DriftOutcome::stopped: return base::Tone::caution;
    case DriftOutcome::lost: return base::Tone::bad;
    case DriftOutcome::not_run: return base::Tone::unknown;
  }
  return base::Tone::plain;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string cell_text(const DriftCell& cell) {
  std::string text(to_string(cell.outcome));
  if (cell.outcome == DriftOutcome::lost) text += ": " + counted(cell.lost.size(), "value");
  if (cell.outcome == DriftOutcome::not_run && cell.failure && !cell.failure->error_name.empty())
    text += ": " + cell.failure->error_name;
  if (!cell.stops.empty()) text += ": " + base::join(cell.stops.back().names, ", ");
  if (!cell.broken.empty()) text += "; contract broken";
  return text;
}

std::string row_text(const Row& row) {
  std::string text;
  for (const Value& value : row) text += (text.empty() ? "" : " ") + to_text(value);
  return text;
}

std::string names_of(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) text += column.name + ' ';
  return text + "_rescued_data source_file batch_id";
}

// The parts of a report that are about one target. `suffix` tells the tables of several apart.
class DriftSection {
 public:
  DriftSection(base::Report& report, std::span<const DriftFixture> fixtures,
               const DriftResult& result, std::string suffix)
      : report_(report), fixtures_(fixtures), result_(result), suffix_(std::move(suffix)) {}

  std::size_t add() {
    base::Table outcomes = table("drift", "Schema drift: scenario by policy", {"scenario"});
    for (const DriftPolicy policy : result_.policies)
      outcomes.columns.push_back({std::string(to_string(policy)), base::Align::left});
    base::Table bronze =
        table("bronze", "What landed in Bronze", {"scenario", "policy", "columns", "row"});
    bronze.detail = true;
    base::Table metrics = table("drift-metrics", "Drift metrics",
                                {"scenario", "policy", "source file", "rows", "rescued",
                                 "new columns", "cast failures", "empty"});
    base::Table contract = table("silver-contract", "Silver's contract: expected against arrived",
                                 {"scenario", "policy", "what", "detail"});
    for (std::size_t f = 0; f < fixtures_.size(); ++f) {
      std::vector<base::Cell> row = {plain(fixtures_[f].name)};
      for (std::size_t p = 0; p < result_.policies.size(); ++p) {
        const DriftCell& cell = result_.cells[f][p];
        row.push_back({cell_text(cell), tone_of(cell.outcome)});
        add_bronze(bronze, fixtures_[f], p, cell);
        add_metrics(metrics, fixtures_[f], p, cell);
        add_contract(contract, fixtures_[f], p, cell);
        add_findings(fixtures_[f], p, cell);
        not_run_ += cell.outcome == DriftOutcome::not_run;
      }
      outcomes.rows.push_back(std::move(row));
    }
    if (cannot_ != nullptr)
      report_.findings.push_back(refusal_finding("drift on " + result_.target.name, *cannot_));
    add_notes(outcomes, metrics, contract);
    report_.tables.push_back(std::move(outcomes));
    for (base::Table* each : {&metrics, &contract, &bronze})
      if (!each->rows.empty()) report_.tables.push_back(std::move(*each));
    for (std::size_t p = 0; p < result_.policies.size(); ++p)
      report_.summary.push_back(summary_line(p));
    return not_run_;
  }

 private:
  base::Table table(const char* id, const char* title,
                    std::initializer_list<const char*> columns) const {
    base::Table made;
    made.id = id + suffix_;
    made.title = suffix_.empty() ? title : fmt::format("{} on {}", title, result_.target.engine);
    for (const char* name : columns) made.columns.push_back({name, base::Align::left});
    return made;
  }

  std::string policy_name(std::size_t p) const {
    return std::string(to_string(result_.policies[p]));
  }

  void add_notes(base::Table& outcomes, base::Table& metrics, base::Table& contract) const {
    outcomes.notes.push_back(fmt::format(
        "Auto Loader exists on Databricks only: these are its documented policies, carried out by "
        "rowgate with the JSON reader of {}.",
        result_.target.engine));
    outcomes.notes.push_back(
        "kept: every value that arrived is in a column or in _rescued_data. restarted: so it is, "
        "after the stream stopped at unknown names (UnknownFieldException) and was started again. "
        "stopped: it does not go on until someone acts. lost: values are nowhere, without an "
        "error.");
    metrics.notes.push_back(fmt::format(
        "rescued: rows with rescued data. cast failures: rescued values whose column is of another "
        "type. empty: columns without a value. Without any of these: {}.",
        counted(without_drift_, "file")));
    contract.notes.push_back(
        "Silver names its columns; rows that break the contract stay in Bronze, and what is in "
        "Bronze alone does not appear in Silver until the contract names it.");
    const auto none =
        std::find(result_.policies.begin(), result_.policies.end(), DriftPolicy::none);
    if (none == result_.policies.end()) return;
    metrics.notes.push_back(
        "unknown: the policy none leaves no trace of what it did not take, so its drift cannot be "
        "measured afterwards.");
  }

  void add_bronze(base::Table& table, const DriftFixture& fixture, std::size_t p,
                  const DriftCell& cell) const {
    for (const Row& row : cell.bronze)
      table.rows.push_back({plain(fixture.name), plain(policy_name(p)),
                            plain(names_of(cell.columns)), plain(row_text(row))});
  }

  void add_metrics(base::Table& table, const DriftFixture& fixture, std::size_t p,
                   const DriftCell& cell) {
    if (cell.outcome == DriftOutcome::not_run) return;
    if (!cell.metrics) {
      std::vector<base::Cell> row = {plain(fixture.name), plain(policy_name(p)), plain("all"),
                                     plain(fmt::format("{}", cell.bronze.size()))};
      for (int i = 0; i < 4; ++i) row.push_back({"unknown", base::Tone::unknown});
      table.rows.push_back(std::move(row));
      return;
    }
    for (const DriftMetrics& metrics : *cell.metrics) {
      if (metrics.rescued_rows == 0 && metrics.new_columns.empty() &&
          metrics.empty_columns.empty()) {
        ++without_drift_;
        continue;
      }
      table.rows.push_back({plain(fixture.name), plain(policy_name(p)), plain(metrics.source_file),
                            plain(fmt::format("{}", metrics.rows)),
                            plain(fmt::format("{}", metrics.rescued_rows)),
                            plain(base::join(metrics.new_columns, ", ")),
                            plain(fmt::format("{}", metrics.cast_failures)),
                            plain(base::join(metrics.empty_columns, ", "))});
    }
  }

  void add_contract(base::Table& table, const DriftFixture& fixture, std::size_t p,
                    const DriftCell& cell) const {
    if (!cell.silver) return;
    for (const std::string& broken : cell.broken)
      table.rows.push_back(
          {plain(fixture.name), plain(policy_name(p)), {"broken", base::Tone::bad}, plain(broken)});
    if (cell.broken.empty())
      table.rows.push_back({plain(fixture.name),
                            plain(policy_name(p)),
                            {"holds", base::Tone::good},
                            plain(fmt::format("{} of {} rows", cell.silver->rows.size(),
                                              cell.silver->bronze_rows))});
    if (!cell.beside.empty())
      table.rows.push_back({plain(fixture.name),
                            plain(policy_name(p)),
                            {"in Bronze alone", base::Tone::caution},
                            plain(base::join(cell.beside, ", "))});
  }

  void add_findings(const DriftFixture& fixture, std::size_t p, const DriftCell& cell) {
    std::size_t line = 0;
    for (const DriftExpectation& expectation : fixture.expectations)
      if (expectation.policy == result_.policies[p]) line = expectation.line;
    const auto add = [&](std::string_view id, std::string message,
                         const std::vector<std::string>& evidence) {
      base::Finding finding = base::make_finding(id, subject(p), std::move(message));
      finding.symbol = fixture.name;
      finding.location.file = fixture.file;
      if (line > 0) finding.location.line = static_cast<std::uint32_t>(line);
      finding.evidence = evidence;
      report_.findings.push_back(std::move(finding));
    };
    if (cell.failure && cell.failure->kind == FailureKind::unsupported) {
      // A linkage error: every cell meets the same, and is told once.
      if (cannot_ == nullptr) cannot_ = &*cell.failure;
    } else if (cell.outcome == DriftOutcome::not_run) {
      std::vector<std::string> evidence;
      if (cell.failure) evidence = cell.failure->evidence;
      if (cell.failure && !cell.failure->statement.empty())
        evidence.push_back("in: " + cell.failure->statement);
      add("RG3002",
          fmt::format("{} was not run: {}", fixture.name,
                      cell.failure ? cell.failure->message : ""),
          evidence);
    }
    if (!cell.lost.empty())
      add("RG3351",
          fmt::format("{}: {} arrived and {} nowhere", fixture.name,
                      counted(cell.lost.size(), "value"), cell.lost.size() == 1 ? "is" : "are"),
          cell.lost);
    if (!cell.broken.empty())
      add("RG3352",
          fmt::format("{}: Silver takes {} of {} rows", fixture.name, cell.silver->rows.size(),
                      cell.silver->bronze_rows),
          cell.broken);
    if (!cell.missed.empty())
      add("RG3353", fmt::format("{} ends otherwise than stated", fixture.name), missed_of(cell));
    std::vector<std::string> wanted;
    for (const ContractColumn& column : fixture.contract) wanted.push_back(column.column.name);
    if (cell.silver && cell.silver->columns != wanted)
      add("RG3354",
          fmt::format("{}: Silver has the columns {}, the contract names {}", fixture.name,
                      base::join(cell.silver->columns, ", "), base::join(wanted, ", ")),
          {});
  }

  static std::vector<std::string> missed_of(const DriftCell& cell) {
    std::vector<std::string> evidence = cell.missed;
    for (const Row& row : cell.bronze) evidence.push_back("Bronze: " + row_text(row));
    if (cell.silver)
      for (const Row& row : cell.silver->rows) evidence.push_back("Silver: " + row_text(row));
    return evidence;
  }

  std::string subject(std::size_t p) const {
    return suffix_.empty() ? policy_name(p)
                           : fmt::format("{} on {}", policy_name(p), result_.target.name);
  }

  base::SummaryLine summary_line(std::size_t p) const {
    std::size_t kept = 0, stopped = 0, lost = 0, not_run = 0, broken = 0;
    for (const std::vector<DriftCell>& cells : result_.cells) {
      const DriftCell& cell = cells[p];
      kept += cell.outcome == DriftOutcome::kept || cell.outcome == DriftOutcome::restarted;
      stopped += cell.outcome == DriftOutcome::stopped;
      lost += cell.outcome == DriftOutcome::lost;
      not_run += cell.outcome == DriftOutcome::not_run;
      broken += !cell.broken.empty();
    }
    base::SummaryLine line;
    line.subject = subject(p);
    line.verdict = lost > 0      ? "loses"
                   : not_run > 0 ? "incomplete"
                   : stopped > 0 ? "stops"
                                 : "keeps";
    line.tone = lost > 0      ? base::Tone::bad
                : not_run > 0 ? base::Tone::unknown
                : stopped > 0 ? base::Tone::caution
                              : base::Tone::good;
    line.text = fmt::format("{} kept, {} stopped, {} lost, {} not run; contract broken in {}", kept,
                            stopped, lost, not_run, broken);
    return line;
  }

  base::Report& report_;
  std::span<const DriftFixture> fixtures_;
  const DriftResult& result_;
  std::string suffix_;
  std::size_t not_run_ = 0;
  std::size_t without_drift_ = 0;    // files, over all cells
  const Failure* cannot_ = nullptr;  // why the target cannot do any of it
};

}  // namespace

std::size_t add_drift_report(base::Report& report, std::span<const DriftFixture> fixtures,
                             std::span<const DriftResult> results) {
  std::size_t not_run = 0, cells = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string suffix = results.size() == 1 ? std::string() : fmt::format("-{}", i + 1);
    not_run += DriftSection(report, fixtures, results[i], suffix).add();
    cells += fixtures.size() * results[i].policies.size();
  }
  report.coverage.push_back({"drift cells", cells - not_run, not_run});
  return not_run;
}

}  // namespace rowgate::harness
