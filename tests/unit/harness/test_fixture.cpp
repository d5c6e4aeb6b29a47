#include <doctest/doctest.h>

#include "harness/fixture.hpp"

namespace rowgate::harness {
namespace {

const std::string kGood =
    "# a comment\n"
    "fixture sample\n"
    "title A sample\n"
    "columns\n"
    "  id   INT     key\n"
    "  val  STRING\n"
    "  seq  BIGINT  sequence\n"
    "batch\n"
    "  op      id  val      seq\n"
    "  upsert  1   \"a \\\"b\"  1\n"
    "  delete  1   NULL     2\n"
    "replay 1\n"
    "right scd1\n"
    "  id  val  seq\n"
    "or\n"
    "  id  val   seq\n"
    "  1   NULL  2\n"
    "expect naive wrong lost-delete, stale on embedded\n";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

bool same(const Fixture& a, const Fixture& b) {
  if (a.name != b.name || a.title != b.title || a.about != b.about || !(a.schema == b.schema) ||
      !(a.history == b.history) || a.right.size() != b.right.size() ||
      a.expectations.size() != b.expectations.size())
    return false;
  for (std::size_t i = 0; i < a.right.size(); ++i)
    if (a.right[i].state != b.right[i].state || a.right[i].reject != b.right[i].reject ||
        a.right[i].states != b.right[i].states)
      return false;
  for (std::size_t i = 0; i < a.expectations.size(); ++i) {
    const Expectation &x = a.expectations[i], &y = b.expectations[i];
    if (x.strategy != y.strategy || x.target != y.target || x.outcome != y.outcome ||
        x.how != y.how || x.error_name != y.error_name || x.rows != y.rows)
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a fixture is read") {
  const auto fixture = parse_fixture(kGood, "f");
  REQUIRE_MESSAGE(fixture.has_value(), (fixture ? "" : fixture.error().to_string()));
  CHECK(fixture->name == "sample");
  REQUIRE(fixture->history.batches.size() == 2);
  CHECK(fixture->history.batches[1].replay_of == 0);
  const Event& event = fixture->history.batches[0].events[0];
  CHECK(event.payload[0] == Value::text("a \"b"));
  CHECK(fixture->history.batches[0].events[1].payload[0].is_null());
  REQUIRE(fixture->right.size() == 1);
  CHECK(fixture->right[0].states.size() == 2);
  CHECK(fixture->expectations[0].how == std::vector<Wrong>{Wrong::lost_delete, Wrong::stale});
  CHECK(fixture->expectations[0].target == "embedded");
}

TEST_CASE("one mistake each: the place and a remedy") {
  struct Mistake {
    std::string from, to, place;
  };
  const Mistake mistakes[] = {
      {"fixture sample", "fixture two words", "f:2:9"},
      {"title A", "titel A", "f:3:1"},
      {"  val  STRING", "  val  STRNG", "f:6:8"},
      {"  seq  BIGINT  sequence", "  seq  BIGINT  order", "f:7:16"},
      {"INT     key", "INT", "f:4:1"},
      {"  op      id  val      seq", "  op      id  vol      seq", "f:9:3"},
      {"  op      id  val      seq", "  op      id  val", "f:10:24"},
      {"  upsert  1 ", "  upsret  1 ", "f:10:3"},
      {"  upsert  1 ", "  upsert  x ", "f:10:11"},
      {"\"a \\\"b\"", "\"a \\\"b", "f:10:15"},
      {"\\\"b", "\\qb", "f:10:18"},
      {"  delete  1   NULL     2", "  delete  1   NULL", "f:11:15"},
      {"  delete  1   NULL     2", "  delete  1   NULL     absent", "f:11:24"},
      {"replay 1", "replay 2", "f:12:8"},
      {"right scd1", "right scd3", "f:13:7"},
      {"or\n", "right scd1\n", "f:15:1"},
      {"wrong lost-delete", "wrong sad", "f:18:8"},
      {"wrong lost-delete", "sad", "f:18:8"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto fixture = parse_fixture(replaced(mistake.from, mistake.to), "f");
    REQUIRE_MESSAGE(!fixture.has_value(), mistake.to);
    CHECK_MESSAGE(fixture.error().subject == mistake.place, mistake.to, ": ",
                  fixture.error().to_string());
    CHECK_MESSAGE(!fixture.error().remedy.empty(), mistake.to);
  }
}

TEST_CASE("parts that are missing are named") {
  for (const char* text :
       {"", "fixture x\n", "batch\n", "  x\n", "fixture x\ncolumns\n  a INT key\n"})
    CHECK(!parse_fixture(text, "f").has_value());
  const auto large = parse_fixture(std::string(kMaxFixtureBytes + 1, '#'), "f");
  REQUIRE(!large.has_value());
  CHECK(large.error().code == ErrorCode::limit);
}

TEST_CASE("built-in fixtures survive writing and reading") {
  CHECK(builtin_fixtures().size() >= 45);
  for (const Fixture& fixture : builtin_fixtures()) {
    const auto again = parse_fixture(write_fixture(fixture), "again");
    REQUIRE_MESSAGE(again.has_value(), fixture.name, (again ? "" : again.error().to_string()));
    CHECK_MESSAGE(same(fixture, *again), fixture.name);
  }
}

TEST_CASE("the oracle agrees with what the fixtures say is right") {
  for (const Fixture& fixture : builtin_fixtures()) {
    // These two say that the declared sequence is the wrong one; the oracle believes the
    // declaration.
    const bool contradicts =
        fixture.name == "S29-string-sequence" || fixture.name == "S40-wrong-clock";
    for (const RightState& right : fixture.right) {
      const char* variant = right.state == StateKind::scd1 ? "ideal" : "ideal-scd2";
      const auto answer = right_answer(*find_oracle(variant), fixture.schema, fixture.history);
      REQUIRE_MESSAGE(answer.has_value(), fixture.name);
      const bool agrees =
          right.reject ? answer->kind == Answer::Kind::reject : answer->states == right.states;
      CHECK_MESSAGE(agrees != contradicts, fixture.name);
    }
  }
}

TEST_CASE("every fixture has a strategy that must be wrong on it, or is a plain case") {
  for (const Fixture& fixture : builtin_fixtures()) {
    bool negative = false;
    for (const Expectation& expectation : fixture.expectations)
      negative = negative || expectation.outcome == Outcome::wrong ||
                 expectation.outcome == Outcome::refused;
    const bool plain =
        fixture.name == "S01-in-order" || fixture.name == "S08-revive" ||
        fixture.name == "S35-batch-repeated-after-crash" ||
        fixture.name == "S38-odd-doubles-as-keys" || fixture.name == "every-type" ||
        fixture.name == "S28-truncated-to-milliseconds" || fixture.name.substr(0, 7) == "S11-tie" ||
        fixture.name.substr(0, 7) == "S14-tie" || fixture.name.substr(0, 7) == "S15-tie";
    CHECK_MESSAGE((negative || plain), fixture.name);
  }
}

}  // namespace rowgate::harness
