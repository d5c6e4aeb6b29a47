// A report as GitHub workflow commands, which a job prints to annotate the files of a pull request.
#pragma once

#include <cstddef>
#include <string>

#include "base/report.hpp"

namespace rowgate::reports {

struct GithubOptions {
  std::string source_root;  // annotations name files relative to it
  // GitHub shows at most 10 annotations of a kind for a step and drops the others in silence, so
  // the last one names how many more there are.
  std::size_t max_of_a_kind = 10;
};

// `::error`, `::warning` (warnings and undecidable findings) and `::notice` lines, the most severe
// first. Suppressed findings are not annotated.
std::string render_github(const base::Report& report, const GithubOptions& options = {});

}  // namespace rowgate::reports
