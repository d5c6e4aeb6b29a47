// A user's own MERGE as a strategy: the statements as they are, with the names of the target and of
// the source put where the template needs them; or a function of the user's for foreachBatch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/strategy.hpp"

namespace rowgate::harness {

struct UserMerge {
  std::string name;         // of the strategy: the file's stem
  std::string sql;          // one or more statements, Spark's dialect
  std::string table;        // "order_id INT, status STRING, amount BIGINT, _seq BIGINT"
  std::string keys;         // "order_id" or "region, order_id"
  std::string sequence;     // the source's column: "seq"
  std::string delete_when;  // "op = 'DELETE'", "op IN ('D', 'T')", "is_deleted"; empty: no deletes
  std::string
      upsert_text;     // the op column's text for upserts; empty: guessed ("UPDATE" for 'DELETE')
  std::string read;    // the query that readers use; empty: all rows
  std::string source;  // the source's name in the SQL; empty: found in the SQL
  // Instead of `sql`: a function of the user's, "my_job.py:upsert", and the table that it writes.
  std::string foreach_batch;
  std::string into;  // "silver.orders"
};

struct UserStrategy {
  Strategy strategy;
  Schema schema;
  bool has_deletes = true;
  std::vector<std::string> notes;  // what was assumed, one line each
  std::string feed;                // the columns that the SQL sees: "order_id, status, seq, op"
};

// The table's columns are the keys, the payload and the sequence: the sequence's column in the
// table is the one called like the source's, or like it with underscores before it; columns that
// begin with '_' besides are technical and not compared. The source gives the keys, the payload,
// the sequence and the column that the delete condition names. Errors: usage / malformed /
// unsupported, naming the option and what it may hold.
Result<UserStrategy> user_strategy(const UserMerge& merge);

// "a INT, b DECIMAL(10,2)". Errors: malformed.
Result<std::vector<Column>> parse_columns(std::string_view text);

}  // namespace rowgate::harness
