// A file's records go into a table of texts; one INSERT takes them apart. A name is looked up by
// JSON pointer, so that no name is taken for a path. A value belongs into a column when its JSON
// type fits (an INT takes integers, a STRING takes anything, as its JSON text when it is no
// string), which is what Spark's JSON reader does; what belongs nowhere is put together again as
// rescued data.
#include "harness/drift_embedded.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/text.hpp"
#include "harness/drift_silver.hpp"

namespace rowgate::harness {
namespace {

const Type kString{TypeKind::string, 0, 0};
const Type kLong{TypeKind::int64, 0, 0};

std::string literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

// The names are identifiers (drift_fixture.cpp), so nothing in a pointer needs escaping.
std::string pointer(const std::string& name) {
  return literal("/" + name);
}

// The value of a name in `text` as the column's type; NULL when it is none.
std::string typed(const Column& column) {
  const std::string at = pointer(column.name);
  const std::string kind = fmt::format("json_type(text, {})", at);
  const std::string as_text = fmt::format("json_extract_string(text, {})", at);
  const std::string whole = "('BIGINT', 'UBIGINT', 'HUGEINT')";
  switch (column.type.kind) {
    case TypeKind::boolean:
      return fmt::format("CASE WHEN {} = 'BOOLEAN' THEN TRY_CAST({} AS BOOLEAN) END", kind,
                         as_text);
    case TypeKind::int32:
    case TypeKind::int64:
      return fmt::format("CASE WHEN {} IN {} THEN TRY_CAST({} AS {}) END", kind, whole, as_text,
                         to_duckdb_sql(column.type));
    case TypeKind::float64:
      return fmt::format(
          "CASE WHEN {} IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE') THEN TRY_CAST({} AS DOUBLE) "
          "END",
          kind, as_text);
    case TypeKind::date:
      return fmt::format(
          "CASE WHEN {} = 'VARCHAR' AND regexp_full_match({}, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}') "
          "THEN TRY_CAST({} AS DATE) END",
          kind, as_text, as_text);
    default: return fmt::format("CASE WHEN {} <> 'NULL' THEN {} END", kind, as_text);
  }
}

class EmbeddedDriftEngine final : public DriftEngine {
 public:
  EmbeddedDriftEngine(EmbeddedTarget& target, const base::Clock& clock)
      : target_(target), engine_(target.engine()), clock_(clock) {}

  const TargetInfo& info() const override { return target_.info(); }

  Attempt<void> begin(const std::vector<Column>& columns) override {
    finish();
    const unsigned number = ++number_;
    bronze_ = fmt::format("bronze_{}", number);
    silver_ = fmt::format("silver_{}", number);
    raw_ = fmt::format("raw_{}", number);
    columns_ = columns;
    if (auto made = run(embedded_create_table(raw_, raw_columns())); !made) return made;
    return run(embedded_create_table(bronze_, with_bronze_metadata(columns_)));
  }

  Attempt<std::vector<std::string>> names(const DriftFile& file) override {
    if (auto loaded = load(file); !loaded) return tl::unexpected(std::move(loaded).error());
    auto rows =
        query(fmt::format("SELECT DISTINCT name FROM ({}) WHERE json_type(value) <> 'NULL' "
                          "ORDER BY name",
                          named_values()));
    if (!rows) return tl::unexpected(std::move(rows).error());
    std::vector<std::string> names;
    for (const Row& row : *rows) names.push_back(to_text(row.at(0)));
    return names;
  }

  Attempt<void> add_columns(const std::vector<std::string>& names) override {
    for (const std::string& name : names) {
      if (auto added = run(
              fmt::format("ALTER TABLE {} ADD COLUMN {} VARCHAR", bronze_, quote_for_duckdb(name)));
          !added)
        return added;
      columns_.push_back({name, kString});
    }
    return {};
  }

  Attempt<void> ingest(const DriftFile& file, std::uint64_t batch_id, Rescue rescue) override {
    if (auto loaded = load(file); !loaded) return loaded;
    std::vector<std::string> names, values, kept, cases;
    for (const Column& column : columns_) {
      const std::string name = quote_for_duckdb(column.name);
      names.push_back(name);
      values.push_back("t." + name);
      kept.push_back(fmt::format("{} AS {}", typed(column), name));
      cases.push_back(fmt::format("WHEN {} THEN t.{} IS NULL", literal(column.name), name));
    }
    // Column by column, what a record has and the typed row has not.
    const std::string left_over = fmt::format(
        "SELECT v.line, json_group_object(v.name, v.value) AS rest FROM ({}) v JOIN t USING (line) "
        "WHERE json_type(v.value) <> 'NULL' AND CASE v.name {} ELSE TRUE END GROUP BY v.line",
        named_values(), base::join(cases, " "));
    const std::string rescued = rescue == Rescue::off
                                    ? "NULL"
                                    : "CASE WHEN l.rest IS NOT NULL THEN json_merge_patch(l.rest, "
                                      "json_object('_file_path', t.source_file)) END";
    return run(fmt::format(
        "INSERT INTO {} ({}, _rescued_data, ingest_time, source_file, batch_id) "
        "WITH t AS (SELECT line, source_file, {} FROM {}), l AS ({}) "
        "SELECT {}, {}, make_timestamp({}), t.source_file, {} FROM t LEFT JOIN l USING (line)",
        bronze_, base::join(names, ", "), base::join(kept, ", "), raw_, left_over,
        base::join(values, ", "), rescued, micros_now(), batch_id));
  }

  Attempt<Rows> bronze() override {
    std::vector<std::string> names;
    for (const Column& column : with_bronze_metadata(columns_))
      names.push_back(quote_for_duckdb(column.name));
    return query(fmt::format("SELECT {} FROM {}", base::join(names, ", "), bronze_));
  }

  Attempt<SilverRun> silver(const std::vector<ContractColumn>& contract) override {
    std::vector<Column> columns;
    for (const ContractColumn& each : contract) columns.push_back(each.column);
    const SilverSql sql = silver_sql(contract, columns_, bronze_, silver_, dialect());
    SilverRun run_of;
    auto counts = query(sql.checks);
    if (!counts) return tl::unexpected(std::move(counts).error());
    if (const auto read = read_silver_checks(*counts, contract.size(), run_of); !read)
      return tl::unexpected(embedded_failure(read.error(), sql.checks));
    for (const std::string& statement : {embedded_create_table(silver_, columns), sql.fill})
      if (auto done = run(statement); !done) return tl::unexpected(std::move(done).error());
    auto names =
        query(fmt::format("SELECT name FROM pragma_table_info({}) ORDER BY cid", literal(silver_)));
    if (!names) return tl::unexpected(std::move(names).error());
    for (const Row& row : *names) run_of.columns.push_back(to_text(row.at(0)));
    auto rows = query("SELECT * FROM " + silver_);
    if (!rows) return tl::unexpected(std::move(rows).error());
    run_of.rows = std::move(*rows);
    return run_of;
  }

  void finish() override {
    if (bronze_.empty()) return;
    for (const std::string& table : {bronze_, silver_, raw_})
      // Nothing can be done about a failure here, and the database goes with the target anyway.
      if (!engine_.query("DROP TABLE IF EXISTS " + table)) return;
    bronze_.clear();
  }

 private:
  static std::vector<Column> raw_columns() {
    return {{"line", kLong}, {"source_file", kString}, {"text", kString}};
  }

  std::string named_values() const {
    return fmt::format(
        "SELECT line, name, json_extract(text, '/' || name) AS value FROM (SELECT line, text, "
        "unnest(json_keys(text)) AS name FROM {})",
        raw_);
  }

  static SilverDialect dialect() {
    SilverDialect dialect;
    dialect.quote = [](const std::string& name) { return quote_for_duckdb(name); };
    dialect.type = [](const Type& type) { return to_duckdb_sql(type); };
    dialect.below = [](const std::string& column, const std::vector<std::string>& path) {
      return fmt::format("CASE WHEN json_valid({0}) THEN json_extract_string({0}, {1}) END", column,
                         pointer(base::join(path, "/")));
    };
    // DuckDB would round '12.5' to an INTEGER, which Spark refuses.
    dialect.cast = [](const std::string& value, const Type& from, const Type& to) {
      const std::string cast = fmt::format("TRY_CAST({} AS {})", value, to_duckdb_sql(to));
      const bool whole = to.kind == TypeKind::int32 || to.kind == TypeKind::int64;
      if (!whole || from.kind != TypeKind::string) return cast;
      return fmt::format("CASE WHEN regexp_full_match({}, '[+-]?[0-9]+') THEN {} END", value, cast);
    };
    return dialect;
  }

  std::int64_t micros_now() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(clock_.now().time_since_epoch())
        .count();
  }

  Attempt<void> load(const DriftFile& file) {
    if (auto emptied = run("DELETE FROM " + raw_); !emptied) return emptied;
    Rows rows;
    for (const std::string& line : file.lines)
      rows.push_back({Value::integer(static_cast<std::int64_t>(rows.size())),
                      Value::text(file.name), Value::text(line)});
    if (const auto done = engine_.append(raw_, raw_columns(), rows); !done)
      return tl::unexpected(embedded_failure(done.error(), "append to " + raw_));
    return {};
  }

  Attempt<void> run(const std::string& sql) {
    if (auto done = engine_.query(sql); !done)
      return tl::unexpected(embedded_failure(done.error(), sql));
    return {};
  }

  Attempt<Rows> query(const std::string& sql) {
    auto rows = engine_.query(sql);
    if (!rows) return tl::unexpected(embedded_failure(rows.error(), sql));
    return std::move(*rows);
  }

  EmbeddedTarget& target_;
  DuckDb& engine_;
  const base::Clock& clock_;
  std::string bronze_, silver_, raw_;
  std::vector<Column> columns_;
  unsigned number_ = 0;
};

}  // namespace

std::unique_ptr<DriftEngine> drift_engine(EmbeddedTarget& target, const base::Clock& clock) {
  return std::make_unique<EmbeddedDriftEngine>(target, clock);
}

}  // namespace rowgate::harness
