#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/bench_workload.hpp"
#include "harness/oracle.hpp"

using namespace rowgate::harness;

namespace {

std::int64_t integer(const Value& value) {
  return std::get<std::int64_t>(value.data());
}

// Pairs of neighbours, in order of arrival, whose sequences are the wrong way round.
std::size_t inversions(const Workload& workload) {
  std::size_t count = 0;
  std::int64_t last = 0;
  for (const Batch& batch : workload.history.batches)
    for (const Event& event : batch.events) {
      count += integer(event.sequence) < last ? 1 : 0;
      last = integer(event.sequence);
    }
  return count;
}

std::map<std::int64_t, unsigned> events_by_key(const Workload& workload) {
  std::map<std::int64_t, unsigned> counts;
  for (const Batch& batch : workload.history.batches)
    for (const Event& event : batch.events) ++counts[integer(event.key[0])];
  return counts;
}

}  // namespace

TEST_CASE("a workload has the shape that was asked for") {
  WorkloadShape shape;
  shape.rows = 5'000;
  shape.events = 10'000;
  shape.batches = 7;
  shape.delete_rate = 0.25;
  shape.insert_rate = 0.5;
  const Workload workload = make_workload(shape, bench_schema(), 3);
  CHECK(workload.history.event_count() == shape.events);
  REQUIRE(workload.history.batches.size() == 7);
  for (const Batch& batch : workload.history.batches)
    CHECK((batch.events.size() == 10'000 / 7 || batch.events.size() == 10'000 / 7 + 1));
  CHECK(check_history(workload.schema, workload.history));
  CHECK(inversions(workload) == 0);
  unsigned deletes = 0, fresh = 0;
  std::set<std::int64_t> sequences;
  for (const Batch& batch : workload.history.batches)
    for (const Event& event : batch.events) {
      deletes += event.op == Operation::remove ? 1 : 0;
      fresh += integer(event.key[0]) >= 5'000 ? 1 : 0;
      sequences.insert(integer(event.sequence));
    }
  CHECK(deletes == doctest::Approx(2'500).epsilon(0.05));
  CHECK(fresh == doctest::Approx(5'000).epsilon(0.05));
  CHECK(sequences.size() == shape.events);  // no ties: there is one right state
  const auto counts = events_by_key(workload);
  CHECK(workload.touched.size() == counts.size());
  CHECK(std::is_sorted(workload.touched.begin(), workload.touched.end()));
}

TEST_CASE("disorder brings events late, skew brings some keys often") {
  WorkloadShape shape;
  shape.rows = 1'000;
  shape.events = 5'000;
  shape.insert_rate = 0;
  const auto most = [](const Workload& workload) {
    unsigned count = 0;
    for (const auto& [key, events] : events_by_key(workload)) count = std::max(count, events);
    return count;
  };
  const Workload plain = make_workload(shape, bench_schema(), 1);
  shape.disorder = 0.3;
  CHECK(inversions(make_workload(shape, bench_schema(), 1)) > 1'000);
  shape.disorder = 0;
  shape.skew = 1;
  const Workload skewed = make_workload(shape, bench_schema(), 1);
  CHECK(most(plain) < 20);
  // The first key's share under Zipf's law with exponent 1 over 1,000 keys: 1 / H(1000) = 13.4 %;
  // its continuous form has log(2) / log(1001) = 10 %.
  CHECK(most(skewed) == doctest::Approx(500).epsilon(0.15));
  shape.skew = 2.5;
  CHECK(most(make_workload(shape, bench_schema(), 1)) > 2'500);
  CHECK(integer(plain.history.batches[0].events[0].key[0]) < 1'000);
}

TEST_CASE("the seed decides") {
  const WorkloadShape shape;
  CHECK(make_workload(shape, bench_schema(), 1).history ==
        make_workload(shape, bench_schema(), 1).history);
  CHECK(make_workload(shape, bench_schema(), 1).history !=
        make_workload(shape, bench_schema(), 2).history);
}

TEST_CASE("the whole history of the touched keys begins with their rows in the table") {
  WorkloadShape shape;
  shape.rows = 10;
  shape.events = 40;
  const Workload workload = make_workload(shape, bench_schema(), 1);
  const History history = full_history(workload);
  CHECK(history.batches.size() == 2);
  for (const Event& event : history.batches[0].events) {
    CHECK(integer(event.key[0]) < 10);
    CHECK(integer(event.sequence) == 0);
  }
  const auto answer = right_answer(*find_oracle("ideal"), workload.schema, history);
  REQUIRE(answer);
  CHECK(answer->states.size() == 1);
}

TEST_CASE("dimensions are checked") {
  WorkloadShape shape;
  CHECK(set_dimension(shape, "rows", 1e6));
  CHECK(shape.rows == 1'000'000);
  CHECK(set_dimension(shape, "delete-rate", 0.25));
  CHECK(shape.delete_rate == 0.25);
  const auto error = [&](const char* name, double value) {
    const auto set = set_dimension(shape, name, value);
    return set ? std::string() : set.error().to_string();
  };
  CHECK(error("rows", 0) == "rows: 0 is out of range; give 1 to 100000000");
  CHECK(error("rows", 1.5) == "rows: 1.5 is not a whole number");
  CHECK(error("disorder", 1.5) == "disorder: 1.5 is out of range; give 0 to 1");
  CHECK(error("skwe", 1) == "skwe: there is no such dimension; did you mean skew?");
  CHECK(error("rows", -0.0 / 0.0).find("out of range") != std::string::npos);
  shape.events = 3;
  shape.batches = 4;
  REQUIRE_FALSE(check_shape(shape, bench_schema()));
  for (const WorkloadDimension& dimension : workload_dimensions())
    CHECK(set_dimension(shape, dimension.name, 1));
}

TEST_CASE("a table like the user's: keys that tell rows apart, sequences that order events") {
  Schema schema = bench_schema();
  schema.keys = {{"flag", {TypeKind::boolean, 0, 0}}, {"id", {TypeKind::int16, 0, 0}}};
  schema.sequence = {"at", {TypeKind::string, 0, 0}};
  WorkloadShape shape;
  shape.rows = 20'000;
  shape.events = 10'000;
  CHECK(check_shape(shape, schema));
  const Workload workload = make_workload(shape, schema, 1);
  CHECK(check_history(workload.schema, workload.history));
  std::set<Row> keys;
  for (std::int64_t number = 0; number < 30'000; ++number) keys.insert(key_at(workload, number));
  CHECK(keys.size() == 30'000);
  const auto& events = workload.history.batches.front().events;
  CHECK(std::is_sorted(events.begin(), events.end(),
                       [](const Event& a, const Event& b) { return a.sequence < b.sequence; }));

  shape.rows = 20'001;
  const auto keyless = check_shape(shape, schema);
  REQUIRE_FALSE(keyless);
  CHECK(keyless.error().message == "no key column can tell 30,001 rows apart");
  shape.rows = 100;
  schema.sequence.type = {TypeKind::int8, 0, 0};
  const auto unordered = check_shape(shape, schema);
  REQUIRE_FALSE(unordered);
  CHECK(unordered.error().message == "a sequence of type TINYINT cannot order 10,000 events");
}
