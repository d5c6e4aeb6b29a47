// Several reports in one.
#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"

namespace rowgate::reports {

struct NamedReport {
  std::string name;  // the file it came from, for people; tells runs apart where they disagree
  base::Report report;
};

// Nothing is dropped but exact repeats. What agrees appears once; where runs disagree (an input, a
// table's rows, a line of a plot) each version stands with its run's name. Matrices of the same id
// are joined: rows by their first cell, columns by their name. The merged gate failed when any did.
// One report comes back as it is; none gives an empty report.
base::Report merge(const std::vector<NamedReport>& runs);

}  // namespace rowgate::reports
