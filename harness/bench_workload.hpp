// What a bench merges into what: a table that is the same for every strategy, and micro-batches of
// events for it, made from a few numbers and a seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
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
// Errors: usage (more batches than events).
Result<void> check_shape(const WorkloadShape& shape);

// "100,000 rows; 1,000 events in 1 batch, 10 % deletes, 10 % new keys"
std::string to_text(const WorkloadShape& shape);

struct Workload {
  WorkloadShape shape;
  // Key `id`; payload `name`, `amount`; sequence `_seq`.
  Schema schema;
  History history;  // the batches; sequences are 1, 2, … in the order in which things happened
  std::vector<std::int64_t> touched;  // keys that events are about; sorted, distinct
};

// The same shape and seed give the same workload. Precondition: check_shape.
Workload make_workload(const WorkloadShape& shape, std::uint64_t seed);

// The table before holds the rows id = 0 … rows - 1 with sequence 0 and these payloads; the SQL
// says the same in Spark's dialect and in DuckDB's, for an expression `id`.
Row initial_row(std::int64_t id);
inline constexpr std::string_view kInitialColumnsSql =
    "id, concat('k', CAST(id AS VARCHAR(20)), 'v0') AS name, (id * 31) % 1000 AS amount, "
    "CAST(0 AS BIGINT) AS _seq";

// The whole history of the touched keys: their initial rows as a first batch, then the batches.
History full_history(const Workload& workload);

}  // namespace rowgate::harness
