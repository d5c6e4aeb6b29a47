// Each RG2xxx check of connectors' POMs fires on one input and stays silent on its nearest
// neighbour.
#include <doctest/doctest.h>

#include <algorithm>

#include "pom_folder.hpp"
#include "pomcheck/compatibility.hpp"
#include "pomcheck/repository_unavailable.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

const RunContext kContext = RunContext::quiet();

// A dependency on Spark, provided unless `more` says otherwise.
std::string spark(const std::string& version, const std::string& more = "<scope>provided</scope>",
                  const std::string& module = "spark-sql_2.13") {
  return tests::dependencies(tests::dependency("org.apache.spark:" + module + ":" + version, more));
}

std::shared_ptr<Repository> silent_repository() {
  return unavailable_repository(
      "acme", Error{ErrorCode::network, "HTTP 503", {}, std::nullopt, "try again later"});
}

class Verdicts {
 public:
  tests::PomFolder folder;
  std::vector<std::shared_ptr<Repository>> further;

  PomVerdict of(const std::string& gav, const std::string& target) const {
    RepositorySet repositories = folder.open(further);
    ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
    return check_poms(builder, std::vector{parse_coordinate(gav).value()},
                      parse_spark_version(target).value(), kContext)
        .front();
  }
  // "RG2101 RG2104": the checks that fire, sorted.
  std::string checks(const std::string& gav, const std::string& target) const {
    std::string text;
    for (const base::Finding& finding : of(gav, target).findings)
      text += (text.empty() ? "" : " ") + finding.check_id;
    return text;
  }
};

}  // namespace

TEST_CASE("RG2001 and RG2002: absent is said only when every repository said so") {
  Verdicts verdicts;
  CHECK(verdicts.checks("t:none:1", "4.1.0") == "RG2001");
  CHECK(verdicts.of("t:none:1", "4.1.0").built.state == PomState::absent);
  verdicts.further = {silent_repository()};
  CHECK(verdicts.checks("t:none:1", "4.1.0") == "RG2002");
  verdicts.folder.add("t:none:1", spark("4.1.0"));
  CHECK(verdicts.checks("t:none:1", "4.1.0").empty());
}

TEST_CASE("RG2101 and RG2102: another minor line, another patch release, the same") {
  Verdicts verdicts;
  verdicts.folder.add("t:c_2.13:1", spark("4.1.0"));
  verdicts.folder.add_metadata("t:c_2.13", {"1"});
  CHECK(verdicts.checks("t:c_2.13:1", "4.2.0") == "RG2101 RG2104");
  CHECK(verdicts.checks("t:c_2.13:1", "4.1.2") == "RG2102");
  CHECK(verdicts.checks("t:c_2.13:1", "4.1.0").empty());
  CHECK(verdicts.of("t:c_2.13:1", "4.1.0").tier == Tier::same_patch);
  // The target names a line: no patch differs.
  CHECK(verdicts.of("t:c_2.13:1", "4.1").tier == Tier::same_minor);
  const base::Finding finding = verdicts.of("t:c_2.13:1", "4.2.0").findings.front();
  CHECK(finding.location.file == "t:c_2.13:1");
  CHECK(finding.location.line == 2);
}

TEST_CASE("RG2103: nothing says which Spark it was built against") {
  Verdicts verdicts;
  verdicts.folder.add("t:c:1", "");
  CHECK(verdicts.checks("t:c:1", "4.1.0") == "RG2103");
  verdicts.folder.add("t:d:1", "<properties><spark.version>4.1.0</spark.version></properties>");
  CHECK(verdicts.checks("t:d:1", "4.1.0").empty());
  CHECK(verdicts.of("t:d:1", "4.1.0").built.kind == EvidenceKind::property_only);
  verdicts.folder.add("t:e-spark-4.1:1", "");
  CHECK(verdicts.checks("t:e-spark-4.1:1", "4.1.0").empty());
  CHECK(verdicts.of("t:e-spark-4.1:1", "4.1.0").built.kind == EvidenceKind::name);
}

TEST_CASE("RG2104 and RG2112: no build for the target, and no answer about it") {
  Verdicts verdicts;
  verdicts.folder.add("t:c-spark-4.1_2.13:1", spark("4.1.0"));
  CHECK(verdicts.checks("t:c-spark-4.1_2.13:1", "4.2.0") == "RG2101 RG2104");
  verdicts.further = {silent_repository()};
  CHECK(verdicts.checks("t:c-spark-4.1_2.13:1", "4.2.0") == "RG2101 RG2112");
  // A build in the one repository is enough, whatever the other would say.
  verdicts.folder.add("t:c-spark-4.2_2.13:2", spark("4.2.0"));
  verdicts.folder.add_metadata("t:c-spark-4.2_2.13", {"2"});
  CHECK(verdicts.checks("t:c-spark-4.1_2.13:1", "4.2.0") == "RG2101");
  const PomVerdict verdict = verdicts.of("t:c-spark-4.1_2.13:1", "4.2.0");
  REQUIRE(verdict.siblings.size() == 1);
  CHECK(verdict.siblings[0].artifact.to_string() == "t:c-spark-4.2_2.13:2");
  CHECK(verdict.siblings[0].built_against == "4.2.0");
}

TEST_CASE("RG2105: Spark in a scope that brings it along") {
  Verdicts verdicts;
  verdicts.folder.add("t:compile:1", spark("4.1.0", ""));
  verdicts.folder.add("t:runtime:1", spark("4.1.0", "<scope>runtime</scope>"));
  verdicts.folder.add("t:optional:1", spark("4.1.0", "<optional>true</optional>"));
  verdicts.folder.add("t:test:1", spark("4.1.0", "<scope>test</scope>"));
  verdicts.folder.add("org.apache.spark:spark-avro_2.13:4.1.0",
                      spark("4.1.0", "", "spark-sql_2.13"));
  CHECK(verdicts.checks("t:compile:1", "4.1.0") == "RG2105");
  CHECK(verdicts.of("t:compile:1", "4.1.0").findings[0].symbol ==
        "org.apache.spark:spark-sql_2.13");
  CHECK(verdicts.checks("t:runtime:1", "4.1.0") == "RG2105");
  CHECK(verdicts.checks("t:optional:1", "4.1.0").empty());
  CHECK(verdicts.checks("t:test:1", "4.1.0").empty());
  CHECK(verdicts.checks("org.apache.spark:spark-avro_2.13:4.1.0", "4.1.0").empty());
}

TEST_CASE("RG2106: name and POM contradict each other, and numbers that are no Spark line") {
  Verdicts verdicts;
  verdicts.folder.add("t:c-spark-3.5_2.13:1", spark("4.1.0"));
  CHECK(verdicts.checks("t:c-spark-3.5_2.13:1", "4.1.0") == "RG2106");
  CHECK(verdicts.of("t:c-spark-3.5_2.13:1", "4.1.0").built.line == SparkMinor{4, 1});
  verdicts.folder.add("t:c-kafka-0-10_2.13:1", spark("4.1.0"));
  verdicts.folder.add("t:c-spark4_2.13:1", spark("4.1.0"));
  CHECK(verdicts.checks("t:c-kafka-0-10_2.13:1", "4.1.0").empty());
  CHECK(verdicts.checks("t:c-spark4_2.13:1", "4.1.0").empty());
  // A managed version is a build's default: the name counts, and the contradiction is a note.
  verdicts.folder.add("t:d-spark-4.1_2.13:1",
                      "<dependencyManagement>" + spark("3.2.0") + "</dependencyManagement>");
  const PomVerdict weak = verdicts.of("t:d-spark-4.1_2.13:1", "4.1.0");
  REQUIRE(weak.findings.size() == 1);
  CHECK(weak.findings[0].check_id == "RG2106");
  CHECK(weak.findings[0].severity == base::Severity::note);
  CHECK(weak.tier == Tier::same_minor);
}

TEST_CASE("RG2107 and RG2111: Scala that the target lacks, Scala that name and POM disagree on") {
  Verdicts verdicts;
  verdicts.folder.add("t:c_2.12:1", spark("4.1.0", "<scope>provided</scope>", "spark-sql_2.12"));
  CHECK(verdicts.checks("t:c_2.12:1", "4.1.0") == "RG2107");
  verdicts.folder.add("t:c_2.12:2", spark("3.5.0", "<scope>provided</scope>", "spark-sql_2.12"));
  verdicts.folder.add("t:c_2.13:2", spark("3.5.0"));
  CHECK(verdicts.checks("t:c_2.12:2", "3.5.0").empty());
  CHECK(verdicts.checks("t:c_2.13:2", "3.5.0").empty());
  verdicts.folder.add("t:c_2.12:3", spark("3.5.0"));
  CHECK(verdicts.checks("t:c_2.12:3", "3.5.0") == "RG2111");
  CHECK(verdicts.of("t:c_2.12:3", "3.5.0").built.scala == "2.12");
}

TEST_CASE("RG2108 and RG2109: a missing parent or BOM, a model that Maven refuses") {
  Verdicts verdicts;
  const std::string parent =
      "<parent><groupId>t</groupId><artifactId>p</artifactId><version>1</version></parent>";
  verdicts.folder.add("t:c:1", parent + spark("4.1.0"));
  CHECK(verdicts.checks("t:c:1", "4.1.0") == "RG2108");
  CHECK(verdicts.of("t:c:1", "4.1.0").tier == Tier::unknown);
  const std::string bom =
      "<dependencyManagement>" +
      tests::dependencies(tests::dependency("t:b:1", "<type>pom</type><scope>import</scope>")) +
      "</dependencyManagement>";
  verdicts.folder.add("t:d:1", bom + spark("4.1.0"));
  CHECK(verdicts.checks("t:d:1", "4.1.0") == "RG2108");
  verdicts.folder.add("t:p:1", "", "pom");
  verdicts.folder.add("t:b:1", "", "pom");
  CHECK(verdicts.checks("t:c:1", "4.1.0").empty());
  CHECK(verdicts.checks("t:d:1", "4.1.0").empty());
  // Maven: 'dependencies.dependency.version' is missing.
  verdicts.folder.add("t:e:1", tests::dependencies("<dependency><groupId>org.apache.spark</groupId>"
                                                   "<artifactId>spark-sql_2.13</artifactId>"
                                                   "</dependency>"));
  CHECK(verdicts.checks("t:e:1", "4.1.0") == "RG2109");
  verdicts.folder.write("t/f/1/f-1.pom", "<project><modelVersion>4.0.0</modelVersion></projec>");
  CHECK(verdicts.checks("t:f:1", "4.1.0") == "RG2109");
}

TEST_CASE("RG2110: a vendor's Spark is another Spark, whatever its number") {
  Verdicts verdicts;
  verdicts.folder.add("t:c:1", spark("3.5.0"));
  verdicts.folder.add("t:v:1", spark("3.5.0-amzn-0"));
  CHECK(verdicts.checks("t:c:1", "3.5.0-amzn-0") == "RG2110");
  CHECK(verdicts.checks("t:v:1", "3.5.0") == "RG2110");
  CHECK(verdicts.checks("t:v:1", "3.5.0-amzn-0").empty());
  CHECK(verdicts.checks("t:c:1", "3.5.0").empty());
}

TEST_CASE("a dependency's own line beats management, a test dependency counts last") {
  Verdicts verdicts;
  verdicts.folder.add(
      "t:c:1",
      "<properties><v>4.1.0</v></properties>" +
          tests::dependencies(
              tests::dependency("org.apache.spark:spark-core_2.13:3.5.0", "<scope>test</scope>") +
              tests::dependency("org.apache.spark:spark-catalyst_2.13:4.1.0",
                                "<scope>provided</scope>")));
  const BuiltAgainst built = verdicts.of("t:c:1", "4.1.0").built;
  REQUIRE(built.primary_dependency() != nullptr);
  CHECK(built.primary_dependency()->dependency.artifact == "spark-catalyst_2.13");
  CHECK_FALSE(built.test_scope_only);
}
