// The scan table of real connectors against what was measured of them (see
// tests/unit/jarscan/data/README.md), fetched with our own client. Label `network`.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "jarscan/capabilities.hpp"
#include "pomcheck/repository_set.hpp"
#include "tools/environment.hpp"
#include "tools/spark_classpath.hpp"

using namespace rowgate;
using namespace rowgate::tools;

namespace {

// Where each jar of the measured table comes from.
const std::map<std::string, std::string>& groups() {
  static const std::map<std::string, std::string> kGroups = {
      {"delta-spark", "io.delta"},
      {"elasticsearch-spark", "org.elasticsearch"},
      {"iceberg-spark", "org.apache.iceberg"},
      {"mongo-spark", "org.mongodb.spark"},
      {"neo4j-connector", "org.neo4j"},
      {"spark-avro", "org.apache.spark"},
      {"spark-cassandra", "com.datastax.spark"},
      {"spark-sql-kafka", "org.apache.spark"},
      {"spark-token-provider", "org.apache.spark"},
      {"spark-xml", "com.databricks"},
  };
  return kGroups;
}

// "delta-spark_2.13-4.0.1" -> io.delta:delta-spark_2.13:4.0.1
pomcheck::Coordinate coordinate_of(const std::string& jar) {
  pomcheck::Coordinate coordinate;
  for (const auto& [start, group] : groups())
    if (jar.starts_with(start)) coordinate.group = group;
  // The version starts at the first "-digit" after the Scala suffix.
  const std::size_t scala = jar.find("_2.1");
  const std::size_t dash = jar.find('-', scala);
  coordinate.artifact = jar.substr(0, dash);
  coordinate.version = jar.substr(dash + 1);
  return coordinate;
}

struct Row {
  std::string jar;
  std::vector<std::string> cells;
};

std::vector<Row> read_table(const std::string& file, std::vector<std::string>& header) {
  const auto text = base::read_file(file);
  REQUIRE(text);
  std::vector<Row> rows;
  for (std::string_view line : base::split(*text, '\n')) {
    if (line.empty()) continue;
    const auto cells = base::split(line, '\t');
    if (header.empty()) {
      header.assign(cells.begin(), cells.end());
      continue;
    }
    rows.push_back({std::string(cells[0]), {cells.begin() + 1, cells.end()}});
  }
  return rows;
}

class Maven {
 public:
  Maven() : context_(base::RunContext::quiet()) {
    const Environment environment = read_environment();
    auto set =
        pomcheck::open_repositories(pomcheck::standard_repository_config(
                                        environment.variables, environment.home, environment.cache),
                                    context_);
    REQUIRE_MESSAGE(set, (set ? "" : set.error().to_string()));
    set_ = std::make_unique<pomcheck::RepositorySet>(std::move(*set));
    builder_ = std::make_unique<pomcheck::ModelBuilder>(
        *set_, *pomcheck::pinned_environment("17", "linux"));
  }

  std::filesystem::path fetch(const pomcheck::Coordinate& coordinate) {
    auto file = set_->fetch(coordinate.path(), context_);
    REQUIRE_MESSAGE(file, (file ? "" : file.error().to_string()));
    return file->path;
  }

  jarscan::ClassIndex spark(const std::string& version) {
    const auto jars =
        spark_jars(*parse_spark_target(version), SparkParts::own_modules, builder_.get(), context_);
    REQUIRE_MESSAGE(jars, (jars ? "" : jars.error().to_string()));
    std::vector<base::Finding> findings;
    auto index = index_jars(jars->jars, findings, context_);
    REQUIRE(findings.empty());
    return index;
  }

  const base::RunContext& context() const { return context_; }

 private:
  base::RunContext context_;
  std::unique_ptr<pomcheck::RepositorySet> set_;
  std::unique_ptr<pomcheck::ModelBuilder> builder_;
};

}  // namespace

TEST_CASE("the scan table of real connectors equals the measured one, row by row") {
  std::vector<std::string> header;
  const std::vector<Row> expected = read_table("tests/unit/jarscan/data/capabilities.tsv", header);
  REQUIRE(expected.size() == 14);
  Maven maven;
  std::vector<std::filesystem::path> jars;
  for (const Row& row : expected) jars.push_back(maven.fetch(coordinate_of(row.jar)));
  const jarscan::ClassIndex spark = maven.spark("4.2.0");
  const auto scan = jarscan::scan(jars, {}, maven.context());
  REQUIRE(scan);
  for (const jarscan::JarScan& jar : scan->jars) CHECK(jar.classes_skipped == 0);
  const jarscan::CapabilityReport report = jarscan::analyse_capabilities(*scan, spark);
  REQUIRE(report.jars.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t column = 0; column < expected[i].cells.size(); ++column) {
      const jarscan::CapabilityUse& use = report.jars[i].use(header[column + 1]);
      CAPTURE(expected[i].jar);
      CAPTURE(header[column + 1]);
      CHECK(fmt::format("{}/{}/{}/{}", use.naming.size(), use.direct.size(),
                        use.implementors.size(), use.concrete.size()) == expected[i].cells[column]);
    }
  }
}

TEST_CASE("jars of the manifest have the measured checksum, size and number of classes") {
  std::vector<std::string> header;
  const std::vector<Row> expected = read_table("tests/unit/jarscan/data/manifest.tsv", header);
  REQUIRE(expected.size() == 8);
  Maven maven;
  for (const Row& row : expected) {
    CAPTURE(row.jar);
    const auto coordinate = pomcheck::parse_coordinate(row.jar);
    REQUIRE(coordinate);
    const auto scan = jarscan::scan({maven.fetch(*coordinate)}, {}, maven.context());
    REQUIRE(scan);
    CHECK(scan->jars[0].sha1 == row.cells[0]);
    CHECK(std::to_string(scan->jars[0].size_bytes) == row.cells[1]);
    CHECK(std::to_string(scan->jars[0].classes_read) == row.cells[2]);
  }
}
