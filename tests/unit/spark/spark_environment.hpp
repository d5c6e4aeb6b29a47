// Where the tests find real Sparks: environment variables that whoever runs the tests sets.
//   ROWGATE_TEST_CACHE  a cache folder in which `rowgate setup spark:<version>` was run
//   ROWGATE_TEST_JARS   a folder with the connectors' jars under their Maven file names
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/spark_target.hpp"

namespace rowgate::test {

harness::Environment host_environment();

// The cache folder, or nothing when the variable is not set.
std::optional<std::filesystem::path> spark_cache();

// A target whose jars are these files. Fails the test when something is missing.
std::unique_ptr<harness::SparkTarget> make_spark(const std::string& spec,
                                                 const std::vector<std::string>& jars,
                                                 harness::SparkTargetOptions options = {});

// True when there is no process left whose arguments name this folder.
bool no_process_uses(const std::string& path);

}  // namespace rowgate::test
