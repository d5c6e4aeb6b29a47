// DuckDB through our own declarations: values of every type there and back, limits, errors,
// isolation.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>

#include "base/files.hpp"
#include "embedded_main.hpp"
#include "harness/embedded_target.hpp"
#include "harness/fixture.hpp"
#include "harness/prove.hpp"
#include "harness/runner.hpp"

namespace rowgate::harness {
namespace {

std::unique_ptr<DuckDb> engine(EngineLimits limits = {}) {
  auto loaded = DuckDb::load(duckdb_library(), limits);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().to_string()));
  return std::move(*loaded);
}

std::unique_ptr<EmbeddedTarget> target() {
  auto opened = EmbeddedTarget::open_library(duckdb_library());
  REQUIRE(opened.has_value());
  return std::move(*opened);
}

Event upsert(std::int64_t key, const char* value, std::int64_t sequence) {
  return {{Value::integer(key)}, Value::integer(sequence), Operation::upsert, {Value::text(value)}};
}

}  // namespace

TEST_CASE("a library that is none is named") {
  CHECK(DuckDb::load("/nonexistent.so", {}).error().code == ErrorCode::not_found);
  const auto other = DuckDb::load("CMakeLists.txt", {});
  REQUIRE(!other.has_value());
  CHECK(other.error().code == ErrorCode::unsupported);
  // A library of another kind: the first function that it lacks is named.
  const auto libc = DuckDb::load("/lib/x86_64-linux-gnu/libm.so.6", {});
  if (!libc) CHECK(libc.error().message.find("duckdb_") != std::string::npos);
}

TEST_CASE("the engine says its version, and keeps to itself") {
  const auto duckdb = engine();
  CHECK(duckdb->version().substr(0, 3) == "v2.");
  const char* forbidden[] = {"COPY (SELECT 1) TO '/tmp/rowgate-escape.csv'",
                             "SELECT * FROM read_csv('/etc/passwd')",
                             "ATTACH '/tmp/rowgate-escape.db'",
                             "INSTALL httpfs",
                             "LOAD httpfs",
                             "SET enable_external_access = true",
                             "SET threads = 64"};
  for (const char* sql : forbidden) {
    const auto result = duckdb->query(sql);
    CHECK_MESSAGE(!result.has_value(), sql);
    if (!result) CHECK(result.error().code == ErrorCode::child_process);
  }
  CHECK(!std::filesystem::exists("/tmp/rowgate-escape.csv"));
  CHECK(!std::filesystem::exists("/tmp/rowgate-escape.db"));
}

TEST_CASE("a statement that takes too long is interrupted, and the connection lives on") {
  EngineLimits limits;
  limits.statement_timeout = std::chrono::milliseconds(300);
  const auto duckdb = engine(limits);
  const auto result = duckdb->query(
      "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range = -b.range");
  REQUIRE(!result.has_value());
  CHECK(result.error().message.find("interrupted after") != std::string::npos);
  const auto after = duckdb->query("SELECT 1");
  REQUIRE(after.has_value());
  CHECK(after->front().front() == Value::integer(1));
}

TEST_CASE("a result or a memory beyond the limit is an error") {
  EngineLimits limits;
  limits.memory_bytes = std::uint64_t{64} << 20;
  const auto duckdb = engine(limits);
  CHECK(duckdb->query("SELECT * FROM range(1000)", 10).error().code == ErrorCode::limit);
  const auto big = duckdb->query(
      "CREATE TABLE big AS SELECT range AS a, hash(range)::VARCHAR AS b FROM range(20000000)");
  REQUIRE(!big.has_value());
  CHECK(big.error().code == ErrorCode::child_process);
  CHECK(duckdb->query(std::string("SELECT 1\0", 9)).error().code == ErrorCode::malformed);
  CHECK(duckdb->query("SELECT [1, 2]").error().code == ErrorCode::unsupported);
}

TEST_CASE("values of every type go in and come out") {
  const Fixture* every = nullptr;
  for (const Fixture& fixture : builtin_fixtures())
    if (fixture.name == "every-type") every = &fixture;
  REQUIRE(every != nullptr);
  const auto opened = target();
  const RunOutcome outcome =
      run_alone(*opened, *find_strategy("guarded"), every->schema, every->history);
  REQUIRE(outcome.has_value());
  CHECK(*outcome == every->right.front().states.front());
}

TEST_CASE("a refused batch leaves the table unchanged and names the keys") {
  const auto opened = target();
  auto run = opened->open(*find_strategy("plain-merge"), prove_schema());
  REQUIRE(run.has_value());
  REQUIRE((*run)->apply({{upsert(1, "a", 1), upsert(2, "b", 1)}, {}}, 0, 0).has_value());
  const Rows before = *(*run)->read();
  const Attempt<void> refused =
      (*run)->apply({{upsert(1, "c", 2), upsert(1, "d", 3), upsert(2, "e", 2)}, {}}, 1, 2);
  REQUIRE(!refused.has_value());
  CHECK(refused.error().kind == FailureKind::refused);
  CHECK(refused.error().error_name == "MERGE_CARDINALITY_VIOLATION");
  CHECK(refused.error().keys == Rows{{Value::integer(1)}});
  CHECK(*(*run)->read() == before);
  REQUIRE((*run)->apply({{upsert(2, "e", 2)}, {}}, 2, 2).has_value());
  CHECK((*(*run)->read())[1][1] == Value::text("e"));
}

TEST_CASE("the engine's own refusal is typed, with its statement") {
  Strategy strategy;
  strategy.name = "broken";
  strategy.apply = {"INSERT INTO ${target} SELECT nonsense FROM ${source}"};
  const auto opened = target();
  auto run = opened->open(strategy, prove_schema());
  REQUIRE(run.has_value());
  const Attempt<void> failed = (*run)->apply({{upsert(1, "a", 1)}, {}}, 0, 0);
  REQUIRE(!failed.has_value());
  CHECK(failed.error().kind == FailureKind::refused);
  CHECK(failed.error().error_name == "Binder Error");
  CHECK(failed.error().statement.find("nonsense") != std::string::npos);
}

TEST_CASE("what needs Spark is said before anything runs") {
  const auto opened = target();
  const auto reason = opened->why_not(*find_strategy("auto-cdc-scd1"));
  REQUIRE(reason.has_value());
  CHECK(reason->kind == FailureKind::unsupported);
  Strategy strategy;
  strategy.name = "functions";
  strategy.apply = {"INSERT INTO ${target} SELECT id, concat(val, 'x'), seq FROM ${source}"};
  const auto run = opened->open(strategy, prove_schema());
  REQUIRE(!run.has_value());
  CHECK(run.error().kind == FailureKind::unsupported);
  CHECK(run.error().message.find("needs a Spark target") != std::string::npos);
}

TEST_CASE("the library's place in its jar is known for this platform") {
  const auto entry = duckdb_jar_entry();
  REQUIRE(entry.has_value());
  CHECK(entry->find("libduckdb_java.so_linux_") == 0);
}

}  // namespace rowgate::harness
