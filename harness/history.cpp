#include "harness/history.hpp"

#include <fmt/format.h>

#include <set>

#include "base/text.hpp"

namespace rowgate::harness {

std::vector<Column> Schema::table_columns() const {
  std::vector<Column> columns = keys;
  columns.insert(columns.end(), payload.begin(), payload.end());
  columns.push_back(sequence);
  return columns;
}

std::vector<Column> Schema::source_columns() const {
  std::vector<Column> columns = table_columns();
  columns.push_back({op_column, {TypeKind::string, 0, 0}});
  columns.push_back({arrival_column, {TypeKind::int64, 0, 0}});
  return columns;
}

std::string_view op_text(Operation op) {
  switch (op) {
    case Operation::upsert: return "UPSERT";
    case Operation::remove: return "DELETE";
    case Operation::truncate: return "TRUNCATE";
    case Operation::pre_image: return "UPDATE_BEFORE";
    case Operation::snapshot: return "SNAPSHOT";
  }
  return "";
}

std::size_t History::event_count() const {
  std::size_t count = 0;
  for (const Batch& batch : batches) count += batch.events.size();
  return count;
}

Row source_row(const Event& event, std::int64_t arrival) {
  Row row;
  row.reserve(event.key.size() + event.payload.size() + 3);
  row = event.key;
  for (const Value& value : event.payload) row.push_back(value.is_absent() ? Value() : value);
  row.push_back(event.sequence);
  row.push_back(Value::text(std::string(op_text(event.op))));
  row.push_back(Value::integer(arrival));
  return row;
}

Rows source_rows(const Batch& batch, std::int64_t first_arrival) {
  Rows rows;
  rows.reserve(batch.events.size());
  for (const Event& event : batch.events) rows.push_back(source_row(event, first_arrival++));
  return rows;
}

Result<void> check_schema(const Schema& schema) {
  if (schema.keys.empty())
    return fail(ErrorCode::malformed, "the table has no key column", {}, std::nullopt,
                "mark at least one column as key");
  std::set<std::string> seen;
  for (const Column& column : schema.source_columns()) {
    if (column.name.empty()) return fail(ErrorCode::malformed, "a column has no name");
    if (!seen.insert(base::to_lower(column.name)).second)
      return fail(ErrorCode::malformed,
                  fmt::format("two columns are called '{}' (case does not count)",
                              base::printable(column.name)));
  }
  return {};
}

Result<void> check_history(const Schema& schema, const History& history) {
  ROWGATE_CHECK(check_schema(schema));
  for (std::size_t i = 0; i < history.batches.size(); ++i) {
    const Batch& batch = history.batches[i];
    if (batch.replay_of &&
        (*batch.replay_of >= i || history.batches[*batch.replay_of].events != batch.events))
      return fail(ErrorCode::malformed,
                  fmt::format("batch {} says that it repeats a batch that it does not repeat", i));
    for (const Event& event : batch.events)
      if (event.key.size() != schema.keys.size() || event.payload.size() != schema.payload.size())
        return fail(ErrorCode::malformed,
                    fmt::format("an event of batch {} has not the table's columns", i));
  }
  return {};
}

}  // namespace rowgate::harness
