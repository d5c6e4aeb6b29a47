#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>

#include "base/checks.hpp"
#include "tools/commands.hpp"
#include "tools/gate.hpp"
#include "tools/inputs.hpp"
#include "tools/pom_section.hpp"
#include "tools/repositories.hpp"
#include "tools/spark_option.hpp"

namespace rowgate::tools {
namespace {

class Pom final : public Command {
 public:
  explicit Pom(CLI::App& app) {
    app.add_option("connectors", arguments_,
                   "Coordinates g:a:v, a --packages string, or - for a list")
        ->required()
        ->type_name("G:A:V");
    app.add_option("-s,--spark", spark_, "The Spark to upgrade to: a version or a folder of jars")
        ->required()
        ->type_name("VERSION|DIR");
    app.add_option("--jdk", jdk_, "The JDK that POM profiles shall see (default: 17)");
    app.add_option("--os", os_, "The operating system that POM profiles shall see")
        ->check(CLI::IsMember({"linux", "mac", "windows"}));
    add_gate_options(app, gate_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    ROWGATE_TRY(const std::vector<Input> inputs, read_inputs(arguments_, std::cin));
    std::vector<pomcheck::Coordinate> connectors;
    for (const Input& input : inputs) {
      if (input.is_path())
        return fail(ErrorCode::usage, "is a file; `pom` takes coordinates", input.text, {},
                    "give g:a:v, or ask `rowgate scan` or `rowgate audit` about the jar");
      connectors.push_back(input.coordinate());
    }
    ROWGATE_TRY(const SparkTarget target, parse_spark_target(spark_));
    if (!target.version)
      return fail(ErrorCode::usage, "does not say which version of Spark it is", spark_, {},
                  "give the version: --spark 4.2.0");
    ROWGATE_TRY(pomcheck::ModelEnvironment environment, pomcheck::pinned_environment(jdk_, os_));
    ROWGATE_TRY(const auto repositories, open_repositories(session, repositories_));
    const std::string assumed = environment.describe();
    pomcheck::ModelBuilder builder(*repositories, std::move(environment));
    const std::vector<pomcheck::PomVerdict> verdicts =
        pomcheck::check_poms(builder, connectors, *target.version, session.context());

    base::Report report;
    report.command = "pom";
    report.title = fmt::format("Built against what, for {}", target.to_string());
    report.inputs = {{"target", target.to_string()},
                     {"repositories", repositories->id()},
                     {"POM profiles assume", assumed}};
    base::Coverage coverage{"POMs"};
    for (const pomcheck::PomVerdict& verdict : verdicts) {
      const bool read = verdict.built.state != pomcheck::PomState::absent &&
                        verdict.built.state != pomcheck::PomState::undecided &&
                        verdict.built.state != pomcheck::PomState::malformed;
      ++(read ? coverage.done : coverage.skipped);
      report.summary.push_back({verdict.connector.to_string(), pomcheck::to_string(verdict.tier),
                                verdict.summary, tone_of(verdict.tier)});
      report.findings.insert(report.findings.end(), verdict.findings.begin(),
                             verdict.findings.end());
    }
    report.coverage.push_back(coverage);
    report.tables.push_back(built_against_table(verdicts));
    if (base::Table siblings = sibling_table(verdicts, *target.version); !siblings.rows.empty())
      report.tables.push_back(std::move(siblings));
    ROWGATE_TRY(const ExitStatus status,
                apply_gate(session, report, gate_, {target.version->text}));
    ROWGATE_CHECK(session.deliver(std::move(report)));
    // A POM that could not be had leaves its question open, which is no success.
    return coverage.skipped > 0 ? ExitStatus::incomplete : status;
  }

 private:
  CommonOptions common_;
  GateOptions gate_;
  RepositoryOptions repositories_;
  std::vector<std::string> arguments_;
  std::string spark_, jdk_ = "17", os_ = "linux";
};

}  // namespace

std::unique_ptr<Command> declare_pom(CLI::App& app) {
  return std::make_unique<Pom>(app);
}

}  // namespace rowgate::tools
