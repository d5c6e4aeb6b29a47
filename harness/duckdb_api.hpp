// The few functions and types of DuckDB's C API that the embedded target uses, declared by us so
// that building needs no DuckDB. They are looked up by name in a library that is opened at run
// time; the library's version is checked first (see DuckDb::load), because the layouts below are an
// agreement with major version 2.
#pragma once

#include <cstdint>

namespace rowgate::harness::duckdb {

using Index = std::uint64_t;
enum class State : int { success = 0, error = 1 };

// The values of DUCKDB_TYPE that can meet us.
enum class TypeId : int {
  invalid = 0,
  boolean = 1,
  tinyint = 2,
  smallint = 3,
  integer = 4,
  bigint = 5,
  utinyint = 6,
  usmallint = 7,
  uinteger = 8,
  ubigint = 9,
  real = 10,
  float64 = 11,
  timestamp = 12,
  date = 13,
  hugeint = 16,
  varchar = 17,
  decimal = 19,
  timestamp_s = 20,
  timestamp_ms = 21,
  timestamp_tz = 31,
  sql_null = 36,
};

using Database = struct DatabaseTag*;
using Connection = struct ConnectionTag*;
using Config = struct ConfigTag*;
using LogicalType = struct LogicalTypeTag*;
using DataChunk = struct DataChunkTag*;
using Vector = struct VectorTag*;
using Appender = struct AppenderTag*;

// duckdb_result: five retired fields and the handle.
struct Result {
  Index retired_counts[3];
  void* retired_columns;
  char* retired_error;
  void* handle;
};

// duckdb_string_t: up to 12 bytes stand in place, longer strings behind a pointer.
struct String {
  std::uint32_t length;
  char prefix[4];
  union {
    char rest[8];
    const char* pointer;
  } tail;
};
static_assert(sizeof(String) == 16);

// X(return type, name without the "duckdb_" prefix, parameters)
#define ROWGATE_DUCKDB_FUNCTIONS(X)                                                         \
  X(const char*, library_version, ())                                                       \
  X(void, free, (void*))                                                                    \
  X(Index, vector_size, ())                                                                 \
  X(State, create_config, (Config*))                                                        \
  X(State, set_config, (Config, const char* name, const char* value))                       \
  X(void, destroy_config, (Config*))                                                        \
  X(State, open_ext, (const char* path, Database*, Config, char** error))                   \
  X(void, close, (Database*))                                                               \
  X(State, connect, (Database, Connection*))                                                \
  X(void, disconnect, (Connection*))                                                        \
  X(void, interrupt, (Connection))                                                          \
  X(State, query, (Connection, const char* sql, Result*))                                   \
  X(void, destroy_result, (Result*))                                                        \
  X(const char*, result_error, (Result*))                                                   \
  X(Index, column_count, (Result*))                                                         \
  X(TypeId, column_type, (Result*, Index column))                                           \
  X(LogicalType, column_logical_type, (Result*, Index column))                              \
  X(DataChunk, fetch_chunk, (Result))                                                       \
  X(LogicalType, create_logical_type, (TypeId))                                             \
  X(LogicalType, create_decimal_type, (std::uint8_t width, std::uint8_t scale))             \
  X(std::uint8_t, decimal_scale, (LogicalType))                                             \
  X(TypeId, decimal_internal_type, (LogicalType))                                           \
  X(void, destroy_logical_type, (LogicalType*))                                             \
  X(DataChunk, create_data_chunk, (LogicalType*, Index columns))                            \
  X(void, data_chunk_reset, (DataChunk))                                                    \
  X(void, data_chunk_set_size, (DataChunk, Index))                                          \
  X(Index, data_chunk_get_size, (DataChunk))                                                \
  X(Vector, data_chunk_get_vector, (DataChunk, Index column))                               \
  X(void, destroy_data_chunk, (DataChunk*))                                                 \
  X(void*, vector_get_data, (Vector))                                                       \
  X(std::uint64_t*, vector_get_validity, (Vector))                                          \
  X(void, vector_ensure_validity_writable, (Vector))                                        \
  X(void, vector_assign_string_element_len, (Vector, Index, const char*, Index length))     \
  X(State, appender_create, (Connection, const char* schema, const char* table, Appender*)) \
  X(State, append_data_chunk, (Appender, DataChunk))                                        \
  X(const char*, appender_error, (Appender))                                                \
  X(State, appender_close, (Appender))                                                      \
  X(State, appender_destroy, (Appender*))

struct Functions {
#define ROWGATE_DUCKDB_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  ROWGATE_DUCKDB_FUNCTIONS(ROWGATE_DUCKDB_MEMBER)
#undef ROWGATE_DUCKDB_MEMBER
};

}  // namespace rowgate::harness::duckdb
