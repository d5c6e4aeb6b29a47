// A connector's jar as `pom` looks at it: what it says about itself, and its classes' Java level.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "pomcheck/jar_identity.hpp"

namespace rowgate::tools {

struct JarFacts {
  pomcheck::JarIdentity identity;
  // The Java that its classes need: 8, 17; 0 when it holds no class that could be read. Classes for
  // one Java release alone (META-INF/versions) and module-info do not count.
  unsigned java = 0;
};

// Errors: those of jarscan::JarFile::open.
Result<JarFacts> read_jar_facts(const std::filesystem::path& jar);

}  // namespace rowgate::tools
