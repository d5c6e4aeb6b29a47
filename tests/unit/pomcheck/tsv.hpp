// Reads a table of measured facts: tab-separated, the first line names the columns.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::tests {

// Every row is as wide as the first line (missing cells are empty).
inline std::vector<std::vector<std::string>> read_tsv(const std::string& path) {
  const auto text = base::read_file(path);
  if (!text) throw std::runtime_error(text.error().to_string());
  std::vector<std::vector<std::string>> rows;
  std::size_t width = 0;
  for (std::string_view line : base::split(*text, '\n')) {
    if (line.empty()) continue;
    std::vector<std::string> row;
    for (std::string_view cell : base::split(line, '\t')) row.emplace_back(cell);
    if (width == 0) {
      width = row.size();
      continue;
    }
    row.resize(std::max(width, row.size()));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace rowgate::tests
