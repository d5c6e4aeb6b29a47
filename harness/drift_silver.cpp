#include "harness/drift_silver.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rowgate::harness {
namespace {

struct Source {
  std::string value;   // as it stands in Bronze
  std::string typed;   // as the contract's type
  std::string nested;  // a condition: an object or a list where a scalar is wanted
};

Source source_of(const ContractColumn& wanted, const std::vector<Column>& columns,
                 const SilverDialect& dialect) {
  const auto column = std::find_if(columns.begin(), columns.end(), [&](const Column& each) {
    return each.name == wanted.from.front();
  });
  const Type text{TypeKind::string, 0, 0};
  Source source;
  source.nested = "FALSE";
  Type type = text;
  if (column == columns.end()) {
    source.value = fmt::format("CAST(NULL AS {})", dialect.type(text));
  } else if (wanted.from.size() == 1) {
    source.value = dialect.quote(column->name);
    type = column->type;
  } else if (column->type.kind != TypeKind::string) {
    source.value = fmt::format("CAST(NULL AS {})", dialect.type(text));  // nothing lies below it
  } else {
    source.value =
        dialect.below(dialect.quote(column->name), {wanted.from.begin() + 1, wanted.from.end()});
    source.nested =
        fmt::format("(substr({0}, 1, 1) = '{{' OR substr({0}, 1, 1) = '[')", source.value);
  }
  source.typed = dialect.cast(source.value, type, wanted.column.type);
  return source;
}

}  // namespace

SilverSql silver_sql(const std::vector<ContractColumn>& contract,
                     const std::vector<Column>& columns, const std::string& bronze,
                     const std::string& silver, const SilverDialect& dialect) {
  std::vector<std::string> counts = {"count(*)"}, names, values, conditions;
  const auto count = [&](const std::string& condition) {
    counts.push_back(fmt::format("count(CASE WHEN {} THEN 1 END)", condition));
  };
  for (const ContractColumn& wanted : contract) {
    const Source source = source_of(wanted, columns, dialect);
    const std::string wrong =
        fmt::format("({} IS NOT NULL AND {} IS NULL)", source.value, source.typed);
    count(source.value + " IS NULL");
    count(fmt::format("{} AND NOT coalesce({}, FALSE)", wrong, source.nested));
    count(source.nested);
    names.push_back(dialect.quote(wanted.column.name));
    values.push_back(source.typed);
    conditions.push_back(fmt::format("NOT {}", wrong));
    conditions.push_back(fmt::format("NOT coalesce({}, FALSE)", source.nested));
    if (wanted.required) conditions.push_back(source.value + " IS NOT NULL");
  }
  SilverSql sql;
  sql.checks = fmt::format("SELECT {} FROM {}", base::join(counts, ", "), bronze);
  sql.fill =
      fmt::format("INSERT INTO {} ({}) SELECT {} FROM {} WHERE {}", silver, base::join(names, ", "),
                  base::join(values, ", "), bronze, base::join(conditions, " AND "));
  return sql;
}

std::vector<Column> silver_check_columns(const std::vector<ContractColumn>& contract) {
  std::vector<Column> columns = {{"total", {TypeKind::int64, 0, 0}}};
  for (std::size_t i = 0; i < 3 * contract.size(); ++i)
    columns.push_back({fmt::format("c{}", i), {TypeKind::int64, 0, 0}});
  return columns;
}

Result<void> read_silver_checks(const Rows& rows, std::size_t columns, SilverRun& run) {
  if (rows.size() != 1 || rows[0].size() != 1 + 3 * columns)
    return fail(ErrorCode::malformed, "the engine's counts are of another shape");
  std::vector<std::int64_t> numbers;
  for (const Value& value : rows[0]) {
    const auto* number = std::get_if<std::int64_t>(&value.data());
    if (number == nullptr) return fail(ErrorCode::malformed, "the engine's count is no number");
    numbers.push_back(*number);
  }
  run.bronze_rows = numbers[0];
  for (std::size_t i = 0; i < columns; ++i)
    run.checks.push_back({numbers[3 * i + 1], numbers[3 * i + 2], numbers[3 * i + 3]});
  return {};
}

}  // namespace rowgate::harness
