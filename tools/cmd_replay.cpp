#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/bigquery.hpp"
#include "harness/history_reader.hpp"
#include "harness/prove.hpp"
#include "harness/replay.hpp"
#include "tools/commands.hpp"
#include "tools/engines.hpp"
#include "tools/gate.hpp"

namespace rowgate::tools {
namespace {

// Items whose name is among the wanted ones (globs allowed), in the items' order; all when none is
// wanted. Errors: usage, with the nearest name.
template <class Item>
Result<std::vector<Item>> select(std::span<const Item> items,
                                 const std::vector<std::string>& wanted, std::string_view what) {
  if (wanted.empty()) return std::vector<Item>(items.begin(), items.end());
  std::vector<std::string_view> names;
  for (const Item& item : items) names.push_back(item.name);
  for (const std::string& pattern : wanted) {
    const bool known = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return base::matches_glob(pattern, name);
    });
    if (known) continue;
    const std::string_view near = base::nearest(pattern, names);
    return fail(ErrorCode::usage, fmt::format("there is no such {}", what), pattern, {},
                near.empty() ? "`rowgate replay --list` shows what there is"
                             : fmt::format("did you mean {}?", near));
  }
  std::vector<Item> chosen;
  for (const Item& item : items)
    if (std::any_of(wanted.begin(), wanted.end(), [&](const std::string& pattern) {
          return base::matches_glob(pattern, item.name);
        }))
      chosen.push_back(item);
  return chosen;
}

// A user's own history, and how its file is to be read.
struct HistoryInput {
  std::string file, format;
  harness::HistoryOptions options;

  void add_options(CLI::App& app) {
    app.add_option("--history", file,
                   "Your own history instead of fixtures: JSON lines, Debezium envelopes or CSV")
        ->type_name("FILE");
    app.add_option("--keys", options.keys, "The history's key columns")
        ->delimiter(',')
        ->type_name("COLUMNS");
    app.add_option("--sequence", options.sequence,
                   "Its sequence column (Debezium: a path such as source.lsn)")
        ->type_name("COLUMN");
    app.add_option("--op", options.op, "Its operation column (default: every event is an upsert)")
        ->type_name("COLUMN");
    app.add_option("--table", options.table,
                   "Types of its columns: \"id INT, status STRING\" (default: inferred)")
        ->type_name("COLUMNS");
    app.add_option("--batch", options.batch, "A column whose change begins a micro-batch")
        ->type_name("COLUMN");
    app.add_option("--batch-size", options.batch_size, "Events in a micro-batch")->type_name("N");
    app.add_option("--history-format", format, "json-lines, debezium or csv (default: guessed)")
        ->check(CLI::IsMember({"json-lines", "debezium", "csv"}));
  }

  // The history as the one fixture of a run, judged by the ideal rules.
  Result<harness::Fixture> read(std::vector<std::string>& notes) const {
    ROWGATE_TRY(const std::string text, base::read_file(file));
    harness::HistoryOptions with_format = options;
    with_format.format = harness::history_format_from_string(format);
    ROWGATE_TRY(harness::ImportedHistory imported, harness::read_history(text, file, with_format));
    harness::Fixture fixture;
    fixture.name = std::filesystem::path(file).stem().string();
    fixture.title = "A history of your own";
    fixture.file = file;
    fixture.schema = std::move(imported.schema);
    fixture.history = std::move(imported.history);
    notes = std::move(imported.notes);
    return fixture;
  }
};

class Replay final : public Command {
 public:
  explicit Replay(CLI::App& app) {
    app.add_option("--target", targets_,
                   "Where to run (repeatable): embedded (default), or spark:VERSION[/CONNECTOR…] "
                   "such as spark:4.1.3/delta:4.4.0, spark:4.1.3/iceberg:1.12.0, "
                   "spark:4.2.0/test-catalog")
        ->type_name("TARGET");
    app.add_option("--strategy", strategies_, "Strategies to run (repeatable; globs; default: all)")
        ->delimiter(',')
        ->type_name("NAME");
    app.add_option("--scenario", scenarios_, "Scenarios to run (repeatable; globs; default: all)")
        ->delimiter(',')
        ->type_name("NAME");
    app.add_option("--fixtures", fixtures_, "A fixture file, or a folder of them, of your own")
        ->type_name("FILE|DIR");
    history_.add_options(app);
    app.add_option("--oracle", oracle_, "Judge by this rule instead of the fixtures' own")
        ->type_name("NAME");
    app.add_option("--repeats", repeats_, "Runs of a strategy that leaves the engine a choice")
        ->check(CLI::Range(1U, 100U));
    app.add_flag("--no-packing", alone_, "Give every scenario a table of its own");
    app.add_flag("--list", list_, "List scenarios, strategies and oracles");
    app.add_option("--emit", emit_,
                   "Print the strategies (default: bigquery-*) as scripts for this engine, and run "
                   "nothing")
        ->check(CLI::IsMember({"bigquery"}));
    app.add_option("--emit-source", tables_.source, "The script's source table")
        ->type_name("PROJECT.DATASET.TABLE");
    app.add_option("--emit-target", tables_.target, "The script's target table")
        ->type_name("PROJECT.DATASET.TABLE");
    add_engine_options(app, engines_);
    add_gate_options(app, gate_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    if (list_) return list();
    std::vector<std::string> notes;
    std::vector<harness::Fixture> own;
    std::span<const harness::Fixture> available = harness::builtin_fixtures();
    if (!history_.file.empty() && !fixtures_.empty())
      return fail(ErrorCode::usage, "--history and --fixtures exclude each other", "", {},
                  "leave one of them out");
    if (!fixtures_.empty()) {
      ROWGATE_TRY(own, harness::load_fixtures(fixtures_));
      available = own;
    } else if (!history_.file.empty()) {
      ROWGATE_TRY(harness::Fixture fixture, history_.read(notes));
      own.push_back(std::move(fixture));
      available = own;
    }
    if (!emit_.empty()) return emit(history_.file.empty() ? nullptr : &own.front());
    ROWGATE_TRY(const auto fixtures, select(available, scenarios_, "scenario"));
    ROWGATE_TRY(const auto strategies,
                select(harness::builtin_strategies(), strategies_, "strategy"));
    ROWGATE_TRY(const auto results, replay_all(session, fixtures, strategies));
    base::Report report = harness::replay_report(fixtures, results);
    for (std::string& note : notes) report.inputs.emplace_back("assumed", std::move(note));
    ROWGATE_TRY(const ExitStatus status, apply_gate(session, report, gate_, {}));
    ROWGATE_CHECK(session.deliver(std::move(report)));
    for (const harness::ReplayResult& result : results)
      if (result.not_run > 0) return ExitStatus::incomplete;
    return status;
  }

 private:
  // All targets are opened before any runs: what is not set up is said at once.
  Result<std::vector<harness::ReplayResult>> replay_all(
      Session& session, const std::vector<harness::Fixture>& fixtures,
      const std::vector<harness::Strategy>& strategies) {
    std::vector<std::unique_ptr<harness::Target>> targets;
    for (const std::string& name : targets_) {
      ROWGATE_TRY(auto target, open_target(session, repositories_, engines_, name));
      targets.push_back(std::move(target));
    }
    harness::ReplayOptions options;
    options.oracle = oracle_;
    options.repeats = repeats_;
    options.packing = alone_ ? harness::Packing::alone : harness::Packing::packed;
    std::vector<harness::ReplayResult> results;
    for (std::unique_ptr<harness::Target>& target : targets) {
      ROWGATE_TRY(harness::ReplayResult result,
                  harness::replay(fixtures, strategies, *target, options, session.context()));
      results.push_back(std::move(result));
      target.reset();  // its Spark takes a gigabyte
    }
    return results;
  }

  // Scripts of the chosen strategies for the history's columns, or for those of `rowgate prove`.
  Result<ExitStatus> emit(const harness::Fixture* history) {
    const std::vector<std::string> variants = {"bigquery-*"};
    ROWGATE_TRY(const auto strategies,
                select(harness::builtin_strategies(), strategies_.empty() ? variants : strategies_,
                       "strategy"));
    const harness::Schema schema = history != nullptr ? history->schema : harness::prove_schema();
    std::string text;
    std::size_t number = 0;
    for (const harness::Strategy& strategy : strategies) {
      ROWGATE_TRY(const std::string script, harness::bigquery_script(strategy, schema, tables_));
      if (strategies.size() > 1)
        text += fmt::format("{}-- ==== Script {} of {}: to be run by itself ====\n",
                            text.empty() ? "" : "\n\n", ++number, strategies.size());
      text += script;
    }
    ROWGATE_CHECK(write_stdout(text));
    return ExitStatus::clean;
  }

  static Result<ExitStatus> list() {
    std::string text = "Scenarios\n";
    for (const harness::Fixture& fixture : harness::builtin_fixtures())
      text += fmt::format("  {:<34} {}\n", fixture.name, fixture.title);
    text += "\nStrategies\n";
    for (const harness::Strategy& strategy : harness::builtin_strategies())
      text += fmt::format("  {:<34} {}{}\n", strategy.name, strategy.title,
                          strategy.needs_spark.empty() ? "" : " (Spark only)");
    text += "\nOracles\n";
    for (const harness::OracleVariant& oracle : harness::oracle_variants())
      text += fmt::format("  {:<34} {}\n", oracle.name, oracle.title);
    ROWGATE_CHECK(write_stdout(text));
    return ExitStatus::clean;
  }

  CommonOptions common_;
  GateOptions gate_;
  RepositoryOptions repositories_;
  EngineOptions engines_;
  HistoryInput history_;
  harness::BigQueryTables tables_;
  std::vector<std::string> targets_ = {"embedded"};
  std::vector<std::string> strategies_, scenarios_;
  std::string fixtures_, oracle_, emit_;
  unsigned repeats_ = 3;
  bool alone_ = false, list_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_replay(CLI::App& app) {
  return std::make_unique<Replay>(app);
}

}  // namespace rowgate::tools
