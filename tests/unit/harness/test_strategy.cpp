#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "base/files.hpp"
#include "harness/dialect.hpp"
#include "harness/fixture_set.hpp"
#include "harness/oracle.hpp"
#include "harness/prove.hpp"
#include "harness/strategy.hpp"

namespace rowgate::harness {
namespace {

Schema wide_schema() {
  Schema schema;
  schema.keys = {{"region", {TypeKind::string, 0, 0}}, {"order id", {TypeKind::int32, 0, 0}}};
  schema.payload = {{"val", {TypeKind::string, 0, 0}}, {"at", {TypeKind::date, 0, 0}}};
  schema.sequence = {"seq", {TypeKind::int64, 0, 0}};
  return schema;
}

std::set<std::string> stems(const std::filesystem::path& folder, const std::string& extension) {
  std::set<std::string> names;
  const auto files = base::list_files(folder, extension);
  REQUIRE(files.has_value());
  for (const auto& file : *files) names.insert(file.stem().string());
  return names;
}

}  // namespace

TEST_CASE("every strategy and fixture of the source tree is built in") {
  std::set<std::string> strategies, fixtures;
  for (const Strategy& strategy : builtin_strategies()) strategies.insert(strategy.name);
  const FixtureSet& set = builtin_fixture_set();
  for (const Fixture& fixture : set.merges) fixtures.insert(fixture.name);
  for (const FeedFixture& fixture : set.feeds) fixtures.insert(fixture.name);
  for (const DriftFixture& fixture : set.drifts) fixtures.insert(fixture.name);
  CHECK(strategies == stems("harness/strategies", ".strategy"));
  CHECK(fixtures == stems("harness/fixtures", ".fixture"));
}

TEST_CASE("every built-in strategy is complete and renders for any schema") {
  for (const Strategy& strategy : builtin_strategies()) {
    CAPTURE(strategy.name);
    CHECK(!strategy.title.empty());
    CHECK(!strategy.description.empty());
    CHECK(!strategy.origin.empty());
    const OracleVariant* oracle = find_oracle(strategy.oracle);
    REQUIRE(oracle != nullptr);
    CHECK(oracle->state == strategy.state);
    for (const Schema& schema : {prove_schema(), wide_schema()}) {
      const auto rendered = render(strategy, schema, {"cat.db.t", "batch"});
      REQUIRE_MESSAGE(rendered.has_value(), (rendered ? "" : rendered.error().to_string()));
      for (const std::string& sql : rendered->apply) {
        CHECK(sql.find("${") == std::string::npos);
        const auto duckdb = spark_to_duckdb(sql, rendered->table_columns, schema.keys);
        CHECK_MESSAGE(duckdb.has_value(), (duckdb ? "" : duckdb.error().to_string()));
      }
    }
  }
}

TEST_CASE("templates are filled") {
  Strategy strategy;
  strategy.name = "x";
  strategy.apply = {"${on} | ${set} | ${s.columns} | ${differs_null_safe} | ${s.is_delete}"};
  const auto rendered = render(strategy, wide_schema(), {"t", "s"});
  REQUIRE(rendered.has_value());
  CHECK(rendered->apply.front() ==
        "t.region = s.region AND t.`order id` = s.`order id` | "
        "val = s.val, `at` = s.`at`, seq = s.seq | "
        "s.region, s.`order id`, s.val, s.`at`, s.seq | "
        "NOT (t.val <=> s.val) OR NOT (t.`at` <=> s.`at`) | (s.op = 'DELETE')");
  Schema bare = prove_schema();
  bare.payload.clear();
  strategy.apply = {"${keys}, ${payload}, ${seq} ${differs}"};
  CHECK(render(strategy, bare, {"t", "s"})->apply.front() == "id, seq FALSE");
  strategy.apply = {"${nonsense}"};
  const auto unknown = render(strategy, bare, {"t", "s"});
  REQUIRE(!unknown.has_value());
  CHECK(unknown.error().message.find("'nonsense'") != std::string::npos);
}

TEST_CASE("a strategy file with a mistake names the line") {
  const std::pair<const char*, const char*> wrong[] = {
      {"strategy x\nstate scd3\napply\n  SELECT 1\n", "f:2:7"},
      {"strategy x\nfoo bar\n", "f:2:1"},
      {"strategy x\n  indented\n", "f:2:1"},
      {"strategy x\ncolumn y GEOMETRY\n", "f:2:8"},
      {"strategy x\n", "f:1:1"},
      {"apply\n  SELECT 1\n", "f:2:1"}};
  for (const auto& entry : wrong) {
    const auto strategy = parse_strategy(entry.first, "f");
    REQUIRE_MESSAGE(!strategy.has_value(), entry.first);
    CHECK(strategy.error().subject == entry.second);
  }
}

}  // namespace rowgate::harness
