// Finding the version of an artifact that was built for a Spark line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pomcheck/effective_pom.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::pomcheck {

enum class Presence : std::uint8_t { present, absent, undecided };

// Whether a build of a connector for some line is to be had. "Absent" means that the named
// repositories do not have it, never that it does not exist.
struct SiblingFact {
  Coordinate artifact;  // with the newest version that is for the line, when present
  Presence presence = Presence::undecided;
  std::string built_against;              // "4.1.0" or "4.1", when present
  std::string evidence;                   // how that is known, when present
  std::vector<std::string> repositories;  // that have the artifact, or that said they do not
  std::string note;                       // one sentence for people
};

enum class Prereleases : std::uint8_t { skip, take };

// In the resolver's order, but what precedes a release before it (a preview is newer than its
// release for Maven); the newest first; without previews, candidates and snapshots if so wanted.
std::vector<std::string> newest_first(std::vector<std::string> versions, Prereleases prereleases);

// The newest version of `artifact` (its own version is ignored) that is for `line`, as its POM says
// or, where the POM says nothing, its name. Where only the POM tells, the line is taken to grow
// with the version, so that a dozen POMs are read and not all.
SiblingFact find_build(ModelBuilder& builder, Coordinate artifact, SparkMinor line,
                       Prereleases prereleases, const RunContext& context);

}  // namespace rowgate::pomcheck
