// The oracle's rules, one situation each. Expected values are the rules of Spark's Auto CDC as they
// were observed on Spark 4.2.0 and 4.3.0, and of the event set where the two differ.
#include <doctest/doctest.h>

#include "harness/oracle.hpp"
#include "harness/prove.hpp"
#include "harness/replay.hpp"

namespace rowgate::harness {
namespace {

// "a1 b2 | D3": upsert a at 1, upsert b at 2, then in the next batch a delete at 3. "T3" truncates.
History history(std::string_view text) {
  History result;
  result.batches.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '|') {
      result.batches.emplace_back();
      continue;
    }
    Event event;
    event.key = {Value::integer(1)};
    event.op = text[i] == 'D'   ? Operation::remove
               : text[i] == 'T' ? Operation::truncate
                                : Operation::upsert;
    event.payload = {event.op == Operation::upsert ? Value::text(std::string(1, text[i]))
                                                   : Value()};
    event.sequence = Value::integer(text[++i] - '0');
    if (event.op == Operation::truncate) event.key = {Value()};
    result.batches.back().events.push_back(std::move(event));
  }
  return result;
}

// The allowed states, joined by " or ".
std::string answer(const char* variant_name, std::string_view events) {
  const OracleVariant* variant = find_oracle(variant_name);
  REQUIRE(variant != nullptr);
  const auto result = right_answer(*variant, prove_schema(), history(events));
  if (!result) return "error: " + result.error().message;
  if (result->kind == Answer::Kind::reject) return "reject: " + result->reason;
  std::string text;
  for (const Rows& rows : result->states)
    text += (text.empty() ? "" : " or ") + rows_text(rows, prove_schema(), variant->state);
  return text;
}

}  // namespace

TEST_CASE("SCD type 1 by the set of events") {
  CHECK(answer("ideal", "a1 | b2") == "1 b @2");
  CHECK(answer("ideal", "c3 | b2") == "1 c @3");
  CHECK(answer("ideal", "a1 | D3 | b2") == "(no rows)");
  CHECK(answer("ideal", "D2 | a1") == "(no rows)");
  CHECK(answer("ideal", "a1 | D2 | c3") == "1 c @3");
  CHECK(answer("ideal", "a1 a1 | a1") == "1 a @1");
  CHECK(answer("ideal", "a5 | b5") == "1 a @5 or 1 b @5");
  CHECK(answer("ideal", "a5 | D5") == "(no rows) or 1 a @5");
  CHECK(answer("ideal", "D5 D5") == "(no rows)");
  CHECK(answer("ideal", "a5 b5 c6") == "1 c @6");
  CHECK(answer("ideal", "a1 T3 c2") == "(no rows)");
  CHECK(answer("ideal", "a3 T3") == "1 a @3");
}

TEST_CASE("SCD type 2 by the set of events") {
  CHECK(answer("ideal-scd2", "a1 | c3 | b2") == "1 a [1, 2); 1 b [2, 3); 1 c [3, open)");
  CHECK(answer("ideal-scd2", "a1 | D3 | b2") == "1 a [1, 2); 1 b [2, 3)");
  CHECK(answer("ideal-scd2", "a1 | D3 | b4") == "1 a [1, 3); 1 b [4, open)");
  CHECK(answer("ideal-scd2", "a1 a2 a3") == "1 a [1, open)");
  CHECK(answer("ideal-scd2", "a1 a3 | b2") == "1 a [1, 2); 1 a [3, open); 1 b [2, 3)");
  CHECK(answer("ideal-scd2", "D5 | a3") == "1 a [3, 5)");
  CHECK(answer("ideal-scd2", "a1 T3 b4") == "1 a [1, 3); 1 b [4, open)");
}

TEST_CASE("Spark's Auto CDC, SCD type 1") {
  // Observed on 4.2.0 and 4.3.0: across batches the later arrival of a tie wins; an upsert beats a
  // tombstone of its own sequence; a delete of a row's own sequence leaves the row.
  CHECK(answer("spark-auto-cdc-scd1", "A1 | B1") == "1 B @1");
  CHECK(answer("spark-auto-cdc-scd1", "A1 B1") == "1 A @1 or 1 B @1");
  CHECK(answer("spark-auto-cdc-scd1", "D1 | A1") == "1 A @1");
  CHECK(answer("spark-auto-cdc-scd1", "A1 | D1") == "1 A @1");
  CHECK(answer("spark-auto-cdc-scd1", "A1 D1") == "(no rows) or 1 A @1");
  CHECK(answer("spark-auto-cdc-scd1", "N1 | D3 | P2") == "(no rows)");
  CHECK(answer("spark-auto-cdc-scd1", "D5 | L3") == "(no rows)");
  CHECK(answer("spark-auto-cdc-scd1", "N1 | S3 | D2") == "1 S @3");
  CHECK(answer("spark-auto-cdc-scd1", "a1 T2") ==
        "error: the rule 'spark-auto-cdc-scd1' says nothing about truncate");
}

TEST_CASE("other engines' rules") {
  CHECK(answer("delta-hard-delete", "a1 | D3 | b2") == "1 b @2");
  CHECK(answer("delta-hard-delete", "a1 | c3 | D2") == "1 c @3");
  CHECK(answer("delta-hard-delete", "a5 | b5") == "1 a @5");
  CHECK(answer("hudi-commit-time", "c3 | b2") == "1 b @2");
  CHECK(answer("hudi-event-time", "c3 | b2") == "1 c @3");
  CHECK(answer("hudi-event-time", "a5 | b5") == "1 b @5");
  CHECK(answer("paimon-deduplicate", "a5 b5") == "1 b @5");
  CHECK(answer("paimon-deduplicate", "a1 | D3 | b2") == "(no rows)");
}

TEST_CASE("nulls are rejected, the sequence first") {
  History nulls = history("a1");
  nulls.batches[0].events[0].key = {Value()};
  CHECK(right_answer(*find_oracle("ideal"), prove_schema(), nulls)->reason == "null key");
  nulls.batches[0].events[0].sequence = Value();
  CHECK(right_answer(*find_oracle("ideal"), prove_schema(), nulls)->reason == "null sequence");
  CHECK(!right_answer(*find_oracle("hudi-event-time"), prove_schema(), nulls).has_value());
}

TEST_CASE("partial updates have one clock a column") {
  Schema schema = prove_schema();
  schema.payload.push_back({"city", {TypeKind::string, 0, 0}});
  History partial = history("a1 | b3 | c2");
  for (Batch& batch : partial.batches)
    for (Event& event : batch.events) event.payload.push_back(Value::absent());
  partial.batches[0].events[0].payload[1] = Value::text("Rome");
  partial.batches[2].events[0].payload = {Value::absent(), Value::text("Oslo")};
  const auto result = right_answer(*find_oracle("ideal"), schema, partial);
  REQUIRE(result.has_value());
  REQUIRE(result->states.size() == 1);
  CHECK(rows_text(result->states[0], schema, StateKind::scd1) == "1 b Oslo @3");
}

TEST_CASE("a history that does not fit its schema is refused") {
  History broken = history("a1");
  broken.batches[0].events[0].payload.clear();
  CHECK(!right_answer(*find_oracle("ideal"), prove_schema(), broken).has_value());
}

}  // namespace rowgate::harness
