// Values on their way to the Spark driver and back: texts (or null) that Spark's own CAST reads and
// writes, timestamps as microseconds and dates as days (see drivers/spark_driver.py).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/history.hpp"

namespace rowgate::harness {

// [{"name": "id", "type": "BIGINT"}, …]
nlohmann::json wire_columns(const std::vector<Column>& columns);

// Rows without absent values. Errors: unsupported (a string that is not UTF-8: Spark's are).
Result<nlohmann::json> wire_rows(const Rows& rows);

// Errors: malformed (the driver sent something else than rows of these columns).
Result<Rows> rows_from_wire(const nlohmann::json& rows, const std::vector<Column>& columns);

}  // namespace rowgate::harness
