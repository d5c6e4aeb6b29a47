// What a bench merges into what: a table that is the same for every strategy, and micro-batches of
// events for it, made from a few numbers and a seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "harness/bench_values.hpp"
#include "harness/history.hpp"

namespace rowgate::harness {

inline constexpr std::uint64_t kMaxBenchRows = 100'000'000;
inline constexpr std::uint64_t kMaxBenchEvents = 5'000'000;
inline constexpr std::uint64_t kMaxBenchBatches = 1'000;
inline constexpr std::uint64_t kMaxBenchFiles = 100'000;

struct WorkloadShape {
  std::uint64_t rows = 100'000;  // in the table before
  std::uint64_t files = 0;       // that the table consists of; 0: as the engine likes
  std::uint64_t batches = 1;     // that the events are cut into
  std::uint64_t events = 1'000;  // in all batches together
  double disorder = 0;           // share of events that arrive late
  double delete_rate = 0.1;      // share of events that are deletes
  double insert_rate = 0.1;      // share of events about keys that the table does not have
  double skew = 0;               // Zipf's exponent over the table's keys; 0: uniform

  friend bool operator==(const WorkloadShape&, const WorkloadShape&) = default;
};

// The numbers of a shape that can be varied: rows, files, batches, disorder, delete-rate, skew,
// events.
struct WorkloadDimension {
  std::string_view name;   // "delete-rate"
  std::string_view label;  // "share of events that are deletes"
  bool logarithmic;        // how to plot it
};
std::span<const WorkloadDimension> workload_dimensions();

// Sets one of them. Errors: usage (no such dimension, with the nearest; out of range; not whole).
Result<void> set_dimension(WorkloadShape& shape, std::string_view dimension, double value);
// The table that strategies are compared on when nobody names another: key `id`, payload `name` and
// `amount`, sequence `_seq`.
Schema bench_schema();

// Errors: usage (more batches than events; no key column that tells so many rows apart; a sequence
// whose type cannot order so many events).
Result<void> check_shape(const WorkloadShape& shape, const Schema& schema);

// "100,000 rows; 1,000 events in 1 batch, 10 % deletes, 10 % new keys"
std::string to_text(const WorkloadShape& shape);

struct Workload {
  WorkloadShape shape;
  Schema schema;
  History history;  // the batches; sequences are 1, 2, … in the order in which things happened
  std::vector<std::int64_t> touched;  // rows that events are about; sorted, distinct
};

// The same shape, schema and seed give the same workload. Precondition: check_shape.
Workload make_workload(const WorkloadShape& shape, const Schema& schema, std::uint64_t seed);

// The key of row number n of the table: 0 … rows - 1 are there before, with sequence 0; later ones
// are new keys.
Row key_at(const Workload& workload, std::int64_t number);
Rows touched_keys(const Workload& workload);

// The rows that are there before, as a query.
std::string initial_rows_sql(const Workload& workload, SqlDialect dialect);
// The rows that a merge must leave alone, for the judge: `touched` is the table of touched keys.
JudgedRows untouched_rows(const Workload& workload, StateKind state, std::string touched,
                          SqlDialect dialect);
// The first two of them as events: what a strategy's own columns hold in a fresh row is learnt from
// how it merges these into an empty table.
Batch sample_batch(const Workload& workload);

// The whole history of the touched keys: their initial rows as a first batch, then the batches.
History full_history(const Workload& workload);

}  // namespace rowgate::harness
