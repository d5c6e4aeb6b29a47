// bench: what merging costs, and what the cost depends on.
//
// A case is one workload on one engine. Every strategy gets a table of its own, brought back to the
// same state before each run; only the merge is timed. Strategies run in blocks (bench_design.hpp);
// in each block the first strategy also runs against a copy of itself, which is the noise floor.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/report.hpp"
#include "base/run_context.hpp"
#include "harness/bench_engine.hpp"
#include "harness/bench_stats.hpp"
#include "harness/verdict.hpp"

namespace rowgate::harness {

enum class WrongStrategies : std::uint8_t { left_out, timed };

struct BenchOptions {
  Schema schema = bench_schema();
  unsigned blocks = 12;
  unsigned warm_up = 3;  // runs of every table before the first block, whatever they show
  std::uint64_t seed = 1;
  std::optional<std::chrono::milliseconds> budget;  // of one case; shrinks the number of blocks
  WrongStrategies wrong = WrongStrategies::left_out;
  unsigned process = 0;  // of `--forks`; each has an order of its own
};

struct BenchTreatment {
  std::string label;  // the strategy's name; "guarded (2)" when it is given twice
  Verdict verdict;    // of its rows, or why there are none
  bool timed = false;
  double first_seconds = 0;                    // its very first merge; 0: there was none
  std::map<std::string, std::string> metrics;  // the engine's own, of a merge before the blocks
};

struct BenchCase {
  WorkloadShape shape;
  std::vector<BenchTreatment> treatments;
  // The orders of the blocks that were run, in their letters' sense: number i is the i-th timed
  // treatment.
  std::vector<std::vector<RunRow>> plan;
  std::vector<BenchSample> samples;  // `treatment` is an index into `treatments`
  std::vector<BenchSample> same;     // the first timed treatment against itself: 0 and 1
  unsigned blocks_wanted = 0;
  unsigned processes = 1;
  bool budget_cut = false;         // the budget allowed fewer blocks
  bool stopped = false;            // the user stopped it: complete blocks are kept
  std::optional<Failure> failure;  // ended it early; complete blocks are kept

  std::vector<unsigned> timed() const;  // indices into `treatments`
};

// Deterministic but for the times. What goes wrong is in the case. Precondition: check_shape.
BenchCase run_case(BenchEngine& engine, std::span<const Strategy> strategies,
                   const WorkloadShape& shape, const BenchOptions& options, const RunContext& ctx);

// Adds another process's samples of the same case. Errors: internal (another case).
Result<void> add_process(BenchCase& all, BenchCase more);

// One target's cases. With a sweep they differ in one dimension.
struct BenchRun {
  TargetInfo target;
  std::vector<std::pair<std::string, std::string>> facts;  // for the provenance
  std::string dimension;                                   // "rows"; empty: a single case
  std::vector<BenchCase> cases;
};

// All runs of one invocation, in order; `seed` and `options` are those of the runs.
base::Report bench_report(std::span<const BenchRun> runs, const BenchOptions& options);

// Cases as JSON, for a parent process. Errors: malformed.
std::string write_cases(std::span<const BenchCase> cases);
Result<std::vector<BenchCase>> read_cases(std::string_view json);

}  // namespace rowgate::harness
