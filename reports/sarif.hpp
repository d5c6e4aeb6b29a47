// A report as SARIF 2.1.0 (Static Analysis Results Interchange Format), for code scanning.
#pragma once

#include <string>

#include "base/report.hpp"

namespace rowgate::reports {

struct SarifOptions {
  // Files below it are written relative to it (uriBaseId %SRCROOT%); others as file URIs.
  std::string source_root;
  // Code scanning refuses a result without a file: where a finding is in none (a coordinate), its
  // location is line 1 of this one, relative to the source root.
  std::string fallback_file = "rowgate.toml";
};

// Rules are the checks that occur, from the catalogue. A finding's fingerprint is in
// partialFingerprints, the class or member in logicalLocations; ignored and baseline findings are
// results with a suppression. SARIF has no severity for `undecidable`: such a result has level
// `warning`, so that hosts show it, and says so in its message and its properties. Inputs that
// could not be looked at are notifications of the invocation. No clock is in it.
std::string render_sarif(const base::Report& report, const SarifOptions& options = {});

}  // namespace rowgate::reports
