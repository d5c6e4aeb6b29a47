// The gate: takes ignored and known findings out of a report and decides whether it fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/report.hpp"
#include "reports/baseline.hpp"
#include "reports/config.hpp"

namespace rowgate::reports {

// Whether an ignore entry that matches nothing is worth a word. A command that makes only some of
// the findings that a configuration file is written for leaves it `unsaid`.
enum class UnusedIgnores : std::uint8_t { unsaid, warned, failed };

struct GatePolicy {
  // A finding makes the gate fail when any of these holds for it:
  //   error        an error                     warning      an error or a warning
  //   undecidable  an error or undecidable      new          any of the three (those of the
  //   baseline
  //                                                          are gone before the gate is asked)
  //   never        none
  std::vector<FailOn> fail_on = {FailOn::error};
  UnusedIgnores unused_ignores = UnusedIgnores::warned;
};

// Non-owning.
struct GateInputs {
  const std::vector<Ignore>* ignores = nullptr;      // nullptr: none
  std::string ignores_file;                          // "rowgate.toml", for locations
  const std::vector<Baseline>* baselines = nullptr;  // nullptr: none
  // The Spark versions of this run. An entry with a Spark range applies to a finding when it holds
  // all Sparks that the finding is about; of a finding that names none, all of these; with none
  // here either (a vendor's folder of jars) no such entry applies.
  std::vector<std::string> spark_versions;
  base::WallTime now;
};

// Moves findings into `report.suppressed`, adds those of the gate itself (RG40xx), and sets
// `report.gate`. An expired entry suppresses nothing: its findings stay, each with a line of
// evidence that says so. A baseline's finding that is more severe than it was counts.
void apply_gate(base::Report& report, const GatePolicy& policy, const GateInputs& inputs);

// Whether a finding that counts makes a gate fail which fails on these words
// (GateOutcome::fail_on).
bool fails_gate(const base::Finding& finding, const std::vector<std::string>& fail_on);

}  // namespace rowgate::reports
