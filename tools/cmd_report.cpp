#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.hpp"
#include "reports/compare.hpp"
#include "reports/json.hpp"
#include "reports/merge.hpp"
#include "tools/commands.hpp"

namespace rowgate::tools {
namespace {

Result<base::Report> read_report(const std::string& file) {
  ROWGATE_TRY(const std::string text, base::read_file(file));
  return reports::read_json(text, file);
}

class ReportCommand final : public Command {
 public:
  explicit ReportCommand(CLI::App& app) {
    app.add_option("results", files_, "Reports in JSON, as --output FILE.json writes them")
        ->required()
        ->type_name("FILE.json");
    app.add_option("--against", against_, "Show what changed since this earlier report")
        ->type_name("FILE.json");
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    std::vector<reports::NamedReport> runs;
    for (const std::string& file : files_) {
      ROWGATE_TRY(base::Report report, read_report(file));
      runs.push_back({file, std::move(report)});
    }
    base::Report merged = reports::merge(runs);
    if (!against_.empty()) {
      ROWGATE_TRY(const base::Report before, read_report(against_));
      merged = reports::compare_report(merged, before, against_);
    }
    // Rendering again changes nothing about the run: its provenance stays, and so does its gate.
    const bool failed = merged.gate && merged.gate->failed;
    ROWGATE_CHECK(session.deliver_as_it_is(std::move(merged)));
    return failed ? ExitStatus::gate_failed : ExitStatus::clean;
  }

 private:
  CommonOptions common_;
  std::vector<std::string> files_;
  std::string against_;
};

}  // namespace

std::unique_ptr<Command> declare_report(CLI::App& app) {
  return std::make_unique<ReportCommand>(app);
}

}  // namespace rowgate::tools
