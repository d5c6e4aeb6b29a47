// Combinations that fail in reality must fail here with the engine's own error as the cell.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "harness/runner.hpp"
#include "spark_environment.hpp"

using namespace rowgate;
using namespace rowgate::harness;
using rowgate::test::make_spark;
using rowgate::test::order_schema;

namespace {

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

void check_gate(SparkTarget& target, const std::string& format) {
  CAPTURE(target.info().name);
  const Failure failure = failure_of(target, "auto-cdc-scd1");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.error_name == "AUTOCDC_TARGET_DOES_NOT_SUPPORT_MERGE");
  CHECK(mentions(failure, format));
}

}  // namespace

// Expected: what a person saw on the same jars, with the JVM's own words.
TEST_CASE("Delta 4.3.1, built for Spark 4.1, on Spark 4.2.0") {
  const auto target = make_spark("spark:4.2.0/io.delta:delta-spark_2.13:4.3.1");
  const Failure failure = failure_of(*target, "guarded");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.error_name == "NoSuchMethodError");
  CHECK(mentions(failure, "CatalogStorageFormat.copy"));
  // Over Spark Connect, where the JVM's error arrives as text.
  const Failure pipeline = failure_of(*target, "auto-cdc-scd1");
  CHECK(pipeline.kind == FailureKind::unsupported);
  CHECK(pipeline.error_name == "NoSuchMethodError");
}

TEST_CASE("Delta 4.4.0, built for Spark 4.2, on Spark 4.3.0: CREATE works, MERGE dies") {
  const auto target = make_spark("spark:4.3.0/io.delta:delta-spark_4.2_2.13:4.4.0");
  const Failure merge = failure_of(*target, "guarded");
  CHECK(merge.kind == FailureKind::unsupported);
  CHECK(merge.error_name == "NoSuchMethodError");
  CHECK(mentions(merge, "LogicalRDD.<init>"));
  CHECK(merge.statement.starts_with("MERGE INTO"));
  check_gate(*target, "(format: delta)");
}

TEST_CASE("Iceberg's runtime for Spark 4.1 on later Sparks") {
  for (const char* version : {"4.2.0", "4.3.0"}) {
    CAPTURE(version);
    const auto target = make_spark(std::string("spark:") + version +
                                   "/org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0");
    const Failure failure = failure_of(*target, "guarded");
    CHECK(failure.kind == FailureKind::unsupported);
    CHECK(failure.error_name == "IncompatibleClassChangeError");
    CHECK(mentions(failure, "View"));
  }
}

TEST_CASE("the gate of Auto CDC refuses Delta on Spark 4.2.0") {
  check_gate(*make_spark("spark:4.2.0/delta:4.4.0"), "(format: delta)");
}

TEST_CASE("the gate of Auto CDC refuses the default catalog") {
  check_gate(*make_spark("spark:4.2.0"), "(format: parquet)");
  check_gate(*make_spark("spark:4.3.0"), "(format: parquet)");
}

TEST_CASE("Auto CDC is not in Spark 4.1, and nothing is started to find that out") {
  const auto target = make_spark("spark:4.1.3/delta:4.4.0");
  const Failure failure = failure_of(*target, "auto-cdc-scd1");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.message == "Auto CDC came with Spark 4.2");
  CHECK(target->driver_process_id() == 0);
}

TEST_CASE("Spark 4.2.0 knows SCD type 1 only") {
  const auto target = make_spark("spark:4.2.0/test-catalog");
  const Failure failure = failure_of(*target, "auto-cdc-scd2");
  CHECK(failure.kind == FailureKind::unsupported);
  CHECK(failure.error_name == "NOT_EXPECTED_TYPE");
  CHECK(mentions(failure, "stored_as_scd_type"));
}
