// A history: what a change feed delivered, in arrival order, cut into micro-batches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/value.hpp"

namespace rowgate::harness {

struct Column {
  std::string name;
  Type type;

  friend bool operator==(const Column&, const Column&) = default;
};

// The columns of the table and of the feed. The target table has `keys`, then `payload`, then
// `sequence` (and whatever a strategy adds). A micro-batch's source has the same columns in the
// same order, and then `op_column` (STRING: see `op_text`) and `arrival_column` (BIGINT: the
// event's 0-based position in the whole history, the clock of arrival).
struct Schema {
  std::vector<Column> keys;  // at least one
  std::vector<Column> payload;
  Column sequence;
  std::string op_column = "op";
  std::string arrival_column = "_arrival";

  // keys, payload, sequence
  std::vector<Column> table_columns() const;
  // table_columns, op, arrival
  std::vector<Column> source_columns() const;

  friend bool operator==(const Schema&, const Schema&) = default;
};

enum class Operation : std::uint8_t {
  upsert,
  remove,
  truncate,   // the whole table at this sequence: key and payload are ignored
  pre_image,  // the row before an update: must be dropped by whoever consumes the feed
  snapshot,  // a row of an initial or repeated snapshot (Debezium's `r`): an upsert at its sequence
};

// "UPSERT", "DELETE", "TRUNCATE", "UPDATE_BEFORE", "SNAPSHOT": the text in `op_column`.
std::string_view op_text(Operation op);

struct Event {
  Row key;  // one value a key column
  Value sequence;
  Operation op = Operation::upsert;
  // One value a payload column. An absent value in an upsert means "unchanged" (a partial update);
  // a source that goes to an engine carries NULL there.
  Row payload;

  friend bool operator==(const Event&, const Event&) = default;
};

struct Batch {
  std::vector<Event> events;
  // Set when this batch is the repetition of an earlier one (0-based): then `events` are the same.
  std::optional<std::size_t> replay_of;

  friend bool operator==(const Batch&, const Batch&) = default;
};

struct History {
  std::vector<Batch> batches;

  std::size_t event_count() const;
  friend bool operator==(const History&, const History&) = default;
};

// The event as a row of the source: table columns, op, arrival. Absent becomes NULL.
Row source_row(const Event& event, std::int64_t arrival);

// A batch's source rows; `first_arrival` is the number of events in the batches before it.
Rows source_rows(const Batch& batch, std::int64_t first_arrival);

// Checks widths and that names are distinct (also when compared without case). Errors: malformed.
Result<void> check_schema(const Schema& schema);
Result<void> check_history(const Schema& schema, const History& history);

}  // namespace rowgate::harness
