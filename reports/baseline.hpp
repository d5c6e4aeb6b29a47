// A baseline: the findings that a project had when it put up its gate.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/report.hpp"
#include "base/result.hpp"

namespace rowgate::reports {

struct BaselineEntry {
  base::Severity severity = base::Severity::error;
  std::size_t count = 1;  // of findings with this fingerprint
  // For people who read the file's history; not compared.
  std::string check, subject, symbol, message;
};

struct Baseline {
  std::string file;                              // as shown to people
  std::map<std::string, BaselineEntry> entries;  // by fingerprint
};

// The report's findings and what its baseline held of them (so that writing it again loses
// nothing); neither notes, nor ignored findings, nor those of the gate itself.
Baseline baseline_of(const base::Report& report);

// JSON with an entry a line, sorted by check, subject, symbol: made for reviews and merges.
std::string render_baseline(const Baseline& baseline);

// Errors: malformed, unsupported (a newer version), limit.
Result<Baseline> parse_baseline(std::string_view text, std::string_view file);

// Errors: those and not_found, io.
Result<Baseline> read_baseline(const std::filesystem::path& file);

}  // namespace rowgate::reports
