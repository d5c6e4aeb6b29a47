#include "harness/pack_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/embedded_target.hpp"

namespace rowgate::harness {
namespace {

std::uint64_t range_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean: return 2;
    case TypeKind::int8: return 127;
    case TypeKind::int16: return 32'767;
    case TypeKind::decimal: {
      std::uint64_t range = 1;
      for (unsigned i = type.scale; i < type.precision && i < type.scale + 9U; ++i) range *= 10;
      return range;
    }
    case TypeKind::date: return 2'000'000;
    default: return 1'000'000'000;
  }
}

// The key column that tells keys apart.
std::size_t widest_key(const Schema& schema) {
  std::size_t widest = 0;
  for (std::size_t i = 1; i < schema.keys.size(); ++i)
    if (range_of(schema.keys[i].type) > range_of(schema.keys[widest].type)) widest = i;
  return widest;
}

std::int64_t integer_of(const Value& value) {
  const Value::Data& held = value.data();
  if (const auto* number = std::get_if<std::int64_t>(&held)) return *number;
  if (const auto* flag = std::get_if<bool>(&held)) return *flag ? 1 : 0;
  if (const auto* time = std::get_if<Timestamp>(&held)) return time->micros;
  if (const auto* date = std::get_if<Date>(&held)) return date->days;
  return 0;
}

bool fits_columns(const Type& type) {
  return type.kind != TypeKind::decimal && type.kind != TypeKind::float64;
}

void push(ColumnData& column, const Value& value) {
  const bool null = value.is_null() || value.is_absent();
  if (column.type.kind == TypeKind::string) {
    const auto* text = std::get_if<std::string>(&value.data());
    column.strings.push_back(text == nullptr ? std::string() : *text);
  } else {
    column.integers.push_back(integer_of(value));
  }
  column.null.push_back(null ? 1 : 0);
}

class PackedRun {
 public:
  PackedRun(Target& target, const Strategy& strategy, const Schema& schema,
            std::span<const CompactHistory> histories)
      : target_(target),
        strategy_(strategy),
        schema_(schema),
        source_columns_(schema.source_columns()),
        histories_(histories),
        id_column_(widest_key(schema)),
        outcomes_(histories.size(), RunOutcome(Rows{})),
        refused_(histories.size(), false) {}

  Result<std::vector<RunOutcome>> run() {
    auto opened = target_.open(strategy_, schema_);
    if (!opened) return tl::unexpected(as_error(strategy_, opened.error()));
    std::size_t batches = 0;
    for (const CompactHistory& history : histories_)
      batches = std::max<std::size_t>(batches, history.batches + (history.replay >= 0 ? 1U : 0U));
    const auto* embedded = dynamic_cast<EmbeddedRun*>(opened->get());
    const bool columns =
        embedded != nullptr &&
        std::all_of(source_columns_.begin(), source_columns_.end(),
                    [](const Column& column) { return fits_columns(column.type); });
    for (std::size_t batch = 0; batch < batches; ++batch) {
      const Result<void> applied = columns ? apply_batch<SourceColumns>(**opened, batch)
                                           : apply_batch<Batch>(**opened, batch);
      if (!applied) return tl::unexpected(applied.error());
    }
    Attempt<Rows> rows = (*opened)->read();
    if (!rows) return tl::unexpected(as_error(strategy_, rows.error()));
    ROWGATE_CHECK(distribute(std::move(*rows)));
    return std::move(outcomes_);
  }

 private:
  // Applies one batch of all histories that are not refused, again without those that are now.
  template <class Source>
  Result<void> apply_batch(TableRun& run, std::size_t batch) {
    for (;;) {
      std::int64_t count = 0;
      const Source source = unite<Source>(batch, count);
      if (count == 0) return {};
      Attempt<void> applied = give(run, source, batch);
      if (applied) {
        arrival_ += count;
        return {};
      }
      if (!refuse(applied.error())) return tl::unexpected(as_error(strategy_, applied.error()));
    }
  }

  Attempt<void> give(TableRun& run, const SourceColumns& source, std::size_t) {
    return static_cast<EmbeddedRun&>(run).apply_columns(source);
  }
  Attempt<void> give(TableRun& run, const Batch& source, std::size_t batch) {
    return run.apply(source, batch, arrival_);
  }

  bool has(const CompactHistory& history, std::size_t batch, std::size_t& wanted) const {
    wanted = batch;
    if (batch < history.batches) return true;
    if (batch > history.batches || history.replay < 0) return false;
    wanted = static_cast<std::size_t>(history.replay);
    return true;
  }

  template <class Source>
  Source unite(std::size_t batch, std::int64_t& count) const {
    Source source = empty(static_cast<const Source*>(nullptr));
    for (std::size_t h = 0; h < histories_.size(); ++h) {
      if (refused_[h]) continue;
      const CompactHistory& history = histories_[h];
      std::size_t wanted = 0;
      if (!has(history, batch, wanted)) continue;
      for (unsigned i = 0; i < history.size; ++i) {
        const CompactEvent& event = history.events[i];
        if (event.batch != wanted) continue;
        append(source, event, h * kKeysAHistory + event.key + 1U, arrival_ + count);
        ++count;
      }
    }
    return source;
  }

  SourceColumns empty(const SourceColumns*) const {
    SourceColumns source;
    for (const Column& column : source_columns_) source.push_back({column.type, {}, {}, {}});
    return source;
  }
  Batch empty(const Batch*) const { return {}; }

  void append(SourceColumns& source, const CompactEvent& event, std::uint64_t key,
              std::int64_t arrival) const {
    std::size_t column = 0;
    for (const Column& each : schema_.keys)
      push(source[column++], event.null_key ? Value() : key_value(each.type, key));
    for (std::size_t i = 0; i < schema_.payload.size(); ++i)
      push(source[column++], payload_value(schema_.payload[i].type, event, i));
    push(source[column++],
         event.null_sequence ? Value() : sequence_value(schema_.sequence.type, event.rank));
    ColumnData& op = source[column++];
    op.strings.emplace_back(
        op_text(event.kind == EventKind::remove ? Operation::remove : Operation::upsert));
    op.null.push_back(0);
    source[column].integers.push_back(arrival);
    source[column].null.push_back(0);
  }

  void append(Batch& source, const CompactEvent& compact, std::uint64_t key, std::int64_t) const {
    Event event;
    for (const Column& each : schema_.keys)
      event.key.push_back(compact.null_key ? Value() : key_value(each.type, key));
    for (std::size_t i = 0; i < schema_.payload.size(); ++i)
      event.payload.push_back(payload_value(schema_.payload[i].type, compact, i));
    event.sequence =
        compact.null_sequence ? Value() : sequence_value(schema_.sequence.type, compact.rank);
    event.op = compact.kind == EventKind::remove ? Operation::remove : Operation::upsert;
    source.events.push_back(std::move(event));
  }

  // The history that a packed key belongs to, or nullopt.
  std::optional<std::size_t> owner(const Row& row, std::uint64_t& local) const {
    if (row.size() <= id_column_) return std::nullopt;
    const std::optional<std::uint64_t> number = key_number(row[id_column_]);
    if (!number || *number == 0) return std::nullopt;
    local = (*number - 1) % kKeysAHistory + 1;
    const std::uint64_t index = (*number - 1) / kKeysAHistory;
    if (index >= histories_.size()) return std::nullopt;
    return static_cast<std::size_t>(index);
  }

  bool refuse(const Failure& failure) {
    bool any = false;
    for (const Row& key : failure.keys) {
      std::uint64_t local = 0;
      const std::optional<std::size_t> index = owner(key, local);
      if (!index || refused_[*index]) continue;
      Failure own = failure;
      own.keys.clear();
      outcomes_[*index] = tl::unexpected(std::move(own));
      refused_[*index] = true;
      any = true;
    }
    return any;
  }

  Result<void> distribute(Rows rows) {
    for (Row& row : rows) {
      std::uint64_t local = 0;
      const std::optional<std::size_t> index = owner(row, local);
      if (!index) {
        if (std::any_of(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(schema_.keys.size()),
                        [](const Value& value) { return value.is_null(); }))
          return fail(ErrorCode::unsupported, "rows with null keys belong to no packed history");
        return fail(
            ErrorCode::child_process,
            fmt::format("the table of '{}' holds a key that no event carried", strategy_.name));
      }
      if (refused_[*index]) continue;
      for (std::size_t i = 0; i < schema_.keys.size(); ++i)
        row[i] = key_value(schema_.keys[i].type, local);
      outcomes_[*index]->push_back(std::move(row));
    }
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      if (!refused_[i] && outcomes_[i]->size() > 1) sort_rows(*outcomes_[i]);
    return {};
  }

  Target& target_;
  const Strategy& strategy_;
  const Schema& schema_;
  std::vector<Column> source_columns_;
  std::span<const CompactHistory> histories_;
  std::size_t id_column_;
  std::vector<RunOutcome> outcomes_;
  std::vector<bool> refused_;
  std::int64_t arrival_ = 0;
};

}  // namespace

std::uint64_t packing_capacity(const Schema& schema) {
  return range_of(schema.keys[widest_key(schema)].type) / kKeysAHistory;
}

Result<std::vector<RunOutcome>> run_compact_packed(Target& target, const Strategy& strategy,
                                                   const Schema& schema,
                                                   std::span<const CompactHistory> histories) {
  return PackedRun(target, strategy, schema, histories).run();
}

namespace {

// For an error's line: white space as single spaces, and not more than a screen or so.
std::string one_line(std::string_view text) {
  constexpr std::size_t kMost = 400;
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      line.push_back(c);
    else if (!line.empty() && line.back() != ' ')
      line.push_back(' ');
    if (line.size() >= kMost) return line + "…";
  }
  return line;
}

}  // namespace

Error as_error(const Strategy& strategy, const Failure& failure) {
  Error error;
  error.code =
      failure.kind == FailureKind::unsupported ? ErrorCode::unsupported : ErrorCode::child_process;
  error.message = failure.message;
  if (!failure.statement.empty()) error.remedy = "in: " + one_line(failure.statement);
  error.subject = strategy.name;
  return error;
}

}  // namespace rowgate::harness
