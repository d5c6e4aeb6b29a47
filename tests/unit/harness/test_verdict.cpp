#include <doctest/doctest.h>

#include "harness/prove.hpp"
#include "harness/verdict.hpp"

namespace rowgate::harness {
namespace {

Event upsert(std::int64_t key, const char* value, std::int64_t sequence) {
  return {{Value::integer(key)}, Value::integer(sequence), Operation::upsert, {Value::text(value)}};
}
Event removal(std::int64_t key, std::int64_t sequence) {
  return {{Value::integer(key)}, Value::integer(sequence), Operation::remove, {Value()}};
}
Row row(std::int64_t key, const char* value, std::int64_t sequence) {
  return {Value::integer(key), value == nullptr ? Value() : Value::text(value),
          Value::integer(sequence)};
}
Row interval(const char* value, std::int64_t from, std::int64_t to) {
  return {Value::integer(1), Value::text(value), Value::integer(from),
          to == 0 ? Value() : Value::integer(to)};
}

History history(std::vector<Event> events) {
  History result;
  for (Event& event : events) result.batches.push_back({{std::move(event)}, {}});
  return result;
}

std::string verdict(const History& events, Rows actual, StateKind state = StateKind::scd1) {
  const char* variant = state == StateKind::scd1 ? "ideal" : "ideal-scd2";
  const auto answer = right_answer(*find_oracle(variant), prove_schema(), events);
  REQUIRE(answer.has_value());
  return summary(judge(prove_schema(), state, events, *answer, actual));
}

}  // namespace

TEST_CASE("each way to be wrong has its name") {
  const History deleted = history({upsert(1, "a", 1), removal(1, 3)});
  CHECK(verdict(deleted, {}) == "right");
  CHECK(verdict(deleted, {row(1, "a", 1)}) == "wrong: lost-delete");
  CHECK(verdict(deleted, {row(1, nullptr, 3)}) == "wrong: ghost-null");
  CHECK(verdict(deleted, {row(1, "z", 9)}) == "wrong: other");
  const History late = history({upsert(1, "a", 1), removal(1, 3), upsert(1, "b", 2)});
  CHECK(verdict(late, {row(1, "b", 2)}) == "wrong: resurrected");
  const History updated = history({upsert(1, "a", 1), upsert(1, "b", 2)});
  CHECK(verdict(updated, {row(1, "a", 1)}) == "wrong: stale");
  CHECK(verdict(updated, {}) == "wrong: lost-update");
  CHECK(verdict(updated, {row(1, "b", 2), row(1, "b", 2)}) == "wrong: duplicate");
  CHECK(verdict(updated, {row(1, "b", 2), row(7, "q", 2)}) == "wrong: other");
  // The right values at the wrong sequence are not the right row.
  CHECK(verdict(updated, {row(1, "b", 1)}) == "wrong: stale");
}

TEST_CASE("intervals") {
  const History updated = history({upsert(1, "a", 1), upsert(1, "b", 2)});
  const auto scd2 = [&](Rows rows) {
    sort_rows(rows);
    return verdict(updated, rows, StateKind::scd2);
  };
  CHECK(scd2({interval("a", 1, 2), interval("b", 2, 0)}) == "right");
  CHECK(scd2({interval("a", 1, 0), interval("b", 2, 0)}) == "wrong: duplicate");
  CHECK(scd2({interval("a", 1, 3), interval("b", 2, 0)}) == "wrong: overlap");
  CHECK(scd2({interval("a", 2, 1), interval("b", 2, 0)}) == "wrong: overlap");
  CHECK(scd2({interval("b", 2, 0)}) == "wrong: lost-update");
  CHECK(scd2({interval("a", 1, 0)}) == "wrong: stale");
  CHECK(scd2({interval("a", 1, 2)}) == "wrong: lost-update");
}

TEST_CASE("ties allow several states") {
  const History tie = history({upsert(1, "a", 5), upsert(1, "b", 5)});
  CHECK(verdict(tie, {row(1, "a", 5)}) == "ambiguous");
  CHECK(verdict(tie, {row(1, "b", 5)}) == "ambiguous");
  CHECK(verdict(tie, {}) == "wrong: lost-update");
}

TEST_CASE("input to be rejected: silence is wrong, a refusal is right") {
  History nulls = history({upsert(1, "a", 1)});
  nulls.batches[0].events[0].sequence = Value();
  CHECK(verdict(nulls, {{Value::integer(1), Value::text("a"), Value()}}) == "wrong: accepted");
  CHECK(verdict(nulls, {}) == "wrong: accepted");
  const auto answer = right_answer(*find_oracle("ideal"), prove_schema(), nulls);
  Failure failure;
  failure.kind = FailureKind::refused;
  failure.error_name = "NULL_SEQUENCE";
  CHECK(judge(*answer, failure).outcome == Outcome::right);
  failure.kind = FailureKind::not_run;
  CHECK(judge(*answer, failure).outcome == Outcome::not_run);
}

TEST_CASE("names of outcomes and ways to be wrong are read back") {
  for (int i = 0; i <= static_cast<int>(Wrong::other); ++i)
    CHECK(wrong_from_string(to_string(static_cast<Wrong>(i))) == static_cast<Wrong>(i));
  for (int i = 0; i <= static_cast<int>(Outcome::not_run); ++i)
    CHECK(outcome_from_string(to_string(static_cast<Outcome>(i))) == static_cast<Outcome>(i));
}

}  // namespace rowgate::harness
