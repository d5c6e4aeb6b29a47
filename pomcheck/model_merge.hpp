// The list operations of Maven's model builder: merging, importing, injecting management.
#pragma once

#include <cstdint>
#include <vector>

#include "pomcheck/pom.hpp"

namespace rowgate::pomcheck {

enum class Dominant : std::uint8_t { target, source };

// Joins two lists by management key, target's order first. Dependencies are taken whole, never
// field by field. Of entries of one key in `target` the last stays, unless `source` is empty: then
// `target` stays as it is.
void merge_dependencies(std::vector<PomDependency>& target,
                        const std::vector<PomDependency>& source, Dominant dominant);

// Of several dependencies with one key in one POM, Maven keeps the last, in the first one's place.
void drop_duplicates(std::vector<PomDependency>& dependencies);

// `parent`'s values where `child` has none.
void inherit(ModelPart& child, const ModelPart& parent);

// Adds the managed dependencies of an imported BOM behind the own ones, where their key is new.
void import_management(std::vector<PomDependency>& managed,
                       const std::vector<const std::vector<PomDependency>*>& imports);

// Fills version, scope and exclusions of dependencies that declare none. `optional` is not managed.
void inject_management(std::vector<PomDependency>& dependencies,
                       const std::vector<PomDependency>& managed);

}  // namespace rowgate::pomcheck
