// Keys by Zipf's law without a table of probabilities: the continuous distribution with density
// x^-s over [1, rows + 1) is inverted and rounded down. It is as steep as Zipf's and differs a
// little at the first few keys. Ranks are scattered over the table by a multiplication modulo its
// size, so that frequent keys are not neighbours in files.
#include "harness/bench_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/text.hpp"
#include "harness/bench_design.hpp"

namespace rowgate::harness {
namespace {

constexpr WorkloadDimension kDimensions[] = {
    {"rows", "rows in the table", true},
    {"files", "files of the table", true},
    {"batches", "micro-batches that the events are cut into", false},
    {"events", "events", true},
    {"disorder", "share of events that arrive late", false},
    {"delete-rate", "share of events that are deletes", false},
    {"skew", "Zipf's exponent of the keys", false},
};

tl::unexpected<Error> out_of_range(std::string_view dimension, double value, double low,
                                   double high) {
  return fail(ErrorCode::usage, fmt::format("{} is out of range", value), std::string(dimension),
              {}, fmt::format("give {} to {}", low, high));
}

Result<void> set_count(std::uint64_t& count, std::string_view dimension, double value, double low,
                       double high) {
  if (!(value >= low && value <= high)) return out_of_range(dimension, value, low, high);
  if (value != std::floor(value))
    return fail(ErrorCode::usage, fmt::format("{} is not a whole number", value),
                std::string(dimension));
  count = static_cast<std::uint64_t>(value);
  return {};
}

Result<void> set_number(double& number, std::string_view dimension, double value, double high) {
  if (!(value >= 0 && value <= high)) return out_of_range(dimension, value, 0, high);
  number = value;
  return {};
}

// The first key column that tells so many rows apart.
std::optional<std::size_t> telling_key(const Schema& schema, const WorkloadShape& shape) {
  for (std::size_t i = 0; i < schema.keys.size(); ++i)
    if (distinct_values(schema.keys[i].type) >= shape.rows + shape.events) return i;
  return std::nullopt;
}

// The number that a column's value is made of, for row `number` and the event with this sequence:
// in C++, and as SQL for the initial rows, whose sequence is 0.
std::int64_t payload_number(std::int64_t number, std::int64_t sequence, std::size_t column) {
  return number * 31 + sequence * 17 + static_cast<std::int64_t>(column);
}
std::string payload_number_sql(std::size_t column) {
  return fmt::format("(n * 31 + {})", column);
}
constexpr std::int64_t kOtherKeys = 7;  // values of key columns that do not tell rows apart

Row payload_at(const Schema& schema, std::int64_t number, std::int64_t sequence) {
  Row payload;
  for (std::size_t i = 0; i < schema.payload.size(); ++i)
    payload.push_back(value_at(schema.payload[i].type, payload_number(number, sequence, i)));
  return payload;
}

// What happens to which row, and where the events stand in the order of arrival.
class Feed {
 public:
  Feed(const Workload& workload, std::uint64_t seed)
      : workload_(workload), shape_(workload.shape), random_(seed) {
    const WorkloadShape& shape = shape_;
    scatter_ = static_cast<std::uint64_t>(static_cast<double>(shape.rows) * 0.618) | 1U;
    while (std::gcd(scatter_, shape.rows) != 1) ++scatter_;
  }

  // The number of its row, and the event.
  std::pair<std::int64_t, Event> next(std::int64_t sequence) {
    const Schema& schema = workload_.schema;
    const std::int64_t number = next_row();
    Event event;
    event.key = key_at(workload_, number);
    event.sequence = sequence_at(schema.sequence.type, sequence);
    event.op = random_.unit() < shape_.delete_rate ? Operation::remove : Operation::upsert;
    event.payload = event.op == Operation::remove ? Row(schema.payload.size())
                                                  : payload_at(schema, number, sequence);
    return {number, std::move(event)};
  }

  // In units of events: later than its turn.
  double delay(std::uint64_t events) {
    const bool late = random_.unit() < shape_.disorder;
    const double by = random_.unit();
    return late ? by * static_cast<double>(events) : 0;
  }

 private:
  std::int64_t next_row() {
    if (random_.unit() < shape_.insert_rate)
      return static_cast<std::int64_t>(shape_.rows + random_.below(shape_.events));
    const double u = random_.unit(), rows = static_cast<double>(shape_.rows), s = shape_.skew;
    double rank = 0;
    if (s == 0)
      rank = std::floor(u * rows);
    else if (std::abs(s - 1) < 1e-9)
      rank = std::floor(std::exp(u * std::log(rows + 1))) - 1;
    else
      rank = std::floor(std::pow(u * (std::pow(rows + 1, 1 - s) - 1) + 1, 1 / (1 - s))) - 1;
    const std::uint64_t place =
        std::min(static_cast<std::uint64_t>(std::max(rank, 0.0)), shape_.rows - 1);
    return static_cast<std::int64_t>(place * scatter_ % shape_.rows);
  }

  const Workload& workload_;
  const WorkloadShape& shape_;
  BenchRandom random_;
  std::uint64_t scatter_ = 1;
};

Event initial_event(const Workload& workload, std::int64_t number) {
  Event event;
  event.key = key_at(workload, number);
  event.sequence = sequence_at(workload.schema.sequence.type, 0);
  event.payload = payload_at(workload.schema, number, 0);
  return event;
}

std::string percent(double share) {
  return fmt::format("{:g} %", share * 100);
}

}  // namespace

std::span<const WorkloadDimension> workload_dimensions() {
  return kDimensions;
}

Result<void> set_dimension(WorkloadShape& shape, std::string_view name, double value) {
  if (name == "rows") return set_count(shape.rows, name, value, 1, kMaxBenchRows);
  if (name == "files") return set_count(shape.files, name, value, 1, kMaxBenchFiles);
  if (name == "batches") return set_count(shape.batches, name, value, 1, kMaxBenchBatches);
  if (name == "events") return set_count(shape.events, name, value, 1, kMaxBenchEvents);
  if (name == "disorder") return set_number(shape.disorder, name, value, 1);
  if (name == "delete-rate") return set_number(shape.delete_rate, name, value, 1);
  if (name == "skew") return set_number(shape.skew, name, value, 5);
  std::vector<std::string_view> names;
  for (const WorkloadDimension& dimension : kDimensions) names.push_back(dimension.name);
  const std::string_view near = base::nearest(name, names);
  return fail(ErrorCode::usage, "there is no such dimension", std::string(name), {},
              near.empty() ? "there are rows, files, batches, events, disorder, delete-rate, skew"
                           : fmt::format("did you mean {}?", near));
}

Schema bench_schema() {
  const Type bigint{TypeKind::int64, 0, 0}, string{TypeKind::string, 0, 0};
  Schema schema;
  schema.keys = {{"id", bigint}};
  schema.payload = {{"name", string}, {"amount", bigint}};
  schema.sequence = {"_seq", bigint};
  return schema;
}

Result<void> check_shape(const WorkloadShape& shape, const Schema& schema) {
  if (shape.batches > shape.events)
    return fail(ErrorCode::usage,
                fmt::format("{} events cannot be cut into {} batches", shape.events, shape.batches),
                "batches", {}, "give more events or fewer batches");
  if (shape.files > shape.rows)
    return fail(ErrorCode::usage,
                fmt::format("{} rows cannot fill {} files", shape.rows, shape.files), "files", {},
                "give more rows or fewer files");
  if (!telling_key(schema, shape))
    return fail(ErrorCode::usage,
                fmt::format("no key column can tell {} rows apart",
                            base::with_thousands(shape.rows + shape.events)),
                "--keys", {}, "name a wider key, or give fewer --rows");
  if (distinct_values(schema.sequence.type) <= shape.events)
    return fail(ErrorCode::usage,
                fmt::format("a sequence of type {} cannot order {} events",
                            to_spark_sql(schema.sequence.type), base::with_thousands(shape.events)),
                "--sequence", {}, "name a wider sequence, or give fewer --events");
  return {};
}

std::string to_text(const WorkloadShape& shape) {
  std::string text = fmt::format("{} rows", base::with_thousands(shape.rows));
  if (shape.files > 0)
    text += fmt::format(" in {} file{}", base::with_thousands(shape.files),
                        shape.files == 1 ? "" : "s");
  text += fmt::format("; {} events in {} batch{}, {} deletes, {} new keys",
                      base::with_thousands(shape.events), base::with_thousands(shape.batches),
                      shape.batches == 1 ? "" : "es", percent(shape.delete_rate),
                      percent(shape.insert_rate));
  if (shape.disorder > 0) text += fmt::format(", {} late", percent(shape.disorder));
  if (shape.skew > 0) text += fmt::format(", keys by Zipf's law with exponent {:g}", shape.skew);
  return text;
}

Workload make_workload(const WorkloadShape& shape, const Schema& schema, std::uint64_t seed) {
  Workload workload;
  workload.shape = shape;
  workload.schema = schema;
  Feed feed(workload, seed);
  std::vector<Event> events;
  std::vector<std::pair<double, std::size_t>> arrivals;
  for (std::uint64_t i = 0; i < shape.events; ++i) {
    auto [number, event] = feed.next(static_cast<std::int64_t>(i) + 1);
    events.push_back(std::move(event));
    arrivals.emplace_back(static_cast<double>(i) + feed.delay(shape.events), i);
    workload.touched.push_back(number);
  }
  std::sort(arrivals.begin(), arrivals.end());
  std::sort(workload.touched.begin(), workload.touched.end());
  workload.touched.erase(std::unique(workload.touched.begin(), workload.touched.end()),
                         workload.touched.end());
  workload.history.batches.resize(shape.batches);
  for (std::uint64_t place = 0; place < shape.events; ++place) {
    Batch& batch = workload.history.batches[place * shape.batches / shape.events];
    batch.events.push_back(std::move(events[arrivals[place].second]));
  }
  return workload;
}

Row key_at(const Workload& workload, std::int64_t number) {
  const std::size_t telling = telling_key(workload.schema, workload.shape).value_or(0);
  Row key;
  for (std::size_t i = 0; i < workload.schema.keys.size(); ++i)
    key.push_back(
        value_at(workload.schema.keys[i].type, i == telling ? number : number % kOtherKeys));
  return key;
}

Rows touched_keys(const Workload& workload) {
  Rows keys;
  for (const std::int64_t number : workload.touched) keys.push_back(key_at(workload, number));
  return keys;
}

std::string initial_rows_sql(const Workload& workload, SqlDialect dialect) {
  const Schema& schema = workload.schema;
  const std::size_t telling = telling_key(schema, workload.shape).value_or(0);
  std::string sql;
  const auto add = [&](const Column& column, const std::string& expression) {
    sql += fmt::format("{}{} AS {}", sql.empty() ? "" : ", ", expression,
                       quoted(column.name, dialect));
  };
  for (std::size_t i = 0; i < schema.keys.size(); ++i)
    add(schema.keys[i],
        value_sql(schema.keys[i].type, i == telling ? "n" : fmt::format("(n % {})", kOtherKeys),
                  dialect));
  for (std::size_t i = 0; i < schema.payload.size(); ++i)
    add(schema.payload[i], value_sql(schema.payload[i].type, payload_number_sql(i), dialect));
  const Type& sequence = schema.sequence.type;
  add(schema.sequence, literal_sql(sequence_at(sequence, 0), sequence, dialect));
  const std::uint64_t rows = workload.shape.rows;
  return dialect == SqlDialect::spark
             ? fmt::format("SELECT {} FROM (SELECT id AS n FROM range({}))", sql, rows)
             : fmt::format("SELECT {} FROM range({}) numbers(n)", sql, rows);
}

JudgedRows untouched_rows(const Workload& workload, StateKind state, std::string touched,
                          SqlDialect dialect) {
  // With an end that is open, as the intervals of rows that nothing happened to have.
  return {fmt::format("SELECT *{} FROM ({}) initial", state == StateKind::scd2 ? ", NULL" : "",
                      initial_rows_sql(workload, dialect)),
          state, std::move(touched)};
}

Batch sample_batch(const Workload& workload) {
  Batch sample;
  for (const std::int64_t number : {0, 1}) sample.events.push_back(initial_event(workload, number));
  return sample;
}

History full_history(const Workload& workload) {
  History history;
  Batch initial;
  for (const std::int64_t number : workload.touched)
    if (number < static_cast<std::int64_t>(workload.shape.rows))
      initial.events.push_back(initial_event(workload, number));
  history.batches.push_back(std::move(initial));
  history.batches.insert(history.batches.end(), workload.history.batches.begin(),
                         workload.history.batches.end());
  return history;
}

}  // namespace rowgate::harness
