// Runs the steps of Change Data Feed fixtures in order, on one fresh table a fixture, and compares
// each with what the fixture states. There is no oracle: the feed is Delta's own, and the fixtures
// say what Delta documents and what a person saw it do.
#include "harness/change_feed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/report.hpp"
#include "harness/failure.hpp"

namespace rowgate::harness {
namespace {

using Outcome = FeedCell::Outcome;

std::string stated_text(const FeedExpectation& expected) {
  if (!expected.error_name.empty()) return "error " + expected.error_name;
  const std::size_t count = expected.rows ? expected.rows->size() : 0;
  return count == 0 ? "no rows" : fmt::format("{} row{}", count, count == 1 ? "" : "s");
}

std::string row_text(const Row& row) {
  std::string text;
  for (const Value& value : row) text += (text.empty() ? "" : " ") + to_text(value);
  return text;
}

std::string rows_of(const Rows& rows) {
  if (rows.empty()) return "(no rows)";
  std::string text;
  for (const Row& row : rows) text += (text.empty() ? "" : "; ") + row_text(row);
  return text;
}

FeedCell cell_not_run(const Failure& failure) {
  FeedCell cell;
  const bool unsupported = failure.kind == FailureKind::unsupported;
  cell.outcome = unsupported ? Outcome::unsupported : Outcome::not_run;
  cell.text = unsupported ? "unsupported" : "not run";
  if (!failure.error_name.empty()) cell.text += ": " + failure.error_name;
  cell.failure = failure;
  return cell;
}

FeedCell cell_of(const FeedStep& step, Attempt<Rows> attempt) {
  FeedCell cell;
  FeedExpectation seen;
  if (!attempt) {
    Failure failure = std::move(attempt).error();
    if (failure.kind == FailureKind::refused) {
      cell.outcome = !failure.error_name.empty() && failure.error_name == step.expected.error_name
                         ? Outcome::as_stated
                         : Outcome::otherwise;
      seen.error_name = failure.error_name.empty() ? failure.message : failure.error_name;
      cell.text = stated_text(seen);
      cell.failure = std::move(failure);
      return cell;
    }
    return cell_not_run(failure);
  }
  cell.rows = std::move(*attempt);
  sort_rows(cell.rows);
  seen.rows = cell.rows;
  cell.text = stated_text(seen);
  cell.outcome = step.expected.rows && *step.expected.rows == cell.rows ? Outcome::as_stated
                                                                        : Outcome::otherwise;
  return cell;
}

std::vector<FeedCell> run_fixture(const FeedFixture& fixture, FeedEngine& engine,
                                  const RunContext& ctx) {
  std::vector<FeedCell> cells;
  const Attempt<void> ready = engine.prepare(fixture);
  for (const FeedStep& step : fixture.steps) {
    if (!ready)
      cells.push_back(cell_not_run(ready.error()));
    else if (ctx.stopped())
      cells.push_back(cell_not_run(make_failure(FailureKind::not_run, "the run was stopped")));
    else
      cells.push_back(cell_of(step, step.kind == FeedStep::Kind::read
                                        ? engine.read(fixture, step)
                                        : engine.consume(fixture, step)));
  }
  engine.finish();
  return cells;
}

base::Tone tone_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::as_stated: return base::Tone::good;
    case Outcome::otherwise: return base::Tone::bad;
    case Outcome::unsupported: return base::Tone::muted;
    case Outcome::not_run: return base::Tone::unknown;
  }
  return base::Tone::plain;
}

// Beside what is stated.
std::string cell_text(const FeedCell& cell) {
  switch (cell.outcome) {
    case Outcome::as_stated: return "as stated";
    case Outcome::otherwise: return "otherwise: " + cell.text;
    case Outcome::unsupported:
    case Outcome::not_run: break;
  }
  return cell.text;
}

base::Cell plain(std::string text) {
  return {std::move(text), base::Tone::plain};
}

class FeedReport {
 public:
  FeedReport(base::Report& report, std::span<const FeedFixture> fixtures,
             std::span<const FeedResult> results)
      : report_(report), fixtures_(fixtures), results_(results) {}

  std::size_t add() {
    report_.tables.push_back(steps_table());
    base::Table rows = rows_table();
    if (!rows.rows.empty()) report_.tables.push_back(std::move(rows));
    std::uint64_t done = 0, skipped = 0;
    for (const FeedResult& result : results_) {
      std::size_t as_stated = 0, otherwise = 0, unsupported = 0, not_run = 0;
      for (std::size_t f = 0; f < fixtures_.size(); ++f)
        for (std::size_t s = 0; s < fixtures_[f].steps.size(); ++s) {
          const FeedCell& cell = result.cells[f][s];
          as_stated += cell.outcome == Outcome::as_stated;
          otherwise += cell.outcome == Outcome::otherwise;
          unsupported += cell.outcome == Outcome::unsupported;
          not_run += cell.outcome == Outcome::not_run;
          if (cell.outcome == Outcome::unsupported && unsupported == 1)
            report_.findings.push_back(
                refusal_finding("change feed on " + result.target.name, *cell.failure));
          else if (!result.no_feed && cell.outcome != Outcome::unsupported)
            add_finding(fixtures_[f], fixtures_[f].steps[s], result, cell);
        }
      report_.summary.push_back(summary_line(result, as_stated, otherwise, unsupported + not_run));
      done += as_stated + otherwise + unsupported;
      skipped += not_run;
      if (!result.no_feed) broken_ += not_run;
    }
    report_.coverage.push_back({"steps of change feeds", done, skipped});
    return broken_;
  }

 private:
  base::Table steps_table() const {
    base::Table table;
    table.id = "change-feed";
    table.title = "Change Data Feed: what each step gives";
    for (const char* name : {"scenario", "step", "stated"})
      table.columns.push_back({name, base::Align::left});
    for (const FeedResult& result : results_)
      table.columns.push_back({result.target.engine, base::Align::left});
    for (std::size_t f = 0; f < fixtures_.size(); ++f)
      for (std::size_t s = 0; s < fixtures_[f].steps.size(); ++s) {
        const FeedStep& step = fixtures_[f].steps[s];
        std::vector<base::Cell> row = {plain(s == 0 ? fixtures_[f].name : ""), plain(step.name),
                                       plain(stated_text(step.expected))};
        for (const FeedResult& result : results_) {
          const FeedCell& cell = result.cells[f][s];
          row.push_back({cell_text(cell), tone_of(cell.outcome)});
        }
        table.rows.push_back(std::move(row));
      }
    table.notes.push_back(
        "stated: what the fixture says that Delta gives, rows or an error by its name. The other "
        "columns: what was seen on these engines.");
    for (const FeedResult& result : results_)
      if (result.no_feed)
        table.notes.push_back(
            fmt::format("{}: not run: {}", result.target.engine, *result.no_feed));
    return table;
  }

  base::Table rows_table() const {
    base::Table table;
    table.id = "change-feed-rows";
    table.title = "Rows of the Change Data Feed";
    table.detail = true;
    for (const char* name : {"scenario", "step", "engine", "rows"})
      table.columns.push_back({name, base::Align::left});
    for (std::size_t f = 0; f < fixtures_.size(); ++f)
      for (std::size_t s = 0; s < fixtures_[f].steps.size(); ++s)
        for (const FeedResult& result : results_) {
          const FeedCell& cell = result.cells[f][s];
          if (cell.outcome == Outcome::not_run || cell.failure) continue;
          for (const Row& row : cell.rows)
            table.rows.push_back({plain(fixtures_[f].name), plain(fixtures_[f].steps[s].name),
                                  plain(result.target.engine), plain(row_text(row))});
        }
    table.notes.push_back("Of a read: the commit's version, the change type, the row.");
    return table;
  }

  void add_finding(const FeedFixture& fixture, const FeedStep& step, const FeedResult& result,
                   const FeedCell& cell) const {
    if (cell.outcome == Outcome::as_stated) return;
    const bool not_run = cell.outcome == Outcome::not_run;
    base::Finding finding = base::make_finding(
        not_run ? "RG3002" : "RG3251", result.target.name,
        not_run ? fmt::format("{}, {}: was not run: {}", fixture.name, step.name,
                              cell.failure ? cell.failure->message : "")
                : fmt::format("{}, {}: stated is {}, and it gave {}", fixture.name, step.name,
                              stated_text(step.expected),
                              cell.text == stated_text(step.expected) ? "others" : cell.text));
    finding.symbol = fixture.name;
    finding.location.file = fixture.file;
    if (step.expected.line > 0)
      finding.location.line = static_cast<std::uint32_t>(step.expected.line);
    if (cell.failure) {
      if (!not_run) finding.evidence.push_back(cell.failure->message);
      finding.evidence.insert(finding.evidence.end(), cell.failure->evidence.begin(),
                              cell.failure->evidence.end());
      if (!cell.failure->statement.empty())
        finding.evidence.push_back("in: " + cell.failure->statement);
    } else {
      if (step.expected.rows) finding.evidence.push_back("stated: " + rows_of(*step.expected.rows));
      finding.evidence.push_back("found: " + rows_of(cell.rows));
    }
    report_.findings.push_back(std::move(finding));
  }

  static base::SummaryLine summary_line(const FeedResult& result, std::size_t as_stated,
                                        std::size_t otherwise, std::size_t not_run) {
    base::SummaryLine line;
    line.subject = "change feed on " + result.target.name;
    line.verdict = otherwise > 0 ? "otherwise" : not_run > 0 ? "not run" : "as stated";
    line.tone = otherwise > 0 ? base::Tone::bad
                : not_run > 0 ? base::Tone::unknown
                              : base::Tone::good;
    line.text = result.no_feed ? *result.no_feed
                               : fmt::format("{} steps as stated, {} otherwise, {} not run",
                                             as_stated, otherwise, not_run);
    return line;
  }

  base::Report& report_;
  std::span<const FeedFixture> fixtures_;
  std::span<const FeedResult> results_;
  std::size_t broken_ = 0;
};

}  // namespace

FeedResult replay_feed(std::span<const FeedFixture> fixtures, FeedEngine& engine,
                       const RunContext& ctx) {
  if (auto reason = engine.why_not()) return no_feed(fixtures, engine.info(), std::move(*reason));
  FeedResult result;
  result.target = engine.info();
  const auto progress = ctx.progress->start(fmt::format("change feed on {}", result.target.name),
                                            base::ProgressUnit::items, fixtures.size());
  for (const FeedFixture& fixture : fixtures) {
    result.cells.push_back(run_fixture(fixture, engine, ctx));
    progress->advance(1);
  }
  return result;
}

FeedResult no_feed(std::span<const FeedFixture> fixtures, const TargetInfo& target,
                   std::string reason) {
  FeedResult result;
  result.target = target;
  result.no_feed = std::move(reason);
  for (const FeedFixture& fixture : fixtures) {
    FeedCell cell;
    cell.text = "not run: no change feed";
    result.cells.emplace_back(fixture.steps.size(), cell);
  }
  return result;
}

std::size_t add_feed_report(base::Report& report, std::span<const FeedFixture> fixtures,
                            std::span<const FeedResult> results) {
  return FeedReport(report, fixtures, results).add();
}

}  // namespace rowgate::harness
