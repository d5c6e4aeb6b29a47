// Tables in line-oriented text, as fixtures have them: indented lines below a section's word, the
// first of which names the columns. Cells are separated by blanks; "quoted texts" may hold any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/history.hpp"
#include "harness/lines.hpp"

namespace rowgate::harness {

struct TextCell {
  std::string text;
  bool quoted = false;
  std::size_t column = 1;  // 1-based, in the line
};

struct TextRow {
  std::vector<TextCell> cells;
  std::size_t line = 0;
};

struct TextTable {
  std::vector<TextCell> header;  // empty: there is no table
  std::vector<TextRow> rows;     // each as wide as the header
  std::size_t line = 0;          // of the header
};

inline constexpr std::size_t kMaxTableColumns = 64;
inline constexpr std::size_t kMaxTableRows = 10'000;
inline constexpr std::size_t kMaxNameLength = 100;

// The cells of the present line. Errors: malformed (a quote without an end, no UTF-8, too many).
Result<std::vector<TextCell>> read_cells(const Lines& lines);

// The indented lines that follow as a table. Errors: malformed (a row of another width, too many
// rows).
Result<TextTable> read_table(Lines& lines);

// For each column its place in the header, which must be a permutation of the columns' names.
Result<std::vector<std::size_t>> column_places(const Lines& lines, const TextTable& table,
                                               const std::vector<Column>& columns);

// NULL and absent, unless quoted, are no texts.
Result<Value> cell_value(const Lines& lines, const TextRow& row, const TextCell& cell,
                         const Type& type);

// The table's rows in the columns' order, sorted canonically.
Result<Rows> typed_rows(const Lines& lines, const TextTable& table,
                        const std::vector<Column>& columns);

// The same; none of the values can be absent.
Result<Rows> present_rows(const Lines& lines, const TextTable& table,
                          const std::vector<Column>& columns);

// Letters, digits, '-', '_' and '.', as in S05-stale-delete.
bool is_plain_name(std::string_view name);

}  // namespace rowgate::harness
