// A strategy: how people bring a micro-batch into a table. Data, one text file each
// (strategies/*.strategy, built into the program); the SQL is Spark's dialect, written as a
// template over a schema.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history.hpp"

namespace rowgate::harness {

// What the final state looks like.
enum class StateKind : std::uint8_t {
  scd1,  // one row a key: table_columns()
  scd2,  // intervals: keys, payload, valid_from, valid_to (NULL: open); both of the sequence's type
};

// What one key's outcome depends on: decides whether histories may share a table.
enum class Reach : std::uint8_t {
  per_key,      // only on events of that key: may be packed
  whole_table,  // also on other keys' events (NOT MATCHED BY SOURCE, aggregates over the source)
};

struct Strategy {
  std::string name;         // "guarded"
  std::string title;        // a few words, for table heads
  std::string description;  // one paragraph: what it does and where it fails
  std::string origin;       // where people meet it
  StateKind state = StateKind::scd1;
  Reach reach = Reach::per_key;
  // The oracle variant whose rule it claims to follow (see oracle.hpp): "ideal", …
  std::string oracle = "ideal";
  // Columns that its table has beyond the schema's, e.g. {"_deleted", BOOLEAN}. No type: the type
  // of the sequence (valid_from, valid_to).
  struct ExtraColumn {
    std::string name;
    std::optional<Type> type;
  };
  std::vector<ExtraColumn> extra_columns;
  // The whole table's columns in their order, where they are not the schema's and the extra ones
  // (a user's own table). Empty: they are.
  std::vector<Column> table_columns;
  // The one of them that holds the sequence. Empty: it is called like the schema's.
  std::string stored_sequence;
  // SQL templates. Placeholders are listed at `render`. A strategy without `apply` is not SQL.
  std::vector<std::string> apply;  // statements for one micro-batch, in order
  std::string read;                // the query that readers use; empty: all state columns
  // A function of the Spark driver that does the same as `apply`, or is the only way to do it
  // (`auto_cdc_scd1`, `drop_duplicates_merge`). A Spark target prefers it; empty: SQL only.
  std::string driver_function;
  // A Python function of the user's that takes a micro-batch as foreachBatch's function does, and
  // writes into a table whose name it knows. `apply` then holds one query, which gives the batch.
  struct BatchFunction {
    std::string file;   // my_job.py
    std::string name;   // upsert
    std::string table;  // silver.orders
  };
  std::optional<BatchFunction> batch_function;
  // Why it cannot run on the embedded engine; empty: it can.
  std::string needs_spark;
  // Its result depends on something that the engine is free to choose: cells are run several times.
  bool nondeterministic = false;
};

// Names that the templates are filled with, as they shall stand in the SQL.
struct SqlNames {
  std::string target;  // "spark_catalog.db.t"
  std::string source;  // the micro-batch's view
};

struct RenderedStrategy {
  std::vector<std::string> apply;
  std::string read;                   // its columns: `state_columns`
  std::vector<Column> table_columns;  // for CREATE TABLE: the schema's, then the extra ones
};

// The columns of the rows that a strategy's `read` gives, hence of expected rows.
std::vector<Column> state_columns(StateKind state, const Schema& schema);

// Fills the templates:
//   ${target} ${source}      the names
//   ${keys} ${payload} ${seq} ${columns}   column lists, comma separated; columns = all three
//   ${s.keys} ${s.payload} ${s.seq} ${s.columns}, the same with t.   each column qualified
//   ${on}                    t.k = s.k AND …
//   ${on_null_safe}          t.k <=> s.k AND …
//   ${set}                   c = s.c for payload and sequence;  ${set_payload} for the payload only
//   ${differs}               t.p != s.p OR …;  ${differs_null_safe}  NOT (t.p <=> s.p) OR …
//   ${same}                  t.p = s.p AND …
//   ${op} ${arrival}         the two source columns
//   ${is_delete}             (op = 'DELETE');  ${s.is_delete} the same, qualified
// Identifiers that need it are quoted with back-ticks. Errors: malformed (an unknown placeholder).
Result<RenderedStrategy> render(const Strategy& strategy, const Schema& schema,
                                const SqlNames& names);

// `name` in back-ticks when it is not a plain identifier.
std::string quote_identifier(std::string_view name);

// Reads one strategy file. `file` is for messages only. Errors: malformed, subject
// file:line:column.
Result<Strategy> parse_strategy(std::string_view text, std::string_view file);

// The strategies that ship with the program, sorted by name. A broken one is a bug (logic_error).
std::span<const Strategy> builtin_strategies();
const Strategy* find_strategy(std::string_view name);  // nullptr when there is none

}  // namespace rowgate::harness
