// Every strategy starts from the same rows, but its table may have columns of its own (a tombstone
// flag, the end of an interval). What those hold in a fresh row is asked of the strategy itself:
// it merges two rows into an empty table. The large table is then made in one statement, so that
// ten million rows take seconds and not a merge.
#include "harness/bench_embedded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "harness/dialect.hpp"
#include "harness/embedded_target.hpp"
#include "harness/failure.hpp"

namespace rowgate::harness {
namespace {

constexpr std::string_view kTouched = "touched", kSampleSource = "sample_source";

std::string source_name(std::size_t batch) {
  return fmt::format("source_{}", batch);
}

// Statements on one engine; an error becomes the Failure that names its statement.
class Sql {
 public:
  explicit Sql(DuckDb& engine) : engine_(engine) {}

  Attempt<Rows> query(const std::string& sql) {
    auto rows = engine_.query(sql);
    if (!rows) return tl::unexpected(embedded_failure(rows.error(), sql));
    return std::move(*rows);
  }
  Attempt<void> run(const std::string& sql) {
    if (auto done = query(sql); !done) return tl::unexpected(std::move(done).error());
    return {};
  }
  Attempt<void> run_all(const std::vector<std::string>& statements) {
    for (const std::string& sql : statements)
      if (auto done = run(sql); !done) return done;
    return {};
  }
  Attempt<void> make_table(std::string_view name, const std::vector<Column>& columns,
                           const Rows& rows) {
    const std::string table(name);
    if (auto dropped = run("DROP TABLE IF EXISTS " + table); !dropped) return dropped;
    if (auto made = run(embedded_create_table(table, columns)); !made) return made;
    if (auto filled = engine_.append(table, columns, rows); !filled)
      return tl::unexpected(embedded_failure(filled.error(), {}));
    return {};
  }

 private:
  DuckDb& engine_;
};

// A strategy's statements for one table and one source.
struct Translated {
  std::vector<EmbeddedStatement> apply;
  std::string read;
  std::vector<Column> columns;
};

Attempt<Translated> translate(const Strategy& strategy, const Schema& schema,
                              const SqlNames& names) {
  const auto rendered = render(strategy, schema, names);
  if (!rendered) return tl::unexpected(embedded_failure(rendered.error(), {}));
  Translated translated;
  translated.columns = rendered->table_columns;
  for (const std::string& sql : rendered->apply) {
    auto statement = spark_to_duckdb(sql, rendered->table_columns, schema.keys);
    if (!statement) return tl::unexpected(embedded_failure(statement.error(), sql));
    translated.apply.push_back(std::move(*statement));
  }
  auto read = spark_to_duckdb(rendered->read, rendered->table_columns, schema.keys);
  if (!read) return tl::unexpected(embedded_failure(read.error(), rendered->read));
  translated.read = std::move(read->sql);
  return translated;
}

class Table final : public BenchTable {
 public:
  Table(DuckDb& engine, const base::Clock& clock, const Workload& workload, unsigned number)
      : sql_(engine),
        clock_(clock),
        workload_(workload),
        name_(fmt::format("bench_{}", number)),
        base_(fmt::format("base_{}", number)) {}
  ~Table() override {
    // Nothing can be done about a failure here, and the database goes with the engine anyway.
    if (!sql_.run_all({"DROP TABLE IF EXISTS " + name_, "DROP TABLE IF EXISTS " + base_})) return;
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  Attempt<void> make(const Strategy& strategy) {
    state_ = strategy.state;
    for (std::size_t i = 0; i < workload_.history.batches.size(); ++i) {
      auto batch = translate(strategy, workload_.schema, {name_, source_name(i)});
      if (!batch) return tl::unexpected(std::move(batch).error());
      read_ = batch->read;
      batches_.push_back(std::move(batch->apply));
    }
    if (auto filled = fill(strategy); !filled) return filled;
    return try_out();
  }

  Attempt<void> reset() override {
    return sql_.run(fmt::format("CREATE OR REPLACE TABLE {} AS SELECT * FROM {}", name_, base_));
  }

  Attempt<double> merge() override {
    const auto start = clock_.tick();
    for (const auto& statements : batches_) {
      if (auto begun = sql_.run("BEGIN TRANSACTION"); !begun)
        return tl::unexpected(std::move(begun).error());
      for (const EmbeddedStatement& statement : statements) {
        if (auto done = sql_.run(statement.sql); done)
          continue;
        else
          return tl::unexpected(rolled_back(std::move(done).error()));
      }
      if (auto done = sql_.run("COMMIT"); !done) return tl::unexpected(std::move(done).error());
    }
    return std::chrono::duration<double>(clock_.tick() - start).count();
  }

  Attempt<BenchState> state() override {
    const JudgedRows rows{read_, state_, std::string(kTouched)};
    auto touched = sql_.query(touched_rows_sql(rows, workload_.schema));
    if (!touched) return tl::unexpected(std::move(touched).error());
    auto others = sql_.query(other_rows_sql(rows, workload_.schema, SqlDialect::duckdb));
    if (!others) return tl::unexpected(std::move(others).error());
    BenchState state{std::move(*touched), fingerprint(*others)};
    sort_rows(state.touched);
    return state;
  }

  Attempt<std::map<std::string, std::string>> metrics() override {
    return std::map<std::string, std::string>{};
  }

  static std::string fingerprint(const Rows& rows) {
    std::string text;
    for (const Row& row : rows)
      for (const Value& value : row) text += to_text(value) + " ";
    return text;
  }

 private:
  Failure rolled_back(Failure failure) {
    if (!sql_.run("ROLLBACK")) failure.evidence.emplace_back("nor could it be rolled back");
    return failure;
  }

  // The table that every reset copies.
  Attempt<void> fill(const Strategy& strategy) {
    auto sample = translate(strategy, workload_.schema, {name_, std::string(kSampleSource)});
    if (!sample) return tl::unexpected(std::move(sample).error());
    if (auto made = sql_.make_table(name_, sample->columns, {}); !made) return made;
    for (const EmbeddedStatement& statement : sample->apply)
      if (auto done = sql_.run(statement.sql); !done) return done;
    const BulkColumns bulk =
        bulk_columns(strategy, workload_.schema, sample->columns, SqlDialect::duckdb);
    const std::string fresh = bulk.fresh_sql(name_);
    auto kinds = sql_.query(fresh);
    if (!kinds) return tl::unexpected(std::move(kinds).error());
    if (kinds->size() != 1)
      return tl::unexpected(make_failure(FailureKind::unsupported, kFreshRowsDiffer));
    if (auto made = sql_.make_table(base_, sample->columns, {}); !made) return made;
    return sql_.run(fmt::format("INSERT INTO {} SELECT {} FROM ({}) initial, ({}) fresh", base_,
                                bulk.select, initial_rows_sql(workload_, SqlDialect::duckdb),
                                fresh));
  }

  // Merges once as Delta, Iceberg and PostgreSQL would: several source rows for one row of the
  // target are refused, though DuckDB takes them.
  Attempt<void> try_out() {
    if (auto done = reset(); !done) return done;
    for (const auto& statements : batches_) {
      for (const EmbeddedStatement& statement : statements) {
        if (statement.cardinality_check) {
          auto found = sql_.query(*statement.cardinality_check);
          if (!found) return tl::unexpected(std::move(found).error());
          if (!found->empty())
            return tl::unexpected(make_failure(
                FailureKind::refused,
                fmt::format("{} rows of the table match more than one row of a batch each",
                            base::with_thousands(found->size())),
                "MERGE_CARDINALITY_VIOLATION"));
        }
        if (auto done = sql_.run(statement.sql); !done) return done;
      }
    }
    return {};
  }

  Sql sql_;
  const base::Clock& clock_;
  const Workload& workload_;
  std::string name_, base_, read_;
  StateKind state_ = StateKind::scd1;
  std::vector<std::vector<EmbeddedStatement>> batches_;
};

class EmbeddedBench final : public BenchEngine {
 public:
  EmbeddedBench(std::unique_ptr<DuckDb> engine, const EngineLimits& limits,
                const base::Clock& clock)
      : engine_(std::move(engine)), sql_(*engine_), limits_(limits), clock_(clock) {
    info_.name = "embedded";
    std::string_view version = engine_->version();
    version.remove_prefix(version.substr(0, 1) == "v" ? 1 : 0);
    info_.engine = fmt::format("DuckDB {}", version);
  }

  const TargetInfo& info() const override { return info_; }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"engine", info_.engine + ", in memory"},
            {"engine threads", fmt::format("{}", limits_.threads)},
            {"engine memory limit", base::human_bytes(limits_.memory_bytes)}};
  }

  std::optional<Failure> why_not(const Strategy& strategy,
                                 const WorkloadShape& shape) const override {
    if (!strategy.needs_spark.empty())
      return make_failure(FailureKind::unsupported,
                          "needs a Spark target: " + strategy.needs_spark);
    if (strategy.apply.empty())
      return make_failure(FailureKind::unsupported, "needs a Spark target: the strategy is no SQL");
    if (shape.files > 0)
      return make_failure(FailureKind::unsupported, "the embedded engine's tables are not files");
    return std::nullopt;
  }

  Attempt<void> prepare(const Workload& workload) override {
    const std::vector<Column> columns = workload.schema.source_columns();
    for (; sources_ > workload.history.batches.size(); --sources_)
      if (auto dropped = sql_.run("DROP TABLE " + source_name(sources_ - 1)); !dropped)
        return dropped;
    workload_ = &workload;
    std::int64_t arrival = 0;
    for (std::size_t i = 0; i < workload.history.batches.size(); ++i) {
      const Batch& batch = workload.history.batches[i];
      if (auto made = sql_.make_table(source_name(i), columns, source_rows(batch, arrival)); !made)
        return made;
      sources_ = std::max(sources_, i + 1);
      arrival += static_cast<std::int64_t>(batch.events.size());
    }
    if (auto made = sql_.make_table(kTouched, workload.schema.keys, touched_keys(workload)); !made)
      return made;
    return sql_.make_table(kSampleSource, columns, source_rows(sample_batch(workload), 0));
  }

  Attempt<std::string> untouched(StateKind state) override {
    const JudgedRows rows =
        untouched_rows(*workload_, state, std::string(kTouched), SqlDialect::duckdb);
    auto others = sql_.query(other_rows_sql(rows, workload_->schema, SqlDialect::duckdb));
    if (!others) return tl::unexpected(std::move(others).error());
    return Table::fingerprint(*others);
  }

  Attempt<std::unique_ptr<BenchTable>> open(const Strategy& strategy) override {
    if (auto reason = why_not(strategy, workload_->shape))
      return tl::unexpected(std::move(*reason));
    auto table = std::make_unique<Table>(*engine_, clock_, *workload_, ++tables_);
    if (Attempt<void> made = table->make(strategy); !made)
      return tl::unexpected(std::move(made).error());
    return table;
  }

 private:
  std::unique_ptr<DuckDb> engine_;
  Sql sql_;
  EngineLimits limits_;
  const base::Clock& clock_;
  TargetInfo info_;
  const Workload* workload_ = nullptr;  // of the case
  std::size_t sources_ = 0;             // source tables that there are
  unsigned tables_ = 0;
};

}  // namespace

Result<std::unique_ptr<BenchEngine>> open_embedded_bench(const std::filesystem::path& library,
                                                         const EngineLimits& limits,
                                                         const base::Clock& clock) {
  ROWGATE_TRY(std::unique_ptr<DuckDb> engine, DuckDb::load(library, limits));
  return std::make_unique<EmbeddedBench>(std::move(engine), limits, clock);
}

}  // namespace rowgate::harness
