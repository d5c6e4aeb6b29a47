#include <doctest/doctest.h>

#include "harness/dialect.hpp"

namespace rowgate::harness {
namespace {

const std::vector<Column> kColumns = {{"id", {TypeKind::int32, 0, 0}},
                                      {"val", {TypeKind::string, 0, 0}},
                                      {"seq", {TypeKind::int64, 0, 0}}};
const std::vector<Column> kKeys = {kColumns.front()};

std::string rewritten(std::string_view sql) {
  const auto statement = spark_to_duckdb(sql, kColumns, kKeys);
  REQUIRE_MESSAGE(statement.has_value(), (statement ? "" : statement.error().to_string()));
  return statement->sql;
}

std::string refused(std::string_view sql) {
  const auto statement = spark_to_duckdb(sql, kColumns, kKeys);
  REQUIRE_MESSAGE(!statement.has_value(), sql);
  return statement.error().message;
}

}  // namespace

TEST_CASE("names, texts and operators are rewritten, nothing else") {
  CHECK(rewritten("SELECT `a b`.`c``d` FROM t") == "SELECT \"a b\".\"c`d\" FROM t");
  CHECK(rewritten("SELECT \"it's\"") == "SELECT 'it''s'");
  CHECK(rewritten("SELECT 'a\\tb'") == "SELECT 'a\tb'");
  CHECK(rewritten("a <=> b") == "a IS NOT DISTINCT FROM b");
  CHECK(rewritten("a == b") == "a = b");
  CHECK(rewritten("SELECT * EXCEPT (rn) FROM t") == "SELECT * EXCLUDE (rn) FROM t");
  CHECK(rewritten("SELECT 1L") == "SELECT CAST(1 AS BIGINT)");
  CHECK(rewritten("NVL(a, 0)") == "coalesce(a, 0)");
  // Inside of texts, names and comments nothing is touched.
  CHECK(rewritten("SELECT 'a <=> `b` == c' -- <=> `x`\n/* == */ FROM t") ==
        "SELECT 'a <=> `b` == c' -- <=> `x`\n/* == */ FROM t");
}

// That the quoted form is read as a name, and the bare one is not, was asked of DuckDB itself.
TEST_CASE("names that DuckDB reserves and Spark does not are quoted") {
  CHECK(rewritten("SELECT at FROM t ORDER BY offset DESC") ==
        "SELECT \"at\" FROM t ORDER BY \"offset\" DESC");
  CHECK(rewritten("SELECT s.`at`, s.check FROM t s LIMIT 1 OFFSET 2") ==
        "SELECT s.\"at\", s.\"check\" FROM t s LIMIT 1 OFFSET 2");
  CHECK(rewritten("CASE WHEN a THEN b END") == "CASE WHEN a THEN b END");
}

TEST_CASE("assignments lose their qualifier") {
  CHECK(rewritten("MERGE INTO x t USING y s ON t.id = s.id "
                  "WHEN MATCHED THEN UPDATE SET t.val = s.val, `t`.seq = coalesce(t.seq, s.seq) "
                  "WHEN NOT MATCHED THEN INSERT (t.id, t.val) VALUES (s.id, s.val)") ==
        "MERGE INTO x t USING y s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET val = s.val, seq = coalesce(t.seq, s.seq) "
        "WHEN NOT MATCHED THEN INSERT (id, val) VALUES (s.id, s.val)");
  CHECK(refused("MERGE INTO x t USING y s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.a.b = 1")
            .find("needs a Spark target") != std::string::npos);
}

TEST_CASE("* is spelt out by the target's columns") {
  CHECK(rewritten("MERGE INTO x t USING y s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * "
                  "WHEN NOT MATCHED THEN INSERT *") ==
        "MERGE INTO x t USING y s ON t.id = s.id WHEN MATCHED THEN UPDATE SET "
        "\"id\" = \"s\".\"id\", \"val\" = \"s\".\"val\", \"seq\" = \"s\".\"seq\" "
        "WHEN NOT MATCHED THEN INSERT (\"id\", \"val\", \"seq\") VALUES "
        "(\"s\".\"id\", \"s\".\"val\", \"s\".\"seq\")");
}

TEST_CASE("what may mean something else is refused") {
  for (const char* sql :
       {"SELECT concat(a, b)", "SELECT date_format(a, 'yyyy')", "SELECT struct(a, b)",
        "SELECT a[0]", "SELECT a::int", "SELECT transform(a, x -> x)",
        "SELECT * FROM t LATERAL VIEW explode(a)",
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON a WHEN MATCHED THEN DELETE"})
    CHECK_MESSAGE(!spark_to_duckdb(sql, kColumns, kKeys).has_value(), sql);
  CHECK(refused("SELECT concat(a, b)").find("concat()") != std::string::npos);
}

TEST_CASE("the cardinality check follows the engines' rule") {
  const auto check = [](std::string_view clauses) {
    const auto statement = spark_to_duckdb(
        "MERGE INTO x t USING (SELECT * FROM y) s ON t.id = s.id " + std::string(clauses), kColumns,
        kKeys);
    REQUIRE(statement.has_value());
    return statement->cardinality_check;
  };
  CHECK(check("WHEN MATCHED THEN UPDATE SET val = s.val") ==
        "SELECT \"t\".\"id\", count(*) FROM x AS \"t\" JOIN (SELECT * FROM y) AS \"s\" ON t.id = "
        "s.id "
        "GROUP BY \"t\".\"id\", \"t\".rowid HAVING count(*) > 1");
  CHECK(!check("WHEN MATCHED THEN DELETE").has_value());
  CHECK(check("WHEN MATCHED AND s.seq > t.seq THEN DELETE").has_value());
  CHECK(!check("WHEN NOT MATCHED THEN INSERT *").has_value());
}

}  // namespace rowgate::harness
