#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/bench.hpp"
#include "harness/bench_embedded.hpp"
#include "harness/bench_spark.hpp"
#include "harness/child_process.hpp"
#include "harness/spark_requests.hpp"
#include "tools/commands.hpp"
#include "tools/engines.hpp"
#include "tools/machine.hpp"
#include "tools/user_merge.hpp"

namespace rowgate::tools {
namespace {

using std::chrono::milliseconds;

// One dimension and the values that it takes.
struct Sweep {
  std::string dimension;  // empty: no sweep
  std::vector<double> values;
};

// An option that sets one dimension, written 1000000 or 1e6.
struct Count {
  const char* dimension;
  const char* help;
  std::string text;
};

struct DefaultValues {
  std::string_view dimension;
  std::vector<double> values;
};

const std::vector<DefaultValues>& default_values() {
  static const std::vector<DefaultValues> kValues = {
      {"rows", {1e3, 1e4, 1e5, 1e6}}, {"files", {10, 50, 200, 1000}},
      {"batches", {1, 2, 5, 10}},     {"events", {1e2, 1e3, 1e4, 1e5}},
      {"disorder", {0, 0.1, 0.5, 1}}, {"delete-rate", {0, 0.1, 0.25, 0.5}},
      {"skew", {0, 0.5, 1, 1.5}},
  };
  return kValues;
}

Result<double> parse_number(std::string_view text, std::string_view subject) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return fail(ErrorCode::usage, fmt::format("{} is no number", base::printable(text)),
                std::string(subject), {}, "write 1000, 1e6 or 0.25");
  return value;
}

// "rows=1e3,1e4" or "rows".
Result<Sweep> parse_sweep(const std::string& text) {
  Sweep sweep;
  const std::size_t equals = text.find('=');
  sweep.dimension = text.substr(0, equals);
  if (equals != std::string::npos) {
    for (const std::string_view piece :
         base::split(std::string_view(text).substr(equals + 1), ',')) {
      ROWGATE_TRY(const double value, parse_number(base::trim(piece), "--sweep " + text));
      sweep.values.push_back(value);
    }
  }
  for (const DefaultValues& known : default_values())
    if (sweep.values.empty() && known.dimension == sweep.dimension) sweep.values = known.values;
  harness::WorkloadShape shape;
  if (sweep.values.empty()) sweep.values = {0};  // of no known dimension: the error says so
  for (const double value : sweep.values)
    ROWGATE_CHECK(harness::set_dimension(shape, sweep.dimension, value));
  return sweep;
}

// "90s", "10m", "1h30m"; a bare number is seconds.
Result<milliseconds> parse_duration(const std::string& text) {
  std::uint64_t total = 0, number = 0;
  bool digits = false, any = false;
  const auto bad = [&] {
    return fail(ErrorCode::usage, "is no duration", "--budget " + text, {},
                "write 90s, 10m or 1h30m");
  };
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = number * 10 + static_cast<std::uint64_t>(c - '0');
      digits = true;
      if (number > 1'000'000) return bad();
      continue;
    }
    const std::uint64_t unit = c == 's' ? 1 : c == 'm' ? 60 : c == 'h' ? 3600 : 0;
    if (!digits || unit == 0) return bad();
    total += number * unit;
    number = 0;
    digits = false;
    any = true;
  }
  if (digits && any) return bad();
  total += number;
  if (total == 0) return bad();
  return milliseconds(total * 1000);
}

class Bench final : public Command {
 public:
  explicit Bench(CLI::App& app) {
    app.add_option("--target,--targets", targets_,
                   "Where to run (repeatable): embedded (default), or spark:VERSION[/CONNECTOR…]")
        ->delimiter(',')
        ->type_name("TARGET");
    app.add_option("--strategy,--strategies", strategies_,
                   "Strategies to compare, the first being what others are compared with (default: "
                   "guarded,naive,soft-tombstone)")
        ->delimiter(',')
        ->type_name("NAME");
    app.add_option("--merge", merge_files_,
                   "A file with your own MERGE, in Spark's SQL (repeatable); then all are compared "
                   "on your table")
        ->type_name("FILE.sql");
    add_user_merge_options(app, merge_);
    app.add_option("--sweep", sweeps_,
                   "Vary one number (repeatable): rows=1e3,1e4,1e5, files=…, batches=…, events=…, "
                   "disorder=…, delete-rate=…, skew=…; without values a few usual ones")
        ->type_name("NAME[=VALUES]");
    for (Count& count : counts_)
      app.add_option(fmt::format("--{}", count.dimension), count.text, count.help)->type_name("N");
    app.add_option("--disorder", shape_.disorder, "Share of events that arrive late (default: 0)")
        ->check(CLI::Range(0.0, 1.0))
        ->type_name("SHARE");
    app.add_option("--delete-rate", shape_.delete_rate, "Share of deletes (default: 0.1)")
        ->check(CLI::Range(0.0, 1.0))
        ->type_name("SHARE");
    app.add_option("--insert-rate", shape_.insert_rate,
                   "Share of events about new keys (default: 0.1)")
        ->check(CLI::Range(0.0, 1.0))
        ->type_name("SHARE");
    app.add_option("--skew", shape_.skew, "Zipf's exponent of the keys (default: 0, uniform)")
        ->check(CLI::Range(0.0, 5.0))
        ->type_name("S");
    app.add_option("--blocks", options_.blocks,
                   "Blocks of runs, each with every order equally often (default: 12; 6 at least "
                   "for an interval)")
        ->check(CLI::Range(1U, 10'000U))
        ->type_name("N");
    app.add_option("--warm-up", options_.warm_up, "Runs of every table before (default: 3)")
        ->check(CLI::Range(1U, 1'000U))
        ->type_name("N");
    app.add_option("--forks", forks_,
                   "Fresh processes, each with all blocks (default: none; 6 at least for an "
                   "interval over processes)")
        ->check(CLI::Range(1U, 100U))
        ->type_name("N");
    app.add_option("--budget", budget_, "Do fewer blocks where all would take longer: 90s, 10m, 1h")
        ->type_name("TIME");
    app.add_option("--seed", options_.seed, "Of orders, events and intervals (default: 1)")
        ->type_name("N");
    app.add_flag("--time-wrong", time_wrong_, "Time strategies too that leave wrong rows");
    app.add_option("--process", process_)->group("");  // the number of a fork
    add_engine_options(app, engines_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    ROWGATE_TRY(const std::vector<harness::Strategy> strategies, chosen_strategies(session));
    ROWGATE_CHECK(parse_options());
    ROWGATE_TRY(std::vector<harness::BenchRun> runs, forks_ > 0 && !process_
                                                         ? run_in_processes(session)
                                                         : run_here(session, strategies));
    if (process_) {
      std::vector<harness::BenchCase> cases;
      for (harness::BenchRun& run : runs)
        std::move(run.cases.begin(), run.cases.end(), std::back_inserter(cases));
      ROWGATE_CHECK(write_stdout(harness::write_cases(cases)));
      return ExitStatus::clean;
    }
    base::Report report = harness::bench_report(runs, options_);
    for (const std::string& note : assumed_) report.inputs.emplace_back("assumed", note);
    if (forks_ > 0) report.inputs.emplace_back("processes", fmt::format("{}", forks_));
    report.provenance.facts.emplace_back("cpu", cpu_text());
    report.provenance.facts.emplace_back("memory", base::human_bytes(memory_bytes()));
    report.provenance.facts.emplace_back("file system", file_system_text(work_folder(session)));
    ROWGATE_CHECK(session.deliver(std::move(report)));
    return status_of(runs);
  }

 private:
  // The user's own come first: others are compared with them.
  Result<std::vector<harness::Strategy>> chosen_strategies(const Session& session) {
    std::vector<harness::Strategy> chosen;
    std::vector<std::string> own_files = merge_files_;
    if (!merge_.foreach_batch.empty()) own_files.emplace_back();
    for (const std::string& file : own_files) {
      ROWGATE_TRY(harness::UserStrategy own, read_user_merge(merge_, file));
      options_.schema = own.schema;
      if (!own.has_deletes) shape_.delete_rate = 0;
      if (chosen.empty()) {
        assumed_ = std::move(own.notes);
        assumed_.push_back(fmt::format("your source has the columns {}", own.feed));
      }
      chosen.push_back(std::move(own.strategy));
    }
    own_ = chosen.size();
    if (own_files.empty() && !(merge_.table.empty() && merge_.keys.empty()))
      return fail(ErrorCode::usage, "says how your table looks, but there is no MERGE of yours",
                  merge_.table.empty() ? "--keys" : "--table", {},
                  "give it with --merge FILE.sql or --foreach-batch FILE.py:FUNCTION");
    for (const std::string& name : strategies_) {
      ROWGATE_TRY(const harness::Strategy* const known, strategy_named(name));
      chosen.push_back(*known);
    }
    if (chosen.size() > 8)
      return fail(ErrorCode::usage, "compares at most 8 strategies", "--strategies");
    auto_cdc_ = std::any_of(chosen.begin(), chosen.end(), harness::is_auto_cdc);
    if (auto_cdc_ && engines_.real_stream)
      return fail(ErrorCode::usage, "cannot be combined with Auto CDC in one bench", "--stream", {},
                  "Auto CDC is a stream by itself; leave --stream or the strategy out");
    for (const std::string& note : assumed_) session.context().debug("assumed: " + note);
    return chosen;
  }

  Result<void> parse_options() {
    options_.wrong =
        time_wrong_ ? harness::WrongStrategies::timed : harness::WrongStrategies::left_out;
    if (process_) options_.process = *process_;
    if (!budget_.empty()) {
      ROWGATE_TRY(total_budget_, parse_duration(budget_));
    }
    for (const std::string& text : sweeps_) {
      ROWGATE_TRY(Sweep sweep, parse_sweep(text));
      sweeps_parsed_.push_back(std::move(sweep));
    }
    if (sweeps_parsed_.empty()) sweeps_parsed_.push_back({"", {0}});
    for (const Count& count : counts_) {
      if (count.text.empty()) continue;
      ROWGATE_TRY(const double value,
                  parse_number(count.text, fmt::format("--{}", count.dimension)));
      ROWGATE_CHECK(harness::set_dimension(shape_, count.dimension, value));
    }
    for (const Sweep& sweep : sweeps_parsed_)
      for (const double value : sweep.values) {
        ROWGATE_TRY(const harness::WorkloadShape shape, shape_at(sweep, value));
        ROWGATE_CHECK(harness::check_shape(shape, options_.schema));
      }
    return {};
  }

  Result<harness::WorkloadShape> shape_at(const Sweep& sweep, double value) const {
    harness::WorkloadShape shape = shape_;
    if (!sweep.dimension.empty())
      ROWGATE_CHECK(harness::set_dimension(shape, sweep.dimension, value));
    return shape;
  }

  // One run a target and sweep, in this process.
  Result<std::vector<harness::BenchRun>> run_here(
      Session& session, const std::vector<harness::Strategy>& strategies) {
    const base::RunContext& context = session.context();
    const auto deadline = context.clock->tick() + total_budget_.value_or(milliseconds(0));
    std::size_t cases_left = 0;
    for (const Sweep& sweep : sweeps_parsed_) cases_left += sweep.values.size() * targets_.size();
    std::vector<harness::BenchRun> runs;
    for (const std::string& target : targets_) {
      ROWGATE_TRY(const auto engine, open_engine(session, target));
      for (const Sweep& sweep : sweeps_parsed_) {
        harness::BenchRun run;
        run.dimension = sweep.dimension;
        for (const double value : sweep.values) {
          if (context.stopped()) break;
          ROWGATE_TRY(const harness::WorkloadShape shape, shape_at(sweep, value));
          harness::BenchOptions options = options_;
          if (total_budget_)
            options.budget = std::chrono::duration_cast<milliseconds>(
                std::max(deadline - context.clock->tick(), {}) / cases_left);
          --cases_left;
          context.debug(fmt::format("{}: {}", target, harness::to_text(shape)));
          run.cases.push_back(harness::run_case(*engine, strategies, shape, options, context));
        }
        run.target = engine->info();
        run.facts = engine->facts();
        runs.push_back(std::move(run));
      }
    }
    return runs;
  }

  // The same in one fresh process after the other, with their samples put together.
  Result<std::vector<harness::BenchRun>> run_in_processes(Session& session) {
    ROWGATE_TRY(const std::string command_line, base::read_file("/proc/self/cmdline"));
    harness::ProcessSpec spec;
    for (const std::string_view word : base::split(command_line, '\0'))
      spec.argv.emplace_back(word);
    spec.argv.pop_back();  // what follows the last NUL
    spec.argv.front() = "/proc/self/exe";
    spec.environment = session.environment().variables;
    spec.argv.insert(spec.argv.end(), {"--process", ""});
    if (total_budget_)
      spec.argv.insert(spec.argv.end() - 2,
                       {"--budget", fmt::format("{}s", std::max<long>(1, total_budget_->count() /
                                                                             1000 / forks_))});
    const base::RunContext& context = session.context();
    auto progress = context.progress->start("bench: processes", base::ProgressUnit::items, forks_);
    std::vector<harness::BenchCase> cases;
    for (unsigned process = 0; process < forks_ && !context.stopped(); ++process) {
      spec.argv.back() = fmt::format("{}", process);
      auto outcome = harness::run_process(spec, {}, std::chrono::hours(24), context);
      if (!outcome && outcome.error().code == ErrorCode::interrupted && !cases.empty()) break;
      if (!outcome) return tl::unexpected<Error>(std::move(outcome).error());
      if (!outcome->status.success())
        return fail(
            ErrorCode::child_process,
            fmt::format("a process of the bench ended with {}: {}", outcome->status.to_string(),
                        base::printable(base::trim(outcome->log_tail))));
      ROWGATE_TRY(std::vector<harness::BenchCase> more, harness::read_cases(outcome->output));
      ROWGATE_CHECK(add(cases, std::move(more)));
      progress->advance(1);
    }
    return distribute(session, std::move(cases));
  }

  static Result<void> add(std::vector<harness::BenchCase>& cases,
                          std::vector<harness::BenchCase> more) {
    if (cases.empty()) {
      cases = std::move(more);
      return {};
    }
    for (std::size_t i = 0; i < std::min(cases.size(), more.size()); ++i)
      ROWGATE_CHECK(harness::add_process(cases[i], std::move(more[i])));
    return {};
  }

  Result<std::vector<harness::BenchRun>> distribute(Session& session,
                                                    std::vector<harness::BenchCase> cases) {
    std::vector<harness::BenchRun> runs;
    auto next = cases.begin();
    for (const std::string& target : targets_) {
      ROWGATE_TRY(const auto engine, open_engine(session, target));
      for (const Sweep& sweep : sweeps_parsed_) {
        harness::BenchRun run;
        run.dimension = sweep.dimension;
        for (std::size_t i = 0; i < sweep.values.size() && next != cases.end(); ++i)
          run.cases.push_back(std::move(*next++));
        run.target = engine->info();
        run.facts = engine->facts();
        runs.push_back(std::move(run));
      }
    }
    return runs;
  }

  Result<std::unique_ptr<harness::BenchEngine>> open_engine(Session& session,
                                                            const std::string& target) {
    if (target.starts_with("spark:")) return open_spark_engine(session, target);
    if (target != "embedded")
      return fail(ErrorCode::usage, "there is no such target", target, {},
                  "give embedded or spark:<version>/<connector>, such as spark:4.1.3/delta:4.4.0");
    ROWGATE_TRY(const std::filesystem::path library,
                embedded_library(session, repositories_, engines_.library));
    harness::EngineLimits limits;
    limits.threads = session.context().jobs;
    if (memory_bytes() > 0) limits.memory_bytes = memory_bytes() / 2;
    limits.statement_timeout = std::chrono::seconds(engines_.deadline_seconds);
    return harness::open_embedded_bench(library, limits, *session.context().clock);
  }

  Result<std::unique_ptr<harness::BenchEngine>> open_spark_engine(Session& session,
                                                                  const std::string& target) {
    ROWGATE_TRY(const harness::SparkSpec spec, harness::parse_spark_spec(target));
    harness::SparkBenchOptions bench;
    bench.flavour = spec.flavour;
    bench.work_parent = work_folder(session);
    bench.real_stream = engines_.real_stream;
    bench.all_in_connect = auto_cdc_ && harness::has_auto_cdc(spec);
    if (bench.real_stream)
      bench.facts.emplace_back("micro-batches", "by a stream, started in the timed region");
    if (bench.all_in_connect)
      bench.facts.emplace_back("session", "Spark Connect, for all strategies");
    bench.facts.emplace_back("spark.master", engines_.master);
    // The user's own settings come later, and win.
    EngineOptions engine = engines_;
    engine.all_in_connect = bench.all_in_connect;
    engine.conf.clear();
    for (const auto& [key, value] : harness::spark_bench_settings()) {
      engine.conf.push_back(key + "=" + value);
      const bool overridden = std::any_of(
          engines_.conf.begin(), engines_.conf.end(),
          [&, start = key + "="](const std::string& own) { return own.starts_with(start); });
      bench.facts.emplace_back(key, overridden ? "set by --conf" : value);
    }
    engine.conf.insert(engine.conf.end(), engines_.conf.begin(), engines_.conf.end());
    ROWGATE_TRY(auto spark, open_spark(session, repositories_, engine, spec));
    return harness::open_spark_bench(std::move(spark), std::move(bench), *session.context().clock);
  }

  std::filesystem::path work_folder(const Session& session) const {
    return engines_.work_folder.empty() ? session.environment().get("TMPDIR").value_or("/tmp")
                                        : engines_.work_folder;
  }

  // A strategy of ours that an engine refuses is an answer; a merge of the user's that could not be
  // judged is not.
  ExitStatus status_of(const std::vector<harness::BenchRun>& runs) const {
    for (const harness::BenchRun& run : runs)
      for (const harness::BenchCase& what : run.cases) {
        if (what.failure || what.timed().empty()) return ExitStatus::incomplete;
        for (std::size_t i = 0; i < what.treatments.size(); ++i) {
          const harness::Outcome outcome = what.treatments[i].verdict.outcome;
          const bool judged =
              outcome == harness::Outcome::right || outcome == harness::Outcome::wrong;
          if (outcome == harness::Outcome::not_run || (i < own_ && !judged))
            return ExitStatus::incomplete;
        }
      }
    return ExitStatus::clean;
  }

  CommonOptions common_;
  RepositoryOptions repositories_;
  EngineOptions engines_;
  harness::BenchOptions options_;
  harness::WorkloadShape shape_;
  std::vector<std::string> targets_ = {"embedded"};
  std::vector<std::string> strategies_ = {"guarded", "naive", "soft-tombstone"};
  std::array<Count, 4> counts_ = {
      {{"rows", "Rows in the table (default: 100000)", {}},
       {"files", "Files of the table (default: the engine's choice)", {}},
       {"events", "Events to merge (default: 1000)", {}},
       {"batches", "Micro-batches of them (default: 1)", {}}}};
  std::vector<std::string> sweeps_, merge_files_;
  harness::UserMerge merge_;
  std::vector<std::string> assumed_;  // about the user's table
  std::size_t own_ = 0;               // strategies of the user's; they come first
  bool auto_cdc_ = false;
  std::vector<Sweep> sweeps_parsed_;
  std::string budget_;
  std::optional<milliseconds> total_budget_;
  std::optional<unsigned> process_;
  unsigned forks_ = 0;
  bool time_wrong_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_bench(CLI::App& app) {
  return std::make_unique<Bench>(app);
}

}  // namespace rowgate::tools
