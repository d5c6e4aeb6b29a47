// Real Sparks for tests, made ready by the test `spark_setup` (`rowgate setup`) in rowgate's own
// cache, or in the folder that ROWGATE_TEST_CACHE names.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "harness/spark_target.hpp"
#include "tools/engines.hpp"

namespace rowgate::test {

// Opened as `rowgate replay --target` does. Fails the test when something is missing.
std::unique_ptr<harness::SparkTarget> make_spark(const std::string& spec,
                                                 tools::EngineOptions options = {});

// The Spark of a version that `rowgate setup` made.
harness::SparkInstallation installed_spark(const std::string& version);

// id BIGINT, status STRING, seq BIGINT
harness::Schema order_schema();

// True when there is no process left whose arguments name this folder.
bool no_process_uses(const std::string& path);

}  // namespace rowgate::test
