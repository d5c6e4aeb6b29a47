// Values of a bench's rows: each is made from a number, here and — the same — by an expression in
// SQL, so that a table of a hundred million rows is made by the engine and still known to us.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history.hpp"
#include "harness/strategy.hpp"

namespace rowgate::harness {

enum class SqlDialect : std::uint8_t { spark, duckdb };

// How many numbers 0, 1, … give different values.
std::uint64_t distinct_values(const Type& type);

// Of a number >= 0, taken modulo `distinct_values`.
Value value_at(const Type& type, std::int64_t number);
// The same as an expression, of an expression of type BIGINT.
std::string value_sql(const Type& type, std::string_view number, SqlDialect dialect);
// Later numbers give greater values, texts too. Precondition: number < distinct_values(type).
Value sequence_at(const Type& type, std::int64_t number);

// A value as a typed expression.
std::string literal_sql(const Value& value, const Type& type, SqlDialect dialect);
std::string quoted(std::string_view name, SqlDialect dialect);
std::string type_sql(const Type& type, SqlDialect dialect);

// How the table of a strategy is made in bulk: from `initial`, rows with the schema's columns, and
// `fresh`, one row with what the strategy's own columns hold in a row that was just inserted.
struct BulkColumns {
  std::string select;              // over both, in the order of the table's columns
  std::vector<std::string> fresh;  // the strategy's own columns, quoted
  // The query for `fresh`, of a table that holds nothing but fresh rows. It must give one row.
  std::string fresh_sql(std::string_view table) const;
};
inline constexpr const char* kFreshRowsDiffer =
    "its own columns differ from row to row in a fresh table, so the table cannot be made in bulk";
BulkColumns bulk_columns(const Strategy& strategy, const Schema& schema,
                         const std::vector<Column>& table_columns, SqlDialect dialect);

// For the judge: of the rows that `read` gives, those whose key is in the table `touched` (which
// has the key columns alone), and of all others how many there are and a sum of their hashes.
struct JudgedRows {
  std::string read;  // the strategy's query
  StateKind state = StateKind::scd1;
  std::string touched;  // a table
};
std::string touched_rows_sql(const JudgedRows& rows, const Schema& schema);
std::string other_rows_sql(const JudgedRows& rows, const Schema& schema, SqlDialect dialect);

}  // namespace rowgate::harness
