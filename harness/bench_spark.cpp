// Events reach Spark as files of comma-separated values and are made into tables once a case, a
// micro-batch each; for streams and pipelines the tables become the files of a landing folder. They
// are read from there in the timed region.
//
// The same state before each run: with Delta the table is dropped and becomes a shallow clone of a
// table that nothing ever changes: a fresh log over the same files. With others it is made anew
// from such a table. Both happen outside of the clock, as does a garbage collection.
#include "harness/bench_spark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/failure.hpp"
#include "harness/spark_requests.hpp"
#include "harness/sql_text.hpp"
#include "harness/work_folder.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

constexpr std::string_view kSample = "rowgate_bench_sample", kView = "rowgate_bench_batch";
constexpr std::string_view kLanding = "landing", kInitialLanding = "landing-of-initial-rows";
constexpr std::size_t kRowsAtOnce = 200'000;  // of an answer of the driver

// What the engine calls it, and what the report does.
using MetricName = std::pair<std::string_view, std::string_view>;
constexpr std::array<MetricName, 7> kDeltaMetrics = {{
    {"numTargetFilesAdded", "files added"},
    {"numTargetFilesRemoved", "files removed"},
    {"numTargetRowsCopied", "rows copied"},
    {"numTargetRowsUpdated", "updated"},
    {"numTargetRowsInserted", "inserted"},
    {"numTargetRowsDeleted", "deleted"},
    {"executionTimeMs", "engine's ms"},
}};
constexpr std::array<MetricName, 5> kIcebergMetrics = {{
    {"added-data-files", "files added"},
    {"deleted-data-files", "files removed"},
    {"added-delete-files", "delete files added"},
    {"added-records", "rows written"},
    {"deleted-records", "rows removed"},
}};

// A row as a line of comma-separated values; NULL is nothing. No text of a workload is empty or
// needs quotes.
void add_line(std::string& text, const Row& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += ',';
    if (!row[i].is_null()) text += to_text(row[i]);
  }
  text += '\n';
}

std::string typed_columns(const std::vector<Column>& columns) {
  std::string sql;
  for (std::size_t i = 0; i < columns.size(); ++i)
    sql += fmt::format("{}CAST(_c{} AS {}) AS {}", i == 0 ? "" : ", ", i,
                       to_spark_sql(columns[i].type), quote_identifier(columns[i].name));
  return sql;
}

std::string column_definitions(const std::vector<Column>& columns) {
  std::string sql;
  for (const Column& column : columns)
    sql += fmt::format("{}{} {}", sql.empty() ? "" : ", ", quote_identifier(column.name),
                       to_spark_sql(column.type));
  return sql;
}

// What all tables of a case share.
struct Prepared {
  const Workload* workload = nullptr;
  std::vector<std::string> sources;  // tables, one a batch
  std::string touched;               // a table
};

// How a strategy takes in the micro-batches.
enum class Way : std::uint8_t {
  statements,  // that read the batch's table
  batches,     // DataFrames, for what statements cannot say
  stream,      // one stream over a landing folder, all of it in foreachBatch
  pipeline,    // the same folder, one update of an Auto CDC pipeline
};

class Table final : public BenchTable {
 public:
  Table(SparkTarget& target, const base::Clock& clock, const SparkBenchOptions& options,
        const Prepared& prepared, std::set<std::string>& named, const Strategy& strategy)
      : target_(target),
        clock_(clock),
        options_(options),
        prepared_(prepared),
        named_(named),
        strategy_(strategy),
        way_(way_of(strategy, options)) {}
  ~Table() override {
    for (const std::string& name : made_)
      // Nothing can be done about a failure here, and the table goes with the session anyway.
      if (!target_.execute({"DROP TABLE IF EXISTS " + name})) return;
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  Attempt<void> make() {
    if (auto named = name_tables(); !named) return named;
    auto requests = merge_of(prepared_.sources, way_);
    if (!requests) return tl::unexpected(std::move(requests).error());
    merge_ = std::move(*requests);
    return way_ == Way::pipeline ? fill_by_pipeline() : fill();
  }

  Attempt<void> reset() override {
    std::vector<std::string> statements;
    for (const Copy& copy : copies_) {
      statements.push_back("DROP TABLE IF EXISTS " + copy.name);
      if (options_.flavour == TableFlavour::delta)
        statements.push_back(fmt::format("CREATE TABLE {} SHALLOW CLONE {}", copy.name, copy.base));
      else
        statements.push_back(fmt::format("CREATE TABLE {} {} {} AS SELECT {}* FROM {}", copy.name,
                                         target_.using_clause(), copy.properties, files_hint(),
                                         copy.base));
    }
    if (auto done = target_.execute(statements); !done) return done;
    return send({{"command", "collect_garbage"}});
  }

  Attempt<double> merge() override {
    const auto start = clock_.tick();
    for (const json& request : merge_)
      if (auto done = send(request); !done) return tl::unexpected(std::move(done).error());
    return std::chrono::duration<double>(clock_.tick() - start).count();
  }

  Attempt<BenchState> state() override {
    const Schema& schema = prepared_.workload->schema;
    const JudgedRows rows{read_, strategy_.state, prepared_.touched};
    const std::string touched = touched_rows_sql(rows, schema);
    BenchState state;
    const std::size_t parts = prepared_.workload->touched.size() / kRowsAtOnce + 1;
    for (std::size_t part = 0; part < parts; ++part) {
      auto some =
          target_.query(fmt::format("{} AND pmod(hash(r.c0), {}) = {}", touched, parts, part),
                        state_columns(strategy_.state, schema));
      if (!some) return tl::unexpected(std::move(some).error());
      std::move(some->begin(), some->end(), std::back_inserter(state.touched));
    }
    sort_rows(state.touched);
    auto others = target_.show(other_rows_sql(rows, schema, SqlDialect::spark), 1);
    if (!others) return tl::unexpected(std::move(others).error());
    state.others = fingerprint(*others);
    return state;
  }

  Attempt<std::map<std::string, std::string>> metrics() override {
    using Metrics = std::map<std::string, std::string>;
    if (options_.flavour == TableFlavour::delta)
      return chosen(target_.show(fmt::format("DESCRIBE HISTORY {} LIMIT 1", name_), 1),
                    "operationMetrics", kDeltaMetrics);
    if (options_.flavour == TableFlavour::iceberg)
      return chosen(target_.show(fmt::format("SELECT summary FROM {}.snapshots ORDER BY "
                                             "committed_at DESC LIMIT 1",
                                             name_),
                                 1),
                    "summary", kIcebergMetrics);
    return Metrics{};
  }

  static std::string fingerprint(const std::vector<SparkRecord>& records) {
    std::string text;
    for (const SparkRecord& record : records)
      for (const auto& [name, value] : record) text += value + " ";
    return text;
  }

 private:
  template <std::size_t Count>
  static Attempt<std::map<std::string, std::string>> chosen(
      Attempt<std::vector<SparkRecord>> records, const std::string& column,
      const std::array<MetricName, Count>& names) {
    if (!records) return tl::unexpected(std::move(records).error());
    std::map<std::string, std::string> metrics;
    if (records->empty() || !records->front().contains(column)) return metrics;
    const auto object = nlohmann::json::parse(records->front()[column], nullptr, false);
    if (!object.is_object()) return metrics;
    for (const auto& [name, shown] : names) {
      const auto found = object.find(name);
      if (found != object.end() && found->is_string())
        metrics.emplace(shown, found->template get<std::string>());
    }
    return metrics;
  }

  static Way way_of(const Strategy& strategy, const SparkBenchOptions& options) {
    if (is_auto_cdc(strategy)) return Way::pipeline;
    if (options.real_stream) return Way::stream;
    return strategy.batch_function || !strategy.driver_function.empty() ? Way::batches
                                                                        : Way::statements;
  }

  Attempt<void> send(const json& command) {
    if (auto reply = target_.request(command); !reply)
      return tl::unexpected(std::move(reply).error());
    return {};
  }

  // Names, and that nothing of the user's is in the way: a function writes into a table whose name
  // it knows. That table is shared by all who are timed with that function, one after the other.
  Attempt<void> name_tables() {
    for (std::string* name : {&name_, &base_}) {
      auto fresh = target_.new_table_name();
      if (!fresh) return tl::unexpected(std::move(fresh).error());
      *name = std::move(*fresh);
    }
    if (strategy_.batch_function) {
      name_ = strategy_.batch_function->table;
      if (const std::size_t dot = name_.rfind('.'); dot != std::string::npos)
        if (auto made = target_.execute({"CREATE NAMESPACE IF NOT EXISTS " + name_.substr(0, dot)});
            !made)
          return made;
      if (named_.contains(name_))
        if (auto dropped = target_.execute({"DROP TABLE IF EXISTS " + name_}); !dropped)
          return dropped;
    }
    copies_ = {{name_, base_, {}}};
    if (way_ == Way::pipeline)
      copies_.push_back({auto_cdc_tombstones(name_), base_ + "_tombstones", {}});
    return {};
  }

  // The requests that take in all batches: one each, so that the deadline of a statement holds for
  // each, unless one stream takes them all.
  Attempt<std::vector<json>> merge_of(const std::vector<std::string>& sources, Way way) {
    const Schema& schema = prepared_.workload->schema;
    std::vector<json> requests;
    if (way == Way::pipeline) {
      read_ = auto_cdc_read(schema, strategy_.state, name_);
      json request = auto_cdc_flow(schema, strategy_.state, options_.flavour, name_);
      request["command"] = "auto_cdc_landing";
      request["landing"] = kLanding;
      requests.push_back(std::move(request));
      return requests;
    }
    for (const std::string& source : sources) {
      const std::string seen = way == Way::statements ? source : std::string(kView);
      auto rendered = render(strategy_, schema, {name_, seen});
      if (!rendered) return tl::unexpected(failure_of(rendered.error()));
      read_ = rendered->read;
      columns_ = rendered->table_columns;
      if (way == Way::statements) {
        requests.push_back({{"command", "sql"}, {"statements", rendered->apply}});
        continue;
      }
      json request = merge_request(strategy_, schema, rendered->apply, seen);
      request["command"] = way == Way::batches ? "merge_table" : "merge_landing";
      request["source"] = source;
      request["batch_id"] = requests.size();
      request["landing"] = kLanding;
      requests.push_back(std::move(request));
      if (way == Way::stream) break;
    }
    return requests;
  }

  std::string files_hint() const {
    const std::uint64_t files = prepared_.workload->shape.files;
    return files == 0 ? ""
                      : fmt::format("/*+ REPARTITION_BY_RANGE({}, {}) */ ", files,
                                    quote_identifier(prepared_.workload->schema.keys[0].name));
  }

  // The table that every reset starts from. What the strategy's own columns hold in a fresh row is
  // asked of the strategy: it merges two rows into an empty table.
  Attempt<void> fill() {
    if (auto created =
            target_.execute({fmt::format("CREATE TABLE {} ({}) {}", name_,
                                         column_definitions(columns_), target_.using_clause())});
        !created)
      return created;
    made_.push_back(name_);
    if (strategy_.batch_function) named_.insert(name_);
    // The sample is a view, which no stream reads.
    auto sample = merge_of({std::string(kSample)}, way_ == Way::stream ? Way::batches : way_);
    if (!sample) return tl::unexpected(std::move(sample).error());
    if (auto done = send(sample->front()); !done) return done;
    const BulkColumns bulk =
        bulk_columns(strategy_, prepared_.workload->schema, columns_, SqlDialect::spark);
    const std::string fresh = bulk.fresh_sql(name_);
    if (!bulk.fresh.empty()) {
      auto kinds = target_.show(fresh, 2);
      if (!kinds) return tl::unexpected(std::move(kinds).error());
      if (kinds->size() != 1)
        return tl::unexpected(make_failure(FailureKind::unsupported, kFreshRowsDiffer));
    }
    made_.push_back(base_);
    return target_.execute(
        {fmt::format("CREATE TABLE {} {} AS SELECT {}{} FROM ({}) initial CROSS JOIN ({}) fresh",
                     base_, target_.using_clause(), files_hint(), bulk.select,
                     initial_rows_sql(*prepared_.workload, SqlDialect::spark), fresh)});
  }

  // Auto CDC makes its tables itself, of the initial rows as a first micro-batch.
  Attempt<void> fill_by_pipeline() {
    json initial = merge_.front();
    initial["landing"] = kInitialLanding;
    for (const Copy& copy : copies_) made_.insert(made_.end(), {copy.name, copy.base});
    if (auto done = send(initial); !done) return done;
    for (Copy& copy : copies_) {
      if (auto done = target_.execute({fmt::format("CREATE TABLE {} {} AS SELECT * FROM {}",
                                                   copy.base, target_.using_clause(), copy.name)});
          !done)
        return done;
      auto properties = flow_properties(copy.name);
      if (!properties) return tl::unexpected(std::move(properties).error());
      copy.properties = std::move(*properties);
    }
    return {};
  }

  // What a flow notes about its tables, and looks for before it goes on with them.
  Attempt<std::string> flow_properties(const std::string& table) {
    auto records = target_.show("SHOW TBLPROPERTIES " + table, 1'000);
    if (!records) return tl::unexpected(std::move(records).error());
    std::string list;
    for (SparkRecord& record : *records)
      if (record["key"].starts_with("pipelines."))
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", spark_literal(record["key"]),
                            spark_literal(record["value"]));
    return list.empty() ? list : fmt::format("TBLPROPERTIES ({})", list);
  }

  // A table, and what each reset makes it of.
  struct Copy {
    std::string name;
    std::string base;
    std::string properties;  // a clause of CREATE TABLE
  };

  SparkTarget& target_;
  const base::Clock& clock_;
  const SparkBenchOptions& options_;
  const Prepared& prepared_;
  std::set<std::string>& named_;  // tables with names of users' functions that are ours to drop
  const Strategy strategy_;
  const Way way_;
  std::string name_, base_, read_;
  std::vector<Column> columns_;
  std::vector<Copy> copies_;
  std::vector<std::string> made_;
  std::vector<json> merge_;  // requests to the driver
};

class SparkBench final : public BenchEngine {
 public:
  SparkBench(std::unique_ptr<SparkTarget> target, SparkBenchOptions options, WorkFolder folder,
             const base::Clock& clock)
      : folder_(std::move(folder)),
        target_(std::move(target)),
        options_(std::move(options)),
        clock_(clock) {}

  const TargetInfo& info() const override { return target_->info(); }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    std::vector<std::pair<std::string, std::string>> facts = {{"engine", target_->info().engine}};
    facts.insert(facts.end(), options_.facts.begin(), options_.facts.end());
    return facts;
  }

  std::optional<Failure> why_not(const Strategy& strategy, const WorkloadShape&) const override {
    if (options_.flavour == TableFlavour::plain && !is_auto_cdc(strategy))
      return make_failure(FailureKind::unsupported,
                          "Spark's own tables have no MERGE: name a connector, such as "
                          "spark:4.1.3/delta:4.4.0");
    if (options_.all_in_connect && strategy.batch_function)
      return make_failure(FailureKind::unsupported,
                          "a function for foreachBatch and Auto CDC need sessions of their own: "
                          "time them apart");
    return target_->why_not(strategy);
  }

  Attempt<void> prepare(const Workload& workload) override {
    if (auto dropped = drop_prepared(); !dropped) return dropped;
    prepared_.workload = &workload;
    std::int64_t arrival = 0;
    for (const Batch& batch : workload.history.batches) {
      std::string text;
      for (const Row& row : source_rows(batch, arrival)) add_line(text, row);
      arrival += static_cast<std::int64_t>(batch.events.size());
      auto made = load(text, workload.schema.source_columns());
      if (!made) return tl::unexpected(std::move(made).error());
      prepared_.sources.push_back(std::move(*made));
    }
    std::string text;
    for (const Row& key : touched_keys(workload)) add_line(text, key);
    auto touched = load(text, workload.schema.keys);
    if (!touched) return tl::unexpected(std::move(touched).error());
    prepared_.touched = std::move(*touched);
    const std::vector<Column> columns = workload.schema.source_columns();
    std::string sample, names;
    for (const Row& row : source_rows(sample_batch(workload), 0)) {
      std::string values;
      for (std::size_t i = 0; i < columns.size(); ++i)
        values += (i == 0 ? "" : ", ") + literal_sql(row[i], columns[i].type, SqlDialect::spark);
      sample += fmt::format("{}({})", sample.empty() ? "" : ", ", values);
    }
    for (const Column& column : columns)
      names += (names.empty() ? "" : ", ") + quote_identifier(column.name);
    if (auto made = target_->execute(
            {fmt::format("CREATE OR REPLACE TEMPORARY VIEW {} AS SELECT * FROM VALUES {} AS v({})",
                         kSample, sample, names)});
        !made)
      return made;
    return land();
  }

  Attempt<std::string> untouched(StateKind state) override {
    const Workload& workload = *prepared_.workload;
    const JudgedRows rows = untouched_rows(workload, state, prepared_.touched, SqlDialect::spark);
    auto others = target_->show(other_rows_sql(rows, workload.schema, SqlDialect::spark), 1);
    if (!others) return tl::unexpected(std::move(others).error());
    return Table::fingerprint(*others);
  }

  Attempt<std::unique_ptr<BenchTable>> open(const Strategy& strategy) override {
    auto table = std::make_unique<Table>(*target_, clock_, options_, prepared_, named_, strategy);
    if (Attempt<void> made = table->make(); !made) return tl::unexpected(std::move(made).error());
    return table;
  }

 private:
  // A table of the lines, in Spark's own catalog.
  Attempt<std::string> load(const std::string& text, const std::vector<Column>& columns) {
    const std::string name = fmt::format("rowgate_bench_source_{}", ++loaded_);
    const std::filesystem::path file = std::filesystem::absolute(folder_.path()) / (name + ".csv");
    if (auto written = base::write_file_atomically(file, text); !written)
      return tl::unexpected(failure_of(written.error()));
    const std::string table = "spark_catalog.default." + name;
    auto made = target_->execute(
        {fmt::format("CREATE TABLE {} USING parquet AS SELECT {} FROM csv.`file://{}`", table,
                     typed_columns(columns), file.string())});
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    if (!made) return tl::unexpected(std::move(made).error());
    return table;
  }

  // What streams and pipelines read: the batches as files, and the initial rows as one more batch.
  Attempt<void> land() {
    if (!options_.real_stream && !options_.all_in_connect) return {};
    if (auto landed = land(kLanding, prepared_.sources); !landed) return landed;
    if (!options_.all_in_connect) return {};
    const Workload& workload = *prepared_.workload;
    const std::string view = "rowgate_bench_initial";
    if (auto made = target_->execute({fmt::format(
            "CREATE OR REPLACE TEMPORARY VIEW {} AS SELECT *, '{}' AS {}, CAST(0 AS BIGINT) AS {} "
            "FROM ({})",
            view, op_text(Operation::upsert), quote_identifier(workload.schema.op_column),
            quote_identifier(workload.schema.arrival_column),
            initial_rows_sql(workload, SqlDialect::spark))});
        !made)
      return made;
    return land(kInitialLanding, {view});
  }

  Attempt<void> land(std::string_view folder, const std::vector<std::string>& tables) {
    auto reply =
        target_->request({{"command", "landing"}, {"landing", folder}, {"tables", tables}});
    if (!reply) return tl::unexpected(std::move(reply).error());
    return {};
  }

  Attempt<void> drop_prepared() {
    std::vector<std::string> statements;
    for (const std::string& source : prepared_.sources)
      statements.push_back("DROP TABLE " + source);
    if (!prepared_.touched.empty()) statements.push_back("DROP TABLE " + prepared_.touched);
    prepared_ = {};
    if (statements.empty()) return {};
    return target_->execute(statements);
  }

  WorkFolder folder_;
  std::unique_ptr<SparkTarget> target_;
  SparkBenchOptions options_;
  const base::Clock& clock_;
  Prepared prepared_;
  std::set<std::string> named_;
  unsigned loaded_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> spark_bench_settings() {
  return {{"spark.sql.adaptive.enabled", "true"},
          {"spark.sql.shuffle.partitions", "8"},
          {"spark.databricks.delta.snapshotPartitions", "4"},
          {"spark.default.parallelism", "2"},
          {"spark.driver.extraJavaOptions", "-XX:+UseG1GC"}};
}

Result<std::unique_ptr<BenchEngine>> open_spark_bench(std::unique_ptr<SparkTarget> target,
                                                      SparkBenchOptions options,
                                                      const base::Clock& clock) {
  ROWGATE_TRY(WorkFolder folder, WorkFolder::create(options.work_parent, "rowgate-bench-"));
  return std::make_unique<SparkBench>(std::move(target), std::move(options), std::move(folder),
                                      clock);
}

}  // namespace rowgate::harness
