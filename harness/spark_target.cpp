// How a strategy runs on Spark.
//
// SQL: the micro-batch becomes a DataFrame (in arrival order), a temporary view, and each statement
// runs against it; with `real_stream` the same happens inside foreachBatch. Auto CDC: the batch is
// a file in the source folder of a streaming view, and one update of the pipeline takes it in.
//
// Tables have fresh names, because the test catalog keeps its tables as long as the JVM lives.
#include "harness/spark_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "harness/failure.hpp"
#include "harness/spark_merge_check.hpp"
#include "harness/spark_requests.hpp"
#include "harness/spark_session.hpp"
#include "harness/spark_wire.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRows = 2'000'000;

struct Flavour {
  const char* prefix;      // of table names
  const char* namespace_;  // to be created first; "" when there is nothing to create
  const char* using_;
};

Flavour flavour_of(TableFlavour flavour) {
  switch (flavour) {
    case TableFlavour::plain: return {"spark_catalog.default.", "", "USING parquet"};
    case TableFlavour::delta: return {"spark_catalog.default.", "", "USING delta"};
    case TableFlavour::iceberg: return {"ice.db.", "ice.db", "USING iceberg"};
    case TableFlavour::test_catalog: return {"testcat.db.", "testcat.db", ""};
  }
  return {"", "", ""};
}

std::map<std::string, std::string> flavour_settings(TableFlavour flavour) {
  switch (flavour) {
    case TableFlavour::plain: return {};
    case TableFlavour::delta:
      return {
          {"spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension"},
          {"spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"}};
    case TableFlavour::iceberg:
      // foreachBatch runs in a cloned session: a cache would hide its writes.
      return {{"spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog"},
              {"spark.sql.catalog.ice.type", "hadoop"},
              {"spark.sql.catalog.ice.warehouse", "file://${work}/iceberg"},
              {"spark.sql.catalog.ice.cache-enabled", "false"}};
    case TableFlavour::test_catalog:
      return {{"spark.sql.catalog.testcat",
               "org.apache.spark.sql.connector.catalog."
               "SharedTablesInMemoryRowLevelOperationTableCatalog"}};
  }
  return {};
}

tl::unexpected<Failure> unsupported(std::string message) {
  return tl::unexpected(make_failure(FailureKind::unsupported, std::move(message)));
}

std::string create_table(const std::string& name, const std::vector<Column>& columns,
                         const std::string& using_clause) {
  std::vector<std::string> definitions;
  for (const Column& column : columns)
    definitions.push_back(
        fmt::format("{} {}", quote_identifier(column.name), to_spark_sql(column.type)));
  return fmt::format("CREATE TABLE {} ({}) {}", name, base::join(definitions, ", "), using_clause);
}

std::string text_of(const json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<SparkRecord> records_of(const json& reply) {
  std::vector<SparkRecord> records;
  const auto rows = reply.find("rows");
  if (rows == reply.end() || !rows->is_array()) return records;
  for (const json& row : *rows) {
    if (!row.is_object()) continue;
    SparkRecord record;
    for (const auto& [name, value] : row.items()) record[name] = text_of(value);
    records.push_back(std::move(record));
  }
  return records;
}

json query_command(const std::string& sql, const std::vector<Column>& columns) {
  return {{"command", "query"},
          {"sql", sql},
          {"columns", wire_columns(columns)},
          {"max_rows", kMaxRows}};
}

Attempt<Rows> rows_of_query(Attempt<json> reply, const std::string& sql,
                            const std::vector<Column>& columns) {
  if (!reply) return tl::unexpected(std::move(reply).error());
  auto rows = rows_from_wire((*reply)["rows"], columns);
  if (!rows) {
    Failure failure = failure_of(rows.error());
    failure.statement = sql;
    return tl::unexpected(std::move(failure));
  }
  sort_rows(*rows);
  return std::move(*rows);
}

// What both kinds of runs share: a table in a session, which may have been lost with its driver.
class Run : public TableRun {
 public:
  Run(SparkSession& session, TableFlavour flavour, Schema schema, std::string table)
      : session_(session),
        flavour_(flavour),
        schema_(std::move(schema)),
        table_(std::move(table)),
        generation_(session.generation()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

 protected:
  Attempt<json> send(const json& command) {
    if (session_.generation() != generation_) return lost_session();
    return session_.request(command);
  }

  Attempt<Rows> query(const std::string& sql, const std::vector<Column>& columns) {
    return rows_of_query(send(query_command(sql, columns)), sql, columns);
  }

  void drop(const std::vector<std::string>& tables) {
    if (session_.process_id() == 0 || session_.generation() != generation_) return;
    // Nothing can be done about a failure here, and the table goes with the session anyway.
    if (auto reply = send({{"command", "forget"}, {"tables", tables}}); !reply) return;
  }

  SparkSession& session_;
  TableFlavour flavour_;
  Schema schema_;
  std::string table_;

 private:
  unsigned generation_;
};

class SqlRun final : public Run {
 public:
  using Run::Run;
  // Only a table that this run has made is dropped: a function's table has the user's own name.
  ~SqlRun() override {
    if (created_) drop({table_});
  }

  Attempt<void> prepare(const Strategy& strategy, const std::string& using_clause, bool stream) {
    source_ = "rowgate_" + table_.substr(table_.rfind('.') + 1);
    auto rendered = render(strategy, schema_, {table_, source_});
    if (!rendered) return tl::unexpected(failure_of(rendered.error()));
    read_ = std::move(rendered->read);
    columns_ = state_columns(strategy.state, schema_);
    if (!rendered->apply.empty() && !strategy.batch_function)
      check_ = cardinality_query(rendered->apply[0], schema_, flavour_);
    request_ = merge_request(strategy, schema_, rendered->apply, source_);
    request_["command"] = "apply";
    request_["table"] = table_;
    // A function as in production: a stream's own batch numbers, session and error handling.
    request_["stream"] = stream || strategy.batch_function.has_value();
    auto created =
        send({{"command", "sql"},
              {"statements", {create_table(table_, rendered->table_columns, using_clause)}}});
    if (!created) return tl::unexpected(std::move(created).error());
    created_ = true;
    return {};
  }

  Attempt<void> apply(const Batch& batch, std::uint64_t, std::int64_t first_arrival) override {
    auto rows = wire_rows(source_rows(batch, first_arrival));
    if (!rows) return tl::unexpected(failure_of(rows.error()));
    json command = request_;
    command["rows"] = std::move(*rows);
    if (check_) {
      command["check"] = *check_;
      command["key_columns"] = wire_columns(schema_.keys);
    }
    auto reply = send(command);
    if (!reply) {
      Failure failure = std::move(reply).error();
      if (failure.kind == FailureKind::refused && session_.last_error().contains("keys"))
        if (auto keys = rows_from_wire(session_.last_error()["keys"], schema_.keys)) {
          sort_rows(*keys);
          keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
          failure.keys = std::move(*keys);
        }
      return tl::unexpected(std::move(failure));
    }
    return {};
  }

  Attempt<Rows> read() override { return query(read_, columns_); }

 private:
  std::string source_;
  json request_;                      // but for the rows
  std::optional<std::string> check_;  // for the keys that made the first statement fail
  std::string read_;
  std::vector<Column> columns_;
  bool created_ = false;
};

class AutoCdcRun final : public Run {
 public:
  AutoCdcRun(SparkSession& session, TableFlavour flavour, Schema schema, std::string table,
             StateKind state)
      : Run(session, flavour, std::move(schema), std::move(table)), state_(state) {}
  ~AutoCdcRun() override { drop({table_, auto_cdc_tombstones(table_)}); }

  Attempt<void> apply(const Batch& batch, std::uint64_t, std::int64_t first_arrival) override {
    for (const Event& event : batch.events)
      if (event.op == Operation::truncate)
        return unsupported("Auto CDC of open Spark has no truncate");
    auto rows = wire_rows(source_rows(batch, first_arrival));
    if (!rows) return tl::unexpected(failure_of(rows.error()));
    json command = auto_cdc_flow(schema_, state_, flavour_, table_);
    command["command"] = "auto_cdc";
    command["rows"] = std::move(*rows);
    auto reply = send(command);
    if (!reply) {
      Failure failure = std::move(reply).error();
      if (failure.error_name.starts_with("AUTOCDC_MICROBATCH_VALIDATION."))
        failure.keys = rejected_keys(batch, failure.error_name);
      return tl::unexpected(std::move(failure));
    }
    applied_ = true;
    return {};
  }

  Attempt<Rows> read() override {
    if (!applied_) return Rows{};
    return query(auto_cdc_read(schema_, state_, table_), state_columns(state_, schema_));
  }

 private:
  // The whole batch was refused and nothing of it applied; a null sequence is reported before a
  // null key.
  static Rows rejected_keys(const Batch& batch, const std::string& condition) {
    const bool sequence = condition.ends_with(".NULL_SEQUENCE");
    Rows keys;
    for (const Event& event : batch.events) {
      const bool null_key = std::any_of(event.key.begin(), event.key.end(),
                                        [](const Value& value) { return value.is_null(); });
      if (event.op != Operation::pre_image && (sequence ? event.sequence.is_null() : null_key))
        keys.push_back(event.key);
    }
    sort_rows(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  }

  StateKind state_;
  bool applied_ = false;
};

class RealSpark final : public SparkTarget {
 public:
  RealSpark(SparkTargetOptions options, const RunContext& context)
      : options_(std::move(options)),
        classic_(session_options(options_.all_in_connect), context),
        connect_(session_options(true), context) {
    info_.name = options_.spec.text;
    info_.engine = options_.spec.engine;
    info_.spark = true;
  }

  const TargetInfo& info() const override { return info_; }

  std::optional<Failure> why_not(const Strategy& strategy) const override {
    if (is_auto_cdc(strategy)) {
      if (!has_auto_cdc(options_.spec))
        return make_failure(FailureKind::unsupported, "Auto CDC came with Spark 4.2");
      return std::nullopt;
    }
    if (strategy.apply.empty())
      return make_failure(
          FailureKind::unsupported,
          fmt::format("no such driver function: {}", base::printable(strategy.driver_function)));
    return std::nullopt;
  }

  Attempt<std::unique_ptr<TableRun>> open(const Strategy& strategy, const Schema& schema) override {
    if (auto reason = why_not(strategy)) return tl::unexpected(std::move(*reason));
    if (const Result<void> checked = check_schema(schema); !checked)
      return tl::unexpected(failure_of(checked.error()));
    SparkSession& session = is_auto_cdc(strategy) ? connect_ : classic_;
    auto table = strategy.batch_function ? own_table(session, strategy.batch_function->table)
                                         : new_table(session);
    if (!table) return tl::unexpected(std::move(table).error());
    if (is_auto_cdc(strategy))
      return std::make_unique<AutoCdcRun>(session, options_.spec.flavour, schema, *table,
                                          strategy.state);
    auto run = std::make_unique<SqlRun>(session, options_.spec.flavour, schema, *table);
    if (Attempt<void> ready = run->prepare(strategy, using_clause(), options_.real_stream); !ready)
      return tl::unexpected(std::move(ready).error());
    return run;
  }

  Attempt<void> execute(const std::vector<std::string>& statements) override {
    auto reply = classic_.request({{"command", "sql"}, {"statements", statements}});
    if (!reply) return tl::unexpected(std::move(reply).error());
    return {};
  }

  Attempt<std::vector<SparkRecord>> show(const std::string& sql, std::size_t max_rows) override {
    auto reply = classic_.request({{"command", "show"}, {"sql", sql}, {"max_rows", max_rows}});
    if (!reply) return tl::unexpected(std::move(reply).error());
    return records_of(*reply);
  }

  Attempt<Rows> query(const std::string& sql, const std::vector<Column>& columns) override {
    return rows_of_query(classic_.request(query_command(sql, columns)), sql, columns);
  }

  Attempt<json> request(const json& command) override { return classic_.request(command); }

  Attempt<std::string> new_table_name() override { return new_table(classic_); }
  std::string using_clause() const override { return flavour_of(options_.spec.flavour).using_; }

  const SparkSpec& spec() const override { return options_.spec; }

  int driver_process_id() const override {
    return classic_.process_id() != 0 ? classic_.process_id() : connect_.process_id();
  }
  std::string log_tail() const override { return classic_.log_tail() + connect_.log_tail(); }

 private:
  SessionOptions session_options(bool connect) const {
    SessionOptions session;
    session.installation = options_.installation;
    session.host = options_.host;
    session.master = options_.master;
    session.conf = fast_settings();
    session.conf.merge(flavour_settings(options_.spec.flavour));
    std::vector<std::string> jars;
    for (const auto& jar : options_.jars) jars.push_back(std::filesystem::absolute(jar).string());
    if (!jars.empty()) session.conf["spark.jars"] = base::join(jars, ",");
    for (const auto& [name, value] : options_.conf) session.conf[name] = value;
    session.connect = connect;
    session.work_parent = options_.work_parent;
    session.start_deadline = options_.start_deadline;
    session.statement_deadline = options_.statement_deadline;
    return session;
  }

  // A fresh table name; the first in a session makes sure that its namespace is there.
  Attempt<std::string> new_table(SparkSession& session) {
    const Flavour flavour = flavour_of(options_.spec.flavour);
    json statements = json::array();
    if (*flavour.namespace_ != '\0')
      statements.push_back(fmt::format("CREATE NAMESPACE IF NOT EXISTS {}", flavour.namespace_));
    auto reply = session.request({{"command", "sql"}, {"statements", std::move(statements)}});
    if (!reply) return tl::unexpected(std::move(reply).error());
    return fmt::format("{}t{}", flavour.prefix, ++tables_);
  }

  // A table with the user's name: its schema is made when it is not there yet, and the table must
  // not be there (CREATE TABLE says so), because what is there is not ours to empty.
  Attempt<std::string> own_table(SparkSession& session, const std::string& name) {
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) {
      auto reply = session.request(
          {{"command", "sql"},
           {"statements",
            {fmt::format("CREATE NAMESPACE IF NOT EXISTS {}", name.substr(0, dot))}}});
      if (!reply) return tl::unexpected(std::move(reply).error());
    }
    return name;
  }

  SparkTargetOptions options_;
  TargetInfo info_;
  SparkSession classic_;
  SparkSession connect_;
  unsigned tables_ = 0;
};

}  // namespace

Result<std::unique_ptr<SparkTarget>> SparkTarget::create(SparkTargetOptions options,
                                                         const RunContext& context) {
  if (options.installation.version != options.spec.version)
    return fail(ErrorCode::usage,
                fmt::format("asks for Spark {}, but the installation is {}", options.spec.version,
                            options.installation.version),
                options.spec.text);
  return std::make_unique<RealSpark>(std::move(options), context);
}

}  // namespace rowgate::harness
