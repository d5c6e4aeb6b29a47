// A plot's numbers as a table, for formats and readers that cannot draw it.
#pragma once

#include <cstdint>

#include "base/report.hpp"

namespace rowgate::reports {

// How an interval follows its value: "3 (2 to 4)" or "3 [2, 4]".
enum class IntervalStyle : std::uint8_t { words, brackets };

// Columns (x, then the lines) and rows; id, title and notes are the caller's. A missing value is
// "–".
base::Table series_table(const base::Series& series, IntervalStyle style);

}  // namespace rowgate::reports
