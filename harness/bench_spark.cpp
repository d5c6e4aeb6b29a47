// Events reach Spark as files of comma-separated values, are made into tables once a case, and are
// read from there in the timed region, as a micro-batch is read from a landing zone.
//
// The same state before each run: with Delta the table is dropped and becomes a shallow clone of a
// table that nothing ever changes: a fresh log over the same files. With others it is made anew
// from such a table. Both happen outside of the clock, as does a garbage collection.
#include "harness/bench_spark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/failure.hpp"
#include "harness/work_folder.hpp"

namespace rowgate::harness {
namespace {

constexpr std::string_view kSample = "rowgate_bench_sample";
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

class Table final : public BenchTable {
 public:
  Table(SparkTarget& target, const base::Clock& clock, const SparkBenchOptions& options,
        const Prepared& prepared, StateKind state)
      : target_(target), clock_(clock), options_(options), prepared_(prepared), state_(state) {}
  ~Table() override {
    for (const std::string& name : {name_, base_})
      if (!name.empty())
        // Nothing can be done about a failure here, and the table goes with the session anyway.
        if (!target_.execute({"DROP TABLE IF EXISTS " + name})) return;
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  Attempt<void> make(const Strategy& strategy) {
    for (std::string* name : {&name_, &base_}) {
      auto fresh = target_.new_table_name();
      if (!fresh) return tl::unexpected(std::move(fresh).error());
      *name = std::move(*fresh);
    }
    const Schema& schema = prepared_.workload->schema;
    for (const std::string& source : prepared_.sources) {
      auto rendered = render(strategy, schema, {name_, source});
      if (!rendered) return tl::unexpected(failure_of(rendered.error()));
      read_ = rendered->read;
      batches_.push_back(std::move(rendered->apply));
    }
    return fill(strategy);
  }

  Attempt<void> reset() override {
    std::vector<std::string> statements = {"DROP TABLE IF EXISTS " + name_};
    if (options_.flavour == TableFlavour::delta)
      statements.push_back(fmt::format("CREATE TABLE {} SHALLOW CLONE {}", name_, base_));
    else
      statements.push_back(fmt::format("CREATE TABLE {} {} AS SELECT {}* FROM {}", name_,
                                       target_.using_clause(), files_hint(), base_));
    // In local mode this is the one JVM; on a cluster it is one executor's, for what it is worth.
    statements.emplace_back("SELECT reflect('java.lang.System', 'gc')");
    return target_.execute(statements);
  }

  Attempt<double> merge() override {
    const auto start = clock_.tick();
    for (const std::vector<std::string>& statements : batches_)
      if (auto done = target_.execute(statements); !done)
        return tl::unexpected(std::move(done).error());
    return std::chrono::duration<double>(clock_.tick() - start).count();
  }

  Attempt<BenchState> state() override {
    const bool history = state_ == StateKind::scd2;
    const std::string rows =
        fmt::format("({}) AS r(id, name, amount, since{})", read_, history ? ", until" : "");
    const std::vector<Column> columns = state_columns(state_, prepared_.workload->schema);
    BenchState state;
    const std::size_t parts = prepared_.workload->touched.size() / kRowsAtOnce + 1;
    for (std::size_t part = 0; part < parts; ++part) {
      auto records = target_.show(
          fmt::format("SELECT r.* FROM {} LEFT SEMI JOIN {} t ON r.id = t.id WHERE pmod(r.id, {}) "
                      "= {}",
                      rows, prepared_.touched, parts, part),
          kRowsAtOnce * 2);
      if (!records) return tl::unexpected(std::move(records).error());
      for (const SparkRecord& record : *records) {
        auto row = row_of(record, columns);
        if (!row) return tl::unexpected(failure_of(row.error()));
        state.touched.push_back(std::move(*row));
      }
    }
    sort_rows(state.touched);
    auto others = target_.show(
        fmt::format("SELECT count(*) AS c, sum(CAST(xxhash64(r.id, r.name, r.amount, r.since) AS "
                    "DECIMAL(38,0))) AS h, {} AS u FROM {} LEFT ANTI JOIN {} t ON r.id = t.id",
                    history ? "count(r.until)" : "0", rows, prepared_.touched),
        1);
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

  static Result<Row> row_of(const SparkRecord& record, const std::vector<Column>& columns) {
    static constexpr std::array<const char*, 5> kNames = {"id", "name", "amount", "since", "until"};
    Row row;
    for (std::size_t i = 0; i < columns.size() && i < kNames.size(); ++i) {
      const auto found = record.find(kNames[i]);
      if (found == record.end())
        return fail(ErrorCode::malformed, "the driver's answer lacks a column", kNames[i]);
      if (found->second.empty()) {
        row.push_back(Value::null());
        continue;
      }
      ROWGATE_TRY(Value value, parse_value(found->second, columns[i].type));
      row.push_back(std::move(value));
    }
    return row;
  }

  std::string files_hint() const {
    const std::uint64_t files = prepared_.workload->shape.files;
    return files == 0 ? "" : fmt::format("/*+ REPARTITION_BY_RANGE({}, id) */ ", files);
  }

  // The table that every reset starts from. What the strategy's own columns hold in a fresh row is
  // asked of the strategy: it merges two rows into an empty table.
  Attempt<void> fill(const Strategy& strategy) {
    const Schema& schema = prepared_.workload->schema;
    auto sample = render(strategy, schema, {name_, std::string(kSample)});
    if (!sample) return tl::unexpected(failure_of(sample.error()));
    std::vector<std::string> statements = {fmt::format("CREATE TABLE {} ({}) {}", name_,
                                                       column_definitions(sample->table_columns),
                                                       target_.using_clause())};
    statements.insert(statements.end(), sample->apply.begin(), sample->apply.end());
    if (auto done = target_.execute(statements); !done) return done;
    std::string extra;
    for (std::size_t i = schema.table_columns().size(); i < sample->table_columns.size(); ++i)
      extra += (extra.empty() ? "" : ", ") + quote_identifier(sample->table_columns[i].name);
    std::string fresh = "SELECT 1";
    if (!extra.empty()) {
      fresh = fmt::format("SELECT DISTINCT {} FROM {}", extra, name_);
      auto kinds = target_.show(fresh, 2);
      if (!kinds) return tl::unexpected(std::move(kinds).error());
      if (kinds->size() != 1)
        return tl::unexpected(
            make_failure(FailureKind::unsupported,
                         "its own columns differ from row to row in a fresh table, so "
                         "the table cannot be made in bulk"));
    }
    return target_.execute({fmt::format(
        "CREATE TABLE {} {} AS SELECT {}initial.*{}{} FROM (SELECT {} FROM range({})) initial "
        "CROSS JOIN ({}) fresh",
        base_, target_.using_clause(), files_hint(), extra.empty() ? "" : ", ", extra,
        kInitialColumnsSql, prepared_.workload->shape.rows, fresh)});
  }

  SparkTarget& target_;
  const base::Clock& clock_;
  const SparkBenchOptions& options_;
  const Prepared& prepared_;
  StateKind state_;
  std::string name_, base_, read_;
  std::vector<std::vector<std::string>> batches_;
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
    if (options_.flavour == TableFlavour::plain)
      return make_failure(FailureKind::unsupported,
                          "Spark's own tables have no MERGE: name a connector, such as "
                          "spark:4.1.3/delta:4.4.0");
    if (!strategy.driver_function.empty())
      return make_failure(FailureKind::unsupported,
                          "only strategies that are SQL are timed: " + strategy.driver_function +
                              " runs in Spark's driver");
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
    for (const std::int64_t id : workload.touched) add_line(text, {Value::integer(id)});
    auto touched = load(text, workload.schema.keys);
    if (!touched) return tl::unexpected(std::move(touched).error());
    prepared_.touched = std::move(*touched);
    std::string sample;
    for (const std::int64_t id : {0, 1}) {
      const Row row = initial_row(id);
      sample += fmt::format("{}({}L, '{}', {}L, {}L, '{}', {}L)", sample.empty() ? "" : ", ", id,
                            to_text(row[1]), to_text(row[2]), to_text(row[3]),
                            op_text(Operation::upsert), id);
    }
    std::string names;
    for (const Column& column : workload.schema.source_columns())
      names += (names.empty() ? "" : ", ") + quote_identifier(column.name);
    return target_->execute(
        {fmt::format("CREATE OR REPLACE TEMPORARY VIEW {} AS SELECT * FROM "
                     "VALUES {} AS v({})",
                     kSample, sample, names)});
  }

  Attempt<std::string> untouched(StateKind) override {
    auto records = target_->show(
        fmt::format("SELECT count(*) AS c, sum(CAST(xxhash64(r.id, r.name, r.amount, r._seq) AS "
                    "DECIMAL(38,0))) AS h, 0 AS u FROM (SELECT {} FROM range({})) r LEFT ANTI JOIN "
                    "{} t ON r.id = t.id",
                    kInitialColumnsSql, prepared_.workload->shape.rows, prepared_.touched),
        1);
    if (!records) return tl::unexpected(std::move(records).error());
    return Table::fingerprint(*records);
  }

  Attempt<std::unique_ptr<BenchTable>> open(const Strategy& strategy) override {
    auto table = std::make_unique<Table>(*target_, clock_, options_, prepared_, strategy.state);
    if (Attempt<void> made = table->make(strategy); !made)
      return tl::unexpected(std::move(made).error());
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
