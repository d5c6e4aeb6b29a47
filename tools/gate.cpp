#include "tools/gate.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>

#include "base/files.hpp"
#include "reports/baseline.hpp"
#include "reports/config.hpp"
#include "reports/gate.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

Result<std::vector<reports::Baseline>> load_baselines(const reports::Config& config,
                                                      const GateOptions& options) {
  std::vector<fs::path> files;
  for (const std::string& file : config.baselines)
    files.push_back(fs::path(config.file).parent_path() / file);
  files.insert(files.end(), options.baselines.begin(), options.baselines.end());
  std::vector<reports::Baseline> baselines;
  for (const fs::path& file : files) {
    ROWGATE_TRY(reports::Baseline baseline, reports::read_baseline(file));
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

Result<reports::GatePolicy> policy_of(const reports::Config& config, const GateOptions& options,
                                      reports::UnusedIgnores unused) {
  reports::GatePolicy policy;
  policy.unused_ignores = unused;
  if (config.fail_on) policy.fail_on = *config.fail_on;
  if (!options.fail_on.empty()) {
    policy.fail_on.clear();
    for (const std::string& word : options.fail_on) {
      ROWGATE_TRY(const reports::FailOn fail_on, reports::parse_fail_on(word));
      policy.fail_on.push_back(fail_on);
    }
  }
  if (options.fail_on_unused_ignores || config.fail_on_unused_ignores.value_or(false))
    policy.unused_ignores = reports::UnusedIgnores::failed;
  return policy;
}

// A configuration that cannot be read is the user's to mend: exit status 2.
Result<reports::Config> read(const fs::path& file) {
  auto config = reports::read_config(file);
  if (!config && config.error().code != ErrorCode::io) config.error().code = ErrorCode::usage;
  return config;
}

}  // namespace

Result<reports::Config> load_config(const GateOptions& options) {
  if (options.no_config) return reports::Config{};
  if (!options.config.empty()) return read(options.config);
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return reports::Config{};
  const std::optional<fs::path> nearest = reports::find_config(here);
  return nearest ? read(*nearest) : reports::Config{};
}

void add_gate_options(CLI::App& app, GateOptions& options) {
  app.add_option("--fail-on", options.fail_on,
                 "What ends with status 1: error, warning (and errors), undecidable, new, never "
                 "(default: error)")
      ->delimiter(',')
      ->check(CLI::IsMember({"error", "warning", "undecidable", "new", "never"}));
  app.add_option("--config", options.config, "Configuration instead of the nearest rowgate.toml")
      ->type_name("FILE");
  app.add_flag("--no-config", options.no_config, "Read no rowgate.toml");
  app.add_option("--baseline-file", options.baselines,
                 "Findings that are known already (repeatable)")
      ->type_name("FILE");
  app.add_option("--write-baseline", options.write_baseline,
                 "Write this run's findings as a baseline and end with status 0")
      ->type_name("FILE");
  app.add_flag("--fail-on-unused-ignores", options.fail_on_unused_ignores,
               "An ignore entry that matches nothing fails the gate");
}

Result<ExitStatus> apply_gate(Session& session, base::Report& report, const GateOptions& options,
                              const std::vector<std::string>& spark_versions,
                              reports::UnusedIgnores unused) {
  ROWGATE_TRY(const reports::Config config, load_config(options));
  ROWGATE_TRY(const std::vector<reports::Baseline> baselines, load_baselines(config, options));
  ROWGATE_TRY(const reports::GatePolicy policy, policy_of(config, options, unused));
  reports::GateInputs inputs;
  inputs.ignores = &config.ignores;
  inputs.ignores_file = config.file;
  inputs.baselines = &baselines;
  inputs.spark_versions = spark_versions;
  inputs.now = session.context().clock->now();
  reports::apply_gate(report, policy, inputs);
  if (!options.write_baseline.empty()) {
    ROWGATE_CHECK(base::write_file_atomically(
        options.write_baseline, reports::render_baseline(reports::baseline_of(report))));
    return ExitStatus::clean;
  }
  return report.gate->failed ? ExitStatus::gate_failed : ExitStatus::clean;
}

}  // namespace rowgate::tools
