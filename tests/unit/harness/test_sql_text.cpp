#include <doctest/doctest.h>

#include "harness/sql_text.hpp"

namespace rowgate::harness {
namespace {

std::string joined(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) text += token.text;
  return text;
}

MergeShape merge(std::string_view sql) {
  const auto tokens = tokenize_sql(sql);
  REQUIRE(tokens.has_value());
  const auto shape = parse_merge(*tokens, significant(*tokens));
  REQUIRE_MESSAGE(shape.has_value(), (shape ? "" : shape.error().to_string()));
  REQUIRE(shape->has_value());
  return **shape;
}

}  // namespace

TEST_CASE("the tokens of a text give it back") {
  const std::string_view sql =
      "SELECT a.`b``c`, 'it''s \\' ok', \"x\", r'\\', 1.5e-3, 2L /* a /* b */ c */ -- end\n<=> "
      "\xC3\xA4";
  const auto tokens = tokenize_sql(sql);
  REQUIRE(tokens.has_value());
  CHECK(joined(*tokens) == sql);
  CHECK((*tokens)[2].text == "a");
}

TEST_CASE("what has no end is an error with its offset") {
  for (const std::string_view sql : {"a 'x", "a \"x", "a `x", "a /* x /* */"}) {
    const auto tokens = tokenize_sql(sql);
    REQUIRE_MESSAGE(!tokens.has_value(), sql);
    CHECK(tokens.error().offset == 2);
  }
  CHECK(!tokenize_sql(std::string_view("a\0b", 3)).has_value());
}

TEST_CASE("string literals follow Spark's escapes") {
  const auto value = [](std::string_view sql) {
    const auto tokens = tokenize_sql(sql);
    REQUIRE(tokens.has_value());
    REQUIRE(tokens->size() == 1);
    return string_value(tokens->front());
  };
  CHECK(value("'it''s'") == "it's");
  CHECK(value("'a\\nb'") == "a\nb");
  CHECK(value("'a\\'b'") == "a'b");
  CHECK(value("'100\\%'") == "100\\%");
  CHECK(value("r'a\\nb'") == "a\\nb");
  CHECK(value("\"x'y\"") == "x'y");
}

TEST_CASE("a merge's shape") {
  const MergeShape shape = merge(
      "MERGE INTO cat.db.orders AS t USING (SELECT * FROM u WHERE x = CASE WHEN 1=1 THEN 2 END) s "
      "ON t.id = s.id AND CASE WHEN s.a THEN TRUE ELSE FALSE END "
      "WHEN MATCHED AND s.op = 'D' THEN DELETE "
      "WHEN MATCHED AND (CASE WHEN s.z THEN 1 END) = 1 THEN UPDATE SET t.a = s.a, b = f(1, 2) "
      "WHEN NOT MATCHED BY TARGET THEN INSERT * "
      "WHEN NOT MATCHED BY SOURCE AND t.old THEN DELETE;");
  CHECK(shape.target_qualifier == "t");
  CHECK(shape.target_has_alias);
  CHECK(shape.source_qualifier == "s");
  REQUIRE(shape.clauses.size() == 4);
  CHECK(shape.clauses[0].action == MergeAction::remove);
  CHECK(shape.clauses[1].action == MergeAction::update);
  CHECK(!shape.clauses[1].condition.empty());
  CHECK(shape.clauses[2].when == MergeWhen::not_matched);
  CHECK(shape.clauses[2].action == MergeAction::insert_all);
  CHECK(shape.clauses[3].when == MergeWhen::not_matched_by_source);
}

TEST_CASE("a merge without aliases is known by its tables' names") {
  const MergeShape shape = merge(
      "MERGE INTO db.orders USING updates ON orders.id = updates.id WHEN MATCHED THEN DELETE");
  CHECK(shape.target_qualifier == "orders");
  CHECK(!shape.target_has_alias);
  CHECK(shape.source_qualifier == "updates");
}

TEST_CASE("a merge that is cut off says where") {
  const std::string_view whole =
      "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND a THEN UPDATE SET x = 1";
  for (const std::string_view cut :
       {"MERGE", "MERGE INTO", "MERGE INTO t USING", "MERGE INTO t USING (",
        "MERGE INTO t USING s ON", "MERGE INTO t USING s ON a",
        "MERGE INTO t USING s ON a WHEN MATCHED", "MERGE INTO t USING s ON a WHEN MATCHED THEN",
        "MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE"}) {
    const auto tokens = tokenize_sql(cut);
    REQUIRE(tokens.has_value());
    const auto shape = parse_merge(*tokens, significant(*tokens));
    REQUIRE_MESSAGE(!shape.has_value(), cut);
    CHECK(shape.error().offset.has_value());
  }
  CHECK(merge(whole).clauses.size() == 1);
}

TEST_CASE("statements are split outside of texts") {
  const auto statements = split_statements("a ';' ; -- x;y\n ; b \"1;2\" /* ; */;");
  REQUIRE(statements.has_value());
  REQUIRE(statements->size() == 2);
  CHECK((*statements)[0] == "a ';'");
}

}  // namespace rowgate::harness
