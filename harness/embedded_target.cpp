// One DuckDB database holds all runs; each run has a target and a source table of its own. A batch
// is one transaction: the source table is filled, every statement of the strategy runs, and a
// failure rolls everything back, so a refused batch leaves the table unchanged as on the real
// engines.
#include "harness/embedded_target.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "base/text.hpp"
#include "harness/dialect.hpp"

namespace rowgate::harness {

std::string embedded_create_table(const std::string& name, const std::vector<Column>& columns) {
  std::string sql = "CREATE TABLE " + name + " (";
  for (std::size_t i = 0; i < columns.size(); ++i)
    sql += fmt::format("{}{} {}", i == 0 ? "" : ", ", quote_for_duckdb(columns[i].name),
                       to_duckdb_sql(columns[i].type));
  return sql + ")";
}

Failure embedded_failure(const Error& error, std::string statement) {
  Failure failure;
  // What the engine says about a statement is a refusal; anything else leaves us without a result.
  failure.kind = error.code == ErrorCode::child_process ? FailureKind::refused
                 : error.code == ErrorCode::unsupported ? FailureKind::unsupported
                                                        : FailureKind::not_run;
  const std::string first_line = error.message.substr(0, error.message.find('\n'));
  if (first_line.substr(0, 17) == "interrupted after" ||
      first_line.substr(0, 15) == "Out of Memory E")
    failure.kind = FailureKind::not_run;
  failure.message = base::printable(first_line);
  // "Binder Error: …", "Conversion Error: …"
  if (const std::size_t colon = first_line.find(" Error: "); colon < 40)
    failure.error_name = base::printable(first_line.substr(0, colon + 6));
  failure.statement = std::move(statement);
  for (const std::string_view line : base::split(error.message, '\n'))
    if (failure.evidence.size() < 20) failure.evidence.push_back(base::printable(line));
  return failure;
}

namespace {

constexpr std::size_t kMaxReportedKeys = 2'000'000;

struct PreparedStatement {
  std::string spark_sql;
  EmbeddedStatement embedded;
};

class Run final : public EmbeddedRun {
 public:
  Run(DuckDb& engine, Schema schema, std::string target, std::string source)
      : engine_(engine),
        schema_(std::move(schema)),
        target_(std::move(target)),
        source_(std::move(source)),
        source_columns_(schema_.source_columns()) {}
  ~Run() override {
    // Nothing can be done about a failure here, and the database goes with the target anyway.
    if (!engine_.query("DROP TABLE IF EXISTS " + target_) ||
        !engine_.query("DROP TABLE IF EXISTS " + source_))
      return;
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Attempt<void> prepare(const Strategy& strategy) {
    const auto rendered = render(strategy, schema_, {target_, source_});
    if (!rendered) return tl::unexpected(embedded_failure(rendered.error(), {}));
    for (const std::string& sql : rendered->apply) {
      auto statement = spark_to_duckdb(sql, rendered->table_columns, schema_.keys);
      if (!statement) return tl::unexpected(embedded_failure(statement.error(), sql));
      statements_.push_back({sql, std::move(*statement)});
    }
    auto read = spark_to_duckdb(rendered->read, rendered->table_columns, schema_.keys);
    if (!read) return tl::unexpected(embedded_failure(read.error(), rendered->read));
    read_ = {rendered->read, std::move(*read)};
    state_width_ = state_columns(strategy.state, schema_).size();
    for (const std::string& sql : {embedded_create_table(target_, rendered->table_columns),
                                   embedded_create_table(source_, source_columns_)})
      if (auto created = engine_.query(sql); !created)
        return tl::unexpected(embedded_failure(created.error(), sql));
    return {};
  }

  Attempt<void> apply(const Batch& batch, std::uint64_t, std::int64_t first_arrival) override {
    const Rows rows = source_rows(batch, first_arrival);
    return in_transaction([&] { return engine_.append(source_, source_columns_, rows); });
  }

  Attempt<void> apply_columns(const SourceColumns& source) override {
    return in_transaction([&] { return engine_.append(source_, source); });
  }

  Attempt<Rows> read() override {
    auto rows = engine_.query(read_.embedded.sql);
    if (!rows) return tl::unexpected(embedded_failure(rows.error(), read_.spark_sql));
    if (!rows->empty() && rows->front().size() != state_width_) {
      Failure failure;
      failure.kind = FailureKind::refused;
      failure.message = fmt::format("the query for the final rows gives {} columns, {} are needed",
                                    rows->front().size(), state_width_);
      failure.statement = read_.spark_sql;
      return tl::unexpected(std::move(failure));
    }
    sort_rows(*rows);
    return std::move(*rows);
  }

  DuckDb& engine() override { return engine_; }
  const std::string& target_table() const override { return target_; }

 private:
  template <class Fill>
  Attempt<void> in_transaction(const Fill& fill) {
    if (auto begun = engine_.query("BEGIN TRANSACTION"); !begun)
      return tl::unexpected(embedded_failure(begun.error(), "BEGIN"));
    Attempt<void> done = apply_statements(fill);
    const char* last = done ? "COMMIT" : "ROLLBACK";
    if (auto ended = engine_.query(last); !ended && done)
      return tl::unexpected(embedded_failure(ended.error(), last));
    return done;
  }

  template <class Fill>
  Attempt<void> apply_statements(const Fill& fill) {
    const std::string empty = "DELETE FROM " + source_;
    if (auto emptied = engine_.query(empty); !emptied)
      return tl::unexpected(embedded_failure(emptied.error(), empty));
    if (const Result<void> filled = fill(); !filled)
      return tl::unexpected(embedded_failure(filled.error(), {}));
    for (const PreparedStatement& statement : statements_) {
      if (Attempt<void> checked = check_cardinality(statement); !checked) return checked;
      if (auto executed = engine_.query(statement.embedded.sql); !executed)
        return tl::unexpected(embedded_failure(executed.error(), statement.spark_sql));
    }
    return {};
  }

  Attempt<void> check_cardinality(const PreparedStatement& statement) {
    if (!statement.embedded.cardinality_check) return {};
    auto found = engine_.query(*statement.embedded.cardinality_check, kMaxReportedKeys);
    if (!found) return tl::unexpected(embedded_failure(found.error(), statement.spark_sql));
    if (found->empty()) return {};
    Failure failure;
    failure.kind = FailureKind::refused;
    failure.error_name = "MERGE_CARDINALITY_VIOLATION";
    failure.message = fmt::format(
        "{} source rows match one row of the target: Delta, Iceberg and PostgreSQL "
        "refuse such a MERGE (DuckDB itself would not, and would keep any of them)",
        to_text(found->front().back()));
    failure.statement = statement.spark_sql;
    for (Row& row : *found) {
      row.pop_back();
      failure.keys.push_back(std::move(row));
    }
    sort_rows(failure.keys);
    return tl::unexpected(std::move(failure));
  }

  DuckDb& engine_;
  Schema schema_;
  std::string target_;
  std::string source_;
  std::vector<Column> source_columns_;
  std::vector<PreparedStatement> statements_;
  PreparedStatement read_;
  std::size_t state_width_ = 0;
};

class DuckDbTarget final : public EmbeddedTarget {
 public:
  explicit DuckDbTarget(std::unique_ptr<DuckDb> engine) : engine_(std::move(engine)) {
    info_.name = "embedded";
    std::string_view version = engine_->version();
    version.remove_prefix(version.substr(0, 1) == "v" ? 1 : 0);
    info_.engine = fmt::format("DuckDB {}", version);
  }

  const TargetInfo& info() const override { return info_; }
  DuckDb& engine() override { return *engine_; }

  std::optional<Failure> why_not(const Strategy& strategy) const override {
    Failure failure;
    failure.kind = FailureKind::unsupported;
    if (!strategy.needs_spark.empty())
      failure.message = "needs a Spark target: " + strategy.needs_spark;
    else if (strategy.apply.empty())
      failure.message = "needs a Spark target: the strategy is no SQL";
    else
      return std::nullopt;
    return failure;
  }

  Attempt<std::unique_ptr<TableRun>> open(const Strategy& strategy, const Schema& schema) override {
    if (auto reason = why_not(strategy)) return tl::unexpected(std::move(*reason));
    if (const Result<void> checked = check_schema(schema); !checked)
      return tl::unexpected(embedded_failure(checked.error(), {}));
    const std::uint64_t number = ++runs_;
    auto run = std::make_unique<Run>(*engine_, schema, fmt::format("target_{}", number),
                                     fmt::format("source_{}", number));
    if (Attempt<void> prepared = run->prepare(strategy); !prepared)
      return tl::unexpected(std::move(prepared).error());
    return run;
  }

 private:
  std::unique_ptr<DuckDb> engine_;
  TargetInfo info_;
  std::uint64_t runs_ = 0;
};

}  // namespace

Result<std::string> duckdb_jar_entry() {
  utsname system{};
  if (::uname(&system) != 0) return fail(ErrorCode::unsupported, "the platform is unknown");
  const std::string_view kernel = system.sysname, machine = system.machine;
  if (kernel == "Linux" && machine == "x86_64") return "libduckdb_java.so_linux_amd64";
  if (kernel == "Linux" && machine == "aarch64") return "libduckdb_java.so_linux_arm64";
  return fail(ErrorCode::unsupported,
              fmt::format("{} has no build for {} on {}", kDuckDbCoordinate, kernel, machine), {},
              std::nullopt, "use a Spark target");
}

Result<std::unique_ptr<EmbeddedTarget>> EmbeddedTarget::open_library(
    const std::filesystem::path& library, const EngineLimits& limits) {
  ROWGATE_TRY(std::unique_ptr<DuckDb> engine, DuckDb::load(library, limits));
  return std::make_unique<DuckDbTarget>(std::move(engine));
}

}  // namespace rowgate::harness
