// Real connectors, as Maven has them in the same run: their dependency graphs, compared line by
// line with `mvn dependency:tree`, and their whole effective models, compared with what `mvn
// help:effective-pom` makes of them. One Maven process does all, in a project with one module a
// question. The models are read from Maven's local repository, so that both look at the same bytes;
// the graphs from the repository that Maven asks. Skipped, with the reason, where Maven is not
// installed.
#include <doctest/doctest.h>

#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "base/text.hpp"
#include "maven_process.hpp"
#include "network.hpp"
#include "pomcheck/effective_pom.hpp"
#include "pomcheck/local_repository.hpp"
#include "pomcheck/resolution.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

std::vector<Coordinate> connectors(const std::string& file) {
  std::vector<Coordinate> list;
  const std::string text = base::read_file("tests/unit/pomcheck/data/" + file).value();
  for (const std::string_view line : base::split(text, '\n'))
    if (!line.empty()) list.push_back(parse_coordinate(line).value());
  return list;
}

std::filesystem::path local_repository() {
  return tests::home_folder() / ".m2/repository";
}

struct Answers {
  tests::MavenRun maven;
  std::vector<Coordinate> trees, models;
};

std::string tree_module(std::size_t i) {
  return "tree" + std::to_string(i);
}
std::string model_module(std::size_t i) {
  return "model" + std::to_string(i);
}

// Maven is run by whichever test comes first.
const Answers& answers() {
  static const std::unique_ptr<const Answers> kept = [] {
    if (tests::java_of_maven().empty()) tests::skip("mvn is not installed");
    auto made = std::make_unique<Answers>();
    made->trees = connectors("maven_trees.txt");
    made->models = connectors("maven_effective.txt");
    for (std::size_t i = 0; i < made->trees.size(); ++i) {
      const Coordinate& c = made->trees[i];
      made->maven.add(
          tree_module(i),
          tests::module_pom(tree_module(i), "<dependencies><dependency><groupId>" + c.group +
                                                "</groupId><artifactId>" + c.artifact +
                                                "</artifactId><version>" + c.version +
                                                "</version></dependency></dependencies>" +
                                                tests::tree_goal()));
    }
    for (std::size_t i = 0; i < made->models.size(); ++i)
      made->maven.add(model_module(i),
                      tests::module_pom(model_module(i),
                                        tests::effective_pom_goal(made->models[i].to_string())));
    made->maven.run(local_repository());
    return made;
  }();
  return *kept;
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

}  // namespace

TEST_CASE("graphs equal Maven's own") {
  const Answers& given = answers();
  REQUIRE(given.trees.size() >= 20);
  RepositorySet repositories = tests::network_repositories();
  const RunContext context = RunContext::quiet();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < given.trees.size(); ++i) {
    INFO(given.trees[i].to_string());
    const auto printed = given.maven.answer(tree_module(i));
    if (!printed) continue;
    ++compared;
    const auto resolution = resolve_dependencies(builder, std::vector{given.trees[i]}, context);
    REQUIRE(resolution);
    CHECK(base::join(tests::tree_nodes(tree_lines(*resolution)), "\n") ==
          base::join(tests::tree_nodes(*printed), "\n"));
  }
  // Fewer would mean that Maven could not read its own repository: then nothing was shown.
  MESSAGE(compared, " graphs compared");
  CHECK(compared >= 20);
}

TEST_CASE("effective models equal Maven's own") {
  const Answers& given = answers();
  REQUIRE(given.models.size() >= 30);
  std::vector<std::shared_ptr<Repository>> repositories;
  repositories.push_back(
      open_local_repository({local_repository(), LocalLayout::maven_local, "Maven's"}));
  RepositorySet set(std::move(repositories));
  ModelBuilder builder(set, pinned_environment(tests::java_of_maven(), "linux").value());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < given.models.size(); ++i) {
    INFO(given.models[i].to_string());
    const auto printed = given.maven.answer(model_module(i));
    if (!printed) continue;  // not in the repository that Maven asks, or refused by Maven
    ++compared;
    const auto maven = parse_pom(*printed, model_module(i));
    REQUIRE_MESSAGE(maven, maven.error().to_string());
    const auto own = builder.build(given.models[i], RunContext::quiet());
    REQUIRE_MESSAGE(own, own.error().to_string());
    CHECK((*own)->valid());
    CHECK(show((*own)->dependencies, (*own)->managed) ==
          show(maven->part.dependencies, maven->part.managed));
  }
  // Fewer would mean that Maven could not read its own repository: then nothing was shown.
  MESSAGE(compared, " effective models compared");
  CHECK(compared >= 20);
}
