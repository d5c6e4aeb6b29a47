// A Spark to drive: a Python environment below the cache with PySpark in it, made by pip, or a
// Spark that the user has installed.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "harness/child_process.hpp"

namespace rowgate::harness {

struct SparkInstallation {
  std::string version;               // "4.1.3"
  std::filesystem::path python;      // the interpreter to run the driver with
  std::filesystem::path spark_home;  // empty: the PySpark of that interpreter
  std::filesystem::path driver;      // the driver's file
  std::filesystem::path jars;        // the folder of Spark's own jars
};

struct SetupOptions {
  std::string version;          // "4.1.3"
  std::filesystem::path cache;  // environments are made in <cache>/spark/<version>
  Environment host;             // what this program was started with
  // What pip installs instead of pyspark==<version>: a wheel, an sdist. For machines without an
  // index.
  std::string requirement;
  std::chrono::milliseconds pip_deadline = std::chrono::minutes(30);
};

// "4.1.3", "4.3.0.dev1", a vendor's "3.5.1-amzn-1": a digit first, then letters, digits, single
// dots, hyphens.
bool is_spark_version(std::string_view version);

// The environment if it is there and complete. Errors: usage (no version), not_found with the
// remedy `rowgate setup spark:<version>`.
Result<SparkInstallation> find_spark(const std::filesystem::path& cache, std::string_view version);

// Makes the environment, unless it is complete already. It is built under another name and renamed
// at the end: an interrupted run leaves nothing that looks complete, and what a killed one left the
// next one removes. Takes 1 to 4 minutes and about 0.9 GB. Errors: usage, not_found (no python3, no
// such version), network, io (a full disk), child_process (pip's own message), interrupted.
Result<SparkInstallation> setup_spark(const SetupOptions& options, const RunContext& context);

// A Spark that is already installed: its own Python files are used, with the python3 of the host's
// PATH. Errors: not_found, malformed (no Spark there).
Result<SparkInstallation> use_spark_home(const std::filesystem::path& spark_home,
                                         const std::filesystem::path& cache,
                                         const Environment& host);

}  // namespace rowgate::harness
