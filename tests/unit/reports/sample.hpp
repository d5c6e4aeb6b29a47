// Reports that the tests of all formats share.
#pragma once

#include <string>

#include "base/report.hpp"

namespace rowgate::reports {

// A small audit with one of everything: each severity, both kinds of suppression, a plain, a detail
// and a matrix table, a series with a gap and intervals, skipped inputs, a failed gate.
base::Report sample_report();

// The same shape, but every text in it tries to break some format: `|`, markup, quotes, control
// characters, terminal escapes, ill-formed UTF-8, bidirectional overrides, `]]>`, `-->`, 10 kB
// names.
base::Report hostile_report();

// The texts that hostile_report() is made of, without the long ones.
const std::vector<std::string>& hostile_texts();

}  // namespace rowgate::reports
