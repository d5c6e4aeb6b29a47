#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.hpp"
#include "harness/prove.hpp"
#include "tools/commands.hpp"
#include "tools/engines.hpp"
#include "tools/user_merge.hpp"

namespace rowgate::tools {
namespace {

// Some minutes of work; the default bound fits in.
constexpr std::uint64_t kMaxHistoriesOnSpark = 300'000;

// What is proved: a strategy that ships with the program, or the user's own MERGE.
struct Candidate {
  harness::Strategy strategy;
  harness::Schema schema;
  bool has_deletes = true;
  std::vector<std::string> notes;
  std::string feed;  // the columns that a user's SQL sees
};

class Prove final : public Command {
 public:
  explicit Prove(CLI::App& app) {
    app.add_option("--strategy", strategy_, "A strategy that ships with rowgate")
        ->type_name("NAME");
    app.add_option("--merge", merge_file_, "A file with your own MERGE, in Spark's SQL")
        ->type_name("FILE.sql");
    add_user_merge_options(app, merge_);
    app.add_option("--oracle", options_.oracle, "The rule to prove against (default: ideal)")
        ->type_name("NAME");
    harness::Bounds& bounds = options_.bounds;
    app.add_option("--max-keys", bounds.keys, "Keys in a history")->type_name("N");
    app.add_option("--max-events", bounds.events, "Events in a history")->type_name("N");
    app.add_option("--max-batches", bounds.batches, "Micro-batches in a history")->type_name("N");
    app.add_flag("--deletes,!--no-deletes", bounds.deletes, "Histories with deletes");
    app.add_flag("--duplicates,!--no-duplicates", bounds.duplicates,
                 "Histories in which events arrive twice");
    app.add_flag("--ties", bounds.ties, "Histories with equal sequences");
    app.add_flag("--replays", bounds.replays, "Histories in which a batch comes again");
    app.add_flag("--null-sequence", bounds.null_sequence, "Histories with a NULL sequence");
    app.add_flag("--null-key", bounds.null_key, "Histories with a NULL key");
    app.add_flag("--null-payload", bounds.null_payload, "Histories with NULL values");
    app.add_option("--samples", options_.samples, "Random histories instead of all")
        ->type_name("N");
    app.add_option("--max-histories", max_histories_,
                   "Sample the bound when it holds more (default: 2,000,000; on Spark 300,000)")
        ->type_name("N");
    app.add_option("--seed", options_.seed, "Seed of the random histories")->type_name("N");
    app.add_flag("--no-packing", alone_, "Give every history a table of its own");
    app.add_flag("--all-kinds", options_.all_kinds,
                 "Go on after the first counterexample: one of each kind");
    app.add_flag("--laws", options_.laws,
                 "Check the laws (order, batches and repeats change nothing) instead of an oracle");
    app.add_option("--save", save_, "Write the counterexample as a fixture to this file")
        ->type_name("FILE.fixture");
    app.add_option("--target", target_,
                   "Where to run: embedded (default), or spark:VERSION[/CONNECTOR…] such as "
                   "spark:4.1.3/delta:4.4.0")
        ->type_name("TARGET");
    add_engine_options(app, engines_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    ROWGATE_TRY(Candidate candidate, choose());
    harness::ProveOptions options = options_;
    options.bounds.deletes = options.bounds.deletes && candidate.has_deletes;
    options.pack = alone_ ? harness::Pack::never : harness::Pack::when_possible;
    ROWGATE_TRY(const auto target, open_target(session, repositories_, engines_, target_));
    if (max_histories_ > 0)
      options.max_histories = max_histories_;
    else if (target->info().spark)
      options.max_histories = kMaxHistoriesOnSpark;
    auto proof =
        harness::prove(candidate.strategy, candidate.schema, *target, options, session.context());
    if (!proof) return explained(std::move(proof).error(), candidate);
    const harness::ProveResult& result = *proof;
    if (!save_.empty()) {
      if (result.counterexamples.empty())
        session.context().info(fmt::format("there is no counterexample to save to {}", save_));
      else
        ROWGATE_CHECK(base::write_file_atomically(
            save_, harness::write_fixture(result.counterexamples.front().fixture)));
    }
    base::Report report = harness::prove_report(result);
    for (const std::string& note : candidate.notes) report.inputs.emplace_back("assumed", note);
    ROWGATE_CHECK(session.deliver(std::move(report)));
    if (result.cut_short) return ExitStatus::incomplete;
    return result.proved() ? ExitStatus::clean : ExitStatus::gate_failed;
  }

 private:
  // Of a user's SQL that the engine refuses: what it could have named.
  static tl::unexpected<Error> explained(Error error, const Candidate& candidate) {
    if (error.code == ErrorCode::child_process && !candidate.feed.empty())
      error.remedy = fmt::format(
          "your source has the columns {}{}{}{}", candidate.feed,
          candidate.has_deletes ? "" : "; a column that marks deletes is named with --delete",
          error.remedy.empty() ? "" : "; ", error.remedy);
    return tl::unexpected(std::move(error));
  }

  Result<Candidate> choose() {
    const int given = static_cast<int>(!strategy_.empty()) +
                      static_cast<int>(!merge_file_.empty()) +
                      static_cast<int>(!merge_.foreach_batch.empty());
    if (given != 1)
      return fail(ErrorCode::usage, "takes one of --strategy, --merge and --foreach-batch",
                  "rowgate prove", {}, "try `rowgate prove --strategy guarded`");
    if (strategy_.empty()) {
      ROWGATE_TRY(harness::UserStrategy own, read_user_merge(merge_, merge_file_));
      return Candidate{std::move(own.strategy), std::move(own.schema), own.has_deletes,
                       std::move(own.notes), std::move(own.feed)};
    }
    ROWGATE_TRY(const harness::Strategy* const known, strategy_named(strategy_));
    return Candidate{*known, harness::prove_schema(), true, {}, {}};
  }

  CommonOptions common_;
  RepositoryOptions repositories_;
  harness::ProveOptions options_;
  harness::UserMerge merge_;
  EngineOptions engines_;
  std::uint64_t max_histories_ = 0;
  std::string strategy_, merge_file_, save_, target_ = "embedded";
  bool alone_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_prove(CLI::App& app) {
  return std::make_unique<Prove>(app);
}

}  // namespace rowgate::tools
