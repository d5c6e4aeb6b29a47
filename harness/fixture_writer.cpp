#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "harness/fixture.hpp"

namespace rowgate::harness {
namespace {

std::string cell_text(const Value& value) {
  const auto* held = std::get_if<std::string>(&value.data());
  if (held == nullptr) return to_text(value);
  const bool plain =
      !held->empty() && *held != "NULL" && *held != "absent" &&
      std::none_of(held->begin(), held->end(), [](char c) {
        return c == ' ' || c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
      });
  if (plain) return *held;
  std::string text = "\"";
  for (const char c : *held) {
    switch (c) {
      case '\n': text += "\\n"; break;
      case '\t': text += "\\t"; break;
      case '\r': text += "\\r"; break;
      case '"': text += "\\\""; break;
      case '\\': text += "\\\\"; break;
      default: text.push_back(c);
    }
  }
  return text + "\"";
}

std::string_view op_word(Operation op) {
  switch (op) {
    case Operation::upsert: return "upsert";
    case Operation::remove: return "delete";
    case Operation::truncate: return "truncate";
    case Operation::pre_image: return "pre-image";
    case Operation::snapshot: return "snapshot";
  }
  return "";
}

using TextRows = std::vector<std::vector<std::string>>;

void write_table(std::string& text, const TextRows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], base::display_width(row[i]));
  }
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += ' ' + row[i];
      if (i + 1 < row.size()) line.append(widths[i] - base::display_width(row[i]) + 1, ' ');
    }
    text += line + '\n';
  }
}

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(cell_text(Value::text(column.name)));
  return names;
}

void write_rows(std::string& text, const std::vector<Column>& columns, const Rows& rows) {
  TextRows table = {names_of(columns)};
  for (const Row& row : rows) {
    table.emplace_back();
    for (const Value& value : row) table.back().push_back(cell_text(value));
  }
  write_table(text, table);
}

void write_batch(std::string& text, const Schema& schema, const Batch& batch) {
  if (batch.replay_of) {
    text += fmt::format("\nreplay {}\n", *batch.replay_of + 1);
    return;
  }
  text += "\nbatch\n";
  TextRows table = {names_of(schema.table_columns())};
  table.front().insert(table.front().begin(), "op");
  for (const Event& event : batch.events) {
    std::vector<std::string> row = {std::string(op_word(event.op))};
    for (const Value& value : event.key) row.push_back(cell_text(value));
    for (const Value& value : event.payload) row.push_back(cell_text(value));
    row.push_back(cell_text(event.sequence));
    table.push_back(std::move(row));
  }
  write_table(text, table);
}

void write_columns(std::string& text, const Schema& schema) {
  text += "\ncolumns\n";
  TextRows table;
  for (const Column& column : schema.keys)
    table.push_back({cell_text(Value::text(column.name)), to_spark_sql(column.type), "key"});
  for (const Column& column : schema.payload)
    table.push_back({cell_text(Value::text(column.name)), to_spark_sql(column.type)});
  table.push_back({cell_text(Value::text(schema.sequence.name)), to_spark_sql(schema.sequence.type),
                   "sequence"});
  write_table(text, table);
}

void write_expectation(std::string& text, const Schema& schema, const Expectation& expectation) {
  text += fmt::format("expect {} {}", expectation.strategy, to_string(expectation.outcome));
  for (const Wrong how : expectation.how) text += fmt::format(" {}", to_string(how));
  if (!expectation.error_name.empty()) text += " " + expectation.error_name;
  if (!expectation.target.empty()) text += " on " + expectation.target;
  text += '\n';
  if (!expectation.rows) return;
  const Strategy* strategy = find_strategy(expectation.strategy);
  const StateKind state = strategy == nullptr ? StateKind::scd1 : strategy->state;
  write_rows(text, state_columns(state, schema), *expectation.rows);
}

}  // namespace

std::string write_fixture(const Fixture& fixture) {
  std::string text = fmt::format("fixture {}\n", fixture.name);
  if (!fixture.title.empty()) text += fmt::format("title {}\n", fixture.title);
  for (const std::string& line : fixture.about) text += fmt::format("about {}\n", line);
  write_columns(text, fixture.schema);
  for (const Batch& batch : fixture.history.batches) write_batch(text, fixture.schema, batch);
  for (const RightState& right : fixture.right) {
    const char* state = right.state == StateKind::scd1 ? "scd1" : "scd2";
    text += fmt::format("\nright {}{}\n", state, right.reject ? " reject" : "");
    for (std::size_t i = 0; i < right.states.size(); ++i) {
      if (i > 0) text += "or\n";
      write_rows(text, state_columns(right.state, fixture.schema), right.states[i]);
    }
  }
  if (!fixture.expectations.empty()) text += '\n';
  for (const Expectation& expectation : fixture.expectations)
    write_expectation(text, fixture.schema, expectation);
  return text;
}

}  // namespace rowgate::harness
