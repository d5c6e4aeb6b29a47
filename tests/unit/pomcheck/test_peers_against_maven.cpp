// The peers' graphs and models (data/peers/README.md), given to real Maven: what test_peers.cpp
// says that Maven answers, it answers. One Maven process does all: a project with one module a
// case, where `dependency:tree` runs for the graphs and `help:effective-pom` for the models. Its
// local repository is a fresh one, and the plugins are taken from the user's where that has them,
// so that nothing is left behind. Skipped, with the reason, where Maven is not installed.
#include <doctest/doctest.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "maven_process.hpp"
#include "network.hpp"
#include "peer_cases.hpp"
#include "pomcheck/resolution.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;
using tests::PeerCase;

namespace {

const RunContext kContext = RunContext::quiet();

// The case's root as a module's POM.
std::string module_of(const PeerCase& peer, const std::string& more) {
  const Coordinate root = parse_coordinate(peer.root).value();
  return "<project><modelVersion>4.0.0</modelVersion><groupId>" + root.group +
         "</groupId><artifactId>" + root.artifact + "</artifactId><version>" + root.version +
         "</version>" + peer.root_body + more + "</project>";
}

std::string dependencies_of(const std::vector<PomDependency>& dependencies,
                            const std::vector<PomDependency>& managed) {
  std::string text;
  for (const auto* list : {&dependencies, &managed}) {
    text += list == &managed ? "managed\n" : "";
    for (const PomDependency& d : *list) {
      text += d.management_key() + ":" + d.version.text + ":" + d.scope.text +
              (d.is_optional() ? ":optional" : "");
      for (const Exclusion& e : d.exclusions) text += " -" + e.group + ":" + e.artifact;
      text += "\n";
    }
  }
  return text;
}

// All cases with a project, as modules that Maven has been through.
class Peers {
 public:
  Peers() : repositories_(tests::repositories_xml(shelf_.path(), tests::home_folder())) {
    add("resolver_graphs.txt", "r", tests::tree_goal(), graphs);
    add("deps_dev_graphs.txt", "d", tests::tree_goal(), graphs);
    add("deps_dev_models.txt", "m", tests::effective_pom_goal(), models);
    maven_.run({}, repositories_);
  }

  RepositorySet open() const { return shelf_.open(); }
  Result<std::string> printed(const PeerCase& peer) const { return maven_.answer(peer.prefix); }

  std::vector<PeerCase> graphs, models;

 private:
  void add(const std::string& file, const std::string& id, const std::string& goal,
           std::vector<PeerCase>& to) {
    const tests::PeerCases read("tests/unit/pomcheck/data/peers/" + file, id, shelf_);
    for (const PeerCase& peer : read.cases()) {
      if (!peer.no_project.empty()) continue;
      maven_.add(peer.prefix, module_of(peer, repositories_ + goal));
      to.push_back(peer);
    }
  }

  tests::PomFolder shelf_;
  std::string repositories_;
  tests::MavenRun maven_;
};

void compare_graphs(const Peers& maven, ModelBuilder& builder) {
  std::size_t compared = 0, refused = 0;
  for (const PeerCase& peer : maven.graphs) {
    INFO(peer.name);
    const PomPtr root = builder.build(parse_coordinate(peer.root).value(), kContext).value();
    const auto resolution = resolve_project(builder, root, kContext);
    REQUIRE(resolution);
    const auto printed = maven.printed(peer);
    if (!printed) {  // contradicting ranges: Maven ends the module's build
      ++refused;
      CHECK_FALSE(resolution->problems.empty());
      continue;
    }
    ++compared;
    CHECK(base::join(tests::tree_nodes(tree_lines(*resolution)), "\n") ==
          base::join(tests::tree_nodes(*printed), "\n"));
  }
  MESSAGE(compared, " graphs compared, ", refused, " refused by both");
  CHECK(compared >= 120);
}

void compare_models(const Peers& maven, ModelBuilder& builder) {
  for (const PeerCase& peer : maven.models) {
    INFO(peer.name);
    const auto printed = maven.printed(peer);
    REQUIRE(printed);
    const RawPom effective = parse_pom(*printed, peer.name).value();
    const PomPtr own = builder.build(parse_coordinate(peer.root).value(), kContext).value();
    CHECK(dependencies_of(own->dependencies, own->managed) ==
          dependencies_of(effective.part.dependencies, effective.part.managed));
  }
  CHECK(maven.models.size() == 7);
}

}  // namespace

TEST_CASE("the peers' graphs and models in real Maven") {
  if (tests::java_of_maven().empty()) tests::skip("mvn is not installed");
  const Peers maven;
  RepositorySet repositories = maven.open();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  compare_graphs(maven, builder);
  compare_models(maven, builder);
}
