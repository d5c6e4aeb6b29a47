// The steps of building an effective POM that need no repository.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pomcheck/effective_pom.hpp"
#include "pomcheck/pom.hpp"
#include "pomcheck/profile.hpp"

namespace rowgate::pomcheck {

// A model with everything that it inherits, before interpolation.
struct InheritedModel {
  std::shared_ptr<const RawPom> own;
  std::string group;
  std::string version;
  ModelPart part;
  std::vector<std::string> lineage;
  std::vector<std::string> active_profiles;
  std::vector<PomRepository> repositories;
  std::vector<ModelProblem> problems;
};

// Applies the active profiles of `own`, then inherits from `parent`, which may be null.
InheritedModel inherit_model(std::shared_ptr<const RawPom> own, const InheritedModel* parent,
                             const ModelEnvironment& environment);

// Interpolates every value once. Management still holds its imports.
EffectivePom interpolate_model(const InheritedModel& model, const ModelEnvironment& environment);

// After imports: fills dependencies from management, sets default scopes, and adds what Maven's
// validator refuses in a repository's POM to the problems.
void finish_model(EffectivePom& pom, const RawPom& own);

}  // namespace rowgate::pomcheck
