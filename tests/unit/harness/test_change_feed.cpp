// Fixtures of the Change Data Feed: reading them, each mistake with its place, and what is said
// about an engine's answers. What Delta itself answers is in tests/unit/spark.
#include "harness/change_feed.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "base/report.hpp"
#include "harness/failure.hpp"
#include "harness/fixture_set.hpp"

namespace rowgate::harness {
namespace {

const std::string kGood =
    "fixture cdf-small\n"
    "kind change-feed\n"
    "title A small one\n"
    "columns\n"
    "  id   INT\n"
    "  val  STRING\n"
    "commit 0\n"
    "  CREATE TABLE ${table} (id INT, val STRING) USING delta\n"
    "commit 1\n"
    "  INSERT INTO ${table} VALUES (1, 'a')\n"
    "read all\n"
    "  startingVersion 1\n"
    "  endingTimestamp commit 1\n"
    "  conf spark.a.b some value\n"
    "expect rows\n"
    "  _commit_version  _change_type  id  val\n"
    "  1                insert        1   a\n"
    "consume copy of all\n"
    "  DELETE FROM ${target};\n"
    "  INSERT INTO ${target}\n"
    "  SELECT id, val FROM ${changes}\n"
    "expect error SOME_ERROR\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a fixture of the change feed is read") {
  const auto fixture = parse_feed_fixture(kGood, "f");
  REQUIRE_MESSAGE(fixture, (fixture ? "" : fixture.error().to_string()));
  CHECK(fixture->name == "cdf-small");
  REQUIRE(fixture->commits.size() == 2);
  CHECK(fixture->commits[1] == "INSERT INTO ${table} VALUES (1, 'a')");
  REQUIRE(fixture->steps.size() == 2);
  const FeedStep& read = fixture->steps[0];
  CHECK(read.options == std::map<std::string, std::string>{{"endingTimestamp", "commit 1"},
                                                           {"startingVersion", "1"}});
  CHECK(read.conf == std::map<std::string, std::string>{{"spark.a.b", "some value"}});
  CHECK(!read.stream);
  REQUIRE(read.expected.rows.has_value());
  CHECK(*read.expected.rows ==
        Rows{{Value::integer(1), Value::text("insert"), Value::integer(1), Value::text("a")}});
  const FeedStep& consume = fixture->steps[1];
  CHECK(consume.of == "all");
  CHECK(consume.statements ==
        std::vector<std::string>{"DELETE FROM ${target}",
                                 "INSERT INTO ${target}\nSELECT id, val FROM ${changes}"});
  CHECK(consume.expected.error_name == "SOME_ERROR");
  CHECK(consume.expected.line == 22);
}

TEST_CASE("each mistake is named with its line") {
  struct Mistake {
    std::string from, to, place, message;
  };
  const Mistake mistakes[] = {
      {"kind change-feed", "kind merge", "f:2:6", "another kind"},
      {"fixture cdf-small", "fixture a b", "f:1:9", "one name"},
      {"  id   INT\n", "  id\n", "f:5:3", "a column is"},
      {"  id   INT\n", "  VAL  INT\n", "f:6:3", "a second column"},
      {"  id   INT\n", "  _commit_version  INT\n", "f:5:3", "a second column"},
      {"  id   INT\n", "  id   STRUCT\n", "f:5:8", "type"},
      {"commit 1", "commit 2", "f:9:8", "numbered"},
      {"VALUES (1, 'a')", "VALUES (1, 'a');\n  SELECT 1", "f:9:1", "one statement"},
      {"INSERT INTO ${table}", "INSERT INTO ${tabel}", "f:9:1", "no placeholder ${tabel}"},
      {"read all", "read", "f:11:5", "a step has a name"},
      {"startingVersion 1", "startingVersion", "f:12:1", "no option of a read"},
      {"startingVersion 1", "fromVersion 1", "f:12:1", "no option of a read"},
      {"endingTimestamp commit 1", "endingTimestamp commit 2", "f:13:19", "no such commit"},
      {"endingTimestamp commit 1", "endingVersion commit 1", "f:13:17", "no such commit"},
      {"conf spark.a.b some value", "conf fs.key secret", "f:14:8", "a setting is"},
      {"  1                insert        1   a", "  1 insert x a", "f:17:12", "INT"},
      {"  1                insert        1   a", "  1 insert absent a", "f:16:1", "absent"},
      {"expect rows\n", "expect no rows\n", "f:16:1", "indented"},
      {"consume copy of all", "consume copy of nothing", "f:18:9", "no such read"},
      {"consume copy of all", "consume all of all", "f:18:9", "a second step"},
      {"consume copy of all", "consume copy", "f:18:9", "takes the rows of a read"},
      {"FROM ${changes}", "FROM ${table}", "f:18:1", "no placeholder ${table}"},
      {"expect error SOME_ERROR\n", "expect error\n", "f:22:8", "rows or an error"},
      {"expect error SOME_ERROR\n", "", "f:21:1", "does not say how it must end"},
      {"expect error SOME_ERROR\n", "expect no rows\nexpect no rows\n", "f:23:1", "belongs to"},
      {"expect error SOME_ERROR\n", "expct\n", "f:22:1", "unknown word 'expct'"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.to);
    const auto fixture = parse_feed_fixture(with(mistake.from, mistake.to), "f");
    REQUIRE(!fixture);
    CHECK(fixture.error().code == ErrorCode::malformed);
    CHECK(fixture.error().subject == mistake.place);
    CHECK(fixture.error().message.find(mistake.message) != std::string::npos);
    CHECK(!fixture.error().remedy.empty());
  }
  CHECK(!parse_feed_fixture("", "f"));
  CHECK(parse_feed_fixture(std::string(kMaxFixtureBytes + 1, '#'), "f").error().code ==
        ErrorCode::limit);
}

TEST_CASE("a file goes to the reader of its kind, and names are taken once") {
  FixtureSet set;
  REQUIRE(add_fixture(kGood, "a", set));
  CHECK(set.feeds.size() == 1);
  CHECK(set.merges.empty());
  CHECK(add_fixture(kGood, "b", set).error().message == "the name 'cdf-small' is taken by a");
  const auto unknown = add_fixture(with("change-feed", "changes"), "c", set);
  CHECK(unknown.error().subject == "c:2:6");
  CHECK(unknown.error().message == "'changes' is no kind of fixture");
  // A merge's reader says that a fixture is of another kind.
  CHECK(parse_fixture(kGood, "d").error().message == "a fixture of another kind");
}

TEST_CASE("the fixtures that ship with the program are read") {
  const FixtureSet& set = builtin_fixture_set();
  CHECK(set.merges.size() == builtin_fixtures().size());
  CHECK(set.feeds.size() >= 8);
  for (const FeedFixture& fixture : set.feeds) {
    CAPTURE(fixture.name);
    CHECK(fixture.file == "(built in)/" + fixture.name + ".fixture");
    CHECK(!fixture.title.empty());
    CHECK(!fixture.about.empty());
  }
}

namespace {

// Answers what it is told to, to see what is said about it.
class Answers final : public FeedEngine {
 public:
  explicit Answers(std::map<std::string, Attempt<Rows>> answers) : answers_(std::move(answers)) {
    info_.name = info_.engine = "answers";
  }
  const TargetInfo& info() const override { return info_; }
  std::optional<std::string> why_not() const override { return std::nullopt; }
  Attempt<void> prepare(const FeedFixture&) override { return {}; }
  Attempt<Rows> read(const FeedFixture&, const FeedStep& step) override {
    return answers_.at(step.name);
  }
  Attempt<Rows> consume(const FeedFixture&, const FeedStep& step) override {
    return answers_.at(step.name);
  }
  void finish() override {}

 private:
  TargetInfo info_;
  std::map<std::string, Attempt<Rows>> answers_;
};

tl::unexpected<Failure> failed(FailureKind kind, const char* name) {
  return tl::unexpected(make_failure(kind, "its words", name));
}

}  // namespace

TEST_CASE("an answer is as stated, otherwise, or not known") {
  const std::vector<FeedFixture> fixtures = {*parse_feed_fixture(kGood, "f")};
  const Rows stated = *fixtures[0].steps[0].expected.rows;
  struct Case {
    Attempt<Rows> read, consume;
    FeedCell::Outcome first, second;
    std::size_t findings, broken;
    std::string check;
  };
  using enum FeedCell::Outcome;
  const Case cases[] = {
      {stated, failed(FailureKind::refused, "SOME_ERROR"), as_stated, as_stated, 0, 0, ""},
      {Rows{}, failed(FailureKind::refused, "SOME_ERROR"), otherwise, as_stated, 1, 0, "RG3251"},
      {stated, failed(FailureKind::refused, "OTHER"), as_stated, otherwise, 1, 0, "RG3251"},
      {stated, failed(FailureKind::refused, ""), as_stated, otherwise, 1, 0, "RG3251"},
      {stated, Rows{}, as_stated, otherwise, 1, 0, "RG3251"},
      {stated, failed(FailureKind::not_run, "driver-died"), as_stated, not_run, 1, 1, "RG3002"},
      {stated, failed(FailureKind::unsupported, "NoSuchMethodError"), as_stated, unsupported, 1, 0,
       "RG3104"},
  };
  for (const Case& each : cases) {
    Answers engine({{"all", each.read}, {"copy", each.consume}});
    const std::vector<FeedResult> results = {
        replay_feed(fixtures, engine, base::RunContext::quiet())};
    CHECK(results[0].cells[0][0].outcome == each.first);
    CHECK(results[0].cells[0][1].outcome == each.second);
    base::Report report;
    CHECK(add_feed_report(report, fixtures, results) == each.broken);
    REQUIRE(report.findings.size() == each.findings);
    if (each.findings > 0) CHECK(report.findings[0].check_id == each.check);
    CHECK(report.tables[0].rows.size() == 2);
  }
}

TEST_CASE("a target without a feed is not run, and that is no finding") {
  const std::vector<FeedFixture> fixtures = {*parse_feed_fixture(kGood, "f")};
  const std::vector<FeedResult> results = {no_feed(fixtures, {"t", "Engine 1", false}, "has none")};
  base::Report report;
  CHECK(add_feed_report(report, fixtures, results) == 0);
  CHECK(report.findings.empty());
  CHECK(report.tables[0].rows[0].back().text == "not run: no change feed");
  CHECK(report.tables[0].notes.back() == "Engine 1: not run: has none");
  CHECK(report.coverage[0].skipped == 2);
}

}  // namespace rowgate::harness
