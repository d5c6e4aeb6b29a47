// Engines that setup, replay and prove work with, made ready from what a Maven repository and pip
// serve.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/embedded_target.hpp"
#include "harness/setup_spark.hpp"
#include "harness/spark_spec.hpp"
#include "harness/spark_target.hpp"
#include "tools/repositories.hpp"
#include "tools/session.hpp"

namespace rowgate::tools {

// What a command needs to open targets.
struct EngineOptions {
  std::string library;     // the embedded engine's, instead of Maven's
  std::string spark_home;  // instead of what `rowgate setup` made
  std::string master = "local[2]";
  std::vector<std::string> conf;    // "spark.x=y"; values may hold credentials
  std::string work_folder;          // parent of temporary folders; empty: TMPDIR, else /tmp
  unsigned deadline_seconds = 600;  // of one statement
  bool real_stream = false;
  bool all_in_connect = false;  // see harness::SparkTargetOptions
};

// A strategy that ships with the program. Errors: usage, with the nearest name there is.
Result<const harness::Strategy*> strategy_named(const std::string& name);

// Adds --duckdb, --spark-home, --master, --conf, --work-dir, --statement-deadline, --stream.
void add_engine_options(CLI::App& app, EngineOptions& options);

// The embedded engine's library: `explicit_library` when it is not empty, else the library in the
// artifact harness::kDuckDbCoordinate, fetched through the repositories once and extracted into the
// cache. Errors: those of the repositories and of the jar, io.
Result<std::filesystem::path> embedded_library(const Session& session,
                                               const RepositoryOptions& options,
                                               const std::filesystem::path& explicit_library);

// Whether the repositories have the spec's connectors; fetches their jars into the cache. Errors as
// connector_jars.
Result<void> fetch_connectors(const Session& session, const RepositoryOptions& options,
                              const harness::SparkSpec& spec);

// The jars of the spec's connectors, through the repositories, and those of their run-time
// dependencies that this Spark does not have. In class-path order. Errors: not_found (with the
// repositories' names), network and the like, usage (a coordinate that is none).
Result<std::vector<std::filesystem::path>> connector_jars(
    const Session& session, const RepositoryOptions& options, const harness::SparkSpec& spec,
    const harness::SparkInstallation& installation);

// A target as users write it: "embedded" or "spark:<version>[/<connector>…]". A Spark is the one
// below --spark-home, else the one that `rowgate setup` made, else SPARK_HOME's if it is of that
// version; it is not started yet. Errors: usage, not_found with the command that sets it up, those
// of connector_jars and of harness::EmbeddedTarget::open_library.
Result<std::unique_ptr<harness::Target>> open_target(const Session& session,
                                                     const RepositoryOptions& repositories,
                                                     const EngineOptions& options,
                                                     const std::string& target);

// The same for a Spark, for those who need more of it than a target.
Result<std::unique_ptr<harness::SparkTarget>> open_spark(const Session& session,
                                                         const RepositoryOptions& repositories,
                                                         const EngineOptions& options,
                                                         const harness::SparkSpec& spec);

}  // namespace rowgate::tools
