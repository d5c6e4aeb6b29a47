// rowgate.toml: what a project's gate looks at, what it fails on, and what it leaves out.
//
//   target = "4.2.0"                      # a Spark version, a range 4.1.0..4.3.0, or a jars folder
//   connectors = ["io.delta:delta-spark_2.13:4.3.1", "libs/*.jar"]
//   spark-defaults = "conf/spark-defaults.conf"
//   repositories = ["https://repo.example.com/maven"]
//   fail-on = ["error", "undecidable"]    # or one of new, error, warning, undecidable, never
//   fail-on-unused-ignores = false
//   baselines = ["rowgate-baseline.json"]
//
//   [[ignore]]
//   check = "RG1101"
//   symbol = "org.apache.*"               # a glob; every symbol when absent
//   connector = "io.delta:*"              # a glob; every connector when absent
//   spark = "4.2.0..4.2.3"                # every Spark when absent
//   reason = "…"                          # required
//   expires = 2027-01-31                  # required; the last day on which it holds, in UTC
//
// Paths are as written: relative ones start from the file's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/finding.hpp"
#include "base/result.hpp"
#include "reports/spark_range.hpp"

namespace rowgate::reports {

enum class FailOn : std::uint8_t { new_findings, error, warning, undecidable, never };

const char* to_string(FailOn fail_on);  // "new", "error", …
// Errors: usage, with the nearest of the words.
Result<FailOn> parse_fail_on(std::string_view text);

struct Ignore {
  std::string check;
  std::string symbol = "*";     // glob
  std::string connector = "*";  // glob
  SparkRange spark;
  std::string reason;
  std::chrono::year_month_day expires;
  std::uint32_t line = 0;  // of the entry in the file, 1-based
};

// "2027-01-31"
std::string to_string(std::chrono::year_month_day date);
// Errors: malformed.
Result<std::chrono::year_month_day> parse_date(std::string_view text);

struct Config {
  std::string file;  // as shown to people
  std::optional<std::string> target;
  std::vector<std::string> connectors;
  std::optional<std::string> spark_defaults;
  std::vector<std::string> repositories;
  std::optional<std::vector<FailOn>> fail_on;
  std::optional<bool> fail_on_unused_ignores;
  std::vector<std::string> baselines;
  std::vector<Ignore> ignores;  // in the order of the file
};

// Unknown keys, wrong types, unknown checks, missing reasons: all are errors, and the first by line
// is returned (`rowgate.toml:12`, with the nearest known word as remedy), with how many more there
// are. Errors: malformed, limit.
Result<Config> parse_config(std::string_view text, std::string_view file);

// parse_config of a file. Errors: those and not_found, io.
Result<Config> read_config(const std::filesystem::path& file);

// The nearest rowgate.toml in `folder` (absolute) or above it.
std::optional<std::filesystem::path> find_config(const std::filesystem::path& folder);

// A [[ignore]] entry for exactly this finding, ready to paste but for its reason, which is left
// empty and which the reader then demands. `expires`: "2027-02-28".
std::string ignore_entry(const base::Finding& finding, std::string_view expires);

// A TOML basic string, safe to print.
std::string toml_string(std::string_view text);

}  // namespace rowgate::reports
