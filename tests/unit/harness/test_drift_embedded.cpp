// The drift fixtures on DuckDB: each cell must end as its fixture states (which was written from
// Auto Loader's documentation), and a fixture that states otherwise must be noticed.
#include <doctest/doctest.h>

#include "base/clock.hpp"
#include "embedded_main.hpp"
#include "harness/drift_embedded.hpp"
#include "harness/fixture_set.hpp"

namespace rowgate::harness {
namespace {

struct Engine {
  Engine() {
    auto opened = EmbeddedTarget::open_library(duckdb_library());
    REQUIRE(opened.has_value());
    target = std::move(*opened);
    engine = drift_engine(*target, clock);
  }
  base::SystemClock clock;
  std::unique_ptr<EmbeddedTarget> target;
  std::unique_ptr<DriftEngine> engine;
};

DriftFixture builtin(const std::string& name) {
  for (const DriftFixture& fixture : builtin_fixture_set().drifts)
    if (fixture.name == name) return fixture;
  FAIL("no fixture " << name);
  return {};
}

DriftFixture parsed(const std::string& text) {
  auto fixture = parse_drift_fixture(text, "f");
  REQUIRE_MESSAGE(fixture, (fixture ? "" : fixture.error().to_string()));
  return std::move(*fixture);
}

}  // namespace

TEST_CASE("every drift fixture ends as it states, under every policy") {
  Engine with;
  for (const DriftFixture& fixture : builtin_fixture_set().drifts) {
    CHECK(fixture.expectations.size() == std::size(kDriftPolicies));
    for (const DriftPolicy policy : kDriftPolicies) {
      CAPTURE(fixture.name);
      CAPTURE(to_string(policy));
      const DriftCell cell = run_drift(fixture, policy, *with.engine);
      CHECK_MESSAGE(!cell.failure, (cell.failure ? cell.failure->message : ""));
      CHECK(cell.missed.empty());
      REQUIRE(cell.silver.has_value());
      // Columns never appear in Silver by themselves.
      CHECK(cell.silver->columns.size() == fixture.contract.size());
    }
  }
}

TEST_CASE("a fixture that states otherwise is noticed, each part of it") {
  Engine with;
  const DriftFixture good = builtin("drift-added-column");
  const auto missed = [&](auto change) {
    DriftFixture fixture = good;
    for (DriftExpectation& each : fixture.expectations)
      if (each.policy == DriftPolicy::add_new_columns) change(each);
    return run_drift(fixture, DriftPolicy::add_new_columns, *with.engine).missed;
  };
  using Lines = std::vector<std::string>;
  CHECK(missed([](DriftExpectation&) {}).empty());
  CHECK(missed([](DriftExpectation& e) { e.outcome = DriftOutcome::kept; }) ==
        Lines{"stated is kept, and it ended restarted"});
  CHECK(missed([](DriftExpectation& e) { e.bronze.pop_back(); }) ==
        Lines{"Bronze's rows are others than stated"});
  CHECK(missed([](DriftExpectation& e) { e.contract_holds = false; }) ==
        Lines{"stated is that the contract is broken, and it holds"});
  CHECK(missed([](DriftExpectation& e) { e.silver.pop_back(); }) ==
        Lines{"Silver's rows are others than stated"});
  CHECK(missed([](DriftExpectation& e) {
          e.columns.erase(e.columns.begin() + 2);
          for (Row& row : e.bronze) row.erase(row.begin() + 2);
        }) == Lines{"Bronze has a column that is not stated: coupon"});
  CHECK(missed([](DriftExpectation& e) { e.columns[2].name = "voucher"; })[1] ==
        "Bronze has no column voucher");
}

TEST_CASE("metrics count by file") {
  Engine with;
  const DriftCell rescued =
      run_drift(builtin("drift-type-change"), DriftPolicy::rescue, *with.engine);
  REQUIRE(rescued.metrics.has_value());
  REQUIRE(rescued.metrics->size() == 2);
  CHECK((*rescued.metrics)[0].rescued_rows == 0);
  CHECK((*rescued.metrics)[1].rescued_rows == 2);
  CHECK((*rescued.metrics)[1].cast_failures == 2);
  CHECK((*rescued.metrics)[1].new_columns.empty());
  CHECK((*rescued.metrics)[1].empty_columns == std::vector<std::string>{"amount"});
  const DriftCell none = run_drift(builtin("drift-type-change"), DriftPolicy::none, *with.engine);
  CHECK(!none.metrics.has_value());
  CHECK(none.lost.size() == 2);
  const DriftCell failed =
      run_drift(builtin("drift-rename"), DriftPolicy::fail_on_new_columns, *with.engine);
  REQUIRE(failed.metrics->size() == 2);
  CHECK((*failed.metrics)[1].rows == 0);
  CHECK((*failed.metrics)[1].new_columns == std::vector<std::string>{"total"});
}

// Expected: what Spark 4.1.3's JSON reader makes of the same records with the same schema.
TEST_CASE("values are read as Spark's JSON reader reads them") {
  Engine with;
  const DriftFixture fixture = parsed(
      "fixture types\nkind drift\n"
      "columns\n  id BIGINT\n  amount INT\n  t STRING\n  d DOUBLE\n  dt DATE\n  ok BOOLEAN\n"
      "file a.json\n"
      "  "
      "{\"id\":1,\"amount\":10,\"t\":{\"city\":\"Oslo\"},\"d\":3,\"dt\":\"2026-01-31\",\"ok\":true}"
      "\n"
      "  {\"id\":2,\"amount\":\"12\",\"t\":7,\"d\":\"1\",\"dt\":\"nope\",\"ok\":\"true\"}\n"
      "  {\"id\":3,\"amount\":1.0,\"t\":\"it's\",\"d\":1.5,\"dt\":20260131,\"ok\":1}\n"
      "  {\"id\":4,\"amount\":99999999999,\"t\":null,\"d\":null,\"dt\":null,\"ok\":null}\n"
      "expect rescue kept\n"
      "  id  amount  t  d  dt  ok  _rescued_data  source_file  batch_id\n"
      "  1 10 {\"city\":\"Oslo\"} 3 2026-01-31 true NULL a.json 0\n"
      "  2 NULL 7 NULL NULL NULL "
      "{\"_file_path\":\"a.json\",\"amount\":\"12\",\"d\":\"1\",\"dt\":\"nope\",\"ok\":\"true\"} "
      "a.json 0\n"
      "  3 NULL it's 1.5 NULL NULL "
      "{\"_file_path\":\"a.json\",\"amount\":1.0,\"dt\":20260131,\"ok\":1} a.json 0\n"
      "  4 NULL NULL NULL NULL NULL {\"_file_path\":\"a.json\",\"amount\":99999999999} a.json 0\n");
  const DriftCell cell = run_drift(fixture, DriftPolicy::rescue, *with.engine);
  CHECK_MESSAGE(!cell.failure, (cell.failure ? cell.failure->message : ""));
  for (const std::string& missed : cell.missed) CHECK_MESSAGE(false, missed);
  CHECK(cell.bronze.size() == 4);
}

TEST_CASE("two new names that differ in case alone become one column, and nothing is lost") {
  Engine with;
  const DriftFixture fixture = parsed(
      "fixture twins\nkind drift\ncolumns\n  id BIGINT\n"
      "file a.json\n  {\"id\":1,\"New\":1}\n  {\"id\":2,\"new\":2}\n");
  const DriftCell cell = run_drift(fixture, DriftPolicy::add_new_columns, *with.engine);
  CHECK_MESSAGE(!cell.failure, (cell.failure ? cell.failure->message : ""));
  CHECK(cell.outcome == DriftOutcome::restarted);
  CHECK(cell.columns.size() == 2);
  CHECK(cell.lost.empty());
}

TEST_CASE("a contract counts what breaks it") {
  Engine with;
  const DriftFixture fixture = parsed(
      "fixture contract\nkind drift\ncolumns\n  id BIGINT\n  t STRING\n"
      "file a.json\n  {\"id\":1,\"t\":\"12\"}\n  {\"id\":2,\"t\":\"12.5\"}\n  {\"id\":3}\n"
      "silver\n  n INT from t\n  gone STRING required from nowhere\n");
  const DriftCell cell = run_drift(fixture, DriftPolicy::rescue, *with.engine);
  REQUIRE(cell.silver.has_value());
  CHECK(cell.broken ==
        std::vector<std::string>{"n: no INT in 1 of 3 rows", "gone: Bronze has no column nowhere"});
  CHECK(cell.beside == std::vector<std::string>{"id"});
  CHECK(cell.silver->rows.empty());
  CHECK(cell.silver->columns == std::vector<std::string>{"n", "gone"});
}

}  // namespace rowgate::harness
