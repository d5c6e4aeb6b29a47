// What makes two dependencies the same artifact in different versions.
#pragma once

#include <string>

#include "pomcheck/coordinates.hpp"
#include "pomcheck/pom.hpp"

namespace rowgate::pomcheck {

// The artifact that a dependency means.
Coordinate artifact_of(const PomDependency& dependency);

// group:artifact:extension[:classifier]. A test-jar and a jar with the classifier "tests" are one.
std::string artifact_key(const Coordinate& artifact);
std::string artifact_key(const PomDependency& dependency);

}  // namespace rowgate::pomcheck
