// Keys by Zipf's law without a table of probabilities: the continuous distribution with density
// x^-s over [1, rows + 1) is inverted and rounded down. It is as steep as Zipf's and differs a
// little at the first few keys. Ranks are scattered over the table by a multiplication modulo its
// size, so that frequent keys are not neighbours in files.
#include "harness/bench_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

// The keys of events, and where the events stand in the order of arrival.
class Feed {
 public:
  Feed(const WorkloadShape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {
    scatter_ = static_cast<std::uint64_t>(static_cast<double>(shape.rows) * 0.618) | 1U;
    while (std::gcd(scatter_, shape.rows) != 1) ++scatter_;
  }

  Event next(std::int64_t sequence) {
    Event event;
    const std::int64_t key = next_key();
    event.key = {Value::integer(key)};
    event.sequence = Value::integer(sequence);
    event.op = random_.unit() < shape_.delete_rate ? Operation::remove : Operation::upsert;
    if (event.op == Operation::remove)
      event.payload = {Value::null(), Value::null()};
    else
      event.payload = {Value::text(fmt::format("k{}v{}", key, sequence)),
                       Value::integer((key * 31 + sequence) % 1000)};
    return event;
  }

  // In units of events: later than its turn.
  double delay(std::uint64_t events) {
    const bool late = random_.unit() < shape_.disorder;
    const double by = random_.unit();
    return late ? by * static_cast<double>(events) : 0;
  }

 private:
  std::int64_t next_key() {
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

  const WorkloadShape& shape_;
  BenchRandom random_;
  std::uint64_t scatter_ = 1;
};

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

Result<void> check_shape(const WorkloadShape& shape) {
  if (shape.batches > shape.events)
    return fail(ErrorCode::usage,
                fmt::format("{} events cannot be cut into {} batches", shape.events, shape.batches),
                "batches", {}, "give more events or fewer batches");
  if (shape.files > shape.rows)
    return fail(ErrorCode::usage,
                fmt::format("{} rows cannot fill {} files", shape.rows, shape.files), "files", {},
                "give more rows or fewer files");
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

Workload make_workload(const WorkloadShape& shape, std::uint64_t seed) {
  Workload workload;
  workload.shape = shape;
  const Type bigint{TypeKind::int64, 0, 0}, string{TypeKind::string, 0, 0};
  workload.schema.keys = {{"id", bigint}};
  workload.schema.payload = {{"name", string}, {"amount", bigint}};
  workload.schema.sequence = {"_seq", bigint};

  Feed feed(workload.shape, seed);
  std::vector<Event> events;
  std::vector<std::pair<double, std::size_t>> arrivals;
  for (std::uint64_t i = 0; i < shape.events; ++i) {
    events.push_back(feed.next(static_cast<std::int64_t>(i) + 1));
    arrivals.emplace_back(static_cast<double>(i) + feed.delay(shape.events), i);
    workload.touched.push_back(std::get<std::int64_t>(events.back().key.front().data()));
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

Row initial_row(std::int64_t id) {
  return {Value::integer(id), Value::text(fmt::format("k{}v0", id)),
          Value::integer((id * 31) % 1000), Value::integer(0)};
}

History full_history(const Workload& workload) {
  History history;
  Batch initial;
  for (const std::int64_t id : workload.touched) {
    if (id >= static_cast<std::int64_t>(workload.shape.rows)) continue;
    const Row row = initial_row(id);
    Event event;
    event.key = {row[0]};
    event.sequence = row[3];
    event.payload = {row[1], row[2]};
    initial.events.push_back(std::move(event));
  }
  history.batches.push_back(std::move(initial));
  history.batches.insert(history.batches.end(), workload.history.batches.begin(),
                         workload.history.batches.end());
  return history;
}

}  // namespace rowgate::harness
