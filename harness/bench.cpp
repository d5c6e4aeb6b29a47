#include "harness/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "harness/failure.hpp"
#include "harness/oracle.hpp"

namespace rowgate::harness {
namespace {

using std::chrono::steady_clock;

// The right rows of the touched keys, for each kind of state that is asked about.
class Referee {
 public:
  Referee(BenchEngine& engine, const Workload& workload)
      : engine_(engine), workload_(workload), history_(full_history(workload)) {}

  Verdict judge_table(const Strategy& strategy, BenchTable& table) {
    auto state = table.state();
    if (!state) return failed(std::move(state).error());
    const Truth* truth = truth_of(strategy.state);
    if (truth == nullptr) return failed(*broken_);
    Verdict verdict;
    verdict.outcome = Outcome::right;
    if (truth->answer.states.size() != 1 || truth->answer.states.front() != state->touched)
      verdict = judge(workload_.schema, strategy.state, history_, truth->answer, state->touched);
    if (state->others != truth->others) {
      verdict.outcome = Outcome::wrong;
      if (std::find(verdict.how.begin(), verdict.how.end(), Wrong::other) == verdict.how.end())
        verdict.how.push_back(Wrong::other);
    }
    return verdict;
  }

  static Verdict failed(Failure failure) {
    Verdict verdict;
    verdict.outcome = failure.kind == FailureKind::refused       ? Outcome::refused
                      : failure.kind == FailureKind::unsupported ? Outcome::unsupported
                                                                 : Outcome::not_run;
    verdict.failure = std::move(failure);
    return verdict;
  }

 private:
  struct Truth {
    Answer answer;
    std::string others;
  };

  const Truth* truth_of(StateKind kind) {
    if (const auto known = truths_.find(kind); known != truths_.end()) return &known->second;
    const OracleVariant* oracle = find_oracle(kind == StateKind::scd2 ? "ideal-scd2" : "ideal");
    auto answer = right_answer(*oracle, workload_.schema, history_);
    auto others = engine_.untouched(kind);
    if (answer && others)
      return &truths_.emplace(kind, Truth{std::move(*answer), std::move(*others)}).first->second;
    broken_ = make_failure(FailureKind::not_run,
                           answer ? others.error().message : answer.error().to_string());
    return nullptr;
  }

  BenchEngine& engine_;
  const Workload& workload_;
  History history_;
  std::map<StateKind, Truth> truths_;
  std::optional<Failure> broken_;
};

Failure stopped() {
  return make_failure(FailureKind::not_run, "the bench was interrupted before");
}

// One case while it runs.
class Case {
 public:
  Case(BenchEngine& engine, std::span<const Strategy> strategies, const BenchOptions& options,
       const RunContext& ctx, BenchCase& result)
      : engine_(engine),
        strategies_(strategies),
        options_(options),
        ctx_(ctx),
        result_(result),
        started_(ctx.clock->tick()) {}

  void run() {
    const Workload workload = make_workload(result_.shape, options_.schema, options_.seed);
    if (auto prepared = engine_.prepare(workload); !prepared) {
      result_.failure = std::move(prepared).error();
      return;
    }
    open_tables(workload);
    timed_ = result_.timed();
    if (!timed_.empty() && !result_.failure && !ctx_.stopped()) measure();
    result_.stopped = ctx_.stopped();
    tables_.clear();  // before the workload that they refer to
    same_.reset();
  }

 private:
  void open_tables(const Workload& workload) {
    Referee referee(engine_, workload);
    for (const Strategy& strategy : strategies_) {
      BenchTreatment treatment;
      treatment.label = label_of(strategy.name);
      std::unique_ptr<BenchTable> table;
      if (ctx_.stopped())
        treatment.verdict = Referee::failed(stopped());
      else
        table = open(strategy, referee, treatment);
      const bool wrong = treatment.verdict.outcome == Outcome::wrong;
      treatment.timed = table != nullptr && (treatment.verdict.outcome == Outcome::right ||
                                             (wrong && options_.wrong == WrongStrategies::timed));
      if (!treatment.timed) table.reset();
      tables_.push_back(std::move(table));
      result_.treatments.push_back(std::move(treatment));
    }
  }

  std::unique_ptr<BenchTable> open(const Strategy& strategy, Referee& referee,
                                   BenchTreatment& treatment) {
    const auto give_up = [&](Failure failure) {
      treatment.verdict = Referee::failed(std::move(failure));
      return nullptr;
    };
    if (auto reason = engine_.why_not(strategy, result_.shape)) return give_up(std::move(*reason));
    auto opened = engine_.open(strategy);
    if (!opened) return give_up(std::move(opened).error());
    if (auto ready = (*opened)->reset(); !ready) return give_up(std::move(ready).error());
    auto seconds = (*opened)->merge();
    if (!seconds) return give_up(std::move(seconds).error());
    treatment.first_seconds = *seconds;
    treatment.verdict = referee.judge_table(strategy, **opened);
    auto metrics = (*opened)->metrics();
    if (!metrics) return give_up(std::move(metrics).error());
    treatment.metrics = std::move(*metrics);
    return std::move(*opened);
  }

  std::string label_of(const std::string& name) const {
    std::string label = name;
    const auto taken = [&] {
      return std::any_of(result_.treatments.begin(), result_.treatments.end(),
                         [&](const BenchTreatment& other) { return other.label == label; });
    };
    for (int number = 2; taken(); ++number) label = fmt::format("{} ({})", name, number);
    return label;
  }

  void measure() {
    const Strategy& first = strategies_[timed_.front()];
    auto same = engine_.open(first);
    if (!same) {
      result_.failure = std::move(same).error();
      return;
    }
    same_ = std::move(*same);
    const auto count = static_cast<unsigned>(timed_.size());
    const std::size_t runs_a_block =
        kSameRuns + (count < 2 ? 0 : williams_square(count).size() * count);
    const std::size_t warm_up_runs = (count + 1) * options_.warm_up;
    auto progress = ctx_.progress->start(fmt::format("bench {}: runs", engine_.info().name),
                                         base::ProgressUnit::items,
                                         warm_up_runs + options_.blocks * runs_a_block);
    const auto warm_from = ctx_.clock->tick();
    for (unsigned round = 0; round < options_.warm_up; ++round)
      for (unsigned i = 0; i <= count; ++i)
        if (!time(i < count ? *tables_[timed_[i]] : *same_, *progress)) return;
    const unsigned blocks = affordable(seconds_since(warm_from) /
                                       static_cast<double>(std::max<std::size_t>(warm_up_runs, 1)) *
                                       static_cast<double>(runs_a_block));
    progress->set_total(warm_up_runs + blocks * runs_a_block);
    run_blocks(blocks, count, *progress);
  }

  // How many blocks fit in what the budget leaves: at least one.
  unsigned affordable(double seconds_a_block) {
    if (!options_.budget || options_.warm_up == 0) return options_.blocks;
    const double left =
        std::chrono::duration<double>(*options_.budget).count() - seconds_since(started_);
    const double fit = std::max(1.0, left / std::max(seconds_a_block, 1e-9));
    if (fit >= options_.blocks) return options_.blocks;
    result_.budget_cut = true;
    ctx_.info(fmt::format("the budget allows {} of {} blocks", static_cast<unsigned>(fit),
                          options_.blocks));
    return static_cast<unsigned>(fit);
  }

  void run_blocks(unsigned blocks, unsigned count, base::ProgressTask& progress) {
    // Each process has an order of its own.
    const std::uint64_t seed = options_.seed + 1'000'003ULL * options_.process;
    const auto plan =
        count < 2 ? std::vector<std::vector<RunRow>>(blocks) : plan_blocks(count, blocks, seed);
    const auto same_plan = plan_blocks(2, blocks, seed + 1);
    BenchRandom random(seed + 2);
    for (unsigned block = 0; block < blocks; ++block) {
      if (block > 0 && over_budget()) {
        result_.budget_cut = true;
        return;
      }
      std::vector<BenchSample> samples, same;
      const bool same_first = random.below(2) == 0;
      for (const bool now_same : {same_first, !same_first}) {
        const auto& rows = now_same ? same_plan[block] : plan[block];
        if (!run_rows(block, rows, now_same, now_same ? same : samples, progress)) return;
      }
      result_.plan.push_back(plan[block]);
      result_.samples.insert(result_.samples.end(), samples.begin(), samples.end());
      result_.same.insert(result_.same.end(), same.begin(), same.end());
    }
  }

  bool run_rows(unsigned block, const std::vector<RunRow>& rows, bool against_itself,
                std::vector<BenchSample>& samples, base::ProgressTask& progress) {
    for (unsigned row = 0; row < rows.size(); ++row) {
      for (unsigned place = 0; place < rows[row].size(); ++place) {
        const unsigned number = rows[row][place];
        BenchTable& table = against_itself && number == 1
                                ? *same_
                                : *tables_[against_itself ? timed_.front() : timed_[number]];
        const std::optional<double> seconds = time(table, progress);
        if (!seconds) return false;
        samples.push_back({options_.process, block, row, place,
                           against_itself ? number : timed_[number], *seconds});
      }
    }
    return true;
  }

  // Nothing when the case has to end.
  std::optional<double> time(BenchTable& table, base::ProgressTask& progress) {
    if (ctx_.stopped()) return std::nullopt;
    if (auto ready = table.reset(); !ready) return give_up(std::move(ready).error());
    auto seconds = table.merge();
    if (!seconds) return give_up(std::move(seconds).error());
    progress.advance(1);
    return *seconds;
  }

  std::optional<double> give_up(Failure failure) {
    // An interrupted statement is no failure of the engine's.
    if (!ctx_.stopped()) result_.failure = std::move(failure);
    return std::nullopt;
  }

  bool over_budget() const {
    return options_.budget &&
           seconds_since(started_) > std::chrono::duration<double>(*options_.budget).count();
  }

  double seconds_since(steady_clock::time_point then) const {
    return std::chrono::duration<double>(ctx_.clock->tick() - then).count();
  }

  static constexpr std::size_t kSameRuns = 4;

  BenchEngine& engine_;
  std::span<const Strategy> strategies_;
  const BenchOptions& options_;
  const RunContext& ctx_;
  BenchCase& result_;
  steady_clock::time_point started_;
  std::vector<std::unique_ptr<BenchTable>> tables_;  // one a treatment; null: not timed
  std::unique_ptr<BenchTable> same_;
  std::vector<unsigned> timed_;
};

}  // namespace

std::vector<unsigned> BenchCase::timed() const {
  std::vector<unsigned> indices;
  for (unsigned i = 0; i < treatments.size(); ++i)
    if (treatments[i].timed) indices.push_back(i);
  return indices;
}

BenchCase run_case(BenchEngine& engine, std::span<const Strategy> strategies,
                   const WorkloadShape& shape, const BenchOptions& options, const RunContext& ctx) {
  BenchCase result;
  result.shape = shape;
  result.blocks_wanted = options.blocks;
  Case(engine, strategies, options, ctx, result).run();
  return result;
}

Result<void> add_process(BenchCase& all, BenchCase more) {
  const bool same_treatments =
      std::equal(all.treatments.begin(), all.treatments.end(), more.treatments.begin(),
                 more.treatments.end(), [](const BenchTreatment& a, const BenchTreatment& b) {
                   return a.label == b.label && a.timed == b.timed;
                 });
  if (all.shape != more.shape || !same_treatments)
    return fail(ErrorCode::internal, "two processes did not measure the same");
  all.plan.insert(all.plan.end(), more.plan.begin(), more.plan.end());
  all.samples.insert(all.samples.end(), more.samples.begin(), more.samples.end());
  all.same.insert(all.same.end(), more.same.begin(), more.same.end());
  all.blocks_wanted += more.blocks_wanted;
  ++all.processes;
  all.budget_cut = all.budget_cut || more.budget_cut;
  all.stopped = all.stopped || more.stopped;
  if (!all.failure) all.failure = std::move(more.failure);
  return {};
}

}  // namespace rowgate::harness
