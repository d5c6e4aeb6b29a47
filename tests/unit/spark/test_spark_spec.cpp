#include <doctest/doctest.h>

#include <string>

#include "harness/spark_merge_check.hpp"
#include "harness/spark_session.hpp"
#include "harness/spark_spec.hpp"
#include "harness/spark_wire.hpp"

using namespace rowgate;
using namespace rowgate::harness;

TEST_CASE("short names of connectors stand for the build for this Spark") {
  const auto delta = parse_spark_spec("spark:4.1.3/delta:4.4.0");
  REQUIRE(delta);
  CHECK(delta->version == "4.1.3");
  CHECK(delta->flavour == TableFlavour::delta);
  CHECK(delta->coordinates == std::vector<std::string>{"io.delta:delta-spark_4.1_2.13:4.4.0"});
  CHECK(delta->engine == "Spark 4.1.3 + Delta Lake 4.4.0");

  const auto iceberg = parse_spark_spec("spark:4.1.3/iceberg:1.12.0");
  REQUIRE(iceberg);
  CHECK(iceberg->flavour == TableFlavour::iceberg);
  CHECK(iceberg->coordinates ==
        std::vector<std::string>{"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"});

  const auto test_catalog = parse_spark_spec("spark:4.3.0/test-catalog:4.2.0");
  REQUIRE(test_catalog);
  CHECK(test_catalog->flavour == TableFlavour::test_catalog);
  CHECK(test_catalog->coordinates ==
        std::vector<std::string>{"org.apache.spark:spark-catalyst_2.13:jar:tests:4.2.0"});
}

TEST_CASE("coordinates are taken as they are") {
  const auto spec = parse_spark_spec("spark:4.2.0/io.delta:delta-spark_2.13:4.3.1");
  REQUIRE(spec);
  CHECK(spec->flavour == TableFlavour::delta);
  CHECK(spec->coordinates == std::vector<std::string>{"io.delta:delta-spark_2.13:4.3.1"});
  const auto plain = parse_spark_spec("spark:4.3.0");
  REQUIRE(plain);
  CHECK(plain->flavour == TableFlavour::plain);
  CHECK(plain->coordinates.empty());
}

TEST_CASE("what is no target says what is wrong") {
  for (const std::string text :
       {"", "spark", "spark:", "spark:../../etc", "spark:4.1.3/", "spark:4.1.3/delta",
        "spark:4.1.3/a:b", "spark:4.1.3/a:b:../c", "spark:4.1.3/a b:c:1", "flink:1.0"}) {
    CAPTURE(text);
    const auto spec = parse_spark_spec(text);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().code == ErrorCode::usage);
    CHECK_FALSE(spec.error().message.empty());
  }
  const auto both = parse_spark_spec("spark:4.1.3/delta:4.4.0/iceberg:1.12.0");
  REQUIRE_FALSE(both);
  CHECK(both.error().message == "names two table formats: give each a target of its own");
}

TEST_CASE("values survive the wire, and what is no value is refused") {
  const std::vector<Column> columns = {
      {"t", {TypeKind::timestamp}}, {"d", {TypeKind::date}},   {"m", {TypeKind::decimal, 10, 2}},
      {"f", {TypeKind::float64}},   {"s", {TypeKind::string}}, {"b", {TypeKind::boolean}}};
  const Rows rows = {{Value(Timestamp{-1}), Value(Date{-719162}), Value(Decimal{150, 2}),
                      Value(-0.0), Value::text("a'\"\n\xc3\xa9"), Value(true)},
                     Row(6, Value::null())};
  const auto wire = wire_rows(rows);
  REQUIRE(wire);
  CHECK(wire->at(0) == nlohmann::json({"-1", "-719162", "1.50", "-0.0", "a'\"\n\xc3\xa9", "true"}));
  const auto back = rows_from_wire(*wire, columns);
  REQUIRE(back);
  CHECK(*back == rows);

  CHECK_FALSE(rows_from_wire(nlohmann::json::parse("[[1]]"), {columns[4]}));
  CHECK_FALSE(rows_from_wire(nlohmann::json::parse("[[]]"), {columns[4]}));
  CHECK_FALSE(rows_from_wire(nlohmann::json::parse("{}"), {columns[4]}));
  CHECK_FALSE(rows_from_wire(nlohmann::json::parse(R"([["12x"]])"), {columns[0]}));
  CHECK_FALSE(rows_from_wire(nlohmann::json::parse(R"([["99999999999"]])"), {columns[1]}));
  const auto not_utf8 = wire_rows({{Value::text("\xff")}});
  REQUIRE_FALSE(not_utf8);
  CHECK(not_utf8.error().code == ErrorCode::unsupported);
}

// The errors are what the driver sent for real ones: of a data error, of jars that do not fit (over
// Spark Connect, with only the class), of a full disk, and of a client that knows no more.
TEST_CASE("an engine's error is the data's, the jars', the machine's, or unknown") {
  const auto kind_of = [](const nlohmann::json& error) { return failure_from_driver(error).kind; };
  CHECK(kind_of({{"python_class", "SparkRuntimeException"},
                 {"condition", "MERGE_CARDINALITY_VIOLATION"},
                 {"message", "The ON search condition of the MERGE statement matched …"}}) ==
        FailureKind::refused);
  const Failure linkage = failure_from_driver({{"python_class", "SparkConnectGrpcException"},
                                               {"java_class", "java.lang.NoSuchMethodError"},
                                               {"message", "'int a.B.c(int)'"}});
  CHECK(linkage.kind == FailureKind::unsupported);
  CHECK(linkage.message == "NoSuchMethodError: 'int a.B.c(int)'");
  const Failure full = failure_from_driver(
      {{"python_class", "Py4JJavaError"},
       {"java_class", "org.apache.spark.SparkException"},
       {"message", "Job aborted."},
       {"causes",
        {{{"java_class", "java.io.IOException"}, {"message", "No space left on device"}}}}});
  CHECK(full.kind == FailureKind::not_run);
  CHECK(full.error_name == "disk-full");
  CHECK(kind_of({{"python_class", "UnknownException"}, {"message", "something failed"}}) ==
        FailureKind::not_run);
}

TEST_CASE("the query for the keys of a refused MERGE") {
  Schema schema;
  schema.keys = {{"id", {TypeKind::int64}}};
  schema.payload = {{"v", {TypeKind::string}}};
  schema.sequence = {"seq", {TypeKind::int64}};
  const std::string merge =
      "MERGE INTO c.d.t AS t USING (SELECT * FROM src) s ON t.id = s.id "
      "WHEN MATCHED AND s.seq > t.seq THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *";
  const std::string join =
      "SELECT t.id FROM (SELECT *, monotonically_increasing_id() AS rowgate_row FROM c.d.t) AS t "
      "JOIN (SELECT * FROM src) AS s ON (t.id = s.id)";
  const std::string group = " GROUP BY t.rowgate_row, t.id HAVING count(*) > 1";
  CHECK(cardinality_query(merge, schema, TableFlavour::iceberg) == join + group);
  CHECK(cardinality_query(merge, schema, TableFlavour::delta) ==
        join + " AND ((s.seq > t.seq))" + group);
  CHECK_FALSE(cardinality_query("INSERT INTO t SELECT 1", schema, TableFlavour::delta));
  CHECK_FALSE(cardinality_query("MERGE INTO '", schema, TableFlavour::delta));
}
