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

// {4, 2} of "4.2.0"
std::pair<int, int> minor_version(std::string_view version) {
  const std::vector<std::string_view> parts = base::split(version, '.');
  const auto number = [&](std::size_t i) {
    int value = 0;
    if (i < parts.size())
      for (const char c : parts[i])
        if (c >= '0' && c <= '9' && value < 100'000) value = value * 10 + (c - '0');
    return value;
  };
  return {number(0), number(1)};
}

std::vector<std::string> quoted_names(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(quote_identifier(column.name));
  return names;
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
class Run : public SparkRun {
 public:
  Run(SparkSession& session, TableFlavour flavour, Schema schema, std::string table)
      : session_(session),
        flavour_(flavour),
        schema_(std::move(schema)),
        table_(std::move(table)),
        generation_(session.generation()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const std::string& target_table() const override { return table_; }
  double last_apply_seconds() const override { return seconds_; }
  Attempt<std::vector<SparkRecord>> tombstones() override { return std::vector<SparkRecord>{}; }

  Attempt<SparkRecord> metrics() override {
    SparkRecord metrics;
    if (flavour_ == TableFlavour::delta) {
      auto reply = send({{"command", "show"},
                         {"sql", fmt::format("DESCRIBE HISTORY {} LIMIT 1", table_)},
                         {"max_rows", 1}});
      if (!reply) return tl::unexpected(std::move(reply).error());
      for (const auto& [name, value] : (*reply)["rows"].at(0)["operationMetrics"].items())
        metrics[name] = text_of(value);
    } else if (flavour_ == TableFlavour::iceberg) {
      auto reply = send({{"command", "show"},
                         {"sql", fmt::format("SELECT operation, summary FROM {}.snapshots ORDER BY "
                                             "committed_at DESC LIMIT 1",
                                             table_)},
                         {"max_rows", 1}});
      if (!reply) return tl::unexpected(std::move(reply).error());
      if (!(*reply)["rows"].empty())
        for (const auto& [name, value] : (*reply)["rows"][0]["summary"].items())
          metrics[name] = text_of(value);
    }
    return metrics;
  }

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

  void note_seconds(const json& reply) { seconds_ = reply.value("seconds", 0.0); }

  SparkSession& session_;
  TableFlavour flavour_;
  Schema schema_;
  std::string table_;

 private:
  unsigned generation_;
  double seconds_ = 0;
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
    statements_ = std::move(rendered->apply);
    read_ = std::move(rendered->read);
    columns_ = state_columns(strategy.state, schema_);
    if (!statements_.empty()) check_ = cardinality_query(statements_[0], schema_, flavour_);
    drop_duplicates_ = strategy.driver_function == "drop_duplicates_merge";
    stream_ = stream;
    if (strategy.batch_function) {
      // As in production: a stream's own batch numbers, session and error handling.
      function_ = strategy.batch_function;
      stream_ = true;
      check_.reset();
    }
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
    json command = {{"command", "apply"},       {"table", table_},
                    {"view", source_},          {"columns", wire_columns(schema_.source_columns())},
                    {"rows", std::move(*rows)}, {"statements", statements_},
                    {"stream", stream_}};
    if (function_)
      command["function"] = {{"file", std::filesystem::absolute(function_->file).string()},
                             {"name", function_->name}};
    if (drop_duplicates_) {
      std::vector<std::string> names;
      for (const Column& column : schema_.keys) names.push_back(column.name);
      command["drop_duplicates"] = names;
    }
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
    note_seconds(*reply);
    return {};
  }

  Attempt<Rows> read() override { return query(read_, columns_); }

 private:
  std::string source_;
  std::vector<std::string> statements_;
  std::optional<std::string> check_;  // for the keys that made the first statement fail
  std::string read_;
  std::vector<Column> columns_;
  std::optional<Strategy::BatchFunction> function_;
  bool drop_duplicates_ = false;
  bool stream_ = false;
  bool created_ = false;
};

class AutoCdcRun final : public Run {
 public:
  AutoCdcRun(SparkSession& session, TableFlavour flavour, Schema schema, std::string table,
             StateKind state)
      : Run(session, flavour, std::move(schema), std::move(table)), state_(state) {}
  ~AutoCdcRun() override { drop({table_, tombstone_table()}); }

  Attempt<void> apply(const Batch& batch, std::uint64_t, std::int64_t first_arrival) override {
    for (const Event& event : batch.events)
      if (event.op == Operation::truncate)
        return unsupported("Auto CDC of open Spark has no truncate");
    auto rows = wire_rows(source_rows(batch, first_arrival));
    if (!rows) return tl::unexpected(failure_of(rows.error()));
    const std::string op = quote_identifier(schema_.op_column);
    std::vector<std::string> except = {op, quote_identifier(schema_.arrival_column)};
    // In a history the sequence is what the intervals are made of; as a column it would make every
    // version differ from the one before.
    if (state_ == StateKind::scd2) except.push_back(quote_identifier(schema_.sequence.name));
    json command = {{"command", "auto_cdc"},
                    {"table", table_},
                    {"columns", wire_columns(schema_.source_columns())},
                    {"rows", std::move(*rows)},
                    {"where", fmt::format("{} <> '{}'", op, op_text(Operation::pre_image))},
                    {"keys", quoted_names(schema_.keys)},
                    {"sequence_by", quote_identifier(schema_.sequence.name)},
                    {"apply_as_deletes", fmt::format("{} = '{}'", op, op_text(Operation::remove))},
                    {"except_columns", except},
                    {"scd", state_ == StateKind::scd2 ? 2 : 1}};
    if (flavour_ == TableFlavour::delta) command["format"] = "delta";
    auto reply = send(command);
    if (!reply) {
      Failure failure = std::move(reply).error();
      if (failure.error_name.starts_with("AUTOCDC_MICROBATCH_VALIDATION."))
        failure.keys = rejected_keys(batch, failure.error_name);
      return tl::unexpected(std::move(failure));
    }
    note_seconds(*reply);
    applied_ = true;
    return {};
  }

  Attempt<Rows> read() override {
    if (!applied_) return Rows{};
    if (state_ == StateKind::scd1)
      return query(fmt::format("SELECT {} FROM {}",
                               base::join(quoted_names(schema_.table_columns()), ", "), table_),
                   schema_.table_columns());
    std::vector<Column> columns = schema_.keys;
    columns.insert(columns.end(), schema_.payload.begin(), schema_.payload.end());
    return query(fmt::format("SELECT {}, __START_AT AS valid_from, __END_AT AS valid_to FROM {}",
                             base::join(quoted_names(columns), ", "), table_),
                 state_columns(StateKind::scd2, schema_));
  }

  Attempt<std::vector<SparkRecord>> tombstones() override {
    if (!applied_) return std::vector<SparkRecord>{};
    auto reply = send({{"command", "show"},
                       {"sql", fmt::format("SELECT * FROM {}", tombstone_table())},
                       {"max_rows", 100'000}});
    if (!reply) return tl::unexpected(std::move(reply).error());
    return records_of(*reply);
  }

 private:
  std::string tombstone_table() const {
    const std::size_t dot = table_.rfind('.') + 1;
    return table_.substr(0, dot) + "__spark_autocdc_aux_state_" + table_.substr(dot);
  }

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
        classic_(session_options(false), context),
        connect_(session_options(true), context) {
    info_.name = options_.spec.text;
    info_.engine = options_.spec.engine;
    info_.spark = true;
  }

  const TargetInfo& info() const override { return info_; }

  std::optional<Failure> why_not(const Strategy& strategy) const override {
    if (is_auto_cdc(strategy)) {
      if (minor_version(options_.spec.version) < std::pair{4, 2})
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
      return std::make_unique<AutoCdcRun>(
          session, options_.spec.flavour, schema, *table,
          strategy.driver_function == "auto_cdc_scd2" ? StateKind::scd2 : StateKind::scd1);
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
  static bool is_auto_cdc(const Strategy& strategy) {
    return strategy.driver_function == "auto_cdc_scd1" ||
           strategy.driver_function == "auto_cdc_scd2";
  }

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
