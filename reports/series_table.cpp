#include "reports/series_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace rowgate::reports {
namespace {

std::string value_text(const base::Line& line, std::size_t i, IntervalStyle style) {
  std::string text =
      i < line.y.size() && !std::isnan(line.y[i]) ? fmt::format("{:.4g}", line.y[i]) : "–";
  if (i < line.low.size() && i < line.high.size())
    text += style == IntervalStyle::words
                ? fmt::format(" ({:.4g} to {:.4g})", line.low[i], line.high[i])
                : fmt::format(" [{:.4g}, {:.4g}]", line.low[i], line.high[i]);
  return text;
}

}  // namespace

base::Table series_table(const base::Series& series, IntervalStyle style) {
  base::Table table;
  table.columns.push_back({series.x_label, base::Align::right});
  for (const base::Line& line : series.lines)
    table.columns.push_back({line.name, base::Align::right});
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    std::vector<base::Cell> row = {{fmt::format("{:.6g}", series.x[i])}};
    for (const base::Line& line : series.lines) row.push_back({value_text(line, i, style)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace rowgate::reports
