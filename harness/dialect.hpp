// From Spark's SQL to DuckDB's, for the statements that mean the same in both. What cannot be shown
// to mean the same is refused with the reason ("this needs a Spark target: …"): never a silently
// different meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history.hpp"
#include "harness/sql_text.hpp"

namespace rowgate::harness {

struct EmbeddedStatement {
  std::string sql;
  // For a MERGE that Delta, Iceberg and PostgreSQL would refuse when two source rows match one
  // target row: a query for the keys of such target rows, with the number of matches as its last
  // column. DuckDB's own MERGE takes them silently, and its result then depends on chance.
  std::optional<std::string> cardinality_check;
};

// `target_columns`: the columns of the MERGE's target, for `UPDATE SET *` and `INSERT *`;
// `key_columns`: the columns that the cardinality check reports.
// Rewritten: back-ticks, "strings", backslash escapes, <=>, ==, SET t.c =, INSERT (t.c), SET * and
// INSERT * (spelt out by the target's columns, as Spark resolves them), NVL, SELECT * EXCEPT, LONG
// and the like, number suffixes. Errors: unsupported, malformed; with the offset in the Spark text.
Result<EmbeddedStatement> spark_to_duckdb(std::string_view spark_sql,
                                          const std::vector<Column>& target_columns,
                                          const std::vector<Column>& key_columns);

}  // namespace rowgate::harness
