// What a bench needs of an engine: tables that can be brought back to the same state again and
// again, and a merge that is timed alone. `bench_embedded.hpp` is DuckDB, `bench_spark.hpp` Spark.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench_workload.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

// What a merge ended with: the rows that readers see of the keys that events are about, and one
// text (count, sum of hashes) for all the others, which must have stayed as they were.
struct BenchState {
  Rows touched;  // sorted canonically
  std::string others;
};

// One strategy's table in the prepared case. Belongs to the engine it came from, and to the case:
// it must be gone before the next `prepare`.
class BenchTable {
 public:
  virtual ~BenchTable() = default;

  // Outside of the clock: the table is what it was when it was made, the source is loaded, garbage
  // is collected.
  virtual Attempt<void> reset() = 0;
  // All batches, one after the other; the seconds that it took. Once after each reset.
  virtual Attempt<double> merge() = 0;
  // Also outside of the clock, after a merge.
  virtual Attempt<BenchState> state() = 0;
  // What the engine itself says about the last batch's merge: files added, rows copied. In an order
  // of the engine's choice; empty when it says nothing.
  virtual Attempt<std::map<std::string, std::string>> metrics() = 0;
};

// Not thread-safe.
class BenchEngine {
 public:
  virtual ~BenchEngine() = default;

  virtual const TargetInfo& info() const = 0;
  // Versions, threads, memory, settings that decide about speed: name and value, in display order.
  virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;

  // A reason (kind unsupported) why this engine cannot run the strategy, or cannot make such a
  // table.
  virtual std::optional<Failure> why_not(const Strategy& strategy,
                                         const WorkloadShape& shape) const = 0;

  // Makes the table that all strategies start from, and loads the events. The workload outlives the
  // case. What was prepared before is dropped.
  virtual Attempt<void> prepare(const Workload& workload) = 0;
  // The text that `BenchState::others` must be.
  virtual Attempt<std::string> untouched(StateKind state) = 0;
  virtual Attempt<std::unique_ptr<BenchTable>> open(const Strategy& strategy) = 0;
};

}  // namespace rowgate::harness
