#include "harness/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/checks.hpp"
#include "harness/failure.hpp"
#include "harness/runner.hpp"

namespace rowgate::harness {
namespace {

// A user's own history may be wrong in a million keys.
constexpr std::size_t kMaxKeysInEvidence = 20;
constexpr std::size_t kMaxKeysInTable = 1'000;

std::span<const KeyDifference> first_of(std::span<const KeyDifference> all, std::size_t count) {
  return all.first(std::min(all.size(), count));
}

struct Judged {
  Answer answer;
  std::optional<Failure> no_answer;  // the rule says nothing about this history
};

const RightState* right_state(const Fixture& fixture, StateKind state) {
  for (const RightState& right : fixture.right)
    if (right.state == state) return &right;
  return nullptr;
}

Judged answer_of(const Fixture& fixture, StateKind state, const ReplayOptions& options) {
  Judged judged;
  const RightState* right = options.oracle.empty() ? right_state(fixture, state) : nullptr;
  if (right != nullptr) {
    judged.answer.kind = right->reject ? Answer::Kind::reject : Answer::Kind::states;
    judged.answer.states = right->states;
    for (Rows& rows : judged.answer.states) sort_rows(rows);
    std::sort(judged.answer.states.begin(), judged.answer.states.end());
    if (right->reject) judged.answer.reason = "the fixture says so";
    return judged;
  }
  const char* ideal = state == StateKind::scd1 ? "ideal" : "ideal-scd2";
  const OracleVariant* variant = find_oracle(options.oracle.empty() ? ideal : options.oracle);
  Result<Answer> answer = right_answer(*variant, fixture.schema, fixture.history);
  if (answer) {
    judged.answer = std::move(*answer);
  } else {
    judged.no_answer = make_failure(FailureKind::not_run, answer.error().message);
  }
  return judged;
}

int gravity(const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::wrong: return 5;
    case Outcome::not_run: return 4;
    case Outcome::refused: return 3;
    case Outcome::unsupported: return 2;
    case Outcome::ambiguous: return 1;
    case Outcome::right: return 0;
  }
  return 0;
}

Verdict judge_outcome(const Fixture& fixture, const Strategy& strategy, const Judged& judged,
                      const RunOutcome& outcome) {
  if (judged.no_answer) return judge(judged.answer, *judged.no_answer);
  if (!outcome) return judge(judged.answer, outcome.error());
  return judge(fixture.schema, strategy.state, fixture.history, judged.answer, *outcome);
}

bool applies_to(const Expectation& expectation, const TargetInfo& target) {
  if (expectation.target.empty() || expectation.target == target.name) return true;
  return expectation.target == (target.spark ? "spark" : "embedded");
}

std::string text_of(const Expectation& expectation) {
  Verdict verdict;
  verdict.outcome = expectation.outcome;
  verdict.how = expectation.how;
  std::string text = summary(verdict);
  if (!expectation.error_name.empty()) text += ": " + expectation.error_name;
  return text;
}

bool meets(const Expectation& expectation, const ReplayCell& cell) {
  if (cell.verdict.outcome != expectation.outcome || cell.verdict.how != expectation.how)
    return false;
  if (!expectation.error_name.empty() &&
      (!cell.verdict.failure || cell.verdict.failure->error_name != expectation.error_name))
    return false;
  return !expectation.rows || *expectation.rows == cell.rows;
}

void check_controls(const Fixture& fixture, const TargetInfo& target, ReplayCell& cell) {
  if (cell.verdict.outcome == Outcome::unsupported || cell.verdict.outcome == Outcome::not_run)
    return;
  for (const Expectation& expectation : fixture.expectations) {
    if (expectation.strategy != cell.strategy || !applies_to(expectation, target)) continue;
    if (meets(expectation, cell)) {
      if (cell.control == Control::none) cell.control = Control::met;
    } else {
      cell.control = Control::missed;
      cell.expected = text_of(expectation);
    }
  }
}

class Replay {
 public:
  Replay(std::span<const Fixture> fixtures, std::span<const Strategy> strategies, Target& target,
         const ReplayOptions& options, const RunContext& ctx)
      : fixtures_(fixtures),
        strategies_(strategies),
        target_(target),
        options_(options),
        ctx_(ctx) {}

  ReplayResult run() {
    result_.target = target_.info();
    for (const Fixture& fixture : fixtures_) result_.fixtures.push_back(fixture.name);
    for (const Strategy& strategy : strategies_) {
      result_.strategies.push_back(strategy.name);
      result_.states.push_back(strategy.state);
    }
    result_.cells.resize(fixtures_.size() * strategies_.size());
    const auto progress = ctx_.progress->start(fmt::format("replay on {}", result_.target.name),
                                               base::ProgressUnit::items, result_.cells.size());
    for (std::size_t s = 0; s < strategies_.size(); ++s) {
      run_strategy(s);
      progress->advance(fixtures_.size());
    }
    for (std::size_t f = 0; f < fixtures_.size(); ++f)
      for (std::size_t s = 0; s < strategies_.size(); ++s) finish_cell(f, s);
    for (std::size_t s = 0; s < strategies_.size(); ++s) add_engine_refusal(s);
    base::normalise(result_.findings);
    return std::move(result_);
  }

 private:
  ReplayCell& cell(std::size_t f, std::size_t s) {
    return result_.cells[f * strategies_.size() + s];
  }

  void run_strategy(std::size_t s) {
    const Strategy& strategy = strategies_[s];
    // Fixtures of one schema share a table.
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t f = 0; f < fixtures_.size(); ++f) {
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        return fixtures_[group.front()].schema == fixtures_[f].schema;
      });
      if (same == groups.end())
        groups.push_back({f});
      else
        same->push_back(f);
    }
    const unsigned runs = strategy.nondeterministic ? std::max(1U, options_.repeats) : 1U;
    for (unsigned run = 0; run < runs && !ctx_.stopped(); ++run)
      for (const std::vector<std::size_t>& group : groups) run_group(s, group);
  }

  void run_group(std::size_t s, const std::vector<std::size_t>& group) {
    const Strategy& strategy = strategies_[s];
    std::vector<const History*> histories;
    std::vector<Judged> judged;
    std::vector<bool> alone;
    for (const std::size_t f : group) {
      histories.push_back(&fixtures_[f].history);
      judged.push_back(answer_of(fixtures_[f], strategy.state, options_));
      // Input that must be rejected would take the whole pack with it.
      alone.push_back(options_.packing == Packing::alone ||
                      judged.back().answer.kind == Answer::Kind::reject);
    }
    const PackedOutcomes outcomes =
        run_packed(target_, strategy, fixtures_[group.front()].schema, histories, alone, ctx_);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Fixture& fixture = fixtures_[group[i]];
      record(cell(group[i], s), judge_outcome(fixture, strategy, judged[i], outcomes.outcomes[i]),
             outcomes.outcomes[i]);
    }
  }

  static void record(ReplayCell& cell, Verdict verdict, const RunOutcome& outcome) {
    const Rows rows = outcome ? *outcome : Rows{};
    if (cell.runs > 0 && rows != cell.rows && cell.seen.empty()) cell.seen.push_back(cell.rows);
    if (!cell.seen.empty() &&
        std::find(cell.seen.begin(), cell.seen.end(), rows) == cell.seen.end())
      cell.seen.push_back(rows);
    if (cell.runs == 0 || gravity(verdict) > gravity(cell.verdict)) {
      cell.verdict = std::move(verdict);
      cell.rows = rows;
    }
    ++cell.runs;
  }

  void finish_cell(std::size_t f, std::size_t s) {
    const Fixture& fixture = fixtures_[f];
    ReplayCell& here = cell(f, s);
    here.fixture = fixture.name;
    here.strategy = strategies_[s].name;
    if (here.runs == 0) {
      Failure failure;
      failure.message = "the run was stopped";
      here.verdict.failure = std::move(failure);
    }
    std::sort(here.seen.begin(), here.seen.end());
    check_controls(fixture, result_.target, here);
    if (here.verdict.outcome == Outcome::not_run) ++result_.not_run;
    add_findings(fixture, strategies_[s], here);
  }

  void add_findings(const Fixture& fixture, const Strategy& strategy, const ReplayCell& here) {
    const auto add = [&](std::string_view id, std::string message) {
      base::Finding finding = base::make_finding(id, here.strategy, std::move(message));
      finding.symbol = fixture.name;
      finding.location.file = fixture.file;
      if (here.verdict.failure) finding.evidence = here.verdict.failure->evidence;
      const auto& differences = here.verdict.differences;
      for (const KeyDifference& difference : first_of(differences, kMaxKeysInEvidence))
        finding.evidence.push_back(
            fmt::format("{}: expected {}, found {}", to_string(difference.how),
                        rows_text(difference.expected, fixture.schema, strategy.state),
                        rows_text(difference.actual, fixture.schema, strategy.state)));
      if (differences.size() > kMaxKeysInEvidence)
        finding.evidence.push_back(
            fmt::format("and {} more keys", differences.size() - kMaxKeysInEvidence));
      result_.findings.push_back(std::move(finding));
    };
    if (here.verdict.outcome == Outcome::wrong)
      add("RG3101", fmt::format("{} ends {}", fixture.name, summary(here.verdict)));
    if (here.verdict.outcome == Outcome::not_run)
      add("RG3002", fmt::format("{} was not run: {}", fixture.name,
                                here.verdict.failure ? here.verdict.failure->message : ""));
    if (here.control == Control::missed)
      add("RG3102", fmt::format("{} expects '{}', and this run ended '{}'", fixture.name,
                                here.expected, summary(here.verdict)));
    if (!here.seen.empty())
      add("RG3103", fmt::format("{} ended in {} different states in {} runs", fixture.name,
                                here.seen.size(), here.runs));
  }

  void add_engine_refusal(std::size_t s) {
    for (std::size_t f = 0; f < fixtures_.size(); ++f) {
      const Verdict& verdict = cell(f, s).verdict;
      if (verdict.outcome != Outcome::unsupported || verdict.failure->error_name.empty()) continue;
      result_.findings.push_back(refusal_finding(strategies_[s].name, *verdict.failure));
      return;
    }
  }

  std::span<const Fixture> fixtures_;
  std::span<const Strategy> strategies_;
  Target& target_;
  const ReplayOptions& options_;
  const RunContext& ctx_;
  ReplayResult result_;
};

base::Tone tone_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::right: return base::Tone::good;
    case Outcome::ambiguous: return base::Tone::caution;
    case Outcome::wrong: return base::Tone::bad;
    case Outcome::refused: return base::Tone::caution;
    case Outcome::unsupported: return base::Tone::muted;
    case Outcome::not_run: return base::Tone::unknown;
  }
  return base::Tone::plain;
}

std::string cell_text(const ReplayCell& cell) {
  std::string text = summary(cell.verdict);
  // The reason without a name of its own is a sentence, which stands below the table.
  if (cell.verdict.outcome == Outcome::unsupported || cell.verdict.outcome == Outcome::not_run)
    if (!cell.verdict.failure || cell.verdict.failure->error_name.empty())
      text = cell.verdict.outcome == Outcome::unsupported ? "unsupported" : "not run";
  if (!cell.seen.empty()) text += fmt::format(" (varies, {} results)", cell.seen.size());
  return text;
}

base::Cell plain(std::string text) {
  return {std::move(text), base::Tone::plain};
}

// The parts of a report that are about one target. `suffix` tells the tables of several apart.
class TargetSection {
 public:
  TargetSection(std::span<const Fixture> fixtures, const ReplayResult& result, bool only_one,
                std::string suffix)
      : fixtures_(fixtures), result_(result), only_one_(only_one), suffix_(std::move(suffix)) {}

  void add_to(base::Report& report) const {
    report.inputs.emplace_back("target", result_.target.name);
    report.inputs.emplace_back("engine", result_.target.engine);
    report.tables.push_back(correctness());
    for (base::Table table : {reasons(), wrong_rows()})
      if (!table.rows.empty()) report.tables.push_back(std::move(table));
    for (std::size_t s = 0; s < result_.strategies.size(); ++s)
      report.summary.push_back(summary_line(s));
    for (base::Finding finding : result_.findings) {
      if (!only_one_) finding.subject = named(finding.subject);
      report.findings.push_back(std::move(finding));
    }
  }

 private:
  std::string named(const std::string& strategy) const {
    return only_one_ ? strategy : fmt::format("{} on {}", strategy, result_.target.name);
  }

  base::Table correctness() const {
    base::Table table;
    table.id = "correctness" + suffix_;
    table.title = only_one_ ? "Correctness: scenario by strategy"
                            : fmt::format("Correctness on {}", result_.target.engine);
    table.columns.push_back({"scenario", base::Align::left});
    for (const std::string& strategy : result_.strategies)
      table.columns.push_back({strategy, base::Align::left});
    for (std::size_t f = 0; f < result_.fixtures.size(); ++f) {
      std::vector<base::Cell> row = {plain(result_.fixtures[f])};
      for (std::size_t s = 0; s < result_.strategies.size(); ++s)
        row.push_back({cell_text(result_.cell(f, s)), tone_of(result_.cell(f, s).verdict.outcome)});
      table.rows.push_back(std::move(row));
    }
    table.notes.push_back(
        "right: the rows are what the set of events demands. ambiguous: ties leave "
        "several states open, and this is one of them. refused: a loud error, the "
        "table is unchanged.");
    return table;
  }

  static bool has_reason(const Verdict& verdict) {
    return verdict.outcome == Outcome::refused || verdict.outcome == Outcome::unsupported ||
           verdict.outcome == Outcome::not_run;
  }

  // Why cells hold no rows, in the engine's words: one line a strategy and reason.
  base::Table reasons() const {
    base::Table table;
    table.id = "no-rows" + suffix_;
    table.title = only_one_ ? "Why cells hold no rows"
                            : fmt::format("Why cells hold no rows on {}", result_.target.engine);
    for (const char* name : {"strategy", "cell", "scenarios", "why"})
      table.columns.push_back({name, base::Align::left});
    for (std::size_t s = 0; s < result_.strategies.size(); ++s) {
      std::map<std::pair<Outcome, std::string>, std::size_t> counts;
      for (std::size_t f = 0; f < result_.fixtures.size(); ++f) {
        const Verdict& verdict = result_.cell(f, s).verdict;
        if (has_reason(verdict))
          ++counts[{verdict.outcome, verdict.failure ? verdict.failure->message : "unknown"}];
      }
      for (const auto& [reason, count] : counts)
        table.rows.push_back({plain(result_.strategies[s]),
                              {std::string(to_string(reason.first)), tone_of(reason.first)},
                              plain(fmt::format("{}", count)),
                              plain(reason.second)});
    }
    return table;
  }

  base::Table wrong_rows() const {
    base::Table detail;
    detail.id = "wrong-rows" + suffix_;
    detail.title = "What wrong cells ended with";
    if (!only_one_) detail.title += " on " + result_.target.engine;
    detail.detail = true;
    for (const char* name : {"scenario", "strategy", "how", "expected", "found"})
      detail.columns.push_back({name, base::Align::left});
    for (std::size_t f = 0; f < result_.fixtures.size(); ++f)
      for (std::size_t s = 0; s < result_.strategies.size(); ++s) {
        const ReplayCell& cell = result_.cell(f, s);
        const StateKind state = result_.states[s];
        const auto& differences = cell.verdict.differences;
        if (differences.size() > kMaxKeysInTable)
          detail.notes.push_back(fmt::format("{} with {}: {} more keys are not listed",
                                             cell.fixture, cell.strategy,
                                             differences.size() - kMaxKeysInTable));
        for (const KeyDifference& difference : first_of(differences, kMaxKeysInTable))
          detail.rows.push_back({plain(cell.fixture),
                                 plain(cell.strategy),
                                 {std::string(to_string(difference.how)), base::Tone::bad},
                                 plain(rows_text(difference.expected, fixtures_[f].schema, state)),
                                 plain(rows_text(difference.actual, fixtures_[f].schema, state))});
      }
    return detail;
  }

  base::SummaryLine summary_line(std::size_t s) const {
    std::size_t right = 0, wrong = 0, other = 0;
    for (std::size_t f = 0; f < result_.fixtures.size(); ++f) {
      const Outcome outcome = result_.cell(f, s).verdict.outcome;
      if (outcome == Outcome::right || outcome == Outcome::ambiguous)
        ++right;
      else if (outcome == Outcome::wrong)
        ++wrong;
      else
        ++other;
    }
    base::SummaryLine line;
    line.subject = named(result_.strategies[s]);
    line.verdict = wrong > 0 ? "wrong" : other > 0 ? "incomplete" : "right";
    line.tone = wrong > 0 ? base::Tone::bad : other > 0 ? base::Tone::unknown : base::Tone::good;
    line.text =
        fmt::format("{} right, {} wrong, {} refused, unsupported or not run", right, wrong, other);
    return line;
  }

  std::span<const Fixture> fixtures_;
  const ReplayResult& result_;
  bool only_one_;
  std::string suffix_;
};

}  // namespace

std::string rows_text(const Rows& rows, const Schema& schema, StateKind state) {
  if (rows.empty()) return "(no rows)";
  std::string text;
  for (const Row& row : rows) {
    if (!text.empty()) text += "; ";
    const std::size_t tail = state == StateKind::scd1 ? 1 : 2;
    if (row.size() != schema.keys.size() + schema.payload.size() + tail)
      return "(rows of another shape)";
    for (std::size_t i = 0; i + tail < row.size(); ++i) text += to_text(row[i]) + ' ';
    if (state == StateKind::scd1)
      text += '@' + to_text(row.back());
    else
      text += fmt::format("[{}, {})", to_text(row[row.size() - 2]),
                          row.back().is_null() ? "open" : to_text(row.back()));
  }
  return text;
}

Result<ReplayResult> replay(std::span<const Fixture> fixtures, std::span<const Strategy> strategies,
                            Target& target, const ReplayOptions& options, const RunContext& ctx) {
  if (!options.oracle.empty()) {
    const OracleVariant* variant = find_oracle(options.oracle);
    std::string known;
    for (const OracleVariant& each : oracle_variants())
      known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
    if (variant == nullptr)
      return fail(ErrorCode::usage, fmt::format("there is no rule '{}'", options.oracle), {},
                  std::nullopt, "known are: " + known);
    for (const Strategy& strategy : strategies)
      if (strategy.state != variant->state)
        return fail(ErrorCode::usage,
                    fmt::format("the rule '{}' cannot judge the strategy '{}': one is SCD type 1, "
                                "the other type 2",
                                variant->name, strategy.name));
  }
  return Replay(fixtures, strategies, target, options, ctx).run();
}

base::Report replay_report(std::span<const Fixture> fixtures,
                           std::span<const ReplayResult> results) {
  base::Report report;
  report.command = "replay";
  report.title = "Which way of merging ends in the right rows";
  const bool only_one = results.size() == 1;
  if (only_one) report.title += " on " + results.front().target.engine;
  std::uint64_t cells = 0, not_run = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    TargetSection(fixtures, results[i], only_one,
                  only_one ? std::string() : fmt::format("-{}", i + 1))
        .add_to(report);
    cells += results[i].cells.size();
    not_run += results[i].not_run;
  }
  base::normalise(report.findings);
  report.coverage.push_back({"cells", cells - not_run, not_run});
  return report;
}

}  // namespace rowgate::harness
