// The strategies' SQL is plain enough to need two changes only: Spark's `<=>` is IS NOT DISTINCT
// FROM, and a table's dotted name is quoted as a whole. What surrounds the statements (windows,
// casts, the guard) follows Google's reference of CHANGES and of multi-statement transactions.
#include "harness/bigquery.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "harness/sql_text.hpp"

namespace rowgate::harness {
namespace {

constexpr std::string_view kChanges = "changes";
// A name that stands for the target in the template, and that no strategy uses itself.
constexpr std::string_view kTargetMark = "rowgate_target_table";

Result<std::string> quoted_table(const std::string& name, std::string_view what) {
  const bool fine =
      !name.empty() && name.size() <= 1024 && std::none_of(name.begin(), name.end(), [](char c) {
        return c == '`' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
      });
  if (!fine)
    return fail(ErrorCode::usage, fmt::format("is no name for the {} table", what),
                base::printable(name), std::nullopt, "write project.dataset.table");
  return fmt::format("`{}`", name);
}

Result<std::string> translate(const std::string& statement, const std::string& target) {
  ROWGATE_TRY(const std::vector<Token> tokens, tokenize_sql(statement));
  std::string text;
  for (const Token& token : tokens) {
    if (is_symbol(token, "<=>"))
      text += "IS NOT DISTINCT FROM";
    else if (token.kind == TokenKind::word && token.text == kTargetMark)
      text += target;
    else
      text += token.text;
  }
  return text;
}

std::string indented(std::string_view text, std::string_view by) {
  std::string result;
  for (const std::string_view line : base::split(text, '\n'))
    result += line.empty() ? "\n" : fmt::format("{}{}\n", by, line);
  return result;
}

std::string commented(std::string_view text) {
  return fmt::format("-- {}\n", base::printable(base::trim(text)));
}

class Script {
 public:
  Script(const Strategy& strategy, const Schema& schema, const BigQueryTables& tables)
      : strategy_(strategy), schema_(schema), tables_(tables) {}

  Result<std::string> write() {
    if (strategy_.apply.empty())
      return fail(ErrorCode::unsupported, "is no SQL, so there is nothing to write for BigQuery",
                  strategy_.name);
    for (const Column& key : schema_.keys)
      if (key.type.kind == TypeKind::float64)
        return fail(ErrorCode::unsupported,
                    fmt::format("BigQuery cannot partition by the floating-point key {}", key.name),
                    strategy_.name);
    ROWGATE_TRY(source_, quoted_table(tables_.source, "source"));
    ROWGATE_TRY(target_, quoted_table(tables_.target, "target"));
    ROWGATE_TRY(progress_, quoted_table(tables_.target + "_progress", "progress"));
    ROWGATE_TRY(const RenderedStrategy rendered,
                render(strategy_, schema_, {std::string(kTargetMark), std::string(kChanges)}));
    add_head();
    add_tables(rendered);
    text_ +=
        "SET until = TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 10 MINUTE);\n"
        "SET window_start = (SELECT MAX(window_end) FROM " +
        progress_ +
        ");\n"
        "ASSERT window_start IS NOT NULL AS 'say where to begin: insert a first window_end';\n\n"
        "WHILE window_start < until DO\n"
        "  SET window_end = LEAST(TIMESTAMP_ADD(window_start, INTERVAL 1 DAY), until);\n\n";
    add_changes();
    add_guard();
    ROWGATE_CHECK(add_merge(rendered));
    return std::move(text_);
  }

 private:
  void add_head() {
    text_ += commented(fmt::format("{}: {}", strategy_.name, strategy_.title));
    text_ +=
        "-- Written by rowgate, and not run: rowgate has no BigQuery. What the same statements end "
        "with on\n-- engines that it has: rowgate replay --strategy " +
        strategy_.name + "\n";
    text_ += "--\n-- Once, before the first run:\n";
    text_ +=
        fmt::format("--   ALTER TABLE {} SET OPTIONS (enable_change_history = TRUE);\n", source_);
    text_ += fmt::format("--   INSERT INTO {} VALUES (<where to begin>);\n\n", progress_);
    text_ += "DECLARE window_start, window_end, until TIMESTAMP;\n\n";
  }

  void add_tables(const RenderedStrategy& rendered) {
    std::vector<std::string> columns;
    for (const Column& column : rendered.table_columns)
      columns.push_back(
          fmt::format("{} {}", quote_identifier(column.name), to_bigquery_type(column.type)));
    text_ +=
        fmt::format("CREATE TABLE IF NOT EXISTS {} ({});\n", target_, base::join(columns, ", "));
    text_ += fmt::format("CREATE TABLE IF NOT EXISTS {} (window_end TIMESTAMP NOT NULL);\n\n",
                         progress_);
  }

  void add_changes() {
    text_ += fmt::format("  CREATE OR REPLACE TEMP TABLE {} AS\n  SELECT\n", kChanges);
    std::vector<std::string> lost;
    for (const Column& column : schema_.table_columns()) {
      const std::string name = quote_identifier(column.name);
      const std::string cast =
          fmt::format("SAFE_CAST({} AS {})", name, to_bigquery_type(column.type));
      text_ += fmt::format("    {} AS {},\n", cast, name);
      if (column.type.kind != TypeKind::string)  // everything can be a string
        lost.push_back(fmt::format("({} IS NOT NULL AND {} IS NULL)", name, cast));
    }
    text_ += fmt::format("    IF(_CHANGE_TYPE = 'DELETE', '{}', '{}') AS {},\n",
                         op_text(Operation::remove), op_text(Operation::upsert),
                         quote_identifier(schema_.op_column));
    text_ += fmt::format("    ROW_NUMBER() OVER (ORDER BY _CHANGE_TIMESTAMP) AS {},\n",
                         quote_identifier(schema_.arrival_column));
    text_ += fmt::format("    {} AS _cast_failed\n",
                         lost.empty() ? "FALSE" : base::join(lost, "\n      OR "));
    text_ += fmt::format("  FROM CHANGES(TABLE {}, window_start, window_end);\n\n", source_);
  }

  void add_guard() {
    std::vector<std::string> nulls;
    for (const Column& key : schema_.keys)
      nulls.push_back(fmt::format("{} IS NULL", quote_identifier(key.name)));
    nulls.push_back(fmt::format("{} IS NULL", quote_identifier(schema_.sequence.name)));
    text_ += fmt::format(
        "  ASSERT NOT EXISTS (SELECT 1 FROM {} WHERE _cast_failed)\n"
        "    AS 'a value does not fit its column: nothing of this window was merged';\n"
        "  ASSERT NOT EXISTS (SELECT 1 FROM {} WHERE {})\n"
        "    AS 'a change has no key or no sequence: nothing of this window was merged';\n\n",
        kChanges, kChanges, base::join(nulls, " OR "));
  }

  Result<void> add_merge(const RenderedStrategy& rendered) {
    text_ += "  BEGIN TRANSACTION;\n";
    for (const std::string& statement : rendered.apply) {
      ROWGATE_TRY(const std::string translated, translate(statement, target_));
      text_ += indented(std::string(base::trim(translated)) + ";", "  ");
    }
    text_ += fmt::format(
        "  INSERT INTO {} VALUES (window_end);\n"
        "  COMMIT TRANSACTION;\n"
        "  SET window_start = window_end;\n"
        "END WHILE;\n",
        progress_);
    ROWGATE_TRY(const std::string read, translate(rendered.read, target_));
    text_ += fmt::format("\n-- What readers use:\n{};\n", base::trim(read));
    return {};
  }

  const Strategy& strategy_;
  const Schema& schema_;
  const BigQueryTables& tables_;
  std::string source_, target_, progress_;
  std::string text_;
};

}  // namespace

std::string to_bigquery_type(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean: return "BOOL";
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64: return "INT64";
    case TypeKind::decimal: {
      // NUMERIC holds 29 digits before the point and 9 behind it.
      const bool fits = type.scale <= 9 && type.precision - type.scale <= 29;
      return fmt::format("{}({}, {})", fits ? "NUMERIC" : "BIGNUMERIC", type.precision, type.scale);
    }
    case TypeKind::float64: return "FLOAT64";
    case TypeKind::string: return "STRING";
    case TypeKind::timestamp: return "TIMESTAMP";
    case TypeKind::date: return "DATE";
  }
  return "STRING";
}

Result<std::string> bigquery_script(const Strategy& strategy, const Schema& schema,
                                    const BigQueryTables& tables) {
  ROWGATE_CHECK(check_schema(schema));
  return Script(strategy, schema, tables).write();
}

}  // namespace rowgate::harness
