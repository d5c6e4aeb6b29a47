// Fixtures of schema drift: reading them, each mistake with its place; and the law that no value
// gets lost. What engines do with the fixtures is in test_drift_embedded.cpp and tests/unit/spark.
#include "harness/drift.hpp"

#include <doctest/doctest.h>

#include "harness/fixture_set.hpp"

namespace rowgate::harness {
namespace {

const std::string kGood =
    "fixture drift-small\n"
    "kind drift\n"
    "title A small one\n"
    "columns\n"
    "  id      BIGINT\n"
    "  amount  INT\n"
    "file crm/1.json\n"
    "  {\"id\":1,\"amount\":10}\n"
    "  {\"id\":2,\"to\":{\"city\":\"Oslo\"}}\n"
    "silver\n"
    "  id    BIGINT  required\n"
    "  city  STRING  from  to.city\n"
    "expect rescue kept\n"
    "  id  amount  _rescued_data         source_file  batch_id\n"
    "  1   10      NULL                  crm/1.json   0\n"
    "  2   NULL    {\"to\":{\"city\":\"Oslo\"}}  crm/1.json   0\n"
    "expect rescue silver holds\n"
    "  id  city\n"
    "  1   NULL\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const Type kText{TypeKind::string, 0, 0};
const Type kInt{TypeKind::int32, 0, 0};

std::vector<std::string> lost(const std::string& line, const std::vector<Column>& columns, Row data,
                              Value rescued) {
  data.push_back(std::move(rescued));
  data.push_back(Value::text("1.json"));
  data.push_back(Value::integer(0));
  const auto values = lost_values({{"1.json", {line}}}, columns, {data});
  REQUIRE_MESSAGE(values, (values ? "" : values.error().to_string()));
  return *values;
}

}  // namespace

TEST_CASE("a fixture of drift is read") {
  const auto fixture = parse_drift_fixture(kGood, "f");
  REQUIRE_MESSAGE(fixture, (fixture ? "" : fixture.error().to_string()));
  CHECK(fixture->name == "drift-small");
  CHECK(fixture->columns.size() == 2);
  REQUIRE(fixture->files.size() == 1);
  CHECK(fixture->files[0].name == "crm/1.json");
  CHECK(fixture->files[0].lines[1] == "{\"id\":2,\"to\":{\"city\":\"Oslo\"}}");
  REQUIRE(fixture->contract.size() == 2);
  CHECK(fixture->contract[0].required);
  CHECK(fixture->contract[0].from == std::vector<std::string>{"id"});
  CHECK(!fixture->contract[1].required);
  CHECK(fixture->contract[1].from == std::vector<std::string>{"to", "city"});
  REQUIRE(fixture->expectations.size() == 1);
  const DriftExpectation& expectation = fixture->expectations[0];
  CHECK(expectation.policy == DriftPolicy::rescue);
  CHECK(expectation.outcome == DriftOutcome::kept);
  CHECK(expectation.bronze.size() == 2);
  CHECK(expectation.contract_holds == true);
  CHECK(expectation.silver == Rows{{Value::integer(1), Value()}});
}

TEST_CASE("each mistake is named with its line") {
  struct Mistake {
    std::string from, to, place, message;
  };
  const std::string record = "  {\"id\":1,\"amount\":10}\n";
  std::string deep = "  {\"id\":";
  for (int i = 0; i < 20; ++i) deep += '[';
  for (int i = 0; i < 20; ++i) deep += ']';
  const Mistake mistakes[] = {
      {"kind drift", "kind merge", "f:2:6", "another kind"},
      {"  amount  INT\n", "  amount  DECIMAL(10,2)\n", "f:6:11", "ways of their own"},
      {"  amount  INT\n", "  ID  INT\n", "f:6:3", "a second column"},
      {"  amount  INT\n", "  batch_id  INT\n", "f:6:3", "no name for a column"},
      {"  amount  INT\n", "  my-amount  INT\n", "f:6:3", "no name for a column"},
      {"file crm/1.json", "file ../1.json", "f:7:6", "no name for a file"},
      {"file crm/1.json", "file _crm/1.json", "f:7:6", "no name for a file"},
      {"file crm/1.json", "file /etc/1.json", "f:7:6", "no name for a file"},
      {"file crm/1.json\n", "file 1.json\nfile crm/1.json\n", "f:7:1", "the file is empty"},
      {record, "  [1]\n", "f:8:3", "no JSON object"},
      {record, "  {\"id\":1\n", "f:8:3", "no JSON object"},
      {record, "  {\"id\":1,\"id\":2}\n", "f:8:3", "a name twice"},
      {record, "  {\"a b\":1}\n", "f:8:3", "no identifier"},
      {record, "  {\"to\":{\"a.b\":1}}\n", "f:8:3", "no identifier"},
      {record, "  {\"_rescued_data\":1}\n", "f:8:3", "a name of ours"},
      {record, deep + "}\n", "f:8:3", "levels"},
      {"from  to.city", "from  to..city", "f:12:23", "no path"},
      {"from  to.city", "from", "f:12:17", "does not belong"},
      {"expect rescue kept", "expect rescued kept", "f:13:8", "names a policy"},
      {"expect rescue kept", "expect rescue fine", "f:13:8", "names how it ends"},
      {"source_file  batch_id", "ingest_time  batch_id", "f:14:37", "no such column"},
      {"source_file  batch_id", "batch_id  batch_id", "f:14:47", "a column twice"},
      {"  1   10      NULL ", "  1   ten     NULL ", "f:15:7", "INT"},
      {"expect rescue silver holds", "expect none silver holds", "f:17:8",
       "no expectation of Silver"},
      {"expect rescue silver holds", "expect rescue silver well", "f:17:8",
       "no expectation of Silver"},
      {"expect rescue silver holds", "expect rescue kept", "f:17:1", "a second expectation"},
      {"  id  city\n  1   NULL\n", "  id\n  1\n", "f:18:1", "2 are needed"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.to);
    const auto fixture = parse_drift_fixture(with(mistake.from, mistake.to), "f");
    REQUIRE(!fixture);
    CHECK(fixture.error().code == ErrorCode::malformed);
    CHECK(fixture.error().subject == mistake.place);
    CHECK_MESSAGE(fixture.error().message.find(mistake.message) != std::string::npos,
                  fixture.error().message);
    CHECK(!fixture.error().remedy.empty());
  }
  CHECK(!parse_drift_fixture("", "f"));
  FixtureSet set;
  REQUIRE(add_fixture(kGood, "a", set));
  CHECK(set.drifts.size() == 1);
}

TEST_CASE("an engine that cannot do any of it is one finding, a cell that failed its own") {
  const auto fixture = parse_drift_fixture(kGood, "x.fixture");
  REQUIRE(fixture);
  DriftResult result;
  result.target.name = "spark:4.2.0/delta:4.3.1";
  result.policies = {DriftPolicy::rescue, DriftPolicy::none, DriftPolicy::add_new_columns};
  std::vector<DriftCell> cells(3);
  for (DriftCell& cell : cells) {
    cell.failure.emplace();
    cell.failure->kind = FailureKind::unsupported;
    cell.failure->error_name = "NoSuchMethodError";
    cell.failure->message = "a method is missing";
  }
  cells[2].failure->kind = FailureKind::not_run;
  cells[2].failure->message = "the driver died";
  result.cells.push_back(cells);
  base::Report report;
  CHECK(add_drift_report(report, std::vector{*fixture}, std::vector{result}) == 3);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].check_id == "RG3002");
  CHECK(report.findings[1].check_id == "RG3104");
  CHECK(report.findings[1].message == "a method is missing");
}

TEST_CASE("a value that is in a column or in rescued data is kept") {
  const std::vector<Column> columns = {{"id", kInt}, {"t", kText}};
  const Value none;
  CHECK(lost(R"({"id":1,"t":"x"})", columns, {Value::integer(1), Value::text("x")}, none).empty());
  CHECK(lost(R"({"id":1,"u":"x"})", columns, {Value::integer(1), none},
             Value::text(R"({"_file_path":"1.json","u":"x"})"))
            .empty());
  // As the text of an object, a list, a number.
  CHECK(lost(R"({"t":{"a":[1,{"b":null}],"c":"y"}})", columns,
             {none, Value::text(R"({ "c":"y", "a":[1.0,{"b":null}] })")}, none)
            .empty());
  CHECK(lost(R"({"t":12.50})", columns, {none, Value::text("12.5")}, none).empty());
  CHECK(lost(R"({"t":true,"id":null})", columns, {none, Value::text("true")}, none).empty());
}

TEST_CASE("a value that is nowhere is lost, as often as it arrived, and one too many is an error") {
  const std::vector<Column> columns = {{"id", kInt}};
  using Lines = std::vector<std::string>;
  CHECK(lost(R"({"id":1,"u":"x"})", columns, {Value::integer(1)}, Value()) ==
        Lines{"1.json: u = x"});
  CHECK(lost(R"({"id":"ten"})", columns, {Value()}, Value()) == Lines{"1.json: id = ten"});
  CHECK(lost(R"({"id":1,"u":{"a":[true,2]}})", columns, {Value::integer(1)}, Value()) ==
        Lines{"1.json: u.a[0] = true", "1.json: u.a[1] = 2"});
  // Another spelling is another name.
  CHECK(lost(R"({"ID":1})", columns, {Value()}, Value()) == Lines{"1.json: ID = 1"});
  const Row row = {Value::integer(1), Value(), Value::text("1.json"), Value::integer(0)};
  const DriftFile twice{"1.json", {R"({"id":1})", R"({"id":1})", R"({"id":1})"}};
  CHECK(*lost_values({twice}, columns, {row}) == Lines{"1.json: id = 1 (2 times)"});
  CHECK(lost_values({{"1.json", {R"({"id":2})"}}}, columns, {row}).error().message ==
        "Bronze holds a value that never arrived: id = 1, of 1.json");
  CHECK(lost_values({{"2.json", {R"({"id":1})"}}}, columns, {row}).error().message ==
        "Bronze holds a value that never arrived: id = 1, of 1.json");
  const Row broken = {Value(), Value::text("[1]"), Value::text("1.json"), Value::integer(0)};
  CHECK(!lost_values({{"1.json", {R"({"id":1})"}}}, columns, {broken}));
}

TEST_CASE("texts that are deeper than can be walked count as texts") {
  const std::string deep(100'000, '[');
  const std::vector<Column> columns = {{"t", kText}};
  CHECK(lost("{\"t\":\"" + deep + "\"}", columns, {Value::text(deep)}, Value()).empty());
}

}  // namespace rowgate::harness
