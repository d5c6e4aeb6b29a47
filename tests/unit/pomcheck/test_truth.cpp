// Real connectors, as Maven Central serves them. Expected values (data/truth.tsv) come from Maven
// 3.9.12's model builder, checked against `mvn help:effective-pom` of 3.8.7: every Spark dependency
// of the effective model and the kind of evidence it is.
#include <doctest/doctest.h>

#include "network.hpp"
#include "pomcheck/compatibility.hpp"
#include "tsv.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

std::string evidence_of(const BuiltAgainst& built) {
  if (built.state == PomState::unresolvable_parent) return "unresolvable-parent";
  if (built.state == PomState::invalid_model) return "invalid-model";
  if (built.state != PomState::complete) return "POM not read: " + built.failure->to_string();
  std::string text;
  switch (built.kind) {
    case EvidenceKind::own_version: text = "direct"; break;
    case EvidenceKind::literal: text = "direct-literal"; break;
    case EvidenceKind::own_property: text = "direct-own-property"; break;
    case EvidenceKind::parent_property: text = "direct-parent-property"; break;
    case EvidenceKind::managed: text = "direct-managed"; break;
    case EvidenceKind::bom: text = "direct-bom"; break;
    case EvidenceKind::inherited: text = "inherited-dependency"; break;
    case EvidenceKind::name: text = "name-only"; break;
    case EvidenceKind::jar_content: text = "jar-content"; break;
    case EvidenceKind::managed_only: text = "depmgmt-only"; break;
    case EvidenceKind::property_only: text = "property-only"; break;
    case EvidenceKind::none: text = "none"; break;
  }
  return built.test_scope_only ? text + "-test-scope-only" : text;
}

std::string dependencies_of(const BuiltAgainst& built) {
  std::vector<std::string> texts;
  for (const SparkDependency& spark : built.dependencies) {
    const PomDependency& d = spark.dependency;
    std::string text = d.group + ":" + d.artifact;
    if (d.type == "test-jar") text += "~tests";
    if (!d.classifier.empty()) text += "~" + d.classifier;
    text += ":" + d.version.text + ":" + d.scope.text;
    if (d.is_optional()) text += "?optional";
    texts.push_back(std::move(text));
  }
  return base::join(texts, "|");
}

}  // namespace

TEST_CASE(
    "every connector has the Spark dependencies, the evidence and the line of the truth table") {
  RepositorySet repositories = tests::network_repositories();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  const RunContext context = RunContext::quiet();
  const auto rows = tests::read_tsv("tests/unit/pomcheck/data/truth.tsv");
  CHECK(rows.size() == 60);
  std::vector<Coordinate> connectors;
  for (const auto& row : rows)
    connectors.push_back(parse_coordinate(row[0] + ":" + row[1] + ":" + row[2]).value());
  const std::vector<PomVerdict> verdicts =
      check_poms(builder, connectors, parse_spark_version("4.2.0").value(), context);
  REQUIRE(verdicts.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    const BuiltAgainst& built = verdicts[i].built;
    INFO(connectors[i].to_string());
    CHECK(dependencies_of(built) == row[3]);
    CHECK(evidence_of(built) == row[4]);
    CHECK(built.name.line_text() == row[5]);
    CHECK(std::string(to_string(built.name.rule)) == row[6]);
    CHECK((built.pom_line ? built.pom_line->to_string() : "") == row[7]);
    CHECK((built.line ? built.line->to_string() : "unknown") == row[8]);
    std::string primary;
    if (const SparkDependency* spark = built.primary_dependency())
      primary = spark->dependency.artifact + ":" + spark->dependency.version.text + ":" +
                spark->dependency.scope.text;
    CHECK(primary == row[9]);
  }
}
