// A Spark's jars: the folder that the user named, or what its modules resolve to in Maven.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/finding.hpp"
#include "base/run_context.hpp"
#include "jarscan/class_index.hpp"
#include "pomcheck/resolution.hpp"
#include "tools/spark_option.hpp"

namespace rowgate::tools {

enum class SparkParts : std::uint8_t {
  own_modules,  // Spark's own jars: enough to follow supertypes, a fifth of the download
  everything,   // with all that a distribution's jars folder holds
};

struct SparkJars {
  std::vector<std::filesystem::path> jars;  // in class path order
  // What could not be had, so that the class path has holes (RG2001, RG2002).
  std::vector<base::Finding> findings;
};

// `builder` may be null when the target is a folder. Errors: usage (a version without a patch
// number), network and the like when the modules' POMs cannot be read, interrupted.
Result<SparkJars> spark_jars(const SparkTarget& target, SparkParts parts,
                             pomcheck::ModelBuilder* builder, const base::RunContext& context);

// Opens the jars, in order. One that cannot be opened is a finding, and the rest is indexed.
jarscan::ClassIndex index_jars(const std::vector<std::filesystem::path>& jars,
                               std::vector<base::Finding>& findings,
                               const base::RunContext& context);

}  // namespace rowgate::tools
