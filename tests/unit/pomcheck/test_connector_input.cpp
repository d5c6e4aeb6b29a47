#include <doctest/doctest.h>

#include "pomcheck/connector_input.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

ConnectorInput read(const char* text, InputKind kind, const std::string& name = "input") {
  return read_connector_input(text, kind, name).value();
}

std::vector<std::string> connectors(const ConnectorInput& input) {
  std::vector<std::string> texts;
  for (const InputConnector& c : input.connectors)
    texts.push_back(c.place.to_string() + " " + c.coordinate.to_string());
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a --packages string") {
  CHECK(connectors(read("a:b:1, c:d:2\n,,a:b:1", InputKind::packages)) ==
        Texts{"input a:b:1", "input c:d:2"});
  const auto bad = read_connector_input("a:b:1,c:d", InputKind::packages, "--packages");
  REQUIRE(!bad);
  CHECK(bad.error().code == ErrorCode::malformed);
  CHECK(bad.error().to_string().find("--packages: \"c:d\"") == 0);
}

TEST_CASE("a pasted spark-submit command line") {
  const ConnectorInput input = read(
      "# nightly job\n"
      "spark-submit --master yarn \\\n"
      "  --packages io.delta:delta-spark_2.13:4.3.1,org.apache.spark:spark-avro_2.13:4.1.0 \\\n"
      "  --repositories https://r.example/maven --exclude-packages org.slf4j:slf4j-api \\\n"
      "  --conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension \\\n"
      "  --conf "
      "\"spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog\" \\\n"
      "  --conf 'spark.sql.catalog.lake.type=rest' --jars=/opt/a.jar,s3://b/c.jar \\\n"
      "  --properties-file prod.conf job.py --date 2026-01-01\n",
      InputKind::spark_submit, "job.sh");
  CHECK(connectors(input) == Texts{"job.sh:3 io.delta:delta-spark_2.13:4.3.1",
                                   "job.sh:3 org.apache.spark:spark-avro_2.13:4.1.0"});
  CHECK(input.repositories == Texts{"https://r.example/maven"});
  CHECK(input.excluded_packages == std::vector<Exclusion>{{"org.slf4j", "slf4j-api"}});
  CHECK(input.extensions == Texts{"io.delta.sql.DeltaSparkSessionExtension"});
  CHECK(input.catalogs.at("spark_catalog").implementation ==
        "org.apache.spark.sql.delta.catalog.DeltaCatalog");
  CHECK(input.catalogs.at("lake").options.at("type") == "rest");
  REQUIRE(input.jars.size() == 2);
  CHECK(input.jars[1].path == "s3://b/c.jar");
  CHECK(input.jars[1].place.to_string() == "job.sh:7");
  REQUIRE(input.problems.size() == 1);
  CHECK(input.problems[0].place.to_string() == "job.sh:8");
}

TEST_CASE("spark-defaults.conf") {
  const ConnectorInput input = read(
      "# comment\n"
      "spark.master            yarn\n"
      "spark.jars.packages     io.delta:delta-spark_2.13:4.3.1,\\\n"
      "                        not-a-coordinate\n"
      "spark.sql.catalog.ice = org.apache.iceberg.spark.SparkCatalog\n"
      "spark.sql.catalog.ice.uri: http://h:1/\n"
      "spark.jars\t/a.jar, /b.jar\n"
      "! another comment\n",
      InputKind::spark_defaults, "spark-defaults.conf");
  CHECK(connectors(input) == Texts{"spark-defaults.conf:3 io.delta:delta-spark_2.13:4.3.1"});
  REQUIRE(input.problems.size() == 1);
  CHECK(input.problems[0].place.line == 3);
  CHECK(input.catalogs.at("ice").implementation == "org.apache.iceberg.spark.SparkCatalog");
  CHECK(input.catalogs.at("ice").options.at("uri") == "http://h:1/");
  CHECK(input.catalogs.at("ice").place.line == 5);
  CHECK(input.jars.size() == 2);
}

TEST_CASE("pom.xml: connectors, Spark's version, and what needs the effective POM") {
  const ConnectorInput input = read(
      "<project>\n<dependencies>\n"
      "<dependency><groupId>io.delta</groupId><artifactId>delta-spark_2.13</artifactId>\n"
      "<version>4.3.1</version></dependency>\n"
      "<dependency><groupId>org.apache.iceberg</groupId>\n"
      "<artifactId>iceberg-spark-runtime-4.1_2.13</artifactId></dependency>\n"
      "<dependency><groupId>org.apache.spark</groupId><artifactId>spark-sql_2.13</artifactId>"
      "<version>4.1.0</version><scope>provided</scope></dependency>\n"
      "<dependency><groupId>g</groupId><artifactId>my-spark-x</artifactId>"
      "<version>${v}</version></dependency>\n"
      "<dependency><groupId>junit</groupId><artifactId>junit</artifactId>"
      "<version>4</version></dependency>\n"
      "</dependencies></project>",
      InputKind::maven, "pom.xml");
  CHECK(connectors(input) == Texts{"pom.xml:3 io.delta:delta-spark_2.13:4.3.1"});
  CHECK(input.spark_version == "4.1.0");
  CHECK(input.other_dependencies == 1);
  REQUIRE(input.problems.size() == 2);
  CHECK(input.problems[0].place.line == 5);
  CHECK(input.problems[1].place.line == 8);
}

TEST_CASE("build.sbt") {
  const ConnectorInput input = read(
      "ThisBuild / scalaVersion := \"2.13.16\"\n"
      "val deltaVersion = \"4.3.1\"\n"
      "val sparkVersion = \"4.1.0\" // the cluster's\n"
      "libraryDependencies ++= Seq(\n"
      "  \"org.apache.spark\" %% \"spark-sql\" % sparkVersion % Provided,\n"
      "  \"io.delta\" %% \"delta-spark\" % deltaVersion,\n"
      "  \"org.apache.iceberg\" % \"iceberg-spark-runtime-4.1_2.13\" % \"1.11.0\",\n"
      "  \"com.x\" %% \"spark-thing\" % V.thing,\n"
      "  \"io.delta\" %% \"delta-spark\" % deltaVersion % Test,\n"
      "  \"org.scalatest\" %% \"scalatest\" % \"3.2.19\" % Test)\n",
      InputKind::sbt, "build.sbt");
  CHECK(connectors(input) ==
        Texts{"build.sbt:6 io.delta:delta-spark_2.13:4.3.1",
              "build.sbt:7 org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0"});
  CHECK(input.spark_version == "4.1.0");
  REQUIRE(input.problems.size() == 1);
  CHECK(input.problems[0].place.line == 8);
  // Without a Scala version %% cannot be filled.
  CHECK(read("\"io.delta\" %% \"delta-spark\" % \"4.0.0\"", InputKind::sbt).problems.size() == 1);
}

TEST_CASE("build.gradle in both languages") {
  const ConnectorInput input = read(
      "ext.scala = '2.13'\n"
      "def delta = '4.3.1'\n"
      "dependencies {\n"
      "  implementation \"io.delta:delta-spark_${scala}:$delta\"\n"
      "  implementation(\"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0\")\n"
      "  runtimeOnly group: 'org.apache.hudi', name: 'hudi-spark3.5-bundle_2.12', version: "
      "'1.2.0'\n"
      "  compileOnly \"com.x:spark-y_2.13:$unknown\"\n"
      "  testImplementation 'io.delta:delta-spark_2.13:1.0.0'\n"
      "  implementation 'com.google.guava:guava:33.0-jre'\n"
      "}\n",
      InputKind::gradle, "build.gradle");
  CHECK(connectors(input) ==
        Texts{"build.gradle:4 io.delta:delta-spark_2.13:4.3.1",
              "build.gradle:5 org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
              "build.gradle:6 org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0"});
  CHECK(input.other_dependencies == 1);
  REQUIRE(input.problems.size() == 1);
  CHECK(input.problems[0].place.line == 7);
}

TEST_CASE("requirements.txt") {
  const ConnectorInput input = read(
      "pyspark[connect]==4.1.0  # cluster\n"
      "delta_spark==4.0.0 ; python_version > '3.8'\n"
      "delta-spark==3.3.1\ndelta-spark==2.4.0\ndelta-spark>=4\nrequests==2\n",
      InputKind::requirements, "requirements.txt");
  CHECK(connectors(input) == Texts{"requirements.txt:2 io.delta:delta-spark_2.13:4.0.0",
                                   "requirements.txt:3 io.delta:delta-spark_2.12:3.3.1",
                                   "requirements.txt:4 io.delta:delta-core_2.12:2.4.0"});
  CHECK(input.spark_version == "4.1.0");
  REQUIRE(input.problems.size() == 1);
  CHECK(input.problems[0].place.line == 5);
}

TEST_CASE("kinds of inputs") {
  CHECK(kind_of_file("/a/pom.xml") == InputKind::maven);
  CHECK(kind_of_file("conf/spark-defaults.conf") == InputKind::spark_defaults);
  CHECK(kind_of_file("build.gradle.kts") == InputKind::gradle);
  CHECK(kind_of_file("requirements-dev.txt") == InputKind::requirements);
  CHECK(!kind_of_file("a.jar"));
  CHECK(kind_of_argument("spark-submit --packages a:b:1 x.py") == InputKind::spark_submit);
  CHECK(kind_of_argument("a:b:1,c:d:2") == InputKind::packages);
}

TEST_CASE("hostile inputs end as errors or problems") {
  CHECK(read_connector_input(std::string(5u << 20, 'x'), InputKind::sbt, "x").error().code ==
        ErrorCode::limit);
  for (const InputKind kind : {InputKind::spark_submit, InputKind::spark_defaults, InputKind::sbt,
                               InputKind::gradle, InputKind::requirements}) {
    for (const char* text : {"\"", "'", "\\", "--packages", "--packages=", "spark.jars.packages",
                             "\"a\" %% \"spark\" %", "${", "\"a:spark:${\"", "delta-spark==",
                             "spark.sql.catalog.", "\\\n\\\n", "=\"x\"", "\"io.delta\" %"})
      CHECK(read_connector_input(text, kind, "x"));
  }
}
