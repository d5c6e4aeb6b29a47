// The gate's options, and its decision about a report.
#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"
#include "reports/config.hpp"
#include "reports/gate.hpp"
#include "tools/exit_status.hpp"
#include "tools/session.hpp"

namespace rowgate::tools {

struct GateOptions {
  std::vector<std::string> fail_on;    // empty: rowgate.toml's, else error
  std::string config;                  // empty: the nearest rowgate.toml upward
  std::vector<std::string> baselines;  // besides rowgate.toml's
  std::string write_baseline;
  bool no_config = false;
  bool fail_on_unused_ignores = false;
};

// Adds --fail-on, --config, --no-config, --baseline-file, --write-baseline,
// --fail-on-unused-ignores.
void add_gate_options(CLI::App& app, GateOptions& options);

// The configuration that holds for this run: the one named, else the nearest rowgate.toml upward,
// else an empty one. Errors: those of reports::read_config.
Result<reports::Config> load_config(const GateOptions& options);

// Takes ignored and known findings out of the report and writes the outcome into it.
// `unused`: whether this command makes all the findings that a rowgate.toml is written for.
// `spark_versions`: what the run was about, for ignores that hold for some of them only.
// Errors: malformed, io, usage (rowgate.toml, a baseline), with file and line.
Result<ExitStatus> apply_gate(Session& session, base::Report& report, const GateOptions& options,
                              const std::vector<std::string>& spark_versions,
                              reports::UnusedIgnores unused = reports::UnusedIgnores::unsaid);

}  // namespace rowgate::tools
