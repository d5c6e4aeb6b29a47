#include "harness/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rowgate::harness {
namespace {

Result<std::string> quoted(const Lines& lines, std::size_t& at) {
  const std::string_view line = lines.line();
  const std::size_t begin = at++;
  std::string text;
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\') {
      text.push_back(line[at]);
      continue;
    }
    if (++at == line.size()) break;
    switch (line[at]) {
      case 'n': text.push_back('\n'); break;
      case 't': text.push_back('\t'); break;
      case 'r': text.push_back('\r'); break;
      case '"':
      case '\\': text.push_back(line[at]); break;
      default: return lines.error(at, "unknown escape", "known are \\n \\t \\r \\\" \\\\");
    }
  }
  if (at >= line.size())
    return lines.error(begin + 1, "a quoted text has no end", "close it with \"");
  ++at;
  return text;
}

}  // namespace

Result<std::vector<TextCell>> read_cells(const Lines& lines) {
  const std::string_view line = lines.line();
  std::vector<TextCell> cells;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    TextCell cell;
    cell.column = at + 1;
    if (line[at] == '"') {
      ROWGATE_TRY(cell.text, quoted(lines, at));
      cell.quoted = true;
    } else {
      const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
      cell.text = line.substr(at, end - at);
      at = end;
    }
    if (!base::is_utf8(cell.text))
      return lines.error(cell.column, "this is not UTF-8", "save the file as UTF-8");
    cells.push_back(std::move(cell));
    if (cells.size() > kMaxTableColumns + 8)
      return lines.error(at, "too many cells in a line", "use fewer columns");
  }
  return cells;
}

Result<TextTable> read_table(Lines& lines) {
  TextTable table;
  table.line = lines.number();
  while (lines.next()) {
    if (!lines.is_indented()) {
      lines.unread();
      break;
    }
    ROWGATE_TRY(std::vector<TextCell> cells, read_cells(lines));
    if (table.header.empty()) {
      table.header = std::move(cells);
      table.line = lines.number();
      continue;
    }
    if (cells.size() != table.header.size())
      return lines.error(
          cells.back().column,
          fmt::format("{} cells under {} column names", cells.size(), table.header.size()),
          "give every column a value; NULL and absent are values, texts with spaces go in quotes");
    table.rows.push_back({std::move(cells), lines.number()});
    if (table.rows.size() > kMaxTableRows)
      return lines.error(1, fmt::format("more than {} rows", kMaxTableRows),
                         "use a smaller scenario");
  }
  return table;
}

Result<std::vector<std::size_t>> column_places(const Lines& lines, const TextTable& table,
                                               const std::vector<Column>& columns) {
  std::string names;
  for (const Column& column : columns) names += (names.empty() ? "" : " ") + column.name;
  const std::string remedy = "the first line of a table names its columns: " + names;
  if (table.header.size() != columns.size())
    return lines.error_at(
        table.line, 1,
        fmt::format("{} column names, {} are needed", table.header.size(), columns.size()), remedy);
  std::vector<std::size_t> places;
  for (const Column& column : columns) {
    const auto found = std::find_if(table.header.begin(), table.header.end(),
                                    [&](const TextCell& cell) { return cell.text == column.name; });
    if (found == table.header.end())
      return lines.error_at(table.line, table.header.front().column,
                            fmt::format("no column is called '{}' here", column.name), remedy);
    places.push_back(static_cast<std::size_t>(found - table.header.begin()));
  }
  return places;
}

Result<Value> cell_value(const Lines& lines, const TextRow& row, const TextCell& cell,
                         const Type& type) {
  if (!cell.quoted && cell.text == "NULL") return Value();
  if (!cell.quoted && cell.text == "absent") return Value::absent();
  Result<Value> value = parse_value(cell.text, type);
  if (!value)
    return lines.error_at(row.line, cell.column, value.error().message,
                          "write a value of that type, or NULL, or absent");
  return value;
}

Result<Rows> typed_rows(const Lines& lines, const TextTable& table,
                        const std::vector<Column>& columns) {
  ROWGATE_TRY(const std::vector<std::size_t> places, column_places(lines, table, columns));
  Rows rows;
  for (const TextRow& text : table.rows) {
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ROWGATE_TRY(Value value, cell_value(lines, text, text.cells[places[i]], columns[i].type));
      row.push_back(std::move(value));
    }
    rows.push_back(std::move(row));
  }
  sort_rows(rows);
  return rows;
}

Result<Rows> present_rows(const Lines& lines, const TextTable& table,
                          const std::vector<Column>& columns) {
  ROWGATE_TRY(Rows rows, typed_rows(lines, table, columns));
  for (const Row& row : rows)
    for (const Value& value : row)
      if (value.is_absent())
        return lines.error_at(table.line, 1, "no value of a row can be absent",
                              "write NULL if it is null");
  return rows;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

}  // namespace rowgate::harness
