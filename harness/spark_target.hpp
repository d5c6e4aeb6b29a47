// A real Spark as a target: `spark:<version>[/<connector>…]`.
//
// One long-lived driver process a session. SQL strategies run in a classic session, Auto CDC in one
// with Spark Connect; each is started when the first strategy needs it and serves all tables.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/setup_spark.hpp"
#include "harness/spark_spec.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

struct SparkTargetOptions {
  SparkSpec spec;
  SparkInstallation installation;
  Environment host;                         // what this program was started with
  std::vector<std::filesystem::path> jars;  // of spec.coordinates, and what they need
  std::string master = "local[2]";
  std::map<std::string, std::string> conf;     // the user's --conf; wins over our own settings
  std::filesystem::path work_parent = "/tmp";  // temporary folders are made below it
  // SQL strategies see each micro-batch inside foreachBatch of a real stream, instead of as a
  // temporary view: the same rows, slower.
  bool real_stream = false;
  // Everything in one session with Spark Connect, also what the classic one does otherwise: for
  // Auto CDC beside statements of SQL.
  bool all_in_connect = false;
  std::chrono::milliseconds start_deadline = std::chrono::minutes(5);
  std::chrono::milliseconds statement_deadline = std::chrono::minutes(10);
};

// Column name -> text, "" for NULL.
using SparkRecord = std::map<std::string, std::string>;

class SparkTarget : public Target {
 public:
  // Nothing is started yet. The context is copied; what it refers to must outlive the target.
  // Errors: usage (a version that differs from the installation's).
  static Result<std::unique_ptr<SparkTarget>> create(SparkTargetOptions options,
                                                     const RunContext& context);

  // Statements in the classic session, for fixtures of other kinds (drift, change data feed).
  virtual Attempt<void> execute(const std::vector<std::string>& statements) = 0;
  virtual Attempt<std::vector<SparkRecord>> show(const std::string& sql, std::size_t max_rows) = 0;
  // The rows of a query, typed, sorted canonically.
  virtual Attempt<Rows> query(const std::string& sql, const std::vector<Column>& columns) = 0;
  // Any command of the driver (drivers/spark_driver.py), in the classic session.
  virtual Attempt<nlohmann::json> request(const nlohmann::json& command) = 0;
  // A fresh name for a table that this target's catalog can hold, and the clause "USING …".
  virtual Attempt<std::string> new_table_name() = 0;
  virtual std::string using_clause() const = 0;
  virtual const SparkSpec& spec() const = 0;

  virtual int driver_process_id() const = 0;  // of the running session, 0 when there is none
  virtual std::string log_tail() const = 0;   // the end of the sessions' logs
};

}  // namespace rowgate::harness
