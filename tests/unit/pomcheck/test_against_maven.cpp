// The dependency graphs of real connectors, compared line by line with what `mvn dependency:tree`
// prints in the same run, Maven reading the same repository. One Maven process builds a project
// with one module a connector. Skipped, with the reason, where Maven is not installed.
#include <doctest/doctest.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "maven_process.hpp"
#include "network.hpp"
#include "pomcheck/resolution.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

std::vector<Coordinate> connectors() {
  std::vector<Coordinate> list;
  const std::string text = base::read_file("tests/unit/pomcheck/data/maven_trees.txt").value();
  for (const std::string_view line : base::split(text, '\n'))
    if (!line.empty()) list.push_back(parse_coordinate(line).value());
  return list;
}

// Everything behind the first line, which names the project.
std::string tree_of(const std::vector<std::string>& lines) {
  std::string tree;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!lines[i].empty()) tree += lines[i] + "\n";
  return tree;
}

}  // namespace

TEST_CASE("graphs equal Maven's own") {
  if (tests::run({"mvn", "--version"}) != 0) tests::skip("mvn is not installed");
  RepositorySet repositories = tests::network_repositories();
  const RunContext context = RunContext::quiet();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  const std::vector<Coordinate> list = connectors();
  REQUIRE(list.size() >= 20);

  const base::TempDir folder = base::TempDir::create("/tmp", "rowgate-maven").value();
  std::string modules;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string name = "m" + std::to_string(i);
    modules += "<module>" + name + "</module>";
    REQUIRE(base::write_file_atomically(
        folder.path() / name / "pom.xml",
        tests::module_pom(name, "<dependencies><dependency><groupId>" + list[i].group +
                                    "</groupId><artifactId>" + list[i].artifact +
                                    "</artifactId><version>" + list[i].version +
                                    "</version></dependency></dependencies>")));
  }
  REQUIRE(base::write_file_atomically(
      folder.path() / "pom.xml", tests::module_pom("all", "<modules>" + modules + "</modules>")));
  tests::run({"mvn", "-B", "-q", "-fae", "-f", folder.path().string(),
              "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:tree",
              "-DoutputFile=tree.txt", "-DoutputType=text"});

  std::size_t compared = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    INFO(list[i].to_string());
    const auto printed = base::read_file(folder.path() / ("m" + std::to_string(i)) / "tree.txt");
    if (!printed) continue;
    ++compared;
    std::vector<std::string> maven;
    for (const std::string_view line : base::split(*printed, '\n')) maven.emplace_back(line);
    const auto resolution = resolve_dependencies(builder, std::vector{list[i]}, context);
    REQUIRE(resolution);
    CHECK(tree_of(tree_lines(*resolution)) == tree_of(maven));
  }
  // Fewer would mean that Maven could not read its own repository: then nothing was shown.
  CHECK(compared >= 20);
}
