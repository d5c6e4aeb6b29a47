#include "harness/spark_requests.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "harness/spark_wire.hpp"

namespace rowgate::harness {
namespace {

std::vector<std::string> quoted_names(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(quote_identifier(column.name));
  return names;
}

// {4, 2} of "4.2.0"
std::pair<int, int> minor_version(std::string_view version) {
  const std::vector<std::string_view> parts = base::split(version, '.');
  const auto number = [&](std::size_t i) {
    int value = 0;
    if (i < parts.size())
      for (const char c : parts[i])
        if (c >= '0' && c <= '9' && value < 100'000) value = value * 10 + (c - '0');
    return value;
  };
  return {number(0), number(1)};
}

}  // namespace

bool is_auto_cdc(const Strategy& strategy) {
  return strategy.driver_function == "auto_cdc_scd1" || strategy.driver_function == "auto_cdc_scd2";
}

bool has_auto_cdc(const SparkSpec& spec) {
  return minor_version(spec.version) >= std::pair{4, 2};
}

nlohmann::json merge_request(const Strategy& strategy, const Schema& schema,
                             const std::vector<std::string>& statements, const std::string& view) {
  nlohmann::json request = {{"view", view},
                            {"columns", wire_columns(schema.source_columns())},
                            {"statements", statements}};
  if (strategy.batch_function)
    request["function"] = {
        {"file", std::filesystem::absolute(strategy.batch_function->file).string()},
        {"name", strategy.batch_function->name}};
  if (strategy.driver_function == "drop_duplicates_merge") {
    std::vector<std::string> names;
    for (const Column& column : schema.keys) names.push_back(column.name);
    request["drop_duplicates"] = names;
  }
  return request;
}

nlohmann::json auto_cdc_flow(const Schema& schema, StateKind state, TableFlavour flavour,
                             const std::string& table) {
  const std::string op = quote_identifier(schema.op_column);
  std::vector<std::string> except = {op, quote_identifier(schema.arrival_column)};
  // In a history the sequence is what the intervals are made of; as a column it would make every
  // version differ from the one before.
  if (state == StateKind::scd2) except.push_back(quote_identifier(schema.sequence.name));
  nlohmann::json flow = {
      {"table", table},
      {"columns", wire_columns(schema.source_columns())},
      {"where", fmt::format("{} <> '{}'", op, op_text(Operation::pre_image))},
      {"keys", quoted_names(schema.keys)},
      {"sequence_by", quote_identifier(schema.sequence.name)},
      {"apply_as_deletes", fmt::format("{} = '{}'", op, op_text(Operation::remove))},
      {"except_columns", except},
      {"scd", state == StateKind::scd2 ? 2 : 1}};
  if (flavour == TableFlavour::delta) flow["format"] = "delta";
  return flow;
}

std::string auto_cdc_read(const Schema& schema, StateKind state, const std::string& table) {
  if (state == StateKind::scd1)
    return fmt::format("SELECT {} FROM {}", base::join(quoted_names(schema.table_columns()), ", "),
                       table);
  std::vector<Column> columns = schema.keys;
  columns.insert(columns.end(), schema.payload.begin(), schema.payload.end());
  return fmt::format("SELECT {}, __START_AT AS valid_from, __END_AT AS valid_to FROM {}",
                     base::join(quoted_names(columns), ", "), table);
}

std::string auto_cdc_tombstones(const std::string& table) {
  const std::size_t dot = table.rfind('.') + 1;
  return table.substr(0, dot) + "__spark_autocdc_aux_state_" + table.substr(dot);
}

}  // namespace rowgate::harness
