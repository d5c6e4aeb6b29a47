// Combinations that fail in reality must fail here with the engine's own error as the cell.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "harness/runner.hpp"
#include "spark_environment.hpp"

using namespace rowgate;
using namespace rowgate::harness;
using rowgate::test::make_spark;

namespace {

Schema order_schema() {
  Schema schema;
  schema.keys = {{"id", {TypeKind::int64}}};
  schema.payload = {{"status", {TypeKind::string}}};
  schema.sequence = {"seq", {TypeKind::int64}};
  return schema;
}

Failure failure_of(SparkTarget& target, const std::string& strategy) {
  History history;
  Event event;
  event.key = {Value::integer(1)};
  event.payload = {Value::text("NEW")};
  event.sequence = Value::integer(1);
  history.batches.push_back({{event}, {}});
  const RunOutcome outcome = run_alone(target, *find_strategy(strategy), order_schema(), history);
  REQUIRE_FALSE(outcome);
  return outcome.error();
}

bool mentions(const Failure& failure, const std::string& text) {
  return failure.message.find(text) != std::string::npos;
}

}  // namespace

// Expected: what a person saw on the same jars, with the JVM's own words.
TEST_CASE("Delta 4.3.1, built for Spark 4.1, on Spark 4.2.0") {
  const auto target = make_spark("spark:4.2.0/io.delta:delta-spark_2.13:4.3.1",
                                 {"delta-spark_2.13-4.3.1.jar", "delta-storage-4.3.1.jar"});
  const Failure failure = failure_of(*target, "guarded");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.error_name == "NoSuchMethodError");
  CHECK(mentions(failure, "CatalogStorageFormat.copy"));
}

TEST_CASE("Iceberg's runtime for Spark 4.1 on Spark 4.2.0") {
  const auto target =
      make_spark("spark:4.2.0/org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
                 {"iceberg-spark-runtime-4.1_2.13-1.12.0.jar"});
  const Failure failure = failure_of(*target, "guarded");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.error_name == "IncompatibleClassChangeError");
  CHECK(mentions(failure, "View"));
}

TEST_CASE("the gate of Auto CDC refuses Delta on Spark 4.2.0") {
  const auto target = make_spark("spark:4.2.0/delta:4.4.0",
                                 {"delta-spark_4.2_2.13-4.4.0.jar", "delta-storage-4.4.0.jar"});
  const Failure failure = failure_of(*target, "auto-cdc-scd1");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.error_name == "AUTOCDC_TARGET_DOES_NOT_SUPPORT_MERGE");
  CHECK(mentions(failure, "(format: delta)"));
}

TEST_CASE("the gate of Auto CDC refuses the default catalog on Spark 4.3.0") {
  const auto target = make_spark("spark:4.3.0", {});
  const Failure failure = failure_of(*target, "auto-cdc-scd1");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.error_name == "AUTOCDC_TARGET_DOES_NOT_SUPPORT_MERGE");
  CHECK(mentions(failure, "(format: parquet)"));
}
