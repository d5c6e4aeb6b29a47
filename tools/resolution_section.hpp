// What `pom` says about a connector's dependencies: the tree, why something is in it, its files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "pomcheck/resolution.hpp"

namespace rowgate::tools {

// The graph as `mvn dependency:tree` prints it.
base::Table tree_table(const pomcheck::Resolution& resolution);

// What POMs ask for and the graph does not hold: another version was nearer, or it was excluded. No
// rows when there is nothing of the kind.
base::Table left_out_table(const pomcheck::Resolution& resolution);

// Every way that leads to `group:artifact`. Errors: usage (not group:artifact).
Result<base::Table> why_table(const pomcheck::Resolution& resolution, const std::string& wanted);

// What is missing from the graph: RG2001, RG2002, RG2109 findings of the artifacts concerned.
std::vector<base::Finding> graph_findings(const pomcheck::Resolution& resolution);

struct FetchedJars {
  base::Table table;                    // a row a file
  std::vector<base::Finding> findings;  // for what could not be had
  std::size_t written = 0, missing = 0;
};

// Puts the graph's compile and runtime artifacts into `folder`, which is made. Files are complete
// or absent, named as in the repository (with the group in front where two have one name), and
// replace files of that name. Errors: io, interrupted.
Result<FetchedJars> fetch_jars(pomcheck::ModelBuilder& builder,
                               const pomcheck::Resolution& resolution,
                               const std::filesystem::path& folder,
                               const base::RunContext& context);

}  // namespace rowgate::tools
