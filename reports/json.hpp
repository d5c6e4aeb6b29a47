// A report as JSON, for machines and for `rowgate report`, and back.
//
// The format is `reports/schema/report-v1.schema.json`. Its `schema_version` rises when a key goes
// or changes its meaning; keys are added without that, so readers ignore the ones that they do not
// know.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/report.hpp"
#include "base/result.hpp"

namespace rowgate::reports {

inline constexpr int kReportSchemaVersion = 1;

// Keys come in the schema's order. NaN and infinities are null. Text that is not well-formed UTF-8
// is made printable (`\xNN`), all other text reads back as it was. `provenance` is the only member
// that may differ between two runs on the same input.
std::string render_json(const base::Report& report);

struct JsonLimits {
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_depth = 32;  // of nested arrays and objects; a report has 6
};

// Errors: malformed (not JSON, with the byte offset; not a report, with the path of the value, e.g.
// `findings[3].severity`), unsupported (a newer schema_version), limit. `name` is the file in
// errors.
Result<base::Report> read_json(std::string_view text, std::string_view name,
                               const JsonLimits& limits = {});

}  // namespace rowgate::reports
