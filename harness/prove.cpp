// prove.
//
// Histories come from `enumerate` (small ones first) or `sample`, in chunks. Each chunk runs
// packed, each history's rows are judged by the oracle in parallel, and the failures are kept by
// kind, the shortest of each (`measure`). Unless every kind is wanted, the search stops after the
// first chunk with a failure: chunks do not mix sizes, so nothing shorter comes later. Then the
// failure is shrunk: all histories that are one step smaller (without a key, an event, a cut; with
// two events swapped into order) are run, the shortest that still fails is taken, until none fails:
// each step lowers `measure`, so it ends. The result runs once more, alone in a table of its own.
#include "harness/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parallel.hpp"
#include "harness/laws.hpp"
#include "harness/pack_run.hpp"

namespace rowgate::harness {
namespace {

constexpr std::size_t kProbeHistories = 48;

struct Judgement {
  Outcome outcome = Outcome::not_run;
  std::vector<Wrong> how;
};

class Prover {
 public:
  Prover(const Strategy& strategy, const Schema& schema, Target& target,
         const ProveOptions& options, const OracleVariant& oracle, const RunContext& ctx)
      : strategy_(strategy),
        schema_(schema),
        target_(target),
        options_(options),
        oracle_(oracle),
        ctx_(ctx) {}

  Result<ProveResult> run() {
    result_.target = target_.info();
    result_.strategy = strategy_.name;
    result_.oracle = std::string(oracle_.name);
    result_.bounds = options_.bounds;
    result_.in_bound = history_count(options_.bounds);
    ROWGATE_CHECK(decide_packing());
    const bool sampled = options_.samples > 0 || result_.in_bound > options_.max_histories;
    if (const Result<void> searched = sampled ? run_samples() : run_all(); !searched)
      ROWGATE_CHECK(keep_what_there_is(searched.error()));
    if (options_.laws) {
      result_.breaches = laws_.breaches(schema_);
      return std::move(result_);
    }
    for (const auto& [how, compact] : found_)
      if (const Result<void> added = add_counterexample(compact); !added)
        ROWGATE_CHECK(keep_what_there_is(added.error()));
    std::sort(result_.counterexamples.begin(), result_.counterexamples.end(),
              [](const Counterexample& a, const Counterexample& b) {
                return measure(a.compact) < measure(b.compact);
              });
    drop_repeats();
    return std::move(result_);
  }

 private:
  // A search that ended before its time is a result as far as it went.
  Result<void> keep_what_there_is(const Error& error) {
    const bool external =
        error.code == ErrorCode::child_process || error.code == ErrorCode::interrupted;
    if (!external || result_.checked == 0) return tl::unexpected<Error>(error);
    result_.cut_short = error;
    return {};
  }

  Result<void> decide_packing() {
    std::string why;
    if (options_.pack == Pack::never)
      result_.packing_note = "packing was switched off";
    else if (strategy_.reach == Reach::whole_table || reaches_over_keys(strategy_, why))
      result_.packing_note = why.empty() ? "the strategy reaches over keys" : why;
    else if (options_.bounds.null_key)
      result_.packing_note = "rows with null keys belong to no packed history";
    else
      return probe();
    return {};
  }

  // The same histories packed and alone: whoever can tell the difference is not packed.
  Result<void> probe() {
    std::mt19937_64 random(options_.seed);
    std::vector<CompactHistory> histories;
    for (std::size_t i = 0; i < kProbeHistories; ++i)
      histories.push_back(sample(options_.bounds, random));
    const std::size_t alone = target_.info().spark ? 2 : kProbeHistories / 4;
    ROWGATE_TRY(const std::vector<RunOutcome> packed,
                run_compact_packed(target_, strategy_, schema_, histories));
    for (std::size_t i = 0; i < alone; ++i) {
      const RunOutcome single =
          run_alone(target_, strategy_, schema_, to_history(histories[i], schema_));
      if (!single && single.error().kind != FailureKind::refused)
        return tl::unexpected(as_error(strategy_, single.error()));
      const bool same = single ? packed[i] && *packed[i] == *single : !packed[i];
      if (same || strategy_.nondeterministic) continue;
      result_.packing_note =
          "a probe ended differently packed and alone: the strategy reaches over keys";
      return {};
    }
    result_.packed = true;
    return {};
  }

  std::size_t chunk_size() const {
    if (!result_.packed) return 64;
    return static_cast<std::size_t>(std::min<std::uint64_t>(
        std::max<std::size_t>(1, options_.histories_a_run), packing_capacity(schema_)));
  }

  Result<void> run_all() {
    std::vector<CompactHistory> chunk;
    Result<void> status;
    const std::uint64_t limit = result_.packed ? result_.in_bound : options_.max_alone;
    const auto progress =
        ctx_.progress->start(fmt::format("prove {}", strategy_.name), base::ProgressUnit::items,
                             std::min(limit, result_.in_bound));
    const auto flush = [&] {
      if (chunk.empty()) return true;
      const std::size_t count = chunk.size();
      status = check_chunk(chunk);
      progress->advance(count);
      chunk.clear();
      return status.has_value() && !finished() && result_.checked < limit;
    };
    bool going = true;
    enumerate(options_.bounds, [&](const CompactHistory& history) {
      // A chunk holds histories of one size, so the first failing chunk holds the shortest failure.
      const bool full = chunk.size() >= chunk_size() ||
                        (!chunk.empty() && chunk.front().size != history.size && !options_.laws);
      if (full) going = flush();
      if (going) chunk.push_back(history);
      return going;
    });
    if (going) flush();
    ROWGATE_CHECK(std::move(status));
    if (ctx_.stopped()) return fail(ErrorCode::interrupted, "stopped", strategy_.name);
    result_.exhaustive = result_.checked == result_.in_bound;
    result_.stopped_early = !result_.exhaustive && finished();
    return {};
  }

  Result<void> run_samples() {
    result_.seed = options_.seed;
    std::mt19937_64 random(options_.seed);
    std::uint64_t left = options_.samples > 0 ? options_.samples : options_.max_histories;
    if (!result_.packed) left = std::min(left, options_.max_alone);
    const auto progress = ctx_.progress->start(fmt::format("prove {}", strategy_.name),
                                               base::ProgressUnit::items, left);
    while (left > 0 && !finished()) {
      if (ctx_.stopped()) return fail(ErrorCode::interrupted, "stopped", strategy_.name);
      std::vector<CompactHistory> chunk;
      const std::uint64_t count = std::min<std::uint64_t>(left, chunk_size());
      for (std::uint64_t i = 0; i < count; ++i) chunk.push_back(sample(options_.bounds, random));
      ROWGATE_CHECK(check_chunk(chunk));
      left -= count;
      progress->advance(count);
    }
    result_.stopped_early = left > 0;
    return {};
  }

  bool finished() const {
    return ctx_.stopped() ||
           (!options_.all_kinds && !options_.laws && (result_.wrong > 0 || result_.refused > 0));
  }

  Result<std::vector<RunOutcome>> run_histories(const std::vector<CompactHistory>& histories) {
    if (result_.packed) return run_compact_packed(target_, strategy_, schema_, histories);
    std::vector<RunOutcome> outcomes;
    for (const CompactHistory& history : histories) {
      outcomes.push_back(run_alone(target_, strategy_, schema_, to_history(history, schema_)));
      if (!outcomes.back() && outcomes.back().error().kind != FailureKind::refused)
        return tl::unexpected(as_error(strategy_, outcomes.back().error()));
    }
    return outcomes;
  }

  Judgement judge_one(const CompactHistory& compact, const RunOutcome& outcome) const {
    const History history = to_history(compact, schema_);
    const Result<Answer> answer = right_answer_of_valid(oracle_, history);
    if (!answer) return {Outcome::not_run, {}};
    const Verdict verdict = outcome ? judge(schema_, strategy_.state, history, *answer, *outcome)
                                    : judge(*answer, outcome.error());
    return {verdict.outcome, verdict.how};
  }

  Result<std::vector<Judgement>> check(const std::vector<CompactHistory>& histories) {
    ROWGATE_TRY(const std::vector<RunOutcome> outcomes, run_histories(histories));
    if (options_.laws) laws_.add(histories, outcomes, schema_);
    std::vector<Judgement> judgements(histories.size());
    constexpr std::size_t kBlock = 1024;
    base::parallel_for((histories.size() + kBlock - 1) / kBlock, ctx_.jobs,
                       [&](unsigned, std::size_t block) {
                         const std::size_t end = std::min(histories.size(), (block + 1) * kBlock);
                         for (std::size_t i = block * kBlock; i < end; ++i)
                           judgements[i] = judge_one(histories[i], outcomes[i]);
                       });
    return judgements;
  }

  Result<void> check_chunk(const std::vector<CompactHistory>& histories) {
    if (options_.laws) {
      ROWGATE_TRY(const std::vector<RunOutcome> outcomes, run_histories(histories));
      laws_.add(histories, outcomes, schema_);
      for (const RunOutcome& outcome : outcomes) ++(outcome ? result_.right : result_.refused);
      result_.checked += histories.size();
      return {};
    }
    ROWGATE_TRY(const std::vector<Judgement> judgements, check(histories));
    for (std::size_t i = 0; i < histories.size(); ++i) {
      const Judgement& judgement = judgements[i];
      switch (judgement.outcome) {
        case Outcome::right:
        case Outcome::ambiguous: ++result_.right; break;
        case Outcome::wrong: ++result_.wrong; break;
        case Outcome::refused: ++result_.refused; break;
        default:
          return fail(ErrorCode::unsupported,
                      fmt::format("the rule '{}' says nothing about such histories", oracle_.name),
                      strategy_.name, std::nullopt, "judge by the rule 'ideal'");
      }
      if (fails(judgement)) remember(histories[i], judgement);
    }
    result_.checked += histories.size();
    return {};
  }

  static bool fails(const Judgement& judgement) {
    return judgement.outcome == Outcome::wrong || judgement.outcome == Outcome::refused;
  }

  // Kinds: each way to be wrong, and loud refusals, which count as "other" after all wrong ones.
  static int kind_of(const Judgement& judgement) {
    return judgement.outcome == Outcome::refused ? 100 : static_cast<int>(judgement.how.front());
  }

  void remember(const CompactHistory& history, const Judgement& judgement) {
    const int kind = kind_of(judgement);
    const auto found = found_.find(kind);
    if (found == found_.end())
      found_.emplace(kind, history);
    else if (measure(history) < measure(found->second))
      found->second = history;
  }

  Result<void> add_counterexample(CompactHistory compact) {
    ROWGATE_TRY(compact, shrink(compact));
    Counterexample example;
    example.compact = compact;
    example.schema = schema_;
    example.history = to_history(compact, schema_);
    ROWGATE_TRY(example.expected, right_answer_of_valid(oracle_, example.history));
    const RunOutcome outcome = run_alone(target_, strategy_, schema_, example.history);
    example.verdict =
        outcome ? judge(schema_, strategy_.state, example.history, example.expected, *outcome)
                : judge(example.expected, outcome.error());
    if (outcome) example.actual = *outcome;
    example.confirmed =
        example.verdict.outcome == Outcome::wrong || example.verdict.outcome == Outcome::refused;
    example.cause = cause_sentence(strategy_, example);
    example.remedy = remedy_sentence(example.verdict, strategy_.state);
    example.fixture = fixture_of(example);
    result_.counterexamples.push_back(std::move(example));
    return {};
  }

  // Smaller histories that are one step away, each strictly shorter by `measure`.
  static std::vector<CompactHistory> smaller(const CompactHistory& history) {
    std::vector<CompactHistory> result;
    const auto propose = [&](CompactHistory candidate) {
      if (candidate.size == 0) return;
      candidate = canonical(candidate);
      if (measure(candidate) < measure(history)) result.push_back(candidate);
    };
    const auto without = [](CompactHistory from, auto drop) {
      unsigned kept = 0;
      for (unsigned i = 0; i < from.size; ++i)
        if (!drop(i, from.events[i])) from.events[kept++] = from.events[i];
      from.size = static_cast<std::uint8_t>(kept);
      return from;
    };
    for (unsigned key = 0; key < kMaxBoundKeys; ++key)
      propose(without(history, [&](unsigned, const CompactEvent& e) { return e.key == key; }));
    for (unsigned event = 0; event < history.size; ++event)
      propose(without(history, [&](unsigned i, const CompactEvent&) { return i == event; }));
    for (unsigned batch = 1; batch < history.batches; ++batch) {
      CompactHistory joined = history;
      for (unsigned i = 0; i < joined.size; ++i)
        if (joined.events[i].batch >= batch) --joined.events[i].batch;
      joined.replay = -1;
      propose(joined);
    }
    for (unsigned i = 1; i < history.size; ++i) {
      CompactHistory swapped = history;
      std::swap(swapped.events[i - 1], swapped.events[i]);
      std::swap(swapped.events[i - 1].batch, swapped.events[i].batch);
      propose(swapped);
    }
    CompactHistory once = history;
    once.replay = -1;
    propose(once);
    for (unsigned i = 0; i < history.size; ++i) {
      CompactHistory plain = history;
      if (plain.events[i].kind == EventKind::null_value) plain.events[i].kind = EventKind::value;
      propose(plain);
    }
    return result;
  }

  Result<CompactHistory> shrink(CompactHistory history) {
    for (;;) {
      const std::vector<CompactHistory> candidates = smaller(history);
      if (candidates.empty()) return history;
      ROWGATE_TRY(const std::vector<Judgement> judgements, check(candidates));
      std::optional<CompactHistory> best;
      for (std::size_t i = 0; i < candidates.size(); ++i)
        if (judgements[i].outcome == Outcome::wrong &&
            (!best || measure(candidates[i]) < measure(*best)))
          best = candidates[i];
      if (!best) return history;
      history = *best;
    }
  }

  // Two kinds may shrink to one history.
  void drop_repeats() {
    auto& all = result_.counterexamples;
    const auto same = [](const Counterexample& a, const Counterexample& b) {
      return a.compact == b.compact;
    };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    // A silent wrong answer is what was asked for; a refusal is shown when there is nothing else.
    const bool wrong = std::any_of(all.begin(), all.end(), [](const Counterexample& example) {
      return example.verdict.outcome == Outcome::wrong;
    });
    if (wrong && !options_.all_kinds)
      all.erase(std::remove_if(all.begin(), all.end(),
                               [](const Counterexample& example) {
                                 return example.verdict.outcome != Outcome::wrong;
                               }),
                all.end());
    if (!options_.all_kinds && all.size() > 1) all.resize(1);
  }

  Fixture fixture_of(const Counterexample& example) const {
    Fixture fixture;
    fixture.name = fmt::format("{}-counterexample", strategy_.name);
    fixture.title = fmt::format("Shortest history after which {} is {}", strategy_.name,
                                summary(example.verdict));
    fixture.about = {example.cause};
    fixture.schema = schema_;
    fixture.history = example.history;
    RightState right;
    right.state = strategy_.state;
    right.reject = example.expected.kind == Answer::Kind::reject;
    right.states = example.expected.states;
    fixture.right = {right};
    Expectation expectation;
    expectation.strategy = strategy_.name;
    expectation.outcome = example.verdict.outcome;
    expectation.how = example.verdict.how;
    if (example.verdict.failure) expectation.error_name = example.verdict.failure->error_name;
    if (find_strategy(strategy_.name) != nullptr) fixture.expectations = {expectation};
    return fixture;
  }

  const Strategy& strategy_;
  const Schema& schema_;
  Target& target_;
  const ProveOptions& options_;
  const OracleVariant& oracle_;
  const RunContext& ctx_;
  ProveResult result_;
  LawBook laws_;
  std::map<int, CompactHistory> found_;  // by kind, the shortest of each
};

}  // namespace

Schema prove_schema() {
  Schema schema;
  schema.keys = {{"id", {TypeKind::int64, 0, 0}}};
  schema.payload = {{"val", {TypeKind::string, 0, 0}}};
  schema.sequence = {"seq", {TypeKind::int64, 0, 0}};
  return schema;
}

Result<ProveResult> prove(const Strategy& strategy, const Schema& schema, Target& target,
                          const ProveOptions& options, const RunContext& ctx) {
  ROWGATE_CHECK(check_bounds(options.bounds));
  ROWGATE_CHECK(check_schema(schema));
  const std::string& name = options.oracle.empty() ? strategy.oracle : options.oracle;
  const OracleVariant* oracle = find_oracle(name);
  if (oracle == nullptr || oracle->state != strategy.state)
    return fail(ErrorCode::usage, fmt::format("'{}' is no rule for a strategy of this kind", name),
                strategy.name);
  if (options.laws &&
      (options.bounds.ties || options.bounds.null_sequence || options.bounds.null_key))
    return fail(ErrorCode::usage, "the laws hold without ties and nulls only", strategy.name,
                std::nullopt, "leave these out of the bound");
  return Prover(strategy, schema, target, options, *oracle, ctx).run();
}

}  // namespace rowgate::harness
