// The SQL with which Silver reads Bronze by a contract, for both dialects.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/drift.hpp"

namespace rowgate::harness {

struct SilverDialect {
  std::function<std::string(const std::string& name)> quote;
  std::function<std::string(const Type& type)> type;
  // The text at a path below a STRING column that holds JSON; NULL where there is none.
  std::function<std::string(const std::string& column, const std::vector<std::string>& path)> below;
  // A text or a typed column as this type, NULL when it is none.
  std::function<std::string(const std::string& value, const Type& from, const Type& to)> cast;
};

struct SilverSql {
  std::string checks;  // a query: the number of rows, then nulls, wrong types, nested a column
  std::string fill;    // INSERT of the rows that keep the contract
};

// `columns` are Bronze's.
SilverSql silver_sql(const std::vector<ContractColumn>& contract,
                     const std::vector<Column>& columns, const std::string& bronze,
                     const std::string& silver, const SilverDialect& dialect);

// The columns of `checks`.
std::vector<Column> silver_check_columns(const std::vector<ContractColumn>& contract);
// Of its one row. Errors: malformed.
Result<void> read_silver_checks(const Rows& rows, std::size_t columns, SilverRun& run);

}  // namespace rowgate::harness
