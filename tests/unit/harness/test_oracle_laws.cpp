// The laws of the ideal rules, on random histories: order of arrival, cuts and repetitions change
// nothing, and the open versions of type 2 are the rows of type 1.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <random>

#include "harness/enumerate.hpp"
#include "harness/oracle.hpp"
#include "harness/prove.hpp"

namespace rowgate::harness {
namespace {

Bounds tie_free() {
  Bounds bounds;
  bounds.keys = 3;
  bounds.events = 8;
  return bounds;
}

std::vector<Event> events_of(const History& history) {
  std::vector<Event> events;
  for (const Batch& batch : history.batches)
    events.insert(events.end(), batch.events.begin(), batch.events.end());
  return events;
}

History cut(std::vector<Event> events, std::mt19937_64& random) {
  History history;
  history.batches.emplace_back();
  for (Event& event : events) {
    if (random() % 3 == 0) history.batches.emplace_back();
    history.batches.back().events.push_back(std::move(event));
  }
  return history;
}

Rows only_state(const char* variant, const History& history) {
  const auto answer = right_answer(*find_oracle(variant), prove_schema(), history);
  RC_ASSERT(answer.has_value());
  RC_ASSERT(answer->states.size() == std::size_t{1});
  return answer->states.front();
}

}  // namespace

TEST_CASE("permutation, cuts and repetition change nothing") {
  const bool holds = rc::check("laws", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const History history = to_history(sample(tie_free(), random), prove_schema());
    std::vector<Event> events = events_of(history);
    events.push_back(events[random() % events.size()]);
    std::shuffle(events.begin(), events.end(), random);
    const History other = cut(events, random);
    for (const char* variant : {"ideal", "ideal-scd2", "spark-auto-cdc-scd1", "paimon-deduplicate"})
      RC_ASSERT(only_state(variant, history) == only_state(variant, other));
  });
  CHECK(holds);
}

TEST_CASE("type 2: no overlap, at most one open version, which is type 1's row") {
  const bool holds = rc::check("scd2", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const History history = to_history(sample(tie_free(), random), prove_schema());
    Rows current;
    std::map<Row, std::vector<std::pair<Value, Value>>> intervals;
    for (const Row& row : only_state("ideal-scd2", history)) {
      if (row[3].is_null())
        current.push_back({row[0], row[1]});
      else
        RC_ASSERT(row[2] < row[3]);
      intervals[{row[0]}].emplace_back(row[2], row[3]);
    }
    for (auto& [key, list] : intervals) {
      std::sort(list.begin(), list.end());
      for (std::size_t i = 1; i < list.size(); ++i) {
        RC_ASSERT(!list[i - 1].second.is_null());
        RC_ASSERT(list[i - 1].second <= list[i].first);
      }
    }
    Rows rows;
    for (const Row& row : only_state("ideal", history)) rows.push_back({row[0], row[1]});
    sort_rows(current);
    sort_rows(rows);
    RC_ASSERT(current == rows);
  });
  CHECK(holds);
}

TEST_CASE("with ties, each order of arrival ends in one of the allowed states") {
  const bool holds = rc::check("ties", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Bounds bounds = tie_free();
    bounds.ties = true;
    bounds.events = 6;
    const History history = to_history(sample(bounds, random), prove_schema());
    const auto ideal = right_answer(*find_oracle("ideal"), prove_schema(), history);
    const auto spark = right_answer(*find_oracle("spark-auto-cdc-scd1"), prove_schema(), history);
    RC_ASSERT(ideal.has_value() && spark.has_value());
    for (const Rows& state : spark->states)
      RC_ASSERT(std::binary_search(ideal->states.begin(), ideal->states.end(), state));
  });
  CHECK(holds);
}

}  // namespace rowgate::harness
