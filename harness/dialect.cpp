// Spark's SQL -> DuckDB's.
//
// The text is tokenized (strings, names and comments are never looked into), a MERGE is parsed for
// its shape, and tokens are replaced one by one; everything else is copied. Functions are an
// allow-list of those that mean the same in both engines (Spark SQL reference, "Built-in
// Functions"; DuckDB documentation, "Functions"): concat, for example, gives NULL for a NULL
// argument in Spark and skips it in DuckDB, so it is not on the list. Linear in the text.
#include "harness/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "harness/duckdb_engine.hpp"
#include "harness/strategy.hpp"

namespace rowgate::harness {
namespace {

constexpr std::array kSameFunctions = {
    std::string_view("abs"),      std::string_view("avg"),        std::string_view("ceil"),
    std::string_view("coalesce"), std::string_view("count"),      std::string_view("dense_rank"),
    std::string_view("floor"),    std::string_view("greatest"),   std::string_view("ifnull"),
    std::string_view("lag"),      std::string_view("lead"),       std::string_view("least"),
    std::string_view("lower"),    std::string_view("max"),        std::string_view("max_by"),
    std::string_view("min"),      std::string_view("min_by"),     std::string_view("nullif"),
    std::string_view("rank"),     std::string_view("row_number"), std::string_view("sum"),
    std::string_view("trim"),     std::string_view("upper"),      std::string_view("nvl"),
};

// Words that may stand before a parenthesis without being a function.
constexpr std::array kNotFunctions = {
    "all",     "and",      "any",       "as",     "between",   "by",     "case",     "cast",
    "decimal", "dec",      "distinct",  "else",   "except",    "exists", "filter",   "from",
    "in",      "insert",   "intersect", "into",   "is",        "join",   "like",     "not",
    "numeric", "on",       "or",        "over",   "partition", "select", "set",      "some",
    "then",    "try_cast", "union",     "update", "using",     "values", "varchar",  "char",
    "when",    "where",    "with",      "having", "limit",     "end",    "interval", "rows",
    "range",   "order",    "group",     "table",  "exclude",
};

// Reserved in DuckDB (its duckdb_keywords()) and not in Spark ("ANSI compliance", the list of
// keywords in default mode), and no part of the statements that are rewritten: as they are names in
// Spark, they are quoted. `at` and `offset` are usual names in change feeds.
constexpr std::array kNamesInSpark = {
    "analyse",    "analyze", "asof",       "asymmetric", "at",      "authorization", "check",
    "collation",  "column",  "constraint", "deferrable", "do",      "freeze",        "glob",
    "initially",  "isnull",  "notnull",    "offset",     "only",    "overlaps",      "placing",
    "positional", "primary", "references", "returning",  "show",    "similar",       "summarize",
    "symmetric",  "unique",  "unpack",     "variadic",   "verbose",
};

std::string quoted_literal(std::string_view value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'') text.push_back('\'');
    text.push_back(c);
  }
  return text + "'";
}

class Rewriter {
 public:
  Rewriter(const std::vector<Token>& tokens, const std::vector<Column>& target_columns,
           const std::vector<Column>& key_columns)
      : tokens_(tokens),
        index_(significant(tokens)),
        target_columns_(target_columns),
        key_columns_(key_columns) {
    for (const Token& token : tokens) output_.emplace_back(token.text);
  }

  Result<EmbeddedStatement> run() {
    for (std::size_t i = 0; i < index_.size(); ++i) ROWGATE_CHECK(rewrite_token(i));
    ROWGATE_TRY(const std::optional<MergeShape> shape, parse_merge(tokens_, index_));
    EmbeddedStatement statement;
    if (shape) {
      for (const MergeClause& clause : shape->clauses)
        ROWGATE_CHECK(rewrite_clause(*shape, clause));
      if (needs_cardinality_check(*shape)) statement.cardinality_check = cardinality_query(*shape);
    }
    for (const std::string& text : output_) statement.sql += text;
    return statement;
  }

 private:
  const Token& token(std::size_t i) const { return tokens_[index_[i]]; }
  std::string& output(std::size_t i) { return output_[index_[i]]; }
  bool symbol_at(std::size_t i, std::string_view mark) const {
    return i < index_.size() && is_symbol(token(i), mark);
  }

  tl::unexpected<Error> needs_spark(std::size_t i, const std::string& why) const {
    return fail(ErrorCode::unsupported, "this needs a Spark target: " + why, {}, token(i).offset,
                "run it with --target spark:VERSION/CONNECTOR");
  }

  Result<void> rewrite_token(std::size_t i) {
    const Token& here = token(i);
    switch (here.kind) {
      case TokenKind::quoted_name: output(i) = quote_for_duckdb(name_of(here)); return {};
      case TokenKind::string: output(i) = quoted_literal(string_value(here)); return {};
      case TokenKind::number: return rewrite_number(i);
      case TokenKind::symbol:
        if (here.text == "<=>") output(i) = "IS NOT DISTINCT FROM";
        if (here.text == "==") output(i) = "=";
        if (here.text == "::" || here.text == "->" || here.text == "[" || here.text == "{")
          return needs_spark(
              i, fmt::format("'{}' is not rewritten for the embedded engine", here.text));
        return {};
      case TokenKind::word: return rewrite_word(i);
      default: return {};
    }
  }

  // 1L, 2S, 3Y, 1.5D, 1.5BD, 1.5F: Spark's typed literals.
  Result<void> rewrite_number(std::size_t i) {
    const std::string_view text = token(i).text;
    std::size_t digits = text.size();
    while (digits > 0 && !(text[digits - 1] >= '0' && text[digits - 1] <= '9') &&
           text[digits - 1] != '.')
      --digits;
    const std::string suffix = base::to_lower(text.substr(digits));
    if (suffix.empty()) return {};
    const std::string number(text.substr(0, digits));
    if (suffix == "l")
      output(i) = "CAST(" + number + " AS BIGINT)";
    else if (suffix == "s")
      output(i) = "CAST(" + number + " AS SMALLINT)";
    else if (suffix == "y")
      output(i) = "CAST(" + number + " AS TINYINT)";
    else if (suffix == "d")
      output(i) = "CAST(" + number + " AS DOUBLE)";
    else
      return needs_spark(i, fmt::format("the literal {} is not rewritten", text));
    return {};
  }

  Result<void> rewrite_word(std::size_t i) {
    const std::string word = base::to_lower(token(i).text);
    if (word == "except" && i > 0 && symbol_at(i - 1, "*") && symbol_at(i + 1, "("))
      output(i) = "EXCLUDE";
    if (word == "byte") output(i) = "TINYINT";
    for (const std::string_view clause :
         {"tablesample", "lateral", "cluster", "distribute", "pivot"})
      if (word == clause && !(i > 0 && symbol_at(i - 1, ".")))
        return needs_spark(i, fmt::format("{} is not rewritten", base::printable(token(i).text)));
    const bool called = symbol_at(i + 1, "(");
    if (!called) {
      // LIMIT 10 OFFSET 20
      const bool skips =
          word == "offset" && i + 1 < index_.size() && token(i + 1).kind == TokenKind::number;
      if (!skips &&
          std::find(kNamesInSpark.begin(), kNamesInSpark.end(), word) != kNamesInSpark.end())
        output(i) = quote_for_duckdb(token(i).text);
      return {};
    }
    if (word == "nvl") output(i) = "coalesce";
    const bool keyword =
        std::find(kNotFunctions.begin(), kNotFunctions.end(), word) != kNotFunctions.end();
    const bool known =
        std::find(kSameFunctions.begin(), kSameFunctions.end(), word) != kSameFunctions.end();
    // A name before a column list, as in "INSERT INTO t (a, b)" or "WITH c (a) AS", is no call.
    const bool after_name =
        i > 0 && (is_word(token(i - 1), "into") || is_word(token(i - 1), "with") ||
                  is_word(token(i - 1), "as") || symbol_at(i - 1, "."));
    if (keyword || known || after_name) return {};
    return needs_spark(i, fmt::format("{}() is not known to mean the same on the embedded engine",
                                      base::printable(token(i).text.substr(0, 60))));
  }

  Result<void> rewrite_clause(const MergeShape& shape, const MergeClause& clause) {
    switch (clause.action) {
      case MergeAction::update: return unqualify_assignments(shape, clause.body);
      case MergeAction::insert: return unqualify_insert(shape, clause.body);
      case MergeAction::update_all:
      case MergeAction::insert_all: return spell_out(shape, clause);
      case MergeAction::remove: return {};
    }
    return {};
  }

  // SET t.a = …, t.b = … -> SET a = …, b = …
  Result<void> unqualify_assignments(const MergeShape& shape, TokenRange body) {
    bool at_start = true;
    std::size_t depth = 0;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (at_start) {
        ROWGATE_CHECK(unqualify(shape, i, body.end));
        at_start = false;
      }
      if (symbol_at(i, "(")) ++depth;
      if (symbol_at(i, ")") && depth > 0) --depth;
      if (depth == 0 && symbol_at(i, ",")) at_start = true;
    }
    return {};
  }

  // INSERT (t.a, t.b) VALUES … -> INSERT (a, b) VALUES …
  Result<void> unqualify_insert(const MergeShape& shape, TokenRange body) {
    if (!symbol_at(body.begin, "(")) return {};
    for (std::size_t i = body.begin + 1; i < body.end && !symbol_at(i, ")"); ++i)
      if (symbol_at(i - 1, "(") || symbol_at(i - 1, ","))
        ROWGATE_CHECK(unqualify(shape, i, body.end));
    return {};
  }

  Result<void> unqualify(const MergeShape& shape, std::size_t i, std::size_t end) {
    if (i + 2 >= end || !symbol_at(i + 1, ".")) return {};
    if (!base::equals_ignoring_case(name_of(token(i)), shape.target_qualifier) ||
        symbol_at(i + 3, "."))
      return needs_spark(i, "it assigns to a field of a column or to another table's column");
    output(i).clear();
    output(i + 1).clear();
    return {};
  }

  // Spark resolves * by the target's columns, each taken from the source by name.
  Result<void> spell_out(const MergeShape& shape, const MergeClause& clause) {
    if (shape.source_qualifier.empty())
      return needs_spark(clause.body.begin, "* with a source query that has no alias");
    const std::string source = quote_for_duckdb(shape.source_qualifier);
    std::string names, values, assignments;
    for (const Column& column : target_columns_) {
      const std::string name = quote_for_duckdb(column.name);
      const std::string_view comma = names.empty() ? "" : ", ";
      names += fmt::format("{}{}", comma, name);
      values += fmt::format("{}{}.{}", comma, source, name);
      assignments += fmt::format("{}{} = {}.{}", comma, name, source, name);
    }
    output(clause.body.begin) = clause.action == MergeAction::update_all
                                    ? assignments
                                    : fmt::format("({}) VALUES ({})", names, values);
    return {};
  }

  // Spark: not for a MERGE without matched clauses, nor for a single unconditional DELETE
  // (RewriteMergeIntoTable.checkCardinality; Delta's
  // MergeIntoCommand.multipleMatchDeleteOnlyOvercount).
  static bool needs_cardinality_check(const MergeShape& shape) {
    std::size_t matched = 0;
    bool only_unconditional_delete = true;
    for (const MergeClause& clause : shape.clauses) {
      if (clause.when != MergeWhen::matched) continue;
      ++matched;
      only_unconditional_delete = only_unconditional_delete &&
                                  clause.action == MergeAction::remove && clause.condition.empty();
    }
    return matched > 0 && !(matched == 1 && only_unconditional_delete);
  }

  std::string text_of(TokenRange range) const {
    std::string text;
    for (std::size_t i = index_[range.begin]; i <= index_[range.end - 1]; ++i) text += output_[i];
    return text;
  }

  std::string cardinality_query(const MergeShape& shape) const {
    const std::string target = quote_for_duckdb(shape.target_qualifier);
    std::string keys;
    for (const Column& key : key_columns_)
      keys += fmt::format("{}.{}, ", target, quote_for_duckdb(key.name));
    const std::string source_alias =
        shape.source_has_alias ? " AS " + quote_for_duckdb(shape.source_qualifier) : "";
    return fmt::format(
        "SELECT {}count(*) FROM {} AS {} JOIN {}{} ON {} GROUP BY {}{}.rowid "
        "HAVING count(*) > 1",
        keys, text_of(shape.target), target, text_of(shape.source), source_alias,
        text_of(shape.condition), keys, target);
  }

  const std::vector<Token>& tokens_;
  std::vector<std::size_t> index_;
  std::vector<std::string> output_;  // one for each token
  const std::vector<Column>& target_columns_;
  const std::vector<Column>& key_columns_;
};

}  // namespace

Result<EmbeddedStatement> spark_to_duckdb(std::string_view spark_sql,
                                          const std::vector<Column>& target_columns,
                                          const std::vector<Column>& key_columns) {
  ROWGATE_TRY(const std::vector<Token> tokens, tokenize_sql(spark_sql));
  return Rewriter(tokens, target_columns, key_columns).run();
}

}  // namespace rowgate::harness
