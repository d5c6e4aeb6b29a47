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

constexpr const char* kTree =
    "<artifactId>maven-dependency-plugin</artifactId><version>3.6.1</version><executions>"
    "<execution><phase>validate</phase><goals><goal>tree</goal></goals><configuration><outputFile>"
    "${project.basedir}/out</outputFile></configuration></execution></executions>";
constexpr const char* kEffectivePom =
    "<artifactId>maven-help-plugin</artifactId><version>3.5.2</version><executions><execution>"
    "<phase>validate</phase><goals><goal>effective-pom</goal></goals><configuration><output>"
    "${project.basedir}/out</output></configuration></execution></executions>";

std::string plugin(const std::string& what) {
  return "<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>" + what +
         "</plugin></plugins></build>";
}

std::string tree_of(const std::vector<std::string>& lines) {
  const std::string optional = " (optional)";  // the plugin's 3.6 does not say so
  std::string text;
  for (std::string line : lines) {
    if (line.ends_with(optional)) line.resize(line.size() - optional.size());
    if (!line.empty()) text += line + "\n";
  }
  return text;
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
class MavenRun {
 public:
  MavenRun() : folder_(base::TempDir::create("/tmp", "rowgate-peers").value()) {
    repositories_ = tests::repositories_xml(shelf_.path(), tests::home_folder());
    add("resolver_graphs.txt", "r", kTree, graphs);
    add("deps_dev_graphs.txt", "d", kTree, graphs);
    add("deps_dev_models.txt", "m", kEffectivePom, models);
    write("pom.xml",
          tests::module_pom("all", repositories_ + "<modules>" + modules_ + "</modules>"));
    tests::run({"mvn", "-B", "-q", "-fae", "-f", folder_.path(),
                "-Dmaven.repo.local=" + (folder_.path() / "local").string(), "validate"});
  }

  RepositorySet open() const { return shelf_.open(); }
  // What Maven printed about a case; an error when it refused the case.
  Result<std::string> printed(const PeerCase& peer) const {
    return base::read_file(folder_.path() / peer.prefix / "out");
  }

  std::vector<PeerCase> graphs, models;

 private:
  void add(const std::string& file, const std::string& id, const char* goal,
           std::vector<PeerCase>& to) {
    const tests::PeerCases read("tests/unit/pomcheck/data/peers/" + file, id, shelf_);
    for (const PeerCase& peer : read.cases()) {
      if (!peer.no_project.empty()) continue;
      modules_ += "<module>" + peer.prefix + "</module>";
      write(peer.prefix + "/pom.xml", module_of(peer, repositories_ + plugin(goal)));
      to.push_back(peer);
    }
  }
  void write(const std::string& path, const std::string& contents) const {
    REQUIRE(base::write_file_atomically(folder_.path() / path, contents));
  }

  tests::PomFolder shelf_;
  base::TempDir folder_;
  std::string repositories_, modules_;
};

void compare_graphs(const MavenRun& maven, ModelBuilder& builder) {
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
    std::vector<std::string> lines;
    for (const std::string_view line : base::split(*printed, '\n')) lines.emplace_back(line);
    CHECK(tree_of(tree_lines(*resolution)) == tree_of(lines));
  }
  MESSAGE(compared, " graphs compared, ", refused, " refused by both");
  CHECK(compared >= 120);
}

void compare_models(const MavenRun& maven, ModelBuilder& builder) {
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
  if (tests::run({"mvn", "--version"}) != 0) tests::skip("mvn is not installed");
  const MavenRun maven;
  RepositorySet repositories = maven.open();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  compare_graphs(maven, builder);
  compare_models(maven, builder);
}
