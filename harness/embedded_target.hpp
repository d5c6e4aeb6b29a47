// The embedded target: DuckDB in this process. It runs strategies' SQL after rewriting it
// (dialect.hpp), and checks the cardinality of a MERGE first, as Delta, Iceberg and PostgreSQL do.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "harness/duckdb_engine.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

// The Maven artifact whose jar holds DuckDB's library, and the library's entry in that jar for this
// platform. Errors: unsupported (no build for this operating system and processor).
inline constexpr std::string_view kDuckDbCoordinate = "org.duckdb:duckdb_jdbc:2.0.0.1";
Result<std::string> duckdb_jar_entry();

// A micro-batch already in columns, for `prove`: the source's columns in order.
using SourceColumns = std::vector<ColumnData>;

class EmbeddedTarget : public Target {
 public:
  // `library` is the .so itself, outside of the jar. Errors as DuckDb::load.
  static Result<std::unique_ptr<EmbeddedTarget>> open_library(const std::filesystem::path& library,
                                                              const EngineLimits& limits = {});

  // For fixtures of other kinds (drift), beside the runs' tables.
  virtual DuckDb& engine() = 0;
};

// A TableRun of the embedded target can do more than others: load columns, and answer queries.
class EmbeddedRun : public TableRun {
 public:
  // As TableRun::apply, with the batch's source rows given in columns.
  virtual Attempt<void> apply_columns(const SourceColumns& source) = 0;
  virtual DuckDb& engine() = 0;
  virtual const std::string& target_table() const = 0;  // as it stands in DuckDB's SQL
};

// For others who run strategies on a DuckDb of their own: the Failure for its error about
// `statement`, and the statement that makes a table.
Failure embedded_failure(const Error& error, std::string statement);
std::string embedded_create_table(const std::string& name, const std::vector<Column>& columns);

}  // namespace rowgate::harness
