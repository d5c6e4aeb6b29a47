#include "harness/duckdb_engine.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "base/text.hpp"
#include "harness/duckdb_api.hpp"

namespace rowgate::harness {
namespace {

using duckdb::Functions;
using duckdb::TypeId;

Result<Functions> open_library(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return fail(ErrorCode::not_found, "there is no DuckDB library", path.string());
  // Never closed: the library keeps threads and thread-local destructors of its own.
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    return fail(ErrorCode::unsupported,
                fmt::format("not a library that this program can load: {}",
                            why == nullptr ? "no reason given" : why),
                path.string());
  }
  Functions functions;
  const char* missing = nullptr;
#define ROWGATE_DUCKDB_LOOKUP(result, name, parameters)                                          \
  functions.name = reinterpret_cast<decltype(functions.name)>(::dlsym(handle, "duckdb_" #name)); \
  if (functions.name == nullptr && missing == nullptr) missing = "duckdb_" #name;
  ROWGATE_DUCKDB_FUNCTIONS(ROWGATE_DUCKDB_LOOKUP)
#undef ROWGATE_DUCKDB_LOOKUP
  if (missing != nullptr)
    return fail(ErrorCode::unsupported, fmt::format("the library lacks the function {}", missing),
                path.string(), std::nullopt, "use the library of DuckDB 2.x");
  const std::string_view version = functions.library_version();
  if (version.substr(0, 3) != "v2.")
    return fail(ErrorCode::unsupported,
                fmt::format("the library is DuckDB {}, and 2.x is needed",
                            base::printable(version.substr(0, 40))),
                path.string());
  return functions;
}

// Interrupts a connection when a statement takes too long: one thread, armed for each statement.
class Watchdog {
 public:
  Watchdog(const Functions& api, duckdb::Connection connection)
      : api_(api), connection_(connection), thread_([this] { run(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void arm(std::chrono::milliseconds timeout) {
    {
      const std::lock_guard lock(mutex_);
      deadline_ = std::chrono::steady_clock::now() + timeout;
      fired_ = false;
    }
    wake_.notify_one();
  }
  // True when the deadline passed before this call.
  bool disarm() {
    const std::lock_guard lock(mutex_);
    deadline_.reset();
    return fired_;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!quit_) {
      if (!deadline_) {
        wake_.wait(lock);
        continue;
      }
      if (wake_.wait_until(lock, *deadline_) == std::cv_status::no_timeout) continue;
      if (!deadline_ || std::chrono::steady_clock::now() < *deadline_) continue;
      fired_ = true;
      deadline_.reset();
      api_.interrupt(connection_);
    }
  }

  const Functions& api_;
  duckdb::Connection connection_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  bool fired_ = false;
  bool quit_ = false;
  std::thread thread_;
};

bool is_valid(const std::uint64_t* validity, std::size_t row) {
  return validity == nullptr || ((validity[row / 64] >> (row % 64)) & 1) != 0;
}

template <class Stored>
std::int64_t stored_at(const void* data, std::size_t row) {
  Stored value;
  std::memcpy(&value, static_cast<const char*>(data) + row * sizeof(Stored), sizeof(Stored));
  return static_cast<std::int64_t>(value);
}

template <class Stored>
void store_at(void* data, std::size_t row, Stored value) {
  std::memcpy(static_cast<char*>(data) + row * sizeof(Stored), &value, sizeof(Stored));
}

Int128 decimal_at(const void* data, std::size_t row, TypeId internal) {
  switch (internal) {
    case TypeId::smallint: return stored_at<std::int16_t>(data, row);
    case TypeId::integer: return stored_at<std::int32_t>(data, row);
    case TypeId::bigint: return stored_at<std::int64_t>(data, row);
    default: break;
  }
  Int128 value;
  std::memcpy(&value, static_cast<const char*>(data) + row * sizeof value, sizeof value);
  return value;
}

struct ResultColumn {
  TypeId id = TypeId::invalid;
  TypeId internal = TypeId::invalid;  // of a decimal
  std::uint8_t scale = 0;
};

bool is_readable(TypeId id) {
  switch (id) {
    case TypeId::boolean:
    case TypeId::tinyint:
    case TypeId::smallint:
    case TypeId::integer:
    case TypeId::bigint:
    case TypeId::utinyint:
    case TypeId::usmallint:
    case TypeId::uinteger:
    case TypeId::ubigint:
    case TypeId::real:
    case TypeId::float64:
    case TypeId::timestamp:
    case TypeId::timestamp_s:
    case TypeId::timestamp_ms:
    case TypeId::timestamp_tz:
    case TypeId::date:
    case TypeId::hugeint:
    case TypeId::varchar:
    case TypeId::decimal:
    case TypeId::sql_null: return true;
    default: return false;
  }
}

std::string string_at(const void* data, std::size_t row) {
  duckdb::String string;
  const char* place = static_cast<const char*>(data) + row * sizeof string;
  std::memcpy(&string, place, sizeof string);
  if (string.length <= 12) return std::string(place + 4, string.length);
  return std::string(string.tail.pointer, string.length);
}

double double_at(const void* data, std::size_t row, TypeId id) {
  if (id == TypeId::real) {
    float value;
    std::memcpy(&value, static_cast<const char*>(data) + row * sizeof value, sizeof value);
    return static_cast<double>(value);
  }
  double value;
  std::memcpy(&value, static_cast<const char*>(data) + row * sizeof value, sizeof value);
  return value;
}

Value value_at(const ResultColumn& column, const void* data, std::size_t row) {
  using Data = Value::Data;
  switch (column.id) {
    case TypeId::boolean: return Value(Data(stored_at<std::uint8_t>(data, row) != 0));
    case TypeId::tinyint: return Value::integer(stored_at<std::int8_t>(data, row));
    case TypeId::smallint: return Value::integer(stored_at<std::int16_t>(data, row));
    case TypeId::integer: return Value::integer(stored_at<std::int32_t>(data, row));
    case TypeId::utinyint: return Value::integer(stored_at<std::uint8_t>(data, row));
    case TypeId::usmallint: return Value::integer(stored_at<std::uint16_t>(data, row));
    case TypeId::uinteger: return Value::integer(stored_at<std::uint32_t>(data, row));
    case TypeId::bigint: return Value::integer(stored_at<std::int64_t>(data, row));
    case TypeId::ubigint: {
      std::uint64_t value;
      std::memcpy(&value, static_cast<const char*>(data) + row * sizeof value, sizeof value);
      return Value(Data(Decimal{static_cast<Int128>(value), 0}));
    }
    case TypeId::real:
    case TypeId::float64: return Value(Data(double_at(data, row, column.id)));
    case TypeId::timestamp:
    case TypeId::timestamp_tz: return Value(Data(Timestamp{stored_at<std::int64_t>(data, row)}));
    case TypeId::timestamp_s:
      return Value(Data(Timestamp{stored_at<std::int64_t>(data, row) * 1'000'000}));
    case TypeId::timestamp_ms:
      return Value(Data(Timestamp{stored_at<std::int64_t>(data, row) * 1'000}));
    case TypeId::date:
      return Value(Data(Date{static_cast<std::int32_t>(stored_at<std::int32_t>(data, row))}));
    case TypeId::hugeint: {
      const Int128 value = decimal_at(data, row, TypeId::hugeint);
      const auto narrow = static_cast<std::int64_t>(value);
      if (static_cast<Int128>(narrow) == value) return Value::integer(narrow);
      return Value(Data(Decimal{value, 0}));
    }
    case TypeId::varchar: return Value::text(string_at(data, row));
    case TypeId::decimal:
      return Value(Data(Decimal{decimal_at(data, row, column.internal), column.scale}));
    default: return Value();
  }
}

TypeId type_id(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean: return TypeId::boolean;
    case TypeKind::int8: return TypeId::tinyint;
    case TypeKind::int16: return TypeId::smallint;
    case TypeKind::int32: return TypeId::integer;
    case TypeKind::int64: return TypeId::bigint;
    case TypeKind::decimal: return TypeId::decimal;
    case TypeKind::float64: return TypeId::float64;
    case TypeKind::string: return TypeId::varchar;
    case TypeKind::timestamp: return TypeId::timestamp;
    case TypeKind::date: return TypeId::date;
  }
  return TypeId::invalid;
}

void store_integer(void* data, std::size_t row, const Type& type, std::int64_t value) {
  switch (type.kind) {
    case TypeKind::boolean:
      store_at<std::uint8_t>(data, row, value != 0 ? std::uint8_t{1} : std::uint8_t{0});
      break;
    case TypeKind::int8: store_at(data, row, static_cast<std::int8_t>(value)); break;
    case TypeKind::int16: store_at(data, row, static_cast<std::int16_t>(value)); break;
    case TypeKind::int32:
    case TypeKind::date: store_at(data, row, static_cast<std::int32_t>(value)); break;
    default: store_at(data, row, value); break;
  }
}

void store_decimal(void* data, std::size_t row, const Type& type, Int128 value) {
  if (type.precision <= 4)
    store_at(data, row, static_cast<std::int16_t>(value));
  else if (type.precision <= 9)
    store_at(data, row, static_cast<std::int32_t>(value));
  else if (type.precision <= 18)
    store_at(data, row, static_cast<std::int64_t>(value));
  else
    store_at(data, row, value);
}

class Engine final : public DuckDb {
 public:
  Engine(Functions api, const EngineLimits& limits) : api_(api), limits_(limits) {}
  ~Engine() override {
    watchdog_.reset();
    if (connection_ != nullptr) api_.disconnect(&connection_);
    if (database_ != nullptr) api_.close(&database_);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Result<void> start();

  const std::string& version() const override { return version_; }
  Result<Rows> query(const std::string& sql, std::size_t max_rows) override;
  Result<void> append(const std::string& table, const std::vector<Column>& columns,
                      const Rows& rows) override;
  Result<void> append(const std::string& table, const std::vector<ColumnData>& columns) override;

 private:
  class Loader;

  Result<Rows> read(duckdb::Result& result, std::size_t max_rows);
  Result<std::vector<ResultColumn>> describe(duckdb::Result& result);

  Functions api_;
  EngineLimits limits_;
  std::string version_;
  duckdb::Database database_ = nullptr;
  duckdb::Connection connection_ = nullptr;
  std::unique_ptr<Watchdog> watchdog_;
};

Result<void> Engine::start() {
  version_ = api_.library_version();
  const std::pair<const char*, std::string> settings[] = {
      {"threads", fmt::format("{}", limits_.threads == 0 ? 1 : limits_.threads)},
      {"memory_limit", fmt::format("{}B", limits_.memory_bytes)},
      {"enable_external_access", "false"},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"max_temp_directory_size", "0B"},  // never spills to disk
      // Spark's order: NULL is the smallest value.
      {"default_null_order", "nulls_first_on_asc_last_on_desc"},
      {"lock_configuration", "true"},
  };
  duckdb::Config config = nullptr;
  if (api_.create_config(&config) != duckdb::State::success)
    return fail(ErrorCode::child_process, "DuckDB would not make a configuration");
  for (const auto& [name, value] : settings) {
    if (api_.set_config(config, name, value.c_str()) != duckdb::State::success) {
      api_.destroy_config(&config);
      return fail(ErrorCode::unsupported,
                  fmt::format("DuckDB {} does not know the setting {}", version_, name));
    }
  }
  char* error = nullptr;
  const duckdb::State opened = api_.open_ext(nullptr, &database_, config, &error);
  api_.destroy_config(&config);
  if (opened != duckdb::State::success) {
    std::string message = error == nullptr ? "no reason given" : base::printable(error);
    if (error != nullptr) api_.free(error);
    return fail(ErrorCode::child_process, "DuckDB would not start: " + message);
  }
  if (api_.connect(database_, &connection_) != duckdb::State::success)
    return fail(ErrorCode::child_process, "DuckDB would not open a connection");
  watchdog_ = std::make_unique<Watchdog>(api_, connection_);
  return {};
}

Result<Rows> Engine::query(const std::string& sql, std::size_t max_rows) {
  if (sql.find('\0') != std::string::npos)
    return fail(ErrorCode::malformed, "the statement holds a NUL byte");
  duckdb::Result result{};
  watchdog_->arm(limits_.statement_timeout);
  const duckdb::State state = api_.query(connection_, sql.c_str(), &result);
  const bool timed_out = watchdog_->disarm();
  if (state != duckdb::State::success) {
    const char* error = api_.result_error(&result);
    Error failure{
        ErrorCode::child_process,
        timed_out ? fmt::format("interrupted after {} s", limits_.statement_timeout.count() / 1'000)
                  : (error == nullptr ? "failed without a message" : error),
        {},
        std::nullopt,
        {}};
    api_.destroy_result(&result);
    return tl::unexpected(std::move(failure));
  }
  Result<Rows> rows = read(result, max_rows);
  api_.destroy_result(&result);
  return rows;
}

Result<std::vector<ResultColumn>> Engine::describe(duckdb::Result& result) {
  std::vector<ResultColumn> columns(api_.column_count(&result));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].id = api_.column_type(&result, i);
    if (!is_readable(columns[i].id))
      return fail(ErrorCode::unsupported,
                  fmt::format("column {} of the result has a type that is not supported (DuckDB's "
                              "type id {})",
                              i + 1, static_cast<int>(columns[i].id)));
    if (columns[i].id != TypeId::decimal) continue;
    duckdb::LogicalType type = api_.column_logical_type(&result, i);
    columns[i].scale = api_.decimal_scale(type);
    columns[i].internal = api_.decimal_internal_type(type);
    api_.destroy_logical_type(&type);
  }
  return columns;
}

Result<Rows> Engine::read(duckdb::Result& result, std::size_t max_rows) {
  ROWGATE_TRY(const std::vector<ResultColumn> columns, describe(result));
  Rows rows;
  for (;;) {
    duckdb::DataChunk chunk = api_.fetch_chunk(result);
    if (chunk == nullptr) break;
    const std::size_t count = api_.data_chunk_get_size(chunk);
    const std::size_t first = rows.size();
    if (count == 0 || count > max_rows - first) {
      api_.destroy_data_chunk(&chunk);
      if (count == 0) break;
      return fail(ErrorCode::limit, fmt::format("the result has more than {} rows", max_rows));
    }
    rows.resize(first + count);
    for (std::size_t row = 0; row < count; ++row) rows[first + row].resize(columns.size());
    for (std::size_t column = 0; column < columns.size(); ++column) {
      duckdb::Vector vector = api_.data_chunk_get_vector(chunk, column);
      const void* data = api_.vector_get_data(vector);
      const std::uint64_t* validity = api_.vector_get_validity(vector);
      for (std::size_t row = 0; row < count; ++row)
        if (is_valid(validity, row))
          rows[first + row][column] = value_at(columns[column], data, row);
    }
    api_.destroy_data_chunk(&chunk);
  }
  return rows;
}

// Fills data chunks and hands them to an appender.
class Engine::Loader {
 public:
  Loader(Engine& engine, const std::string& table, std::vector<Type> types)
      : api_(engine.api_), types_(std::move(types)), capacity_(api_.vector_size()) {
    if (api_.appender_create(engine.connection_, nullptr, table.c_str(), &appender_) !=
        duckdb::State::success) {
      failed_ = true;
      return;
    }
    std::vector<duckdb::LogicalType> logical;
    for (const Type& type : types_)
      logical.push_back(type.kind == TypeKind::decimal
                            ? api_.create_decimal_type(type.precision, type.scale)
                            : api_.create_logical_type(type_id(type.kind)));
    chunk_ = api_.create_data_chunk(logical.data(), logical.size());
    for (duckdb::LogicalType& type : logical) api_.destroy_logical_type(&type);
  }
  ~Loader() {
    if (chunk_ != nullptr) api_.destroy_data_chunk(&chunk_);
    if (appender_ != nullptr) api_.appender_destroy(&appender_);
  }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  std::size_t capacity() const { return capacity_; }
  bool failed() const { return failed_; }

  void set_null(std::size_t column, std::size_t row) {
    duckdb::Vector vector = api_.data_chunk_get_vector(chunk_, column);
    api_.vector_ensure_validity_writable(vector);
    std::uint64_t* validity = api_.vector_get_validity(vector);
    validity[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }
  void* data(std::size_t column) {
    return api_.vector_get_data(api_.data_chunk_get_vector(chunk_, column));
  }
  void set_string(std::size_t column, std::size_t row, const std::string& text) {
    api_.vector_assign_string_element_len(api_.data_chunk_get_vector(chunk_, column), row,
                                          text.data(), text.size());
  }
  // False when the value has not the column's type.
  bool set_value(std::size_t column, std::size_t row, const Value& value);

  bool flush(std::size_t rows) {
    api_.data_chunk_set_size(chunk_, rows);
    failed_ = failed_ || api_.append_data_chunk(appender_, chunk_) != duckdb::State::success;
    api_.data_chunk_reset(chunk_);
    return !failed_;
  }
  Result<void> finish(const std::string& table) {
    failed_ = failed_ || api_.appender_close(appender_) != duckdb::State::success;
    if (!failed_) return {};
    const char* why = appender_ == nullptr ? nullptr : api_.appender_error(appender_);
    return fail(ErrorCode::child_process, fmt::format("rows could not be loaded into {}: {}", table,
                                                      why == nullptr ? "no reason given" : why));
  }

 private:
  const Functions& api_;
  std::vector<Type> types_;
  std::size_t capacity_;
  duckdb::Appender appender_ = nullptr;
  duckdb::DataChunk chunk_ = nullptr;
  bool failed_ = false;
};

bool Engine::Loader::set_value(std::size_t column, std::size_t row, const Value& value) {
  const Type& type = types_[column];
  if (value.is_null() || value.is_absent()) {
    set_null(column, row);
    return true;
  }
  const Value::Data& held = value.data();
  if (const auto* number = std::get_if<std::int64_t>(&held))
    store_integer(data(column), row, type, *number);
  else if (const auto* flag = std::get_if<bool>(&held))
    store_integer(data(column), row, type, *flag ? 1 : 0);
  else if (const auto* text = std::get_if<std::string>(&held);
           text && type.kind == TypeKind::string)
    set_string(column, row, *text);
  else if (const auto* real = std::get_if<double>(&held); real && type.kind == TypeKind::float64)
    store_at(data(column), row, *real);
  else if (const auto* time = std::get_if<Timestamp>(&held))
    store_integer(data(column), row, type, time->micros);
  else if (const auto* date = std::get_if<Date>(&held))
    store_integer(data(column), row, type, date->days);
  else if (const auto* decimal = std::get_if<Decimal>(&held);
           decimal && type.kind == TypeKind::decimal)
    store_decimal(data(column), row, type, decimal->unscaled);
  else
    return false;
  return true;
}

Result<void> Engine::append(const std::string& table, const std::vector<Column>& columns,
                            const Rows& rows) {
  if (rows.empty()) return {};
  std::vector<Type> types;
  for (const Column& column : columns) types.push_back(column.type);
  Loader loader(*this, table, types);
  std::size_t filled = 0;
  for (const Row& row : rows) {
    if (loader.failed()) break;
    if (row.size() != columns.size())
      return fail(ErrorCode::internal, "a row has not the table's width", table);
    for (std::size_t column = 0; column < columns.size(); ++column)
      if (!loader.set_value(column, filled, row[column]))
        return fail(ErrorCode::internal,
                    fmt::format("a value of column {} has another type", columns[column].name),
                    table);
    if (++filled == loader.capacity()) {
      loader.flush(filled);
      filled = 0;
    }
  }
  if (filled > 0 && !loader.failed()) loader.flush(filled);
  return loader.finish(table);
}

Result<void> Engine::append(const std::string& table, const std::vector<ColumnData>& columns) {
  std::vector<Type> types;
  for (const ColumnData& column : columns) types.push_back(column.type);
  if (columns.empty()) return {};
  const std::size_t count =
      std::max(columns.front().integers.size(), columns.front().strings.size());
  for (const ColumnData& column : columns)
    if (std::max(column.integers.size(), column.strings.size()) != count ||
        (!column.null.empty() && column.null.size() != count))
      return fail(ErrorCode::internal, "columns of unlike length", table);
  if (count == 0) return {};
  Loader loader(*this, table, types);
  for (std::size_t first = 0; first < count && !loader.failed(); first += loader.capacity()) {
    const std::size_t rows = std::min(loader.capacity(), count - first);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const ColumnData& column = columns[i];
      void* data = loader.data(i);
      for (std::size_t row = 0; row < rows; ++row) {
        if (!column.null.empty() && column.null[first + row] != 0)
          loader.set_null(i, row);
        else if (column.type.kind == TypeKind::string)
          loader.set_string(i, row, column.strings[first + row]);
        else
          store_integer(data, row, column.type, column.integers[first + row]);
      }
    }
    loader.flush(rows);
  }
  return loader.finish(table);
}

}  // namespace

Result<std::unique_ptr<DuckDb>> DuckDb::load(const std::filesystem::path& path,
                                             const EngineLimits& limits) {
  ROWGATE_TRY(const Functions functions, open_library(path));
  auto engine = std::make_unique<Engine>(functions, limits);
  if (auto started = engine->start(); !started) {
    Error error = std::move(started).error();
    if (error.subject.empty()) error.subject = path.string();
    return tl::unexpected(std::move(error));
  }
  return engine;
}

std::string to_duckdb_sql(const Type& type) {
  return type.kind == TypeKind::string ? "VARCHAR" : to_spark_sql(type);
}

std::string quote_for_duckdb(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

}  // namespace rowgate::harness
