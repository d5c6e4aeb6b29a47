// The user's statements are tokenized; the tokens that name the target and the source become
// placeholders, everything else stays as it is. In place of the source stands a subquery that gives
// exactly the columns that the user's feed has, under their names, so that `SET *` and `INSERT *`
// see what they would see in production.
#include "harness/user_sql.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "harness/sql_text.hpp"

namespace rowgate::harness {
namespace {

tl::unexpected<Error> wrong_option(std::string_view option, std::string message,
                                   std::string remedy) {
  return fail(ErrorCode::usage, std::move(message), std::string(option), std::nullopt,
              std::move(remedy));
}

// A name with its dots, as a sequence of tokens.
struct NamePlace {
  std::string name;  // joined by dots
  std::size_t begin = 0;
  std::size_t end = 0;
  bool has_alias = false;
};

class Names {
 public:
  Names(const std::vector<Token>& tokens, const std::vector<std::size_t>& index)
      : tokens_(tokens), index_(index) {}

  bool is_name(std::size_t i) const {
    return i < index_.size() &&
           (token(i).kind == TokenKind::word || token(i).kind == TokenKind::quoted_name);
  }

  NamePlace at(std::size_t i) const {
    NamePlace place;
    place.begin = i;
    place.name = name_of(token(i));
    ++i;
    while (i + 1 < index_.size() && is_symbol(token(i), ".") && is_name(i + 1)) {
      place.name += "." + name_of(token(i + 1));
      i += 2;
    }
    place.end = i;
    place.has_alias = is_name(i) && (is_word(token(i), "as") || !is_clause_word(token(i)));
    return place;
  }

  // Names that stand where a table does.
  std::vector<NamePlace> tables() const {
    std::vector<NamePlace> places;
    for (std::size_t i = 0; i + 1 < index_.size(); ++i) {
      const bool before_table = is_word(token(i), "into") || is_word(token(i), "using") ||
                                is_word(token(i), "from") || is_word(token(i), "join") ||
                                (is_word(token(i), "update") && i == 0);
      if (before_table && is_name(i + 1)) places.push_back(at(i + 1));
    }
    return places;
  }

  // Names of common table expressions: "WITH a AS (", ", b AS (".
  std::set<std::string> expressions() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i + 2 < index_.size(); ++i)
      if (is_name(i) && is_word(token(i + 1), "as") && is_symbol(token(i + 2), "(") &&
          (i == 0 || is_word(token(i - 1), "with") || is_symbol(token(i - 1), ",")))
        names.insert(base::to_lower(name_of(token(i))));
    return names;
  }

 private:
  const Token& token(std::size_t i) const { return tokens_[index_[i]]; }

  static bool is_clause_word(const Token& token) {
    for (const std::string_view word :
         {"on",     "using",  "when",  "where", "group",   "order",  "having", "limit",     "join",
          "left",   "right",  "inner", "full",  "cross",   "union",  "except", "intersect", "set",
          "values", "select", "anti",  "semi",  "lateral", "window", "qualify"})
      if (is_word(token, word)) return true;
    return false;
  }

  const std::vector<Token>& tokens_;
  const std::vector<std::size_t>& index_;
};

struct DeleteRule {
  std::string column;  // of the source; empty: there are no deletes
  bool boolean = false;
  std::string delete_text;  // of a text column
};

// name = 'X', name IN ('X', …), name, name = TRUE, name IS TRUE
Result<DeleteRule> parse_delete(std::string_view text) {
  const auto unknown = [&] {
    return wrong_option(
        "--delete",
        fmt::format("the condition '{}' is not understood", base::printable(text.substr(0, 80))),
        "use one of: op = 'DELETE', op IN ('D', 'T'), is_deleted, is_deleted = TRUE");
  };
  DeleteRule rule;
  if (base::trim(text).empty()) return rule;
  const auto tokens = tokenize_sql(text);
  if (!tokens) return unknown();
  const std::vector<std::size_t> index = significant(*tokens);
  const auto token = [&](std::size_t i) -> const Token& { return (*tokens)[index[i]]; };
  if (index.empty() ||
      (token(0).kind != TokenKind::word && token(0).kind != TokenKind::quoted_name))
    return unknown();
  rule.column = name_of(token(0));
  if (index.size() == 1) {
    rule.boolean = true;
    return rule;
  }
  if (index.size() == 3 &&
      (is_symbol(token(1), "=") || is_symbol(token(1), "==") || is_word(token(1), "is"))) {
    if (is_word(token(2), "true"))
      rule.boolean = true;
    else if (token(2).kind == TokenKind::string)
      rule.delete_text = string_value(token(2));
    else
      return unknown();
    return rule;
  }
  if (index.size() >= 5 && is_word(token(1), "in") && is_symbol(token(2), "(") &&
      token(3).kind == TokenKind::string) {
    rule.delete_text = string_value(token(3));
    return rule;
  }
  return unknown();
}

std::string guess_upsert(const std::string& delete_text) {
  const std::string lower = base::to_lower(delete_text);
  std::string guess = lower == "d"                                ? "u"
                      : lower.find("delete") != std::string::npos ? "update"
                                                                  : "upsert";
  if (delete_text != lower)
    for (char& c : guess)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return guess;
}

std::string without_underscores(std::string_view name) {
  const std::size_t first = name.find_first_not_of('_');
  return base::to_lower(first == std::string_view::npos ? name : name.substr(first));
}

struct Layout {
  std::vector<Column> table;
  Schema schema;
  std::string table_sequence;  // the table's column of the sequence
};

Result<Layout> read_layout(const UserMerge& merge, const DeleteRule& rule, UserStrategy& result) {
  Layout layout;
  if (base::trim(merge.table).empty())
    return wrong_option("--table", "is missing: which columns does your table have?",
                        "write --table \"order_id INT, status STRING, seq BIGINT\"");
  if (base::trim(merge.keys).empty())
    return wrong_option("--keys", "is missing: which columns tell the rows of your table apart?",
                        "name columns of --table, separated by commas");
  ROWGATE_TRY(layout.table, parse_columns(merge.table));
  const auto find = [&](std::string_view name) {
    return std::find_if(layout.table.begin(), layout.table.end(), [&](const Column& column) {
      return base::equals_ignoring_case(column.name, name);
    });
  };
  std::set<std::string> used;
  for (const std::string_view piece : base::split(merge.keys, ',')) {
    const std::string_view name = base::trim(piece);
    const auto column = find(name);
    if (column == layout.table.end())
      return wrong_option(
          "--keys",
          fmt::format("the table has no column '{}'", base::printable(name.substr(0, 80))),
          "name columns of --table, separated by commas");
    layout.schema.keys.push_back(*column);
    used.insert(base::to_lower(column->name));
  }
  const std::string sequence(base::trim(merge.sequence));
  if (sequence.empty())
    return wrong_option("--sequence", "no sequence column is named",
                        "name the column of the source that orders the events of a key");
  auto stored = find(sequence);
  for (auto column = layout.table.begin();
       stored == layout.table.end() && column != layout.table.end(); ++column)
    if (without_underscores(column->name) == without_underscores(sequence)) stored = column;
  if (stored == layout.table.end())
    return wrong_option(
        "--sequence", fmt::format("the table has no column for the sequence '{}'", sequence),
        "a merge that does not store the sequence cannot tell old from new: add the "
        "column to --table (as it is called in the source, or with '_' before it)");
  layout.table_sequence = stored->name;
  layout.schema.sequence = {sequence, stored->type};
  used.insert(base::to_lower(stored->name));
  if (stored->name != sequence)
    result.notes.push_back(fmt::format("the table keeps the sequence in '{}'", stored->name));
  for (const Column& column : layout.table) {
    if (used.count(base::to_lower(column.name)) != 0) continue;
    // The flag that says what is deleted is no payload, though the table keeps it too.
    if (column.name.front() == '_' || base::equals_ignoring_case(column.name, rule.column))
      result.notes.push_back(
          fmt::format("the column '{}' is technical and not compared", column.name));
    else
      layout.schema.payload.push_back(column);
  }
  return layout;
}

std::string source_query(const DeleteRule& rule, const UserMerge& merge) {
  std::string query = "(SELECT ${columns}";
  if (!rule.column.empty()) {
    const std::string column = quote_identifier(rule.column);
    const std::string upsert =
        merge.upsert_text.empty() ? guess_upsert(rule.delete_text) : merge.upsert_text;
    query += rule.boolean
                 ? fmt::format(", ${{is_delete}} AS {}", column)
                 : fmt::format(", CASE WHEN ${{is_delete}} THEN {} ELSE {} END AS {}",
                               spark_literal(rule.delete_text), spark_literal(upsert), column);
  }
  return query + " FROM ${source})";
}

// The statements as templates: names of target and source become placeholders.
class Templates {
 public:
  Templates(const UserMerge& merge, std::string source_query)
      : merge_(merge), source_query_(std::move(source_query)) {}

  Result<std::vector<std::string>> run() {
    ROWGATE_TRY(const std::vector<std::string> statements, split_statements(merge_.sql));
    for (const std::string& statement : statements) ROWGATE_CHECK(learn_target(statement));
    if (target_.empty())
      return wrong_option("--merge", "no statement writes into a table",
                          "give a file with a MERGE INTO (or INSERT INTO, UPDATE, DELETE FROM)");
    for (const std::string& statement : statements) ROWGATE_CHECK(learn_source(statement));
    if (source_.empty())
      return wrong_option("--merge", "the SQL reads no source table",
                          "name the micro-batch's view in the SQL, and with --source if it is not "
                          "the only table");
    std::vector<std::string> templates;
    for (const std::string& statement : statements) {
      ROWGATE_TRY(std::string text, filled(statement, Where::statement));
      templates.push_back(std::move(text));
    }
    return templates;
  }

  // For a query alone, where no statement names the target.
  void set_target(std::string_view name) { target_ = base::to_lower(name); }

  Result<std::string> read_query() { return filled(merge_.read, Where::reading); }

 private:
  enum class Where : std::uint8_t { statement, reading };

  Result<void> learn_target(const std::string& statement) {
    ROWGATE_TRY(const std::vector<Token> tokens, tokenize_sql(statement));
    const std::vector<std::size_t> index = significant(tokens);
    const Names names(tokens, index);
    const auto word = [&](std::size_t i, std::string_view keyword) {
      return i < index.size() && is_word(tokens[index[i]], keyword);
    };
    std::size_t at = 0;
    if (word(0, "merge") || word(0, "insert")) at = 2;
    if (word(0, "update")) at = 1;
    if (word(0, "delete")) at = 2;
    if (at == 0 || !names.is_name(at)) return {};
    const std::string name = base::to_lower(names.at(at).name);
    if (!target_.empty() && target_ != name)
      return wrong_option("--merge",
                          fmt::format("the statements write into two tables, '{}' and '{}'",
                                      target_, base::printable(name)),
                          "give the statements of one table only");
    target_ = name;
    return {};
  }

  Result<void> learn_source(const std::string& statement) {
    if (!merge_.source.empty()) {
      source_ = base::to_lower(merge_.source);
      return {};
    }
    ROWGATE_TRY(const std::vector<Token> tokens, tokenize_sql(statement));
    const std::vector<std::size_t> index = significant(tokens);
    const Names names(tokens, index);
    const std::set<std::string> expressions = names.expressions();
    for (const NamePlace& place : names.tables()) {
      const std::string name = base::to_lower(place.name);
      if (name == target_ || expressions.count(name) != 0 || name == "values") continue;
      if (!source_.empty() && source_ != name)
        return wrong_option(
            "--merge",
            fmt::format("the SQL reads two tables, '{}' and '{}'", source_, base::printable(name)),
            "say with --source which of them is the micro-batch");
      source_ = name;
    }
    return {};
  }

  Result<std::string> filled(const std::string& statement, Where where) {
    ROWGATE_TRY(const std::vector<Token> tokens, tokenize_sql(statement));
    const std::vector<std::size_t> index = significant(tokens);
    std::vector<std::string> output;
    for (const Token& token : tokens) {
      // A dollar of the user's is none of ours.
      if (token.text.find("${") != std::string_view::npos)
        return wrong_option("--merge", "the SQL holds '${', which is not supported", "rename it");
      output.emplace_back(token.text);
    }
    const Names names(tokens, index);
    const std::string target_last = last_part(target_);
    for (const NamePlace& place : names.tables()) {
      const std::string name = base::to_lower(place.name);
      std::string replacement;
      if (name == target_ || (where == Where::reading && name == target_last)) {
        replacement = "${target}";
        // Its name may qualify columns: keep it as an alias. INSERT INTO and UPDATE take none here.
        const bool aliasable =
            place.begin > 0 && !is_word(tokens[index[place.begin - 1]], "update") &&
            !(place.begin > 1 && is_word(tokens[index[place.begin - 2]], "insert")) &&
            !is_word(tokens[index[0]], "delete");
        if (!place.has_alias && aliasable)
          replacement += " AS " + quote_identifier(last_part(place.name));
      } else if (name == source_) {
        replacement = source_query_;
        if (!place.has_alias) replacement += " AS " + quote_identifier(last_part(place.name));
      } else {
        continue;
      }
      output[index[place.begin]] = std::move(replacement);
      for (std::size_t i = index[place.begin] + 1; i <= index[place.end - 1]; ++i)
        output[i].clear();
    }
    std::string text;
    for (const std::string& piece : output) text += piece;
    return text;
  }

  static std::string last_part(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? name : name.substr(dot + 1);
  }

  const UserMerge& merge_;
  std::string source_query_;
  std::string target_;
  std::string source_;
};

// "my_job.py:upsert"
Result<Strategy::BatchFunction> batch_function(const UserMerge& merge) {
  const std::size_t colon = merge.foreach_batch.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == merge.foreach_batch.size())
    return wrong_option("--foreach-batch", "is not a file and a function",
                        "write FILE.py:FUNCTION, such as my_job.py:upsert");
  Strategy::BatchFunction function{merge.foreach_batch.substr(0, colon),
                                   merge.foreach_batch.substr(colon + 1),
                                   std::string(base::trim(merge.into))};
  if (function.table.empty())
    return wrong_option("--into", "is missing: which table does the function write into?",
                        "name it as the function does, such as --into silver.orders");
  for (const std::string_view part : base::split(function.table, '.'))
    if (quote_identifier(part) != part)
      return wrong_option(
          "--into", fmt::format("'{}' is no table's name", base::printable(function.table)),
          "use letters, digits and '_', with dots between catalog, schema and table");
  return function;
}

std::string default_read(const Layout& layout) {
  std::string query = "SELECT ${keys}, ${payload}, ";
  return query + quote_identifier(layout.table_sequence) + " FROM ${target}";
}

}  // namespace

Result<std::vector<Column>> parse_columns(std::string_view text) {
  std::vector<Column> columns;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view piece = base::trim(text.substr(begin, i - begin));
    begin = i + 1;
    // `a b` INT, or a INT [NOT NULL]
    const std::size_t name_end =
        !piece.empty() && piece[0] == '`' ? piece.find('`', 1) + 1 : piece.find_first_of(" \t\n");
    if (piece.empty() || name_end == 0 || name_end >= piece.size())
      return fail(ErrorCode::usage,
                  fmt::format("'{}' is no column", base::printable(piece.substr(0, 60))), "--table",
                  std::nullopt, "write: order_id INT, status STRING, seq BIGINT");
    std::string_view type_text = base::trim(piece.substr(name_end));
    const std::string lower = base::to_lower(type_text);
    if (const std::size_t null = lower.find(" not null"); null != std::string::npos)
      type_text = type_text.substr(0, null);
    Result<Type> type = parse_type(type_text);
    if (!type) {
      type.error().subject = "--table";
      return tl::unexpected(std::move(type).error());
    }
    std::string name(piece.substr(0, name_end));
    if (name.front() == '`') name = name.substr(1, name.size() - 2);
    columns.push_back({std::move(name), *type});
  }
  return columns;
}

Result<UserStrategy> user_strategy(const UserMerge& merge) {
  UserStrategy result;
  ROWGATE_TRY(const DeleteRule rule, parse_delete(merge.delete_when));
  ROWGATE_TRY(const Layout layout, read_layout(merge, rule, result));
  result.schema = layout.schema;
  result.schema.op_column = "_rowgate_op";
  result.schema.arrival_column = "_rowgate_arrival";
  ROWGATE_CHECK(check_schema(result.schema));
  result.has_deletes = !rule.column.empty();
  for (const Column& column : result.schema.table_columns())
    result.feed += (result.feed.empty() ? "" : ", ") + column.name;
  if (result.has_deletes) result.feed += ", " + rule.column;
  Templates templates(merge, source_query(rule, merge));
  result.strategy.name = merge.name;
  result.strategy.title = "the user's merge";
  result.strategy.table_columns = layout.table;
  result.strategy.stored_sequence = layout.table_sequence;
  if (merge.foreach_batch.empty()) {
    ROWGATE_TRY(result.strategy.apply, templates.run());
  } else {
    ROWGATE_TRY(result.strategy.batch_function, batch_function(merge));
    templates.set_target(result.strategy.batch_function->table);
    result.strategy.apply = {fmt::format("SELECT * FROM {}", source_query(rule, merge))};
    result.strategy.needs_spark =
        "the function takes a Spark DataFrame (--target spark:4.1.3/delta:4.4.0)";
  }
  if (base::trim(merge.read).empty()) {
    result.strategy.read = default_read(layout);
    for (const Column& column : layout.table)
      if (column.type.kind == TypeKind::boolean &&
          without_underscores(column.name).find("delete") != std::string::npos)
        result.notes.push_back(
            fmt::format("the table has a column '{}': if readers filter it, give their "
                        "query with --read",
                        column.name));
  } else {
    ROWGATE_TRY(result.strategy.read, templates.read_query());
  }
  return result;
}

}  // namespace rowgate::harness
