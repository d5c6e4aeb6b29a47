#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "base/text.hpp"
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

class Replay final : public Command {
 public:
  explicit Replay(CLI::App& app) {
    app.add_option("--strategy", strategies_, "Strategies to run (repeatable; globs; default: all)")
        ->delimiter(',')
        ->type_name("NAME");
    app.add_option("--scenario", scenarios_, "Scenarios to run (repeatable; globs; default: all)")
        ->delimiter(',')
        ->type_name("NAME");
    app.add_option("--fixtures", fixtures_, "A fixture file, or a folder of them, of your own")
        ->type_name("FILE|DIR");
    app.add_option("--oracle", oracle_, "Judge by this rule instead of the fixtures' own")
        ->type_name("NAME");
    app.add_option("--repeats", repeats_, "Runs of a strategy that leaves the engine a choice")
        ->check(CLI::Range(1U, 100U));
    app.add_flag("--no-packing", alone_, "Give every scenario a table of its own");
    app.add_flag("--list", list_, "List scenarios, strategies and oracles");
    app.add_option("--duckdb", library_, "The embedded engine's library instead of Maven's")
        ->type_name("FILE");
    add_gate_options(app, gate_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    if (list_) return list();
    std::vector<harness::Fixture> own;
    std::span<const harness::Fixture> available = harness::builtin_fixtures();
    if (!fixtures_.empty()) {
      ROWGATE_TRY(own, harness::load_fixtures(fixtures_));
      available = own;
    }
    ROWGATE_TRY(const auto fixtures, select(available, scenarios_, "scenario"));
    ROWGATE_TRY(const auto strategies,
                select(harness::builtin_strategies(), strategies_, "strategy"));
    ROWGATE_TRY(const auto target, open_embedded(session, repositories_, library_));

    harness::ReplayOptions options;
    options.oracle = oracle_;
    options.repeats = repeats_;
    options.packing = alone_ ? harness::Packing::alone : harness::Packing::packed;
    ROWGATE_TRY(const harness::ReplayResult result,
                harness::replay(fixtures, strategies, *target, options, session.context()));
    base::Report report = harness::replay_report(fixtures, result);
    ROWGATE_TRY(const ExitStatus status, apply_gate(session, report, gate_, {}));
    ROWGATE_CHECK(session.deliver(std::move(report)));
    return result.not_run > 0 ? ExitStatus::incomplete : status;
  }

 private:
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
  std::vector<std::string> strategies_, scenarios_;
  std::string fixtures_, oracle_, library_;
  unsigned repeats_ = 3;
  bool alone_ = false, list_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_replay(CLI::App& app) {
  return std::make_unique<Replay>(app);
}

}  // namespace rowgate::tools
