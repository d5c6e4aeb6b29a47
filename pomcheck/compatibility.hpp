// What a connector was built against, how that is known, and what it means for a target Spark.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "pomcheck/build_search.hpp"
#include "pomcheck/effective_pom.hpp"
#include "pomcheck/jar_identity.hpp"
#include "pomcheck/naming.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::pomcheck {

// Where the knowledge about Spark comes from, the best first. "Declared" kinds rest on a dependency
// of the effective model; the others are weaker and say so.
enum class EvidenceKind : std::uint8_t {
  own_version,      // the artifact is Spark's own
  literal,          // a dependency with its version in this POM
  own_property,     // … through a property of this POM
  parent_property,  // … through a property of a parent
  managed,          // … through dependencyManagement
  bom,              // … through an imported BOM
  inherited,        // the dependency itself stands in a parent
  name,             // only the artifact's or version's name tells
  jar_content,      // the jar itself: folders for Spark releases, its manifest, packages
  managed_only,     // Spark is managed, but not a dependency: often a build profile's default
  property_only,    // a property such as spark.version, used by no dependency
  none,
};

// "literal", "own property", "parent property", …: for tables.
const char* to_string(EvidenceKind kind);

struct SparkDependency {
  PomDependency dependency;
  std::optional<SparkVersion> version;  // absent when it is not a plain version
};

// Why a POM could not be used.
enum class PomState : std::uint8_t {
  complete,
  invalid_model,        // Maven refuses it
  unresolvable_parent,  // a parent or BOM is absent or could not be asked for
  absent,               // no repository has the POM
  undecided,            // it could not be fetched
  malformed,            // it is no POM
};

struct BuiltAgainst {
  PomState state = PomState::complete;
  std::optional<Error> failure;  // set unless the state is complete

  std::vector<SparkDependency> dependencies;  // every org.apache.spark dependency, in POM order
  std::optional<std::size_t> primary;         // the one that decides: spark-sql, else core, …
  EvidenceKind kind = EvidenceKind::none;
  bool test_scope_only = false;

  NameFacts name;
  std::optional<SparkMinor> pom_line;   // by the primary dependency
  std::optional<SparkMinor> weak_line;  // by management or a property alone
  Origin weak_origin;
  // The releases that a jar holds classes for, when the jar says so itself. Any of them will do.
  std::vector<SparkVersion> shims;

  // The answer: the jar's folders, else a declared dependency, else the name, else what the jar
  // says in other ways, else the weak evidence.
  std::optional<SparkMinor> line;
  std::optional<SparkVersion> version;  // exact, when a dependency says it
  std::string scala;                    // by the name, else by the POM; empty: unknown
  std::string pom_scala;
  std::vector<std::string> evidence;  // one line each, with POM and line
  Origin origin;                      // of the deciding value

  const SparkDependency* primary_dependency() const {
    return primary ? &dependencies[*primary] : nullptr;
  }
};

// `pom` is build()'s answer for `coordinate`.
BuiltAgainst built_against(const Coordinate& coordinate, const Result<PomPtr>& pom);

// The same for a jar that lies on disk. `pom` is null when its coordinate is not known. That no
// repository has the POM is evidence and no failure: the jar is there all the same.
BuiltAgainst built_against(const JarIdentity& jar, const Result<PomPtr>* pom);

enum class Tier : std::uint8_t {
  same_patch,    // built against the target itself
  same_minor,    // probable: ask `link`
  other_minor,   // likely incompatible: ask `link`
  other_vendor,  // built against a vendor's Spark, or the target is one
  unknown,
};
const char* to_string(Tier tier);  // "same patch", "same minor", …

Tier tier_for(const BuiltAgainst& built, const SparkVersion& target);

// "3.5.6", "4.1", "3.3.0, 3.4.1 and 3 more", or "unknown".
std::string version_text(const BuiltAgainst& built);

// What is asked about: a coordinate, or a jar.
struct PomSubject {
  std::string label;  // how reports call it: the coordinate, or the jar's path
  Coordinate connector;
  std::optional<JarIdentity> jar;
};

struct PomVerdict {
  std::string label;
  Coordinate connector;  // without a group for a jar that does not say it
  BuiltAgainst built;
  Tier tier = Tier::unknown;
  std::string summary;  // "built against Spark 4.1.0 (literal), target 4.2.0: other minor"
  std::vector<SiblingFact> siblings;  // asked for unless the connector is for the target's line
  std::vector<base::Finding> findings;
};

// One verdict a subject, in order; what could not be read is a verdict too. All POMs are fetched in
// waves first. Without a target the tiers are unknown and nothing is compared.
std::vector<PomVerdict> check_poms(ModelBuilder& builder, std::span<const PomSubject> subjects,
                                   const std::optional<SparkVersion>& target,
                                   const RunContext& context);
std::vector<PomVerdict> check_poms(ModelBuilder& builder, std::span<const Coordinate> connectors,
                                   const SparkVersion& target, const RunContext& context);

}  // namespace rowgate::pomcheck
