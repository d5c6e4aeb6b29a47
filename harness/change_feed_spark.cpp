#include "harness/change_feed_spark.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "harness/failure.hpp"
#include "harness/spark_wire.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRows = 100'000;

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

class SparkFeedEngine final : public FeedEngine {
 public:
  explicit SparkFeedEngine(SparkTarget& target) : target_(target) {}

  const TargetInfo& info() const override { return target_.info(); }

  std::optional<std::string> why_not() const override {
    switch (target_.spec().flavour) {
      case TableFlavour::delta: return std::nullopt;
      case TableFlavour::iceberg:
        return "Delta's Change Data Feed is a feature of Delta tables: Iceberg has a changelog "
               "view of its own, which these fixtures do not read";
      case TableFlavour::test_catalog:
        return "Delta's Change Data Feed is a feature of Delta tables: Spark's test catalog keeps "
               "no history";
      case TableFlavour::plain:
        return "Delta's Change Data Feed is a feature of Delta tables: this target has no "
               "connector";
    }
    return std::nullopt;
  }

  Attempt<void> prepare(const FeedFixture& fixture) override {
    views_.clear();
    commit_times_.clear();
    auto table = fresh_table();
    if (!table) return tl::unexpected(std::move(table).error());
    table_ = *table;
    driver_ = target_.driver_process_id();
    std::vector<std::string> statements = fixture.commits;
    for (std::string& statement : statements) replace_all(statement, "${table}", table_);
    if (auto done = target_.execute(statements); !done) return done;
    return look_up_versions(fixture.commits.size());
  }

  Attempt<Rows> read(const FeedFixture& fixture, const FeedStep& step) override {
    if (target_.driver_process_id() != driver_) return lost_session();
    json options = json::object();
    for (const auto& [name, value] : step.options)
      options[name] = value.starts_with("commit ") ? commit_times_[value.substr(7)] : value;
    const std::string view = fmt::format("rowgate_feed_{}", ++number_);
    const std::vector<Column> columns = feed_columns(fixture);
    auto reply = target_.request({{"command", "change_feed"},
                                  {"table", table_},
                                  {"options", std::move(options)},
                                  {"conf", step.conf},
                                  {"stream", step.stream},
                                  {"view", view},
                                  {"columns", wire_columns(columns)},
                                  {"max_rows", kMaxRows}});
    if (!reply) return tl::unexpected(std::move(reply).error());
    views_[step.name] = view;
    auto rows = rows_from_wire((*reply)["rows"], columns);
    if (!rows) return tl::unexpected(failure_of(rows.error()));
    return std::move(*rows);
  }

  Attempt<Rows> consume(const FeedFixture& fixture, const FeedStep& step) override {
    if (target_.driver_process_id() != driver_) return lost_session();
    const auto view = views_.find(step.of);
    if (view == views_.end())
      return tl::unexpected(make_failure(
          FailureKind::not_run, fmt::format("the read '{}' gave no rows to take", step.of)));
    auto copy = fresh_table();
    if (!copy) return tl::unexpected(std::move(copy).error());
    std::string columns, names;
    for (const Column& column : fixture.columns) {
      const char* comma = columns.empty() ? "" : ", ";
      columns +=
          fmt::format("{}{} {}", comma, quote_identifier(column.name), to_spark_sql(column.type));
      names += comma + quote_identifier(column.name);
    }
    std::vector<std::string> statements = {
        fmt::format("CREATE TABLE {} ({}) {}", *copy, columns, target_.using_clause())};
    for (std::string statement : step.statements) {
      replace_all(statement, "${changes}", view->second);
      replace_all(statement, "${target}", *copy);
      statements.push_back(std::move(statement));
    }
    if (auto done = target_.execute(statements); !done)
      return tl::unexpected(std::move(done).error());
    return target_.query(fmt::format("SELECT {} FROM {}", names, *copy), fixture.columns);
  }

  void finish() override {
    const std::vector<std::string> tables = std::exchange(tables_, {});
    if (target_.driver_process_id() != driver_ || tables.empty()) return;
    // Nothing can be done about a failure here, and the tables go with the session anyway.
    if (auto reply = target_.request({{"command", "forget"}, {"tables", tables}}); !reply) return;
  }

 private:
  Attempt<std::string> fresh_table() {
    auto name = target_.new_table_name();
    if (name) tables_.push_back(*name);
    return name;
  }

  // The fixture's numbers of commits must be the table's versions, or its reads would mean others.
  Attempt<void> look_up_versions(std::size_t commits) {
    auto history = target_.show(fmt::format("DESCRIBE HISTORY {}", table_), 2 * commits + 10);
    if (!history) return tl::unexpected(std::move(history).error());
    for (const SparkRecord& record : *history) {
      const auto version = record.find("version");
      const auto time = record.find("timestamp");
      if (version != record.end() && time != record.end())
        commit_times_[version->second] = time->second;
    }
    const bool last = commit_times_.contains(fmt::format("{}", commits - 1));
    if (last && commit_times_.size() == commits) return {};
    return tl::unexpected(make_failure(
        FailureKind::not_run,
        fmt::format("the fixture's {} commits made {} versions of the table: its numbers do not "
                    "mean what they say",
                    commits, commit_times_.size())));
  }

  SparkTarget& target_;
  int driver_ = 0;  // the process that has the table
  std::string table_;
  std::vector<std::string> tables_;
  std::map<std::string, std::string> views_;         // read -> view
  std::map<std::string, std::string> commit_times_;  // version -> time
  unsigned number_ = 0;
};

}  // namespace

std::unique_ptr<FeedEngine> feed_engine(SparkTarget& target) {
  return std::make_unique<SparkFeedEngine>(target);
}

}  // namespace rowgate::harness
