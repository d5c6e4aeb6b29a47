// DuckDB in this process: loading the library, and one connection to a database in memory. The only
// file that calls DuckDB is duckdb_engine.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history.hpp"

namespace rowgate::harness {

struct EngineLimits {
  unsigned threads = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::chrono::milliseconds statement_timeout{60'000};
};

// Rows in columns, for bulk loading without a Value for each cell: what `prove` fills. All columns
// have the same length; `null` is empty (no nulls) or as long as the column.
struct ColumnData {
  Type type;
  std::vector<std::int64_t> integers;  // boolean, integers, timestamp, date
  std::vector<std::string> strings;    // string
  std::vector<std::uint8_t> null;
};

// One connection to one database that lives in memory only: no file, no network, no extension, and
// the configuration is locked. Not thread-safe. A statement that exceeds its time is interrupted.
class DuckDb {
 public:
  // Opens the library at `path`. Errors: not_found; unsupported (not DuckDB 2.x, or a function is
  // missing: the message names it); child_process (the engine would not start).
  static Result<std::unique_ptr<DuckDb>> load(const std::filesystem::path& path,
                                              const EngineLimits& limits);
  virtual ~DuckDb() = default;

  virtual const std::string& version() const = 0;  // "v2.0.1"

  // One statement, its rows if it has any. Values are as the engine typed them: integers of any
  // width as int64, decimals with the engine's scale. Errors: child_process with the engine's
  // message (interrupted statements say so), unsupported (a result type that has no Value), limit
  // (more than `max_rows`).
  virtual Result<Rows> query(const std::string& sql, std::size_t max_rows = 10'000'000) = 0;

  // Appends rows to a table whose columns are exactly `columns`. Errors: child_process.
  virtual Result<void> append(const std::string& table, const std::vector<Column>& columns,
                              const Rows& rows) = 0;
  virtual Result<void> append(const std::string& table, const std::vector<ColumnData>& columns) = 0;
};

// DuckDB's name of a type: "VARCHAR", "DECIMAL(10,2)". A TIMESTAMP column holds UTC.
std::string to_duckdb_sql(const Type& type);

// `"name"`, with quotes doubled.
std::string quote_for_duckdb(std::string_view name);

}  // namespace rowgate::harness
