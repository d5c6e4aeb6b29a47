// Random dependency graphs, resolved here and by `mvn dependency:tree` in the same run: conflicts,
// scopes, optional dependencies, exclusions, management, ranges, classifiers and types in
// combinations that nobody would write down. Half of the graphs have cycles. In those, Maven's
// answer depends on where its conflict resolver happens to break the cycle, and a node that closes
// one shares its list of children with the node that it repeats, so that losers' children can stay;
// only the versions of what both have are compared there. One Maven process does all of them. Its
// local repository is a fresh one, and the plugin is taken from the user's where that has it, so
// that nothing is left behind. Skipped, with the reason, where Maven is not installed.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <random>

#include "base/files.hpp"
#include "base/text.hpp"
#include "maven_process.hpp"
#include "network.hpp"
#include "pom_folder.hpp"
#include "pomcheck/resolution.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

constexpr unsigned kUniverses = 8, kProjects = 10, kArtifacts = 12, kVersions = 3;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  // The same numbers with every standard library, unlike its distributions.
  unsigned below(unsigned bound) { return static_cast<unsigned>(engine_() % bound); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

bool has_cycles(unsigned universe) {
  return universe % 2 == 1;
}

class Universe {
 public:
  Universe(unsigned number, tests::PomFolder& folder)
      : dice_(number + 1),
        cycles_(has_cycles(number)),
        group_("random.u" + std::to_string(number)),
        folder_(folder) {
    for (unsigned a = 0; a < kArtifacts; ++a) {
      std::vector<std::string> versions;
      for (unsigned v = 1; v <= kVersions; ++v) {
        versions.push_back(std::to_string(v));
        folder_.add(group_ + ":" + name(a) + ":" + versions.back(),
                    body(dice_.below(4), 10, cycles_ ? 0 : a + 1));
      }
      folder_.add_metadata(group_ + ":" + name(a), versions);
    }
  }

  // What stands in a project that depends on some of the artifacts.
  std::string project() { return body(2 + dice_.below(3), 60, 0); }

 private:
  static std::string name(unsigned artifact) { return "a" + std::to_string(artifact); }

  // Dependencies on artifacts from the number `first` on.
  std::string body(unsigned dependencies, unsigned percent_managed, unsigned first) {
    std::string direct, managed;
    std::vector<bool> used(kArtifacts, false);
    for (unsigned i = 0; i < dependencies && first < kArtifacts; ++i) {
      const unsigned artifact = first + dice_.below(kArtifacts - first);
      if (!used[artifact]) direct += dependency(artifact, cycles_ ? 0 : 12);
      used[artifact] = true;
    }
    if (dice_.chance(percent_managed))
      for (unsigned i = dice_.below(3); i-- > 0;) managed += dependency(dice_.below(kArtifacts), 0);
    return (managed.empty() ? ""
                            : "<dependencyManagement>" + tests::dependencies(managed) +
                                  "</dependencyManagement>") +
           tests::dependencies(direct);
  }

  std::string dependency(unsigned artifact, unsigned percent_ranges) {
    std::string xml = "<dependency><groupId>" + group_ + "</groupId><artifactId>" + name(artifact) +
                      "</artifactId><version>" + version(percent_ranges) + "</version>";
    if (dice_.chance(5)) xml += "<classifier>c</classifier>";
    if (dice_.chance(4)) xml += "<type>test-jar</type>";
    const unsigned scope = dice_.below(100);
    if (scope < 14) xml += "<scope>runtime</scope>";
    if (scope >= 14 && scope < 20) xml += "<scope>provided</scope>";
    if (scope >= 20 && scope < 26) xml += "<scope>test</scope>";
    if (scope >= 26 && scope < 32) xml += "<scope>compile</scope>";
    if (dice_.chance(7)) xml += "<optional>true</optional>";
    if (dice_.chance(15))
      xml += "<exclusions><exclusion><groupId>" + (dice_.chance(20) ? "*" : group_) +
             "</groupId><artifactId>" + (dice_.chance(20) ? "*" : name(dice_.below(kArtifacts))) +
             "</artifactId></exclusion></exclusions>";
    return xml + "</dependency>";
  }

  std::string version(unsigned percent_ranges) {
    const std::string plain = std::to_string(1 + dice_.below(kVersions));
    if (!dice_.chance(percent_ranges)) return plain;
    switch (dice_.below(4)) {
      case 0: return "[" + plain + ",)";
      case 1: return "(," + plain + "]";
      case 2: return "[" + plain + "]";
      default: return "[1,3)";
    }
  }

  Dice dice_;
  bool cycles_;
  std::string group_;
  tests::PomFolder& folder_;
};

// "|  +- g:a:jar:1:compile" -> g:a:jar and 1.
std::map<std::string, std::string> versions_of(const std::vector<std::string>& nodes) {
  std::map<std::string, std::string> versions;
  for (const std::string& node : nodes) {
    const std::size_t begin = node.find("random.");
    const std::size_t scope = node.rfind(':');
    const std::size_t version = node.rfind(':', scope - 1);
    versions[node.substr(begin, version - begin)] = node.substr(version + 1, scope - version - 1);
  }
  return versions;
}

}  // namespace

TEST_CASE("random graphs equal Maven's own") {
  if (tests::java_of_maven().empty()) tests::skip("mvn is not installed");
  tests::PomFolder shelf;
  const std::string repositories = tests::repositories_xml(shelf.path(), tests::home_folder());
  std::vector<std::string> poms;
  tests::MavenRun run;
  for (unsigned u = 0; u < kUniverses; ++u) {
    Universe universe(u, shelf);
    for (unsigned p = 0; p < kProjects; ++p) {
      const std::string name = "m" + std::to_string(poms.size());
      poms.push_back(
          tests::module_pom(name, universe.project() + repositories + tests::tree_goal()));
      run.add(name, poms.back());
    }
  }
  run.run({}, repositories);

  RepositorySet set = shelf.open();
  ModelBuilder builder(set, pinned_environment("17", "linux").value());
  std::size_t compared = 0, refused = 0;
  for (std::size_t i = 0; i < poms.size(); ++i) {
    const std::string name = "m" + std::to_string(i);
    INFO(name, ": ", poms[i]);
    const PomPtr root =
        builder.build(parse_pom(poms[i], name).value(), RunContext::quiet()).value();
    const auto resolution = resolve_project(builder, root, RunContext::quiet());
    REQUIRE(resolution);
    const auto printed = run.answer(name);
    if (!printed) {  // contradicting ranges: Maven ends the module's build
      ++refused;
      CHECK_FALSE(resolution->problems.empty());
      continue;
    }
    ++compared;
    const std::vector<std::string> maven = tests::tree_nodes(*printed);
    const std::vector<std::string> own = tests::tree_nodes(tree_lines(*resolution));
    if (!has_cycles(static_cast<unsigned>(i) / kProjects)) {
      CHECK(base::join(own, "\n") == base::join(maven, "\n"));
      continue;
    }
    const auto versions = versions_of(own);
    for (const auto& node : versions_of(maven))
      if (const auto found = versions.find(node.first); found != versions.end()) {
        INFO(node.first);
        CHECK(found->second == node.second);
      }
  }
  MESSAGE(compared, " graphs compared, ", refused, " refused by both");
  CHECK(compared >= poms.size() / 2);
}
