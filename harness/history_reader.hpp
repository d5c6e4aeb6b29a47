// A user's own history from a file: JSON lines, Debezium's envelope (one a line), CSV.
//
// Arrival is the order of lines. A blank line, or `batch_size`, or a change in the batch column
// begins a new micro-batch; with none of them each event is a batch of its own, and a note says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history.hpp"

namespace rowgate::harness {

enum class HistoryFormat : std::uint8_t { json_lines, debezium, csv };
std::optional<HistoryFormat> history_format_from_string(std::string_view text);

struct HistoryOptions {
  std::optional<HistoryFormat> format;  // absent: by the name's ending and the first line
  std::vector<std::string> keys;        // at least one
  std::string
      sequence;    // a column; Debezium: a path such as source.lsn, empty: the first that is there
                   // of source.lsn, source.scn, source.pos, source.ts_us, source.ts_ms, ts_ms
  std::string op;  // a column; Debezium: not needed; empty: every event is an upsert
  std::string batch;  // a column whose change begins a micro-batch; may be empty
  std::size_t batch_size = 0;
  std::string table;  // "id INT, val STRING, …": types; columns that it leaves out are inferred
};

struct ImportedHistory {
  Schema schema;
  History history;
  std::vector<std::string> notes;  // what was assumed or dropped, one line each
};

inline constexpr std::size_t kMaxHistoryEvents = 1'000'000;

// Operations understood, in any case: c, i, insert, create, u, update, upsert, update_postimage,
// update_after, r, read, snapshot, d, delete, remove, t, truncate, update_preimage, update_before.
// Types without `table`: BOOLEAN, BIGINT, DOUBLE where all values are such, else STRING. A field
// that a line does not have is absent, a null is NULL; Debezium's placeholder for unchanged values
// is absent. Errors: malformed with "file:line" and what is wrong; usage; limit.
Result<ImportedHistory> read_history(std::string_view text, std::string_view file,
                                     const HistoryOptions& options);

}  // namespace rowgate::harness
