// Where Maven Central is. The address is not ours to know: the installed Maven's super POM says it.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace rowgate::pomcheck {

struct CentralLocation {
  std::string url;
  std::filesystem::path maven_home;
  std::filesystem::path found_in;  // the jar
};

// Of the first home with a readable super POM. Errors: not_found (no home has one; says how to name
// a repository instead), malformed.
Result<CentralLocation> find_central(std::span<const std::filesystem::path> maven_homes);

// $MAVEN_HOME, $M2_HOME, the mvn on $PATH with its links resolved, the Maven wrapper's and SDKMAN's
// installations below `home`, and the places where packages put it. Only folders that exist.
std::vector<std::filesystem::path> maven_home_candidates(
    const std::map<std::string, std::string>& environment, const std::filesystem::path& home);

}  // namespace rowgate::pomcheck
