// The whole effective models of real connectors, compared with what `mvn help:effective-pom` makes
// of them in the same run. One Maven process does all: a project with one module a connector, each
// with one execution of the plugin. Maven fetches; the same files in its local repository are then
// read here, so that both look at the same bytes. Skipped, with the reason, where Maven is not
// installed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "base/text.hpp"
#include "maven_process.hpp"
#include "network.hpp"
#include "pomcheck/effective_pom.hpp"
#include "pomcheck/local_repository.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

std::vector<Coordinate> connectors() {
  std::vector<Coordinate> list;
  const std::string text = base::read_file("tests/unit/pomcheck/data/maven_effective.txt").value();
  for (const std::string_view line : base::split(text, '\n'))
    if (!line.empty()) list.push_back(parse_coordinate(line).value());
  return list;
}

// Everything of a dependency that resolution looks at.
std::string show(const char* kind, const PomDependency& d) {
  std::string text = std::string(kind) + " " + d.group + ":" + d.artifact + ":" + d.type + ":" +
                     d.classifier + ":" + d.version.text + ":" + d.scope.text + ":" +
                     (d.is_optional() ? "optional" : "");
  for (const Exclusion& e : d.exclusions) text += " -" + e.group + ":" + e.artifact;
  return text + "\n";
}

std::string show(const std::vector<PomDependency>& dependencies,
                 const std::vector<PomDependency>& managed) {
  std::string text;
  for (const PomDependency& d : dependencies) text += show("D", d);
  for (const PomDependency& d : managed) text += show("M", d);
  return text;
}

// "17.0.15" of "Java version: 17.0.15, vendor: …"
std::string java_of_maven(const std::filesystem::path& folder) {
  const std::filesystem::path output = folder / "version.txt";
  if (tests::run({"mvn", "--version"}, output) != 0) tests::skip("mvn is not installed");
  const std::string text = base::read_file(output).value();
  const std::string key = "Java version: ";
  const std::size_t at = text.find(key);
  REQUIRE(at != std::string::npos);
  return text.substr(at + key.size(), text.find(',', at) - at - key.size());
}

std::string execution_of_help(const Coordinate& connector) {
  return "<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>"
         "<artifactId>maven-help-plugin</artifactId><version>3.5.2</version><executions><execution>"
         "<phase>validate</phase><goals><goal>effective-pom</goal></"
         "goals><configuration><artifact>" +
         connector.to_string() +
         "</artifact><output>${project.basedir}/effective.xml</output></configuration></execution>"
         "</executions></plugin></plugins></build>";
}

}  // namespace

TEST_CASE("effective models equal Maven's own") {
  const base::TempDir folder = base::TempDir::create("/tmp", "rowgate-effective").value();
  const std::string java = java_of_maven(folder.path());
  const std::vector<Coordinate> list = connectors();
  REQUIRE(list.size() >= 30);
  std::string modules;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string name = "m" + std::to_string(i);
    modules += "<module>" + name + "</module>";
    REQUIRE(base::write_file_atomically(folder.path() / name / "pom.xml",
                                        tests::module_pom(name, execution_of_help(list[i]))));
  }
  REQUIRE(base::write_file_atomically(
      folder.path() / "pom.xml", tests::module_pom("all", "<modules>" + modules + "</modules>")));
  const std::filesystem::path local = tests::home_folder() / ".m2/repository";
  tests::run({"mvn", "-B", "-q", "-fae", "-f", folder.path(),
              "-Dmaven.repo.local=" + local.string(), "validate"});

  std::vector<std::shared_ptr<Repository>> repositories;
  repositories.push_back(open_local_repository({local, LocalLayout::maven_local, "Maven's"}));
  RepositorySet set(std::move(repositories));
  ModelBuilder builder(set, pinned_environment(java, "linux").value());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    INFO(list[i].to_string());
    const std::string name = "m" + std::to_string(i);
    const auto printed = base::read_file(folder.path() / name / "effective.xml");
    if (!printed) continue;  // not in the repository that Maven asks, or refused by Maven
    ++compared;
    const auto maven = parse_pom(*printed, name);
    REQUIRE_MESSAGE(maven, maven.error().to_string());
    const auto own = builder.build(list[i], RunContext::quiet());
    REQUIRE_MESSAGE(own, own.error().to_string());
    CHECK((*own)->valid());
    CHECK(show((*own)->dependencies, (*own)->managed) ==
          show(maven->part.dependencies, maven->part.managed));
  }
  // Fewer would mean that Maven could not read its own repository: then nothing was shown.
  MESSAGE(compared, " effective models compared");
  CHECK(compared >= 20);
}
