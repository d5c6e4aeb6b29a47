// The dependency graph as Maven 3 resolves it: nearest wins, scopes, exclusions, management.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pomcheck/effective_pom.hpp"
#include "pomcheck/repository.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::pomcheck {

struct ResolvedNode {
  Coordinate artifact;
  std::string scope;  // effective: the widest of the ways that lead here
  bool optional = false;
  std::size_t parent = 0;             // index; the root is its own
  std::size_t depth = 0;              // 0: root, 1: direct
  std::vector<std::size_t> children;  // in the order of the POM
  std::string requested;              // the version as the POM has it, when another was chosen
  std::string managed_from;           // the version before the root's management
  std::vector<Coordinate> relocated_from;
  Origin origin;  // of the <dependency> element
  // Why its own dependencies are unknown: its POM is absent, invalid or could not be fetched. Maven
  // warns and treats it as having none.
  std::optional<Error> pom_problem;
};

enum class Omission : std::uint8_t {
  conflict,   // another version is nearer
  duplicate,  // the same version is nearer
  cycle,      // it is among its own ancestors
  excluded,
};
const char* to_string(Omission reason);

// A dependency that a POM names and the graph does not hold there.
struct OmittedDependency {
  std::size_t parent = 0;
  Coordinate artifact;  // as that POM asks for it, after management
  std::string scope;
  Omission reason = Omission::conflict;
  std::size_t winner = 0;  // for conflict and duplicate
  std::size_t by = 0;      // for excluded: the node whose exclusion it is
};

struct Resolution {
  std::vector<ResolvedNode> nodes;  // [0] is the root; by depth, then in POM order
  std::vector<OmittedDependency> omitted;
  // Hard conflicts (ranges that no version satisfies), versions that could not be chosen.
  std::vector<Error> problems;

  // False when a POM or version is missing, so that the graph may lack nodes.
  bool complete() const;
};

// The graph of a project: `root`'s own dependencies of every scope, its management applied to what
// they bring. Errors: malformed when `root` is not valid, limit (more than 20,000 artifacts or a
// million dependencies), interrupted. All else is in the result.
Result<Resolution> resolve_project(ModelBuilder& builder, const PomPtr& root,
                                   const RunContext& context);

// The graph of a project that has these compile dependencies and no management of its own: what a
// build gets with a connector. (spark-submit --packages resolves with Ivy, which takes the newest
// version where Maven takes the nearest.)
Result<Resolution> resolve_dependencies(ModelBuilder& builder,
                                        std::span<const Coordinate> dependencies,
                                        const RunContext& context);

// "+- g:a:type[:classifier]:version:scope" lines, as `mvn dependency:tree` writes them.
std::vector<std::string> tree_lines(const Resolution& resolution);

// Every way that leads to group:artifact, winners first: one line a step, with the reason where a
// way was not taken. Empty when nothing asks for it.
std::vector<std::string> why_lines(const Resolution& resolution, std::string_view group,
                                   std::string_view artifact);

// Artifacts of compile and runtime scope, in class-path order, without the root. System-scope and
// POM-type artifacts are not files of a repository's class path and are left out.
std::vector<Coordinate> runtime_artifacts(const Resolution& resolution);

struct DownloadedArtifact {
  Coordinate artifact;
  Result<FetchedFile> file;
};
std::vector<DownloadedArtifact> download(ModelBuilder& builder,
                                         std::span<const Coordinate> artifacts,
                                         const RunContext& context);

// Spark's modules that a distribution's jars folder is made of, for a line.
std::vector<std::string> spark_modules(SparkMinor line);

// The runtime closure of Spark modules ("spark-sql", …), managed by Spark's own parent POM as its
// distribution is. `scala` is "2.13".
Result<Resolution> resolve_spark(ModelBuilder& builder, std::string_view version,
                                 std::span<const std::string> modules, std::string_view scala,
                                 const RunContext& context);

}  // namespace rowgate::pomcheck
