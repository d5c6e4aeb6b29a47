// What `scan` and `audit` say about jars' capabilities.
#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"
#include "jarscan/capabilities.hpp"
#include "tools/acquire.hpp"

namespace rowgate::tools {

// Scans what was acquired; jars that came from a repository are called by their coordinates, not by
// where the cache keeps them. Errors: interrupted.
Result<jarscan::ScanResult> scan_acquired(const std::vector<AcquiredInput>& inputs,
                                          const base::RunContext& context);

// The jars and classes that were and were not read.
std::vector<base::Coverage> scan_coverage(const jarscan::ScanResult& scan);

// A row a jar and capability that occurs: named / direct / with ancestors / concrete.
base::Table capability_table(const jarscan::CapabilityReport& report);

// A row a jar: whether Auto CDC would take it as a target, and why.
base::Table gate_table(const jarscan::CapabilityReport& report);

// A row a jar and implementing class, for --verbose.
base::Table implementor_table(const jarscan::CapabilityReport& report);

// A row a jar: size, entries, classes, Java level, what its manifest and pom.properties say.
base::Table jar_table(const jarscan::ScanResult& scan);

// "passes" -> good, …
base::Tone tone_of(jarscan::GateOutcome outcome);

base::SummaryLine gate_summary(const std::string& subject, const jarscan::GateVerdict& gate);

}  // namespace rowgate::tools
