// POMs that try to exhaust memory, time or the stack end as errors with a bound.
#include <doctest/doctest.h>

#include "pom_folder.hpp"
#include "pomcheck/effective_pom.hpp"
#include "pomcheck/interpolation.hpp"
#include "pomcheck/metadata.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

const RunContext kContext = RunContext::quiet();

Result<PomPtr> build(const tests::PomFolder& folder, const std::string& gav) {
  RepositorySet repositories = folder.open();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  const Coordinate coordinate = parse_coordinate(gav).value();
  builder.prefetch(std::vector{coordinate}, kContext);
  return builder.build(coordinate, kContext);
}

std::string project(const std::string& body) {
  return "<project><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>a</artifactId>"
         "<version>1</version>" +
         body + "</project>";
}

}  // namespace

TEST_CASE("a DOCTYPE is refused, so no entity is ever expanded") {
  const auto pom = parse_pom("<!DOCTYPE p [<!ENTITY a \"x\">]>" + project("<name>&a;</name>"), "x");
  REQUIRE(!pom);
  CHECK(pom.error().code == ErrorCode::malformed);
  CHECK(pom.error().message.find("DOCTYPE") != std::string::npos);
}

TEST_CASE("a huge POM is refused before it is parsed") {
  const auto pom = parse_pom(std::string(100u << 20, ' '), "x");
  REQUIRE(!pom);
  CHECK(pom.error().code == ErrorCode::limit);
}

TEST_CASE("metadata is held to the same bounds") {
  const auto bomb = parse_metadata(
      "<!DOCTYPE m [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><metadata><versioning>"
      "<latest>&b;</latest></versioning></metadata>",
      "m");
  REQUIRE(!bomb);
  CHECK(bomb.error().message.find("DOCTYPE") != std::string::npos);
  CHECK(parse_metadata(std::string(100u << 20, ' '), "m").error().code == ErrorCode::limit);
  CHECK(!parse_metadata("<metadata><versioning>", "m"));
  CHECK(parse_metadata("<metadata><versioning><versions><version>1</version></versions>"
                       "</versioning></metadata>",
                       "m")
            ->versions.size() == 1);
}

TEST_CASE("deep nesting costs no stack") {
  std::string deep;
  for (int i = 0; i < 300'000; ++i) deep += "<a>";
  for (int i = 0; i < 300'000; ++i) deep += "</a>";
  CHECK(parse_pom(project(deep), "x"));
  CHECK(!parse_pom(project("<name>" + deep + "</name>"), "x"));
  CHECK(!parse_pom(std::string(1'000'000, '<'), "x"));
}

TEST_CASE("what Maven's reader refuses, with the line") {
  const auto repeated =
      parse_pom("<project>\n<version>1</version>\n<version>2</version></project>", "x");
  REQUIRE(!repeated);
  CHECK(repeated.error().to_string().find("<version> is repeated in line 3") != std::string::npos);
  CHECK(!parse_pom(project("<dependencies><dependency><version>1<b/></version></dependency>"
                           "</dependencies>"),
                   "x"));
  CHECK(!parse_pom("<html></html>", "x"));
  CHECK(!parse_pom("", "x"));
  CHECK(!parse_pom(project("") + project(""), "x"));
}

TEST_CASE("a parent chain of ten thousand ends at the bound") {
  tests::PomFolder folder;
  for (int i = 0; i < 200; ++i)
    folder.add("t:p" + std::to_string(i) + ":1",
               "<parent><groupId>t</groupId><artifactId>p" + std::to_string(i + 1) +
                   "</artifactId><version>1</version></parent>",
               "pom");
  const auto pom = build(folder, "t:p0:1");
  REQUIRE(pom);
  REQUIRE(!(*pom)->valid());
  CHECK((*pom)->first_error()->message.find("more than 128 parents") != std::string::npos);
}

TEST_CASE("imports nested without end stop at the bound") {
  tests::PomFolder folder;
  for (int i = 0; i < 100; ++i)
    folder.add("t:b" + std::to_string(i) + ":1",
               "<dependencyManagement>" +
                   tests::dependencies(tests::dependency("t:b" + std::to_string(i + 1) + ":1",
                                                         "<type>pom</type><scope>import</scope>")) +
                   "</dependencyManagement>",
               "pom");
  const auto pom = build(folder, "t:b0:1");
  REQUIRE(pom);
  REQUIRE(!(*pom)->valid());
  CHECK((*pom)->first_error()->message.find("more than 64 deep") != std::string::npos);
}

TEST_CASE("expressions that double forty times are cut off") {
  Interpolator interpolator([](std::string_view name) -> std::optional<std::string> {
    const int n = std::stoi(std::string(name));
    if (n == 40) return "x";
    const std::string next = "${" + std::to_string(n + 1) + "}";
    return next + next;
  });
  const auto result = interpolator.interpolate("${0}");
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::limit);
}

TEST_CASE("a long chain and a cycle of expressions end") {
  Interpolator chain([](std::string_view name) -> std::optional<std::string> {
    return "${" + std::string(name) + "x}";
  });
  CHECK(chain.interpolate("${a}").error().code == ErrorCode::limit);
  Interpolator cycle([](std::string_view name) -> std::optional<std::string> {
    return name == "a" ? "${b}" : "${a}";
  });
  const auto result = cycle.interpolate("${a}");
  REQUIRE(!result);
  CHECK(result.error().message.find("refers to itself") != std::string::npos);
  CHECK(cycle.interpolate("${").value() == "${");
}

TEST_CASE("a value knows the POM and the line that it comes from") {
  tests::PomFolder folder;
  folder.add("t:parent:1", "<properties>\n<v>4.1.0</v></properties>", "pom");
  folder.write("t/child/1/child-1.pom",
               "<project><modelVersion>4.0.0</modelVersion>\n"
               "<parent><groupId>t</groupId><artifactId>parent</artifactId><version>1</version>"
               "</parent><artifactId>child</artifactId>\n<dependencies>\n<dependency>\n"
               "<groupId>org.apache.spark</groupId><artifactId>spark-sql_2.13</artifactId>\n"
               "<version>${v}</version></dependency></dependencies></project>");
  const PomPtr pom = build(folder, "t:child:1").value();
  REQUIRE(pom->dependencies.size() == 1);
  const PomDependency& dependency = pom->dependencies[0];
  CHECK(dependency.version.text == "4.1.0");
  CHECK(dependency.version_expression == "${v}");
  CHECK(dependency.version.origin.to_string() == "t:child:1 line 6");
  CHECK(dependency.origin.line == 4);
  CHECK(pom->properties.at("v").origin.to_string() == "t:parent:1 line 3");
}
