// The oracle against Spark's own Auto CDC: random histories without ties, packed into few pipeline
// updates. Expected is what the engine ends with; the oracle must say the same for every history.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "harness/oracle.hpp"
#include "harness/runner.hpp"
#include "spark_environment.hpp"

using namespace rowgate;
using namespace rowgate::harness;
using rowgate::test::make_spark;
using rowgate::test::order_schema;

namespace {

constexpr std::size_t kHistories = 2000;
constexpr std::size_t kBatches = 3;

// One to seven events over two keys, a quarter of them deletes, sequences distinct within a key, in
// any order, cut at random; payloads repeat, so that equal neighbours occur.
History random_history(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  std::vector<Event> events;
  std::int64_t sequence = 0;
  for (std::uint64_t left = 1 + below(7); left > 0; --left) {
    Event event;
    event.key = {Value::integer(static_cast<std::int64_t>(below(2)))};
    event.sequence = Value::integer(++sequence);
    event.op = below(4) == 0 ? Operation::remove : Operation::upsert;
    event.payload = {Value::text(fmt::format("v{}", below(3)))};
    events.push_back(std::move(event));
  }
  for (std::size_t i = events.size(); i > 1; --i) std::swap(events[i - 1], events[below(i)]);
  History history;
  history.batches.resize(kBatches);
  for (Event& event : events) history.batches[below(kBatches)].events.push_back(std::move(event));
  return history;
}

void compare(SparkTarget& target, const std::string& strategy_name, std::uint64_t seed) {
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<History> histories;
  std::vector<const History*> pointers;
  for (std::size_t i = 0; i < kHistories; ++i) histories.push_back(random_history(random));
  for (const History& history : histories) pointers.push_back(&history);
  const Strategy& strategy = *find_strategy(strategy_name);
  const OracleVariant* variant = find_oracle(strategy.oracle);
  REQUIRE(variant != nullptr);
  const PackedOutcomes packed =
      run_packed(target, strategy, order_schema(), pointers, {}, RunContext::quiet());
  REQUIRE(packed.ran_alone == 0);
  std::size_t differences = 0;
  for (std::size_t i = 0; i < kHistories; ++i) {
    REQUIRE_MESSAGE(packed.outcomes[i], packed.outcomes[i].error().message);
    const auto answer = right_answer(*variant, order_schema(), histories[i]);
    REQUIRE_MESSAGE(answer, answer.error().to_string());
    REQUIRE(answer->states.size() == 1);
    if (answer->states.front() == *packed.outcomes[i]) continue;
    if (++differences > 5) continue;
    std::string text;
    for (const Batch& batch : histories[i].batches) {
      text += "[";
      for (const Event& event : batch.events)
        text += fmt::format(" {} {} {}@{}", to_text(event.key[0]), op_text(event.op),
                            to_text(event.payload[0]), to_text(event.sequence));
      text += " ]";
    }
    for (const Row& row : *packed.outcomes[i]) {
      text += " / engine:";
      for (const Value& value : row) text += " " + to_text(value);
    }
    for (const Row& row : answer->states.front()) {
      text += " / oracle:";
      for (const Value& value : row) text += " " + to_text(value);
    }
    MESSAGE(text);
  }
  CHECK(differences == 0);
}

}  // namespace

TEST_CASE("SCD type 1 on Spark 4.2.0") {
  const auto target = make_spark("spark:4.2.0/test-catalog");
  compare(*target, "auto-cdc-scd1", 42);
}

TEST_CASE("SCD type 2 on Spark 4.3.0") {
  const auto target = make_spark("spark:4.3.0/test-catalog:4.2.0");
  compare(*target, "auto-cdc-scd2", 43);
}
