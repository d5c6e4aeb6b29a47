#include <doctest/doctest.h>

#include <algorithm>

#include "pomcheck/naming.hpp"
#include "pomcheck/naming_table.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

Coordinate gav(const char* text) {
  return parse_coordinate(text).value();
}

std::vector<std::string> siblings(const char* text, SparkMinor line) {
  std::vector<std::string> names;
  for (const Coordinate& c : sibling_artifacts(gav(text), line))
    names.push_back(c.group + ":" + c.artifact);
  return names;
}

}  // namespace

TEST_CASE("numbers in names that are not Spark lines") {
  for (const char* text :
       {"io.delta:delta-spark_2.13:4.3.1", "x:spark-sql-kafka-0-10_2.13:3.5",
        "org.elasticsearch:elasticsearch-spark-30_2.12:9.5.6", "g:thing-3.5_2.12:1.0",
        "net.snowflake:spark-snowflake_2.12:3.0.0", "g:spark-x_2.12:1.2.3_4.5.6",
        "g:thing:3.3.1_0.18.7", "g:spark-1.6-x:1"}) {
    INFO(text);
    CHECK(!read_name(gav(text)).line);
    CHECK(read_name(gav(text)).rule == NameRule::none);
  }
}

TEST_CASE("Scala suffixes") {
  CHECK(scala_of_artifact("delta-spark_4.1_2.13") == "2.13");
  CHECK(scala_of_artifact("delta-spark_2.12") == "2.12");
  CHECK(scala_of_artifact("thing_3") == "3");
  CHECK(scala_of_artifact("paimon-spark-3.5") == "");
  CHECK(scala_of_artifact("delta-spark_4.1") == "");
  CHECK(scala_of_spark({4, 2}) == std::vector<std::string>{"2.13"});
  CHECK(scala_of_spark({3, 5}).front() == "2.12");
}

TEST_CASE("siblings exchange the line and keep Scala where the line has it") {
  CHECK(siblings("org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0", {4, 2}) ==
        std::vector<std::string>{"org.apache.iceberg:iceberg-spark-runtime-4.2_2.13"});
  CHECK(siblings("org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.11.0", {4, 1}) ==
        std::vector<std::string>{"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13"});
  CHECK(siblings("org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0", {3, 5}).front() ==
        "org.apache.iceberg:iceberg-spark-runtime-3.5_2.13");
  CHECK(siblings("io.delta:delta-spark_2.13:4.3.1", {4, 2}) ==
        std::vector<std::string>{"io.delta:delta-spark_4.2_2.13", "io.delta:delta-spark_2.13"});
  CHECK(siblings("g:my-spark3.5-thing_2.12:1", {4, 0}) ==
        std::vector<std::string>{"g:my-spark4.0-thing_2.13"});
  CHECK(siblings("g:unknown:1", {4, 0}) == std::vector<std::string>{"g:unknown"});
}

TEST_CASE("a renamed group's old name leads to the new one") {
  const auto names = siblings("com.lancedb:lance-spark-base_2.12:0.0.15", {4, 0});
  CHECK(std::find(names.begin(), names.end(), "org.lance:lance-spark-base_2.13") != names.end());
}

TEST_CASE("the naming table is sound") {
  for (const NamingScheme& scheme : naming_schemes()) {
    INFO(std::string(scheme.artifact));
    CHECK(find_family(scheme.family) != nullptr);
    const Coordinate filled{std::string(scheme.group),
                            fill_template(scheme.artifact, {4, 1}, "2.13"), "1", "", "jar"};
    CHECK(check_coordinate(filled));
    REQUIRE(find_scheme(filled) != nullptr);
    CHECK(find_scheme(filled)->family == scheme.family);
    const bool in_artifact = scheme.artifact.find("{spark}") != std::string_view::npos;
    CHECK(in_artifact == (scheme.line_in == LineIn::artifact));
  }
  const auto families = connector_families();
  CHECK(std::is_sorted(families.begin(), families.end(),
                       [](const Family& a, const Family& b) { return a.id < b.id; }));
}
