// Lines -> records -> typed events. Records come from JSON or CSV; Debezium's envelope is turned
// into a plain record first (the row image that counts, the operation, the sequence). Types are
// taken from `table` or inferred over all records, so two passes over the records; linear
// otherwise.
#include "harness/history_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "harness/history_record.hpp"
#include "harness/user_sql.hpp"

namespace rowgate::harness {
namespace {

constexpr std::string_view kUnavailable = "__debezium_unavailable_value";
constexpr std::string_view kDebeziumOp = "\x01op";
constexpr std::string_view kDebeziumSequence = "\x01sequence";

Result<Operation> operation_of(std::string_view text) {
  struct Word {
    std::string_view text;
    Operation op;
  };
  constexpr Word kWords[] = {{"c", Operation::upsert},
                             {"i", Operation::upsert},
                             {"insert", Operation::upsert},
                             {"create", Operation::upsert},
                             {"u", Operation::upsert},
                             {"update", Operation::upsert},
                             {"upsert", Operation::upsert},
                             {"update_postimage", Operation::upsert},
                             {"update_after", Operation::upsert},
                             {"+i", Operation::upsert},
                             {"+u", Operation::upsert},
                             {"r", Operation::snapshot},
                             {"read", Operation::snapshot},
                             {"snapshot", Operation::snapshot},
                             {"d", Operation::remove},
                             {"delete", Operation::remove},
                             {"remove", Operation::remove},
                             {"-d", Operation::remove},
                             {"t", Operation::truncate},
                             {"truncate", Operation::truncate},
                             {"update_preimage", Operation::pre_image},
                             {"update_before", Operation::pre_image},
                             {"-u", Operation::pre_image}};
  const std::string lower = base::to_lower(text);
  for (const Word& word : kWords)
    if (word.text == lower) return word.op;
  return fail(ErrorCode::malformed,
              fmt::format("'{}' is no operation", base::printable(text.substr(0, 40))), {},
              std::nullopt, "use insert, update, delete, truncate, snapshot, or c, u, d, t, r");
}

// RFC 4180: fields in double quotes may hold commas and doubled quotes. One line, no line breaks
// inside.
Result<std::vector<RawValue>> parse_csv_line(std::string_view line) {
  std::vector<RawValue> values;
  for (std::size_t at = 0;; ++at) {
    RawValue value;
    if (at < line.size() && line[at] == '"') {
      value.kind = RawValue::Kind::text;
      for (++at;; ++at) {
        if (at >= line.size())
          return fail(ErrorCode::malformed, "a quoted field has no end on its line", {}, at);
        if (line[at] != '"') {
          value.text.push_back(line[at]);
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          value.text.push_back('"');
          ++at;
        } else {
          break;
        }
      }
      ++at;
      if (at < line.size() && line[at] != ',')
        return fail(ErrorCode::malformed, "text after a quoted field", {}, at);
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      value.text = line.substr(at, end - at);
      value.kind = value.text.empty() ? RawValue::Kind::null : RawValue::Kind::text;
      at = end;
    }
    values.push_back(std::move(value));
    if (at >= line.size()) return values;
  }
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view file, const HistoryOptions& options)
      : text_(text), file_(file), options_(options) {}

  Result<ImportedHistory> run() {
    if (options_.keys.empty())
      return fail(ErrorCode::usage, "no key column is named", "--keys", std::nullopt,
                  "name the columns that identify a row");
    format_ = options_.format.value_or(guess_format());
    sequence_name_ = options_.sequence;
    op_name_ = options_.op;
    ROWGATE_CHECK(read_records());
    if (format_ == HistoryFormat::debezium) ROWGATE_CHECK(unwrap_debezium());
    if (records_.empty())
      return fail(ErrorCode::malformed, "the file holds no event", std::string(file_));
    if (sequence_name_.empty())
      return fail(ErrorCode::usage, "no sequence column is named", "--sequence", std::nullopt,
                  "name the column that orders the events of a key");
    ROWGATE_CHECK(make_schema());
    ROWGATE_CHECK(make_events());
    return std::move(result_);
  }

 private:
  tl::unexpected<Error> at_line(std::size_t line, Error error) const {
    error.subject = fmt::format("{}:{}", file_, line);
    if (error.code != ErrorCode::limit) error.code = ErrorCode::malformed;
    return tl::unexpected(std::move(error));
  }

  HistoryFormat guess_format() const {
    const std::size_t dot = file_.rfind('.');
    if (dot != std::string_view::npos && base::equals_ignoring_case(file_.substr(dot), ".csv"))
      return HistoryFormat::csv;
    const std::string_view head = text_.substr(0, std::min<std::size_t>(text_.find('\n'), 100'000));
    const bool envelope = head.find("\"op\"") != std::string_view::npos &&
                          (head.find("\"after\"") != std::string_view::npos ||
                           head.find("\"before\"") != std::string_view::npos);
    return envelope ? HistoryFormat::debezium : HistoryFormat::json_lines;
  }

  Result<void> read_records() {
    std::vector<std::string> header;
    std::size_t number = 0;
    bool blank = false;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, end - at);
      at = end + 1;
      ++number;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (base::trim(line).empty()) {
        blank = true;
        continue;
      }
      if (!base::is_utf8(line))
        return at_line(number, Error{ErrorCode::malformed, "the line is not UTF-8", {}, {}, {}});
      Result<RawRecord> record =
          format_ == HistoryFormat::csv ? csv_record(line, header) : parse_json_record(line);
      if (!record) return at_line(number, std::move(record).error());
      if (format_ == HistoryFormat::csv && record->order.empty()) continue;  // the header
      record->line = number;
      record->begins_batch = blank && !records_.empty();
      blank_lines_ = blank_lines_ || record->begins_batch;
      blank = false;
      records_.push_back(std::move(*record));
      if (records_.size() > kMaxHistoryEvents)
        return fail(ErrorCode::limit, fmt::format("more than {} events", kMaxHistoryEvents),
                    std::string(file_));
    }
    return {};
  }

  static Result<RawRecord> csv_record(std::string_view line, std::vector<std::string>& header) {
    ROWGATE_TRY(std::vector<RawValue> values, parse_csv_line(line));
    RawRecord record;
    if (header.empty()) {
      for (RawValue& value : values) header.push_back(std::move(value.text));
      return record;
    }
    if (values.size() != header.size())
      return fail(ErrorCode::malformed,
                  fmt::format("{} fields under {} column names", values.size(), header.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      record.fields.emplace(header[i], std::move(values[i]));
      record.order.push_back(header[i]);
    }
    return record;
  }

  // {"before": …, "after": …, "op": "u", "source": {…}}, possibly below "payload".
  Result<void> unwrap_debezium() {
    std::vector<RawRecord> plain;
    std::size_t tombstones = 0;
    for (RawRecord& envelope : records_) {
      if (envelope.is_null) {
        ++tombstones;
        continue;
      }
      Result<RawRecord> record = unwrap(envelope);
      if (!record) return at_line(envelope.line, std::move(record).error());
      record->line = envelope.line;
      record->begins_batch = envelope.begins_batch;
      plain.push_back(std::move(*record));
    }
    if (tombstones > 0)
      result_.notes.push_back(fmt::format(
          "{} Kafka tombstones (null) were dropped: the delete before each says it", tombstones));
    records_ = std::move(plain);
    op_name_ = kDebeziumOp;
    sequence_name_ = kDebeziumSequence;
    return {};
  }

  Result<RawRecord> unwrap(const RawRecord& envelope) {
    const std::string prefix = envelope.fields.count("payload.op") != 0 ? "payload." : "";
    const auto op = envelope.fields.find(prefix + "op");
    if (op == envelope.fields.end())
      return fail(ErrorCode::malformed, "the line is no Debezium envelope: it has no 'op'");
    if (debezium_sequence_.empty()) choose_sequence(envelope, prefix);
    const auto sequence = envelope.fields.find(prefix + debezium_sequence_);
    if (debezium_sequence_.empty() || sequence == envelope.fields.end())
      return fail(ErrorCode::malformed, "the envelope has no sequence", {}, std::nullopt,
                  "name it with --sequence, for example source.lsn");
    const std::string image = prefix + (op->second.text == "d" ? "before." : "after.");
    RawRecord record;
    for (const std::string& name : envelope.order) {
      if (name.compare(0, image.size(), image) != 0) continue;
      const RawValue& value = envelope.fields.at(name);
      if (value.kind == RawValue::Kind::text && value.text == kUnavailable) {
        ++unavailable_;
        continue;
      }
      record.order.push_back(name.substr(image.size()));
      record.fields.emplace(record.order.back(), value);
    }
    record.fields.emplace(kDebeziumOp, op->second);
    record.fields.emplace(kDebeziumSequence, sequence->second);
    return record;
  }

  void choose_sequence(const RawRecord& envelope, const std::string& prefix) {
    if (!options_.sequence.empty()) {
      debezium_sequence_ = options_.sequence;
      return;
    }
    for (const char* candidate :
         {"source.lsn", "source.scn", "source.pos", "source.ts_us", "source.ts_ms", "ts_ms"}) {
      const auto found = envelope.fields.find(prefix + candidate);
      if (found == envelope.fields.end() || found->second.kind == RawValue::Kind::null) continue;
      debezium_sequence_ = candidate;
      result_.notes.push_back(fmt::format("the sequence is {}", candidate));
      return;
    }
  }

  Type inferred(const std::string& name) const {
    bool boolean = true, integer = true, number = true, any = false;
    for (const RawRecord& record : records_) {
      const auto found = record.fields.find(name);
      if (found == record.fields.end() || found->second.kind == RawValue::Kind::null) continue;
      any = true;
      const RawValue& value = found->second;
      // CSV has texts only: what they look like decides. JSON says it.
      const bool csv = format_ == HistoryFormat::csv;
      const auto reads = [&](TypeKind kind) {
        return parse_value(value.text, {kind, 0, 0}).has_value();
      };
      boolean = boolean && (csv ? reads(TypeKind::boolean) : value.kind == RawValue::Kind::boolean);
      integer = integer && reads(TypeKind::int64) && (csv || value.kind == RawValue::Kind::integer);
      number =
          number && reads(TypeKind::float64) &&
          (csv || value.kind == RawValue::Kind::integer || value.kind == RawValue::Kind::number);
    }
    if (any && boolean) return {TypeKind::boolean, 0, 0};
    if (any && integer) return {TypeKind::int64, 0, 0};
    if (any && number) return {TypeKind::float64, 0, 0};
    return {TypeKind::string, 0, 0};
  }

  Result<void> make_schema() {
    std::vector<Column> declared;
    if (!options_.table.empty()) {
      ROWGATE_TRY(declared, parse_columns(options_.table));
    }
    const auto column = [&](const std::string& name, const std::string& shown) {
      for (const Column& known : declared)
        if (known.name == shown) return known;
      return Column{shown, inferred(name)};
    };
    std::set<std::string> used = {sequence_name_, op_name_, options_.batch};
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const RawRecord& record : records_)
      for (const std::string& name : record.order)
        if (seen.insert(name).second) names.push_back(name);
    for (const std::string& key : options_.keys) {
      if (seen.count(key) == 0)
        return fail(ErrorCode::usage,
                    fmt::format("no event has the key column '{}'", base::printable(key)),
                    std::string(file_), std::nullopt, "name a column of the file");
      result_.schema.keys.push_back(column(key, key));
      used.insert(key);
    }
    if (format_ != HistoryFormat::debezium && seen.count(sequence_name_) == 0)
      return fail(
          ErrorCode::usage,
          fmt::format("no event has the sequence column '{}'", base::printable(sequence_name_)),
          std::string(file_), std::nullopt, "name a column of the file");
    const bool envelope = format_ == HistoryFormat::debezium;
    result_.schema.sequence = column(sequence_name_, envelope ? "_sequence" : sequence_name_);
    for (const std::string& name : names)
      if (used.count(name) == 0) result_.schema.payload.push_back(column(name, name));
    result_.schema.op_column = envelope || op_name_.empty() ? "_op" : op_name_;
    const Result<void> checked = check_schema(result_.schema);
    if (!checked) {
      Error error = checked.error();
      error.subject = std::string(file_);
      return tl::unexpected(std::move(error));
    }
    if (op_name_.empty())
      result_.notes.push_back("no operation column was named: every event is an upsert");
    return {};
  }

  Result<Value> value(const RawRecord& record, const std::string& name, const Type& type) const {
    const auto found = record.fields.find(name);
    if (found == record.fields.end()) return Value::absent();
    if (found->second.kind == RawValue::Kind::null) return Value();
    Result<Value> parsed = parse_value(found->second.text, type);
    if (!parsed)
      parsed.error().message =
          fmt::format("column '{}': {}", base::printable(name), parsed.error().message);
    return parsed;
  }

  Result<Event> event(const RawRecord& record) const {
    Event event;
    if (!op_name_.empty()) {
      const auto op = record.fields.find(op_name_);
      if (op == record.fields.end())
        return fail(ErrorCode::malformed,
                    fmt::format("the event has no operation '{}'", base::printable(op_name_)));
      ROWGATE_TRY(event.op, operation_of(op->second.text));
    }
    const auto present = [](Value found) { return found.is_absent() ? Value() : std::move(found); };
    for (std::size_t i = 0; i < options_.keys.size(); ++i) {
      ROWGATE_TRY(Value key, value(record, options_.keys[i], result_.schema.keys[i].type));
      event.key.push_back(present(std::move(key)));
    }
    ROWGATE_TRY(Value sequence, value(record, sequence_name_, result_.schema.sequence.type));
    event.sequence = present(std::move(sequence));
    for (const Column& column : result_.schema.payload) {
      ROWGATE_TRY(Value cell, value(record, column.name, column.type));
      event.payload.push_back(event.op == Operation::remove ? present(std::move(cell))
                                                            : std::move(cell));
    }
    return event;
  }

  Result<void> make_events() {
    const bool one_each = options_.batch.empty() && options_.batch_size == 0 && !blank_lines_;
    if (one_each)
      result_.notes.push_back(
          "the file does not say where micro-batches end: each event is one of its own");
    std::string last_batch;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const RawRecord& record = records_[i];
      Result<Event> made = event(record);
      if (!made) return at_line(record.line, std::move(made).error());
      std::string batch;
      if (const auto found = record.fields.find(options_.batch);
          !options_.batch.empty() && found != record.fields.end())
        batch = found->second.text;
      const bool full = i > 0 && options_.batch_size > 0 &&
                        result_.history.batches.back().events.size() >= options_.batch_size;
      const bool cut = one_each || record.begins_batch || batch != last_batch || full;
      if (i == 0 || cut) result_.history.batches.emplace_back();
      last_batch = std::move(batch);
      result_.history.batches.back().events.push_back(std::move(*made));
    }
    if (unavailable_ > 0)
      result_.notes.push_back(fmt::format(
          "{} unchanged values that the feed left out are absent: a partial update", unavailable_));
    return {};
  }

  std::string_view text_;
  std::string_view file_;
  const HistoryOptions& options_;
  HistoryFormat format_ = HistoryFormat::json_lines;
  std::string sequence_name_;
  std::string op_name_;
  std::string debezium_sequence_;
  std::size_t unavailable_ = 0;
  bool blank_lines_ = false;
  std::vector<RawRecord> records_;
  ImportedHistory result_;
};

}  // namespace

std::optional<HistoryFormat> history_format_from_string(std::string_view text) {
  if (text == "jsonl" || text == "json-lines") return HistoryFormat::json_lines;
  if (text == "debezium") return HistoryFormat::debezium;
  if (text == "csv") return HistoryFormat::csv;
  return std::nullopt;
}

Result<ImportedHistory> read_history(std::string_view text, std::string_view file,
                                     const HistoryOptions& options) {
  return Reader(text, file, options).run();
}

}  // namespace rowgate::harness
