// The effective POM: what Maven 3.9 makes of a POM, its parents, profiles, properties and BOMs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "pomcheck/coordinates.hpp"
#include "pomcheck/metadata.hpp"
#include "pomcheck/pom.hpp"
#include "pomcheck/profile.hpp"

namespace rowgate::pomcheck {

class RepositorySet;

enum class ProblemKind : std::uint8_t {
  note,                 // Maven would warn, or say nothing
  invalid,              // Maven refuses the model
  unresolvable_parent,  // `cause` says whether it is absent or could not be asked for
  unresolvable_import,
};

struct ModelProblem {
  ProblemKind kind;
  std::string message;
  Origin origin;
  std::optional<Error> cause;
};

// Immutable once built. Lists are in Maven's order.
struct EffectivePom {
  Coordinate id;  // as the POM says; it may differ from where the POM was found
  std::string packaging;
  std::shared_ptr<const std::string> name;   // its own name in origins
  Properties properties;                     // interpolated
  std::vector<PomDependency> dependencies;   // every scope is set
  std::vector<PomDependency> managed;        // BOM imports resolved; scopes may be unset
  std::optional<Relocation> relocation;      // not followed: resolution does
  std::vector<std::string> lineage;          // "g:a:v" of this POM, its parent, …
  std::vector<std::string> active_profiles;  // "g:a:v profile id"
  std::vector<PomRepository> repositories;   // that this POM and its parents name; never asked
  std::vector<ModelProblem> problems;

  // False when Maven would refuse the model. The rest then is what could still be made out, and no
  // verdict may call it complete.
  bool valid() const;
  // The first problem that makes it invalid; nullptr when it is valid.
  const ModelProblem* first_error() const;
  // Whether a value stands in this POM itself and not in a parent or BOM.
  bool is_own(const Origin& origin) const { return origin.pom == name; }
};

using PomPtr = std::shared_ptr<const EffectivePom>;

// Builds effective POMs, remembering for its lifetime every POM, parent, BOM and metadata that it
// has read. Not thread-safe. Refers to the repositories and does not own them.
//
// Bounds: 128 parents, 64 nested imports, the sizes of pom.hpp; beyond them the model is invalid.
class ModelBuilder {
 public:
  ModelBuilder(RepositorySet& repositories, ModelEnvironment environment);
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;
  ~ModelBuilder();

  // Errors are about the POM itself: not_found, network and the like from the repositories, and
  // malformed or limit when it cannot be parsed. Trouble with parents and BOMs is in `problems`.
  Result<PomPtr> build(const Coordinate& coordinate, const RunContext& context);

  // A POM that is no repository's: a project's pom.xml. Its parents come from the repositories.
  Result<PomPtr> build(RawPom pom, const RunContext& context);

  // From now on `pom` is what `coordinate` is, whatever the repositories have: a parent that lies
  // beside a project's pom.xml. No effect when `coordinate` has been read already.
  void provide(const Coordinate& coordinate, RawPom pom);

  // Fetches whatever the effective POMs of all coordinates need, in waves: all POMs at once, then
  // all their parents, … then all BOMs. Later build() calls find everything in memory. Never fails:
  // what could not be fetched is reported by build().
  void prefetch(std::span<const Coordinate> coordinates, const RunContext& context);

  // Versions, latest and release of group:artifact, from all repositories.
  const MergedMetadata& metadata(const std::string& group, const std::string& artifact,
                                 const RunContext& context);

  // Turns LATEST, RELEASE and ranges into a version; other texts are returned as they are.
  // Errors: not_found (no version lies in the range), malformed, network.
  Result<std::string> resolve_version(const std::string& group, const std::string& artifact,
                                      const std::string& version, const RunContext& context);

  RepositorySet& repositories() const;
  const ModelEnvironment& environment() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rowgate::pomcheck
