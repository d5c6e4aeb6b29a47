// The gate's options, and its decision about a report.
#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"
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

// Adds --fail-on, --config, --no-config, --baseline, --write-baseline, --fail-on-unused-ignores.
void add_gate_options(CLI::App& app, GateOptions& options);

// Takes ignored and known findings out of the report and writes the outcome into it.
// `spark_versions`: what the run was about, for ignores that hold for some of them only.
// Errors: malformed, io, usage (rowgate.toml, a baseline), with file and line.
Result<ExitStatus> apply_gate(Session& session, base::Report& report, const GateOptions& options,
                              const std::vector<std::string>& spark_versions);

}  // namespace rowgate::tools
