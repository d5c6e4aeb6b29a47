#include "harness/drift_spark.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "harness/drift_silver.hpp"
#include "harness/failure.hpp"
#include "harness/spark_wire.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

const Type kString{TypeKind::string, 0, 0};

class SparkDriftEngine final : public DriftEngine {
 public:
  explicit SparkDriftEngine(SparkTarget& target) : target_(target) {}

  const TargetInfo& info() const override { return target_.info(); }

  Attempt<void> begin(const std::vector<Column>& columns) override {
    columns_ = columns;
    folder_ = fmt::format("drift-{}", ++number_);
    auto made = create(with_bronze_metadata(columns_), bronze_);
    driver_ = target_.driver_process_id();
    return made;
  }

  Attempt<std::vector<std::string>> names(const DriftFile& file) override {
    if (target_.driver_process_id() != driver_) return lost_session();
    json command = file_command("drift_names", file);
    auto reply = target_.request(command);
    if (!reply) return tl::unexpected(std::move(reply).error());
    std::vector<std::string> names;
    for (const json& name : (*reply)["names"])
      if (name.is_string()) names.push_back(name.get<std::string>());
    return names;
  }

  Attempt<void> add_columns(const std::vector<std::string>& names) override {
    if (target_.driver_process_id() != driver_) return lost_session();
    std::vector<std::string> added;
    for (const std::string& name : names) {
      added.push_back(quote_identifier(name) + " STRING");
      columns_.push_back({name, kString});
    }
    return target_.execute(
        {fmt::format("ALTER TABLE {} ADD COLUMNS ({})", bronze_, base::join(added, ", "))});
  }

  Attempt<void> ingest(const DriftFile& file, std::uint64_t batch_id, Rescue rescue) override {
    if (target_.driver_process_id() != driver_) return lost_session();
    json command = file_command("drift_ingest", file);
    command["table"] = bronze_;
    command["columns"] = wire_columns(columns_);
    command["batch_id"] = batch_id;
    command["rescue"] = rescue == Rescue::on;
    if (auto reply = target_.request(command); !reply)
      return tl::unexpected(std::move(reply).error());
    return {};
  }

  Attempt<Rows> bronze() override {
    if (target_.driver_process_id() != driver_) return lost_session();
    return select(bronze_, with_bronze_metadata(columns_));
  }

  Attempt<SilverRun> silver(const std::vector<ContractColumn>& contract) override {
    if (target_.driver_process_id() != driver_) return lost_session();
    std::vector<Column> columns;
    for (const ContractColumn& each : contract) columns.push_back(each.column);
    std::string table;
    if (auto made = create(columns, table); !made) return tl::unexpected(std::move(made).error());
    const SilverSql sql = silver_sql(contract, columns_, bronze_, table, dialect());
    auto counts = target_.query(sql.checks, silver_check_columns(contract));
    if (!counts) return tl::unexpected(std::move(counts).error());
    SilverRun run;
    if (const auto read = read_silver_checks(*counts, contract.size(), run); !read)
      return tl::unexpected(failure_of(read.error()));
    if (auto filled = target_.execute({sql.fill}); !filled)
      return tl::unexpected(std::move(filled).error());
    auto described = target_.show("DESCRIBE TABLE " + table, kMaxTableRows);
    if (!described) return tl::unexpected(std::move(described).error());
    for (const SparkRecord& record : *described) {
      const auto name = record.find("col_name");
      // Sections about partitions and the like follow, each with a title.
      if (name == record.end() || name->second.empty() || name->second[0] == '#') break;
      run.columns.push_back(name->second);
    }
    auto rows = select(table, columns);
    if (!rows) return tl::unexpected(std::move(rows).error());
    run.rows = std::move(*rows);
    return run;
  }

  void finish() override {
    const std::vector<std::string> tables = std::exchange(tables_, {});
    if (target_.driver_process_id() != driver_ || tables.empty()) return;
    // Nothing can be done about a failure here, and the tables go with the session anyway.
    if (auto reply = target_.request({{"command", "forget"}, {"tables", tables}}); !reply) return;
  }

 private:
  static constexpr std::size_t kMaxTableRows = 1'000;

  json file_command(const char* name, const DriftFile& file) const {
    return {{"command", name}, {"folder", folder_}, {"file", file.name}, {"lines", file.lines}};
  }

  Attempt<void> create(const std::vector<Column>& columns, std::string& name) {
    auto fresh = target_.new_table_name();
    if (!fresh) return tl::unexpected(std::move(fresh).error());
    name = *fresh;
    tables_.push_back(name);
    std::vector<std::string> definitions;
    for (const Column& column : columns)
      definitions.push_back(
          fmt::format("{} {}", quote_identifier(column.name), to_spark_sql(column.type)));
    return target_.execute({fmt::format("CREATE TABLE {} ({}) {}", name,
                                        base::join(definitions, ", "), target_.using_clause())});
  }

  Attempt<Rows> select(const std::string& table, const std::vector<Column>& columns) {
    std::vector<std::string> names;
    for (const Column& column : columns) names.push_back(quote_identifier(column.name));
    return target_.query(fmt::format("SELECT {} FROM {}", base::join(names, ", "), table), columns);
  }

  static SilverDialect dialect() {
    SilverDialect dialect;
    dialect.quote = [](const std::string& name) { return quote_identifier(name); };
    dialect.type = [](const Type& type) { return to_spark_sql(type); };
    // Names are identifiers (drift_fixture.cpp), so nothing in the path needs escaping.
    dialect.below = [](const std::string& column, const std::vector<std::string>& path) {
      return fmt::format("get_json_object({}, '$.{}')", column, base::join(path, "."));
    };
    dialect.cast = [](const std::string& value, const Type&, const Type& to) {
      return fmt::format("try_cast({} AS {})", value, to_spark_sql(to));
    };
    return dialect;
  }

  SparkTarget& target_;
  int driver_ = 0;  // the process that has the tables
  std::string folder_, bronze_;
  std::vector<std::string> tables_;
  std::vector<Column> columns_;
  unsigned number_ = 0;
};

}  // namespace

std::unique_ptr<DriftEngine> drift_engine(SparkTarget& target) {
  return std::make_unique<SparkDriftEngine>(target);
}

}  // namespace rowgate::harness
