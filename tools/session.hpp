// What one run of a command works with: the environment, the options that all commands share, the
// log, and how its report leaves the process.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "base/run_context.hpp"
#include "tools/environment.hpp"
#include "tools/exit_status.hpp"
#include "tools/terminal.hpp"

namespace CLI {
class App;
}

namespace rowgate::tools {

struct CommonOptions {
  std::string format;                          // of stdout; empty: text
  std::vector<std::filesystem::path> outputs;  // further copies, format by extension
  std::string color = "auto";
  unsigned jobs = 0;  // 0: one a core
  int verbosity = 0;  // -v
  bool quiet = false;
  bool show_all = false;  // notes too
};

// Adds --format, --output, --jobs, --color, --verbose, --quiet, --all.
void add_common_options(CLI::App& app, CommonOptions& options);

class Session {
 public:
  Session(Environment environment, const CommonOptions& options, const std::atomic<bool>& stop);

  const Environment& environment() const { return environment_; }
  const CommonOptions& options() const { return options_; }
  const base::RunContext& context() const { return context_; }

  // Fills in provenance, writes the report to stdout in the wanted format and to each --output.
  // Errors: io, usage (unknown format or extension).
  Result<void> deliver(base::Report report);
  // The same for a report that was made before: its provenance is kept.
  Result<void> deliver_as_it_is(base::Report report);

 private:
  Environment environment_;
  CommonOptions options_;
  base::SystemClock clock_;
  Terminal terminal_;
  base::RunContext context_;
  base::WallTime started_at_;
  std::chrono::steady_clock::time_point started_tick_;
};

// Writes all of `text` to stdout. Errors: io (a closed pipe, a full disk).
Result<void> write_stdout(std::string_view text);

}  // namespace rowgate::tools
