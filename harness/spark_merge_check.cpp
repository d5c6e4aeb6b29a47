#include "harness/spark_merge_check.hpp"

#include <fmt/format.h>

#include <vector>

#include "harness/sql_text.hpp"
#include "harness/strategy.hpp"

namespace rowgate::harness {
namespace {

class MergeText {
 public:
  MergeText(std::string_view sql, const std::vector<Token>& tokens)
      : sql_(sql), tokens_(tokens), index_(significant(tokens)) {}

  const std::vector<std::size_t>& index() const { return index_; }

  std::string_view operator()(TokenRange range) const {
    if (range.empty()) return {};
    const Token& last = tokens_[index_[range.end - 1]];
    const std::size_t begin = tokens_[index_[range.begin]].offset;
    return sql_.substr(begin, last.offset + last.text.size() - begin);
  }

 private:
  std::string_view sql_;
  const std::vector<Token>& tokens_;
  std::vector<std::size_t> index_;
};

// Delta counts only the matches that a clause acts upon; Spark's own plan, which Iceberg and the
// test catalog use, counts all.
std::string acted_upon(const MergeShape& shape, const MergeText& text) {
  std::string condition;
  for (const MergeClause& clause : shape.clauses) {
    if (clause.when != MergeWhen::matched) continue;
    if (clause.condition.empty()) return {};
    condition += fmt::format("{}({})", condition.empty() ? "" : " OR ", text(clause.condition));
  }
  return condition.empty() ? std::string() : fmt::format(" AND ({})", condition);
}

}  // namespace

std::optional<std::string> cardinality_query(std::string_view statement, const Schema& schema,
                                             TableFlavour flavour) {
  const auto tokens = tokenize_sql(statement);
  if (!tokens) return std::nullopt;
  const MergeText text(statement, *tokens);
  const auto parsed = parse_merge(*tokens, text.index());
  if (!parsed || !*parsed) return std::nullopt;
  const MergeShape& shape = **parsed;
  const std::string target = quote_identifier(shape.target_qualifier);
  std::string keys;
  for (const Column& key : schema.keys)
    keys += fmt::format("{}{}.{}", keys.empty() ? "" : ", ", target, quote_identifier(key.name));
  const std::string alias =
      shape.source_has_alias ? " AS " + quote_identifier(shape.source_qualifier) : "";
  // The row number tells two equal rows of the target apart.
  return fmt::format(
      "SELECT {} FROM (SELECT *, monotonically_increasing_id() AS rowgate_row FROM {}) AS {} "
      "JOIN {}{} ON ({}){} GROUP BY {}.rowgate_row, {} HAVING count(*) > 1",
      keys, text(shape.target), target, text(shape.source), alias, text(shape.condition),
      flavour == TableFlavour::delta ? acted_upon(shape, text) : std::string(), target, keys);
}

}  // namespace rowgate::harness
