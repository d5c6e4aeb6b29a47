#include "harness/bench_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "harness/duckdb_engine.hpp"
#include "harness/enumerate.hpp"

namespace rowgate::harness {
namespace {

constexpr std::uint64_t kManyValues = 1'000'000'000'000;  // fits in every type that has no limit

std::string names_sql(std::string_view prefix, std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i)
    names += fmt::format("{}{}{}", i == 0 ? "" : ", ", prefix, i);
  return names;
}

// "(…) AS r(c0, c1, …) WHERE EXISTS (…)": the columns are the state's.
std::string rows_sql(const JudgedRows& rows, const Schema& schema, std::string_view exists) {
  std::string same_key;
  for (std::size_t i = 0; i < schema.keys.size(); ++i)
    same_key += fmt::format("{}t.k{} = r.c{}", i == 0 ? "" : " AND ", i, i);
  return fmt::format("({}) AS r({}) WHERE {} (SELECT 1 FROM {} AS t({}) WHERE {})", rows.read,
                     names_sql("c", state_columns(rows.state, schema).size()), exists, rows.touched,
                     names_sql("k", schema.keys.size()), same_key);
}

// The column of the table that holds the sequence.
std::string_view stored_sequence(const Strategy& strategy, const Schema& schema) {
  return strategy.stored_sequence.empty() ? schema.sequence.name : strategy.stored_sequence;
}

}  // namespace

std::uint64_t distinct_values(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean: return 2;
    case TypeKind::int8: return 100;
    case TypeKind::int16: return 30'000;
    case TypeKind::int32: return 2'000'000'000;
    case TypeKind::date: return 2'900'000;            // days; the year 9909
    case TypeKind::timestamp: return 10'000'000'000;  // seconds; the year 2286
    case TypeKind::decimal: {
      std::uint64_t count = 1;
      for (unsigned i = type.scale; i < type.precision && count < kManyValues; ++i) count *= 10;
      return count;
    }
    default: return kManyValues;
  }
}

Value value_at(const Type& type, std::int64_t number) {
  return key_value(type, static_cast<std::uint64_t>(number) % distinct_values(type));
}

std::string value_sql(const Type& type, std::string_view number, SqlDialect dialect) {
  const std::string small = fmt::format("({} % {})", number, distinct_values(type));
  switch (type.kind) {
    case TypeKind::boolean: return small + " = 1";
    case TypeKind::string: return fmt::format("concat('k', CAST({} AS VARCHAR(20)))", small);
    case TypeKind::date: return fmt::format("DATE '1970-01-01' + CAST({} AS INT)", small);
    case TypeKind::timestamp:
      return dialect == SqlDialect::spark
                 ? fmt::format("timestamp_seconds({})", small)
                 : fmt::format("make_timestamp(CAST({} AS BIGINT) * 1000000)", small);
    default: return fmt::format("CAST({} AS {})", small, type_sql(type, dialect));
  }
}

Value sequence_at(const Type& type, std::int64_t number) {
  if (type.kind == TypeKind::string) return Value::text(fmt::format("{:012}", number));
  return value_at(type, number);
}

std::string literal_sql(const Value& value, const Type& type, SqlDialect dialect) {
  const std::string name = type_sql(type, dialect);
  return value.is_null() ? fmt::format("CAST(NULL AS {})", name)
                         : fmt::format("CAST('{}' AS {})", to_text(value), name);
}

std::string quoted(std::string_view name, SqlDialect dialect) {
  return dialect == SqlDialect::spark ? quote_identifier(name) : quote_for_duckdb(name);
}

std::string type_sql(const Type& type, SqlDialect dialect) {
  return dialect == SqlDialect::spark ? to_spark_sql(type) : to_duckdb_sql(type);
}

std::string BulkColumns::fresh_sql(std::string_view table) const {
  if (fresh.empty()) return "SELECT 1";
  return fmt::format("SELECT DISTINCT {} FROM {}", base::join(fresh, ", "), table);
}

BulkColumns bulk_columns(const Strategy& strategy, const Schema& schema,
                         const std::vector<Column>& table_columns, SqlDialect dialect) {
  BulkColumns bulk;
  std::vector<std::string_view> known;
  for (const std::vector<Column>* columns : {&schema.keys, &schema.payload})
    for (const Column& column : *columns) known.push_back(column.name);
  const std::string_view sequence = stored_sequence(strategy, schema);
  for (const Column& column : table_columns) {
    const std::string name = quoted(column.name, dialect);
    const auto same = [&](std::string_view other) {
      return base::equals_ignoring_case(other, column.name);
    };
    if (!bulk.select.empty()) bulk.select += ", ";
    if (same(sequence)) {
      bulk.select += fmt::format("initial.{} AS {}", quoted(schema.sequence.name, dialect), name);
    } else if (std::any_of(known.begin(), known.end(), same)) {
      bulk.select += "initial." + name;
    } else {
      bulk.select += "fresh." + name;
      bulk.fresh.push_back(name);
    }
  }
  return bulk;
}

std::string touched_rows_sql(const JudgedRows& rows, const Schema& schema) {
  return "SELECT * FROM " + rows_sql(rows, schema, "EXISTS");
}

std::string other_rows_sql(const JudgedRows& rows, const Schema& schema, SqlDialect dialect) {
  const std::vector<Column> columns = state_columns(rows.state, schema);
  // Of an interval its beginning alone: its end must be open, which is counted.
  const std::size_t hashed = schema.table_columns().size();
  std::string values;
  for (std::size_t i = 0; i < hashed; ++i)
    values += fmt::format("{}CAST(r.c{} AS {})", i == 0 ? "" : ", ", i,
                          type_sql(columns[i].type, dialect));
  return fmt::format("SELECT count(*) AS c, CAST(sum({}) AS VARCHAR(60)) AS h, {} AS u FROM {}",
                     dialect == SqlDialect::spark
                         ? fmt::format("CAST(xxhash64({}) AS DECIMAL(38,0))", values)
                         : fmt::format("hash({})", values),
                     rows.state == StateKind::scd2 ? fmt::format("count(r.c{})", hashed) : "0",
                     rows_sql(rows, schema, "NOT EXISTS"));
}

}  // namespace rowgate::harness
