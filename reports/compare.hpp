// What changed between two runs.
#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"

namespace rowgate::reports {

// Findings are the same when their fingerprints are. Each list is in report order.
struct Comparison {
  std::vector<base::Finding> added;  // counted now, not counted before (also: no longer ignored)
  std::vector<base::Finding> worse;  // the same finding, more severe now
  std::vector<base::Finding> unchanged;  // as now; also what is less severe now
  std::vector<base::Finding> fixed;      // counted before, gone now
  std::vector<base::Finding> set_aside;  // counted before, ignored or in the baseline now
  // Counted before, but their subject was not part of this run: neither fixed nor there.
  std::vector<base::Finding> not_looked_at;
};

// A subject was part of a run when its summary or one of its findings names it.
Comparison compare(const base::Report& now, const base::Report& before);

// The comparison as a report: added and worse findings are its findings, the others are tables.
// Where the new run could not look at everything, it says that `fixed` may merely be unseen.
base::Report compare_report(const base::Report& now, const base::Report& before,
                            const std::string& before_name);

}  // namespace rowgate::reports
