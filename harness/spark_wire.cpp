#include "harness/spark_wire.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/text.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

Result<json> to_wire(const Value& value) {
  if (value.is_null() || value.is_absent()) return json(nullptr);
  if (const auto* timestamp = std::get_if<Timestamp>(&value.data()))
    return json(std::to_string(timestamp->micros));
  if (const auto* date = std::get_if<Date>(&value.data())) return json(std::to_string(date->days));
  std::string text = to_text(value);
  if (!base::is_utf8(text))
    return fail(ErrorCode::unsupported, "a string is not UTF-8, which Spark's strings are",
                base::printable(text));
  return json(std::move(text));
}

Result<std::int64_t> parse_int64(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(ErrorCode::malformed, "is no number", base::printable(text));
  return number;
}

Result<Value> from_wire(const json& wire, const Type& type) {
  if (wire.is_null()) return Value::null();
  if (!wire.is_string())
    return fail(ErrorCode::malformed, "the driver sent a value that is no text");
  const std::string& text = wire.get_ref<const std::string&>();
  if (type.kind == TypeKind::string) return Value::text(text);
  if (type.kind == TypeKind::timestamp) {
    ROWGATE_TRY(const std::int64_t micros, parse_int64(text));
    return Value(Timestamp{micros});
  }
  if (type.kind == TypeKind::date) {
    ROWGATE_TRY(const std::int64_t days, parse_int64(text));
    if (days < std::numeric_limits<std::int32_t>::min() ||
        days > std::numeric_limits<std::int32_t>::max())
      return fail(ErrorCode::malformed, "is no date", base::printable(text));
    return Value(Date{static_cast<std::int32_t>(days)});
  }
  return parse_value(text, type);
}

}  // namespace

json wire_columns(const std::vector<Column>& columns) {
  json wire = json::array();
  for (const Column& column : columns)
    wire.push_back({{"name", column.name}, {"type", to_spark_sql(column.type)}});
  return wire;
}

Result<json> wire_rows(const Rows& rows) {
  json wire = json::array();
  for (const Row& row : rows) {
    json values = json::array();
    for (const Value& value : row) {
      ROWGATE_TRY(json one, to_wire(value));
      values.push_back(std::move(one));
    }
    wire.push_back(std::move(values));
  }
  return wire;
}

Result<Rows> rows_from_wire(const json& wire, const std::vector<Column>& columns) {
  if (!wire.is_array()) return fail(ErrorCode::malformed, "the driver sent no rows");
  Rows rows;
  rows.reserve(wire.size());
  for (const json& values : wire) {
    if (!values.is_array() || values.size() != columns.size())
      return fail(ErrorCode::malformed,
                  fmt::format("the driver sent a row that has not {} values", columns.size()));
    Row row;
    row.reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ROWGATE_TRY(Value value, from_wire(values[i], columns[i].type));
      row.push_back(std::move(value));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace rowgate::harness
