// A target: an engine that runs strategies. `embedded_target.hpp` is DuckDB in this process,
// `spark_target.hpp` a real Spark.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/strategy.hpp"

namespace rowgate::harness {

enum class FailureKind : std::uint8_t {
  refused,      // the engine said no, loudly, and for a reason that lies in the data or the request
  unsupported,  // this target cannot run this strategy at all, known before anything ran
  not_run,      // something else broke (driver died, timeout, no network): nothing is known
};

struct Failure {
  FailureKind kind = FailureKind::not_run;
  std::string message;     // one line, the engine's own words where there are any
  std::string error_name;  // "MERGE_CARDINALITY_VIOLATION", "NoSuchMethodError"; may be empty
  std::string statement;   // the SQL that failed, where there was one
  // Keys that caused it, where the engine or a check of ours knows them. Then the table is
  // unchanged, and the batch without the events of these keys may be applied instead. Packing uses
  // that.
  Rows keys;
  std::vector<std::string> evidence;  // tail of a log, a stack's first lines
};

template <class T>
using Attempt = tl::expected<T, Failure>;

struct TargetInfo {
  std::string name;    // as the user gives it: "embedded", "spark:4.1.3/delta:4.3.1"
  std::string engine;  // "DuckDB 2.0.1", "Spark 4.1.3 + Delta Lake 4.3.1"
  bool spark = false;  // runs Spark SQL and driver functions
};

// One table's life, from empty. Belongs to the target it came from and must not outlive it.
class TableRun {
 public:
  virtual ~TableRun() = default;

  // Applies one micro-batch. `batch_id` counts from 0 and grows by one a call; a replayed batch
  // gets a new id, as after a lost checkpoint. `first_arrival`: events in all batches before it.
  // After a failure without `keys` no further call makes sense.
  virtual Attempt<void> apply(const Batch& batch, std::uint64_t batch_id,
                              std::int64_t first_arrival) = 0;

  // The rows that a reader of the table sees (the strategy's `read`), columns as `state_columns`
  // says, sorted canonically.
  virtual Attempt<Rows> read() = 0;
};

// Not thread-safe: one caller at a time.
class Target {
 public:
  virtual ~Target() = default;

  virtual const TargetInfo& info() const = 0;

  // A reason (kind unsupported) when this target cannot run the strategy; nothing is started for
  // it.
  virtual std::optional<Failure> why_not(const Strategy& strategy) const = 0;

  // Makes a fresh, empty table for the strategy.
  virtual Attempt<std::unique_ptr<TableRun>> open(const Strategy& strategy,
                                                  const Schema& schema) = 0;
};

}  // namespace rowgate::harness
