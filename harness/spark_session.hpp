// One Spark session in a driver process of its own, spoken to in JSON lines. It is started when it
// is first needed; when the driver dies it is started once more, for the sake of what comes next.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/child_process.hpp"
#include "harness/setup_spark.hpp"
#include "harness/target.hpp"
#include "harness/work_folder.hpp"

namespace rowgate::harness {

struct SessionOptions {
  SparkInstallation installation;
  Environment host;
  std::string master = "local[2]";
  std::map<std::string, std::string> conf;  // spark.* settings; may hold credentials: never logged
  bool connect = false;                     // with a Spark Connect server, which pipelines need
  // Below it a temporary folder for warehouse, checkpoints, sources and Spark's own files. On a
  // cluster it must be a path that all nodes share.
  std::filesystem::path work_parent;
  std::chrono::milliseconds start_deadline = std::chrono::minutes(5);
  std::chrono::milliseconds statement_deadline = std::chrono::minutes(10);
};

// Not thread-safe.
class SparkSession {
 public:
  // `context` is copied; what it refers to must outlive the session.
  SparkSession(SessionOptions options, const RunContext& context);
  ~SparkSession();

  // Sends a command (an object with "command"). The answer's fields, or:
  //   refused      Spark's exception: condition, SQLSTATE or Java class as the name, the stack
  //   unsupported  a linkage error: this combination of jars cannot work
  //   not_run      the driver died or did not answer in time, with the tail of its log; the user
  //                interrupted; the session could not be started
  Attempt<nlohmann::json> request(const nlohmann::json& command);

  // The "error" object of the last answer that was one.
  const nlohmann::json& last_error() const { return last_error_; }

  // Grows with each start: tables that were made under another number are gone.
  unsigned generation() const { return generation_; }
  int process_id() const;                            // of the driver, 0 when none runs; for tests
  const std::filesystem::path& work_folder() const;  // of the running session; empty before
  std::string log_tail() const;
  void stop();

 private:
  Attempt<void> ensure_started();
  Attempt<void> start();
  Failure driver_failure(const Error& error, std::string_view doing);
  void note_end();

  SessionOptions options_;
  RunContext context_;
  std::optional<WorkFolder> work_;
  std::optional<ChildProcess> driver_;
  std::optional<Failure> cannot_start_;  // remembered: a start takes long, and fails alike
  unsigned generation_ = 0;
  unsigned deaths_ = 0;     // drivers that ended by themselves
  unsigned hangs_ = 0;      // those that were ended, because they did not answer in time
  bool end_noted_ = false;  // of the present driver
  nlohmann::json last_error_;
};

// Spark settings under which small runs are fast on few cores. Results do not depend on them.
std::map<std::string, std::string> fast_settings();

// The Failure for the "error" object of an answer of the driver. Its `keys` are left to the caller,
// who knows their types.
Failure failure_from_driver(const nlohmann::json& error);

}  // namespace rowgate::harness
