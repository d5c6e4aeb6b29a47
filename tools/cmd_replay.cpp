#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/bigquery.hpp"
#include "harness/change_feed_spark.hpp"
#include "harness/drift_embedded.hpp"
#include "harness/drift_spark.hpp"
#include "harness/fixture_set.hpp"
#include "harness/history_reader.hpp"
#include "harness/prove.hpp"
#include "harness/replay.hpp"
#include "tools/commands.hpp"
#include "tools/engines.hpp"
#include "tools/gate.hpp"

namespace rowgate::tools {
namespace {

// Which items the user asked for: all when nothing is wanted, else those whose name is among the
// wanted ones (globs allowed).
bool is_wanted(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const auto& pattern) {
           return base::matches_glob(pattern, name);
         });
}

// Errors: usage, with the nearest name, when one of the wanted names no item.
Result<void> check_wanted(const std::vector<std::string>& wanted,
                          std::span<const std::string_view> names, std::string_view what) {
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
  return {};
}

template <class Item>
void keep_wanted(std::vector<Item>& items, const std::vector<std::string>& wanted) {
  std::erase_if(items, [&](const Item& item) { return !is_wanted(wanted, item.name); });
}

Result<std::vector<harness::Strategy>> select_strategies(const std::vector<std::string>& wanted) {
  const auto known = harness::builtin_strategies();
  std::vector<harness::Strategy> chosen(known.begin(), known.end());
  std::vector<std::string_view> names;
  for (const harness::Strategy& strategy : known) names.push_back(strategy.name);
  ROWGATE_CHECK(check_wanted(wanted, names, "strategy"));
  keep_wanted(chosen, wanted);
  return chosen;
}

// What the runs on all targets gave.
struct Results {
  std::vector<harness::TargetInfo> targets;
  std::vector<harness::ReplayResult> merges;
  std::vector<harness::FeedResult> feeds;
  std::vector<harness::DriftResult> drifts;
};

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
    app.add_option("--scenario", scenarios_,
                   "Scenarios to run (repeatable; globs; default: all of the kind)")
        ->delimiter(',')
        ->type_name("NAME");
    app.add_option("--kind", kinds_,
                   "Kinds of scenarios: merge (default), change-feed (Delta's Change Data Feed), "
                   "drift (files whose schema changes, against ingest policies)")
        ->delimiter(',')
        ->check(CLI::IsMember({"merge", "change-feed", "drift"}))
        ->type_name("KIND");
    app.add_option(
           "--policy", policies_,
           "Ingest policies of drift scenarios, by Auto Loader's names: addNewColumns, rescue, "
           "failOnNewColumns, none (default: all)")
        ->delimiter(',')
        ->check(CLI::IsMember({"addNewColumns", "rescue", "failOnNewColumns", "none"}))
        ->type_name("POLICY");
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
    ROWGATE_TRY(harness::FixtureSet fixtures, available(notes));
    if (!emit_.empty()) return emit(history_.file.empty() ? nullptr : &fixtures.merges.front());
    ROWGATE_CHECK(select_fixtures(fixtures));
    ROWGATE_TRY(const auto strategies, select_strategies(strategies_));
    ROWGATE_TRY(const Results results, replay_all(session, fixtures, strategies));
    bool incomplete = false;
    base::Report report = report_of(fixtures, results, incomplete);
    for (std::string& note : notes) report.inputs.emplace_back("assumed", std::move(note));
    ROWGATE_TRY(const ExitStatus status, apply_gate(session, report, gate_, {}));
    ROWGATE_CHECK(session.deliver(std::move(report)));
    return incomplete ? ExitStatus::incomplete : status;
  }

 private:
  Result<harness::FixtureSet> available(std::vector<std::string>& notes) const {
    if (!history_.file.empty() && !fixtures_.empty())
      return fail(ErrorCode::usage, "--history and --fixtures exclude each other", "", {},
                  "leave one of them out");
    if (!fixtures_.empty()) return harness::load_fixture_set(fixtures_);
    if (history_.file.empty()) return harness::builtin_fixture_set();
    harness::FixtureSet set;
    ROWGATE_TRY(harness::Fixture fixture, history_.read(notes));
    set.merges.push_back(std::move(fixture));
    return set;
  }

  // Of the program's own fixtures those about merges, unless others are asked for.
  Result<void> select_fixtures(harness::FixtureSet& set) const {
    std::vector<std::string_view> names;
    for (const auto& fixture : set.merges) names.push_back(fixture.name);
    for (const auto& fixture : set.feeds) names.push_back(fixture.name);
    for (const auto& fixture : set.drifts) names.push_back(fixture.name);
    ROWGATE_CHECK(check_wanted(scenarios_, names, "scenario"));
    const bool all = !scenarios_.empty() || !fixtures_.empty() || !history_.file.empty();
    const std::vector<std::string> merges = {"merge"};
    const auto& kinds = kinds_.empty() && !all ? merges : kinds_;
    if (!is_wanted(kinds, "merge")) set.merges.clear();
    if (!is_wanted(kinds, "change-feed")) set.feeds.clear();
    if (!is_wanted(kinds, "drift")) set.drifts.clear();
    keep_wanted(set.merges, scenarios_);
    keep_wanted(set.feeds, scenarios_);
    keep_wanted(set.drifts, scenarios_);
    if (set.merges.empty() && set.feeds.empty() && set.drifts.empty())
      return fail(ErrorCode::usage, "no scenario is of this kind", base::join(kinds, ","), {},
                  "`rowgate replay --list` shows which there are");
    return {};
  }

  // All targets are opened before any runs: what is not set up is said at once.
  Result<Results> replay_all(Session& session, const harness::FixtureSet& fixtures,
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
    Results results;
    for (std::unique_ptr<harness::Target>& target : targets) {
      results.targets.push_back(target->info());
      if (!fixtures.merges.empty()) {
        ROWGATE_TRY(
            harness::ReplayResult result,
            harness::replay(fixtures.merges, strategies, *target, options, session.context()));
        results.merges.push_back(std::move(result));
      }
      if (!fixtures.feeds.empty())
        results.feeds.push_back(replay_feeds(session, fixtures.feeds, *target));
      if (!fixtures.drifts.empty())
        results.drifts.push_back(replay_drifts(session, fixtures.drifts, *target));
      target.reset();  // its Spark takes a gigabyte
    }
    return results;
  }

  static harness::FeedResult replay_feeds(Session& session,
                                          const std::vector<harness::FeedFixture>& fixtures,
                                          harness::Target& target) {
    if (auto* const spark = dynamic_cast<harness::SparkTarget*>(&target)) {
      const std::unique_ptr<harness::FeedEngine> engine = harness::feed_engine(*spark);
      return harness::replay_feed(fixtures, *engine, session.context());
    }
    return harness::no_feed(fixtures, target.info(),
                            "Delta's Change Data Feed is a feature of Delta tables on Spark");
  }

  harness::DriftResult replay_drifts(Session& session,
                                     const std::vector<harness::DriftFixture>& fixtures,
                                     harness::Target& target) const {
    std::vector<harness::DriftPolicy> policies;
    for (const harness::DriftPolicy policy : harness::kDriftPolicies)
      if (is_wanted(policies_, std::string(harness::to_string(policy)))) policies.push_back(policy);
    std::unique_ptr<harness::DriftEngine> engine;
    if (auto* const spark = dynamic_cast<harness::SparkTarget*>(&target))
      engine = harness::drift_engine(*spark);
    else
      engine = harness::drift_engine(dynamic_cast<harness::EmbeddedTarget&>(target),
                                     *session.context().clock);
    return harness::replay_drift(fixtures, policies, *engine, session.context());
  }

  // `incomplete`: something broke, or nothing at all could run.
  static base::Report report_of(const harness::FixtureSet& fixtures, const Results& results,
                                bool& incomplete) {
    base::Report report;
    report.command = "replay";
    report.title = fixtures.feeds.empty()    ? "What arrives when the schema drifts"
                   : fixtures.drifts.empty() ? "What the Change Data Feed gives"
                                             : "What change feeds give, and what drift leaves";
    for (const harness::TargetInfo& target : results.targets) {
      report.inputs.emplace_back("target", target.name);
      report.inputs.emplace_back("engine", target.engine);
    }
    if (!fixtures.merges.empty()) report = harness::replay_report(fixtures.merges, results.merges);
    for (const harness::ReplayResult& result : results.merges)
      incomplete = incomplete || result.not_run > 0;
    if (!fixtures.feeds.empty())
      incomplete =
          harness::add_feed_report(report, fixtures.feeds, results.feeds) > 0 || incomplete;
    if (!fixtures.drifts.empty())
      incomplete =
          harness::add_drift_report(report, fixtures.drifts, results.drifts) > 0 || incomplete;
    base::normalise(report.findings);
    incomplete = incomplete || std::all_of(report.coverage.begin(), report.coverage.end(),
                                           [](const auto& each) { return each.done == 0; });
    return report;
  }

  // Scripts of the chosen strategies for the history's columns, or for those of `rowgate prove`.
  Result<ExitStatus> emit(const harness::Fixture* history) {
    const std::vector<std::string> variants = {"bigquery-*"};
    ROWGATE_TRY(const auto strategies,
                select_strategies(strategies_.empty() ? variants : strategies_));
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
    const harness::FixtureSet& set = harness::builtin_fixture_set();
    std::string text = "Scenarios\n";
    for (const harness::Fixture& fixture : set.merges)
      text += fmt::format("  {:<34} {}\n", fixture.name, fixture.title);
    text += "\nScenarios of the Change Data Feed (--kind change-feed; a Delta target)\n";
    for (const harness::FeedFixture& fixture : set.feeds)
      text += fmt::format("  {:<34} {}\n", fixture.name, fixture.title);
    text += "\nScenarios of schema drift (--kind drift)\n";
    for (const harness::DriftFixture& fixture : set.drifts)
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
  std::vector<std::string> strategies_, scenarios_, kinds_, policies_;
  std::string fixtures_, oracle_, emit_;
  unsigned repeats_ = 3;
  bool alone_ = false, list_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_replay(CLI::App& app) {
  return std::make_unique<Replay>(app);
}

}  // namespace rowgate::tools
