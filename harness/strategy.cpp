#include "harness/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>

#include "base/text.hpp"
#include "harness/embedded_files.hpp"
#include "harness/lines.hpp"

namespace rowgate::harness {
namespace {

// Words that Spark (in ANSI mode) or DuckDB reserve, or read otherwise than as a column.
constexpr std::string_view kReserved[] = {"all",          "analyse",
                                          "analyze",      "and",
                                          "anti",         "any",
                                          "array",        "as",
                                          "asc",          "asof",
                                          "at",           "authorization",
                                          "between",      "both",
                                          "by",           "case",
                                          "cast",         "check",
                                          "collate",      "column",
                                          "constraint",   "create",
                                          "cross",        "current_date",
                                          "current_time", "current_timestamp",
                                          "current_user", "default",
                                          "deferrable",   "delete",
                                          "desc",         "describe",
                                          "distinct",     "do",
                                          "drop",         "else",
                                          "end",          "escape",
                                          "except",       "exists",
                                          "false",        "fetch",
                                          "filter",       "for",
                                          "foreign",      "from",
                                          "full",         "function",
                                          "grant",        "group",
                                          "having",       "in",
                                          "initially",    "inner",
                                          "insert",       "intersect",
                                          "interval",     "into",
                                          "is",           "join",
                                          "lambda",       "lateral",
                                          "leading",      "left",
                                          "like",         "limit",
                                          "local",        "merge",
                                          "minus",        "natural",
                                          "not",          "null",
                                          "of",           "offset",
                                          "on",           "only",
                                          "or",           "order",
                                          "outer",        "overlaps",
                                          "pivot",        "placing",
                                          "position",     "positional",
                                          "primary",      "qualify",
                                          "range",        "references",
                                          "returning",    "right",
                                          "row",          "rows",
                                          "select",       "semi",
                                          "session_user", "set",
                                          "show",         "some",
                                          "summarize",    "symmetric",
                                          "table",        "tablesample",
                                          "then",         "time",
                                          "to",           "trailing",
                                          "true",         "union",
                                          "unique",       "unknown",
                                          "unpivot",      "update",
                                          "user",         "using",
                                          "values",       "variadic",
                                          "when",         "where",
                                          "window",       "with"};

bool is_plain_identifier(std::string_view name) {
  for (const std::string_view word : kReserved)
    if (base::equals_ignoring_case(name, word)) return false;
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Joins one text a column.
std::string each(const std::vector<Column>& columns, std::string_view separator,
                 const std::function<std::string(const std::string&)>& text) {
  std::string joined;
  for (const Column& column : columns) {
    if (!joined.empty()) joined += separator;
    joined += text(quote_identifier(column.name));
  }
  return joined;
}

using Placeholders = std::map<std::string, std::string, std::less<>>;

void add_lists(Placeholders& values, const Schema& schema, const std::string& prefix) {
  const auto qualified = [&](const std::string& name) { return prefix + name; };
  values[prefix + "keys"] = each(schema.keys, ", ", qualified);
  values[prefix + "payload"] = each(schema.payload, ", ", qualified);
  values[prefix + "seq"] = prefix + quote_identifier(schema.sequence.name);
  values[prefix + "columns"] = each(schema.table_columns(), ", ", qualified);
  values[prefix + "op"] = prefix + quote_identifier(schema.op_column);
  values[prefix + "arrival"] = prefix + quote_identifier(schema.arrival_column);
  values[prefix + "is_delete"] =
      fmt::format("({}{} = 'DELETE')", prefix, quote_identifier(schema.op_column));
}

Placeholders placeholders(const Schema& schema, const SqlNames& names) {
  Placeholders values;
  values["target"] = names.target;
  values["source"] = names.source;
  for (const char* prefix : {"", "s.", "t."}) add_lists(values, schema, prefix);
  const auto pair = [](std::string_view pattern) {
    return [pattern](const std::string& name) {
      return fmt::format(fmt::runtime(pattern), fmt::arg("c", name));
    };
  };
  std::vector<Column> changing = schema.payload;
  changing.push_back(schema.sequence);
  values["on"] = each(schema.keys, " AND ", pair("t.{c} = s.{c}"));
  values["on_null_safe"] = each(schema.keys, " AND ", pair("t.{c} <=> s.{c}"));
  values["set"] = each(changing, ", ", pair("{c} = s.{c}"));
  values["set_payload"] = each(schema.payload, ", ", pair("{c} = s.{c}"));
  // Without a payload there is nothing to compare: nothing differs, everything is the same.
  const auto or_else = [&](std::string text, const char* otherwise) {
    return schema.payload.empty() ? otherwise : std::move(text);
  };
  values["differs"] = or_else(each(schema.payload, " OR ", pair("t.{c} != s.{c}")), "FALSE");
  values["differs_null_safe"] =
      or_else(each(schema.payload, " OR ", pair("NOT (t.{c} <=> s.{c})")), "FALSE");
  values["same"] = or_else(each(schema.payload, " AND ", pair("t.{c} = s.{c}")), "TRUE");
  return values;
}

// A list that is empty (no payload) must not leave ", ," behind: a placeholder followed by ", "
// takes the comma with it when it is empty.
Result<std::string> fill(std::string_view text, const Placeholders& values) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find("${", at);
    filled += text.substr(at, begin - at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find('}', begin);
    const std::string_view name = end == std::string_view::npos
                                      ? text.substr(begin)
                                      : text.substr(begin + 2, end - begin - 2);
    const auto found = values.find(name);
    if (end == std::string_view::npos || found == values.end())
      return fail(ErrorCode::malformed,
                  fmt::format("the SQL names an unknown placeholder '{}'",
                              base::printable(name.substr(0, 60))),
                  {}, begin,
                  "known are: keys, payload, seq, columns (also with s. or t.), on, set, …: see "
                  "strategy.hpp");
    filled += found->second;
    at = end + 1;
    if (found->second.empty() && text.substr(at, 2) == ", ") at += 2;
  }
  return filled;
}

class StrategyReader {
 public:
  StrategyReader(std::string_view text, std::string_view file) : lines_(text, file) {}

  Result<Strategy> run() {
    Strategy strategy;
    while (lines_.next()) {
      if (lines_.is_indented())
        return lines_.error(1, "this line is indented, and no block is open",
                            "begin a block with 'apply' or 'read'");
      const std::string_view word = lines_.word();
      ROWGATE_CHECK(statement(strategy, word, lines_.rest()));
    }
    if (strategy.name.empty())
      return lines_.error(1, "no strategy is named", "begin with 'strategy NAME'");
    if (strategy.apply.empty() && strategy.driver_function.empty())
      return lines_.error(1, "the strategy does nothing",
                          "add an 'apply' block or a 'driver' line");
    return strategy;
  }

 private:
  Result<void> statement(Strategy& strategy, std::string_view word, std::string_view rest) {
    if (word == "strategy") {
      strategy.name = rest;
    } else if (word == "title") {
      strategy.title = rest;
    } else if (word == "about") {
      if (!strategy.description.empty()) strategy.description += ' ';
      strategy.description += rest;
    } else if (word == "origin") {
      strategy.origin = rest;
    } else if (word == "oracle") {
      strategy.oracle = rest;
    } else if (word == "driver") {
      strategy.driver_function = rest;
    } else if (word == "needs-spark") {
      strategy.needs_spark = rest;
    } else if (word == "whole-table") {
      strategy.reach = Reach::whole_table;
    } else if (word == "nondeterministic") {
      strategy.nondeterministic = true;
    } else if (word == "state") {
      if (rest != "scd1" && rest != "scd2")
        return lines_.error(7, "a state is scd1 or scd2", "write one of the two");
      strategy.state = rest == "scd1" ? StateKind::scd1 : StateKind::scd2;
    } else if (word == "column") {
      return extra_column(strategy, rest);
    } else if (word == "apply") {
      strategy.apply.push_back(lines_.block());
    } else if (word == "read") {
      strategy.read = lines_.block();
    } else {
      return lines_.error(1, fmt::format("unknown word '{}'", base::printable(word)),
                          "use strategy, title, about, origin, state, oracle, column, driver, "
                          "needs-spark, whole-table, nondeterministic, apply or read");
    }
    return {};
  }

  Result<void> extra_column(Strategy& strategy, std::string_view rest) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos)
      return lines_.error(8, "a column has a name and a type", "write: column _deleted BOOLEAN");
    const std::string_view type_name = base::trim(rest.substr(space));
    Strategy::ExtraColumn column{std::string(rest.substr(0, space)), std::nullopt};
    if (type_name != "SEQUENCE") {
      const Result<Type> type = parse_type(type_name);
      if (!type) return lines_.error(8, type.error().message, type.error().remedy);
      column.type = *type;
    }
    strategy.extra_columns.push_back(std::move(column));
    return {};
  }

  Lines lines_;
};

std::vector<Strategy> load_builtin() {
  std::vector<Strategy> strategies;
  for (const EmbeddedFile& file : embedded_strategies()) {
    Result<Strategy> strategy = parse_strategy(file.text, file.name);
    if (!strategy) throw std::logic_error(strategy.error().to_string());
    strategies.push_back(std::move(*strategy));
  }
  std::sort(strategies.begin(), strategies.end(),
            [](const Strategy& a, const Strategy& b) { return a.name < b.name; });
  return strategies;
}

}  // namespace

std::string quote_identifier(std::string_view name) {
  if (is_plain_identifier(name)) return std::string(name);
  std::string quoted = "`";
  for (const char c : name) {
    if (c == '`') quoted.push_back('`');
    quoted.push_back(c);
  }
  return quoted + "`";
}

std::vector<Column> state_columns(StateKind state, const Schema& schema) {
  if (state == StateKind::scd1) return schema.table_columns();
  std::vector<Column> columns = schema.keys;
  columns.insert(columns.end(), schema.payload.begin(), schema.payload.end());
  columns.push_back({"valid_from", schema.sequence.type});
  columns.push_back({"valid_to", schema.sequence.type});
  return columns;
}

Result<RenderedStrategy> render(const Strategy& strategy, const Schema& schema,
                                const SqlNames& names) {
  const Placeholders values = placeholders(schema, names);
  RenderedStrategy rendered;
  const auto filled = [&](std::string_view text) {
    Result<std::string> result = fill(text, values);
    if (!result) result.error().subject = strategy.name;
    return result;
  };
  for (const std::string& statement : strategy.apply) {
    ROWGATE_TRY(std::string text, filled(statement));
    rendered.apply.push_back(std::move(text));
  }
  std::string read = strategy.read;
  if (read.empty())
    read = "SELECT " +
           each(state_columns(strategy.state, schema), ", ",
                [](const std::string& name) { return name; }) +
           " FROM ${target}";
  ROWGATE_TRY(rendered.read, filled(read));
  if (!strategy.table_columns.empty()) {
    rendered.table_columns = strategy.table_columns;
    return rendered;
  }
  rendered.table_columns = schema.table_columns();
  for (const Strategy::ExtraColumn& column : strategy.extra_columns)
    rendered.table_columns.push_back({column.name, column.type.value_or(schema.sequence.type)});
  return rendered;
}

Result<Strategy> parse_strategy(std::string_view text, std::string_view file) {
  return StrategyReader(text, file).run();
}

std::span<const Strategy> builtin_strategies() {
  static const std::vector<Strategy> strategies = load_builtin();
  return strategies;
}

const Strategy* find_strategy(std::string_view name) {
  for (const Strategy& strategy : builtin_strategies())
    if (strategy.name == name) return &strategy;
  return nullptr;
}

}  // namespace rowgate::harness
