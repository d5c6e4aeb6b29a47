// A gate that runs on an unchanged input answers at once: the report of the earlier run is kept in
// the cache folder, with everything that it depends on, and stands while all of that is as it was.
//
//   RunKey key("audit");                  all that is given: options, inputs, this very program
//   key.add("target", …); key.add(inputs); …
//   KeptReport kept(folder, key);
//   if (auto report = kept.find(repositories, context)) …   else make it, then kept.keep(…)
//
// What is given is in the file's name; what the repositories answered is in the file, and is asked
// again where it may change (see pomcheck::still_so). A damaged file counts as none.
#pragma once

#include <filesystem>
#include <optional>

#include "base/report.hpp"
#include "base/run_context.hpp"
#include "pomcheck/repository_set.hpp"
#include "tools/run_key.hpp"

namespace CLI {
class App;
}

namespace rowgate::tools {

class KeptReport {
 public:
  // Nothing is kept or found when `cache_folder` is empty or the key has no digest.
  KeptReport(const std::filesystem::path& cache_folder, const RunKey& key);

  // The report, whose provenance says when it was made.
  std::optional<base::Report> find(pomcheck::RepositorySet& repositories,
                                   const base::RunContext& context) const;

  // Not kept: a report that depends on something which could not be told, and one that would not
  // read back as it is. What cannot be written is warned of. Removes what was not asked for in the
  // last 30 days.
  void keep(base::Report report, const pomcheck::RepositorySet& repositories,
            const base::RunContext& context) const;

 private:
  std::filesystem::path file_;  // empty: none
};

// Adds --recompute.
void add_recompute_option(CLI::App& app, bool& recompute);

}  // namespace rowgate::tools
