// Every cell of observed.md (what a person saw on the real engines), reproduced on real engines.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/runner.hpp"
#include "spark_environment.hpp"

using namespace rowgate;
using namespace rowgate::harness;
using rowgate::test::make_spark;
using rowgate::test::order_schema;

namespace {

struct Scenario {
  std::string name;
  History history;
  std::map<std::string, std::string> cells;  // column head -> cell
};

Value number_or_null(std::string_view text) {
  return text == "None" ? Value::null() : Value::integer(std::stoll(std::string(text)));
}

// "1 U NEW@1"
Event parse_event(std::string_view text) {
  const auto parts = base::split(base::trim(text), ' ');
  REQUIRE(parts.size() == 3);
  const std::size_t at = parts[2].find('@');
  Event event;
  event.key = {number_or_null(parts[0])};
  event.op = parts[1] == "D" ? Operation::remove : Operation::upsert;
  event.payload = {Value::text(std::string(parts[2].substr(0, at)))};
  event.sequence = number_or_null(parts[2].substr(at + 1));
  return event;
}

// "[1 U NEW@1, 1 U SHIPPED@3] [1 U PAID@2]"
History parse_history(std::string_view text) {
  History history;
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    Batch batch;
    const std::size_t close = text.find(']', open);
    for (const std::string_view event : base::split(text.substr(open + 1, close - open - 1), ','))
      batch.events.push_back(parse_event(event));
    history.batches.push_back(std::move(batch));
  }
  return history;
}

std::vector<Scenario> read_scenarios() {
  const auto text = base::read_file("tests/unit/spark/observed.md");
  REQUIRE(text);
  std::vector<Scenario> scenarios;
  std::vector<std::string> heads;
  bool events = false;
  for (const std::string_view line : base::split(*text, '\n')) {
    if (line.starts_with("## ")) events = line.starts_with("## Events");
    if (line.starts_with("| scenario")) {
      for (const std::string_view head : base::split(line, '|'))
        heads.emplace_back(base::trim(head));
    } else if (line.starts_with("| S")) {
      const auto cells = base::split(line, '|');
      Scenario scenario;
      scenario.name = base::trim(cells[1]);
      for (std::size_t i = 2; i < std::min(cells.size(), heads.size()); ++i)
        scenario.cells[heads[i]] = base::trim(cells[i]);
      scenarios.push_back(std::move(scenario));
    } else if (events && line.starts_with("- S")) {
      const std::size_t colon = line.find(':');
      for (Scenario& scenario : scenarios)
        if (scenario.name == line.substr(2, colon - 2))
          scenario.history = parse_history(line.substr(colon));
    }
  }
  REQUIRE(scenarios.size() == 18);
  for (const Scenario& scenario : scenarios) REQUIRE(!scenario.history.batches.empty());
  return scenarios;
}

std::string cell_text(const Value& value) {
  return value.is_null() ? "None" : to_text(value);
}

// "1:SHIPPED@3 3:NEW@1", "∅"
std::string cell_of(const Rows& rows) {
  std::string cell;
  for (const Row& row : rows)
    cell += fmt::format("{}{}:{}@{}", cell.empty() ? "" : " ", cell_text(row[0]), cell_text(row[1]),
                        cell_text(row[2]));
  return cell.empty() ? "∅" : cell;
}

// The section "SCD 2": scenario -> "1 NEW [1,2) 1 PAID [2,∞)", the keys written out.
std::map<std::string, std::string> read_intervals() {
  const auto text = base::read_file("tests/unit/spark/observed.md");
  REQUIRE(text);
  std::map<std::string, std::string> intervals;
  bool here = false;
  for (const std::string_view line : base::split(*text, '\n')) {
    if (line.starts_with("## ")) here = line.starts_with("## SCD 2");
    if (!here || !line.starts_with("- S")) continue;
    const std::size_t colon = line.find(':');
    std::string& written = intervals[std::string(line.substr(2, colon - 2))];
    for (const std::string_view part : base::split(line.substr(colon + 1), ';')) {
      std::vector<std::string_view> words = base::split(base::trim(part), ' ');
      std::string_view key = "1";  // left out where there is only one
      if (words.size() % 2 == 1) {
        key = words.front();
        words.erase(words.begin());
      }
      for (std::size_t i = 0; i + 1 < words.size(); i += 2)
        written +=
            fmt::format("{}{} {} {}", written.empty() ? "" : " ", key, words[i], words[i + 1]);
    }
  }
  REQUIRE(intervals.size() == 9);
  return intervals;
}

std::string interval_text(Rows rows) {
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a[0] != b[0] ? a[0] < b[0] : a[2] < b[2]; });
  std::string text;
  for (const Row& row : rows)
    text += fmt::format("{}{} {} [{},{})", text.empty() ? "" : " ", to_text(row[0]),
                        to_text(row[1]), to_text(row[2]), row[3].is_null() ? "∞" : to_text(row[3]));
  return text;
}

// A cell without the entries that readers do not see.
std::string visible(const std::string& cell) {
  std::string kept;
  const std::string_view rows = std::string_view(cell).substr(0, cell.find("aux{"));
  for (const std::string_view entry : base::split(rows, ' '))
    if (!entry.empty() && entry.find("†") == std::string_view::npos)
      kept += fmt::format("{}{}", kept.empty() ? "" : " ", entry);
  return kept.empty() ? "∅" : kept;
}

std::vector<RunOutcome> run_all(Target& target, const Strategy& strategy,
                                const std::vector<Scenario>& scenarios) {
  std::vector<const History*> histories;
  for (const Scenario& scenario : scenarios) histories.push_back(&scenario.history);
  PackedOutcomes packed =
      run_packed(target, strategy, order_schema(), histories, {}, RunContext::quiet());
  CHECK(packed.ran_alone == 0);
  return std::move(packed.outcomes);
}

void check_column(Target& target, const std::string& strategy_name, const std::string& column) {
  CAPTURE(column);
  const Strategy* strategy = find_strategy(strategy_name);
  REQUIRE(strategy != nullptr);
  const std::vector<Scenario> scenarios = read_scenarios();
  const auto results = run_all(target, *strategy, scenarios);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    CAPTURE(scenarios[i].name);
    const std::string& expected = scenarios[i].cells.at(column);
    if (expected == "–") continue;  // nobody looked
    const bool rejected_by_auto_cdc =
        column.starts_with("AutoCDC") && scenarios[i].name.starts_with("S6");
    if (rejected_by_auto_cdc) {
      REQUIRE_FALSE(results[i]);
      CHECK(results[i].error().kind == FailureKind::refused);
      CHECK(results[i].error().error_name == (scenarios[i].name == "S6d_null_key"
                                                  ? "AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY"
                                                  : "AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE"));
      continue;
    }
    REQUIRE_MESSAGE(results[i], results[i].error().message);
    CHECK(cell_of(*results[i]) == visible(expected));
  }
}

// Guarded, with a flag instead of a delete: the column "tomb".
Strategy tombstone_strategy() {
  auto strategy = parse_strategy(
      "strategy tomb\n"
      "title guarded, with flagged rows\n"
      "about As soft-tombstone, but a tie never replaces.\n"
      "origin the measurement that observed.md reports\n"
      "column _deleted BOOLEAN\n"
      "apply\n"
      "  MERGE INTO ${target} t\n"
      "  USING (SELECT ${columns}, ${op} FROM (SELECT ${columns}, ${op},\n"
      "    ROW_NUMBER() OVER (PARTITION BY ${keys} ORDER BY ${seq} DESC) AS _rank\n"
      "    FROM ${source}) r WHERE _rank = 1) s\n"
      "  ON ${on}\n"
      "  WHEN MATCHED AND ${s.seq} > ${t.seq} THEN UPDATE SET ${set}, _deleted = ${s.is_delete}\n"
      "  WHEN NOT MATCHED THEN INSERT (${columns}, _deleted) VALUES (${s.columns}, "
      "${s.is_delete})\n"
      "read\n"
      "  SELECT ${keys}, CASE WHEN _deleted THEN concat(status, '@', seq, '†') ELSE status END AS\n"
      "    status, ${seq} FROM ${target}\n",
      "tomb");
  REQUIRE_MESSAGE(strategy, strategy.error().to_string());
  return *strategy;
}

}  // namespace

TEST_CASE("Delta 4.4.0 on Spark 4.1.3") {
  const auto target = make_spark("spark:4.1.3/delta:4.4.0");
  check_column(*target, "guarded", "Delta guarded");
  check_column(*target, "naive", "Delta naive");
  check_column(*target, "drop-duplicates", "Delta dropdup");
  const std::vector<Scenario> scenarios = read_scenarios();
  const auto results = run_all(*target, tombstone_strategy(), scenarios);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    CAPTURE(scenarios[i].name);
    REQUIRE_MESSAGE(results[i], results[i].error().message);
    std::string cell = cell_of(*results[i]);
    // "2:CANCELLED@2†@2": the flag was put into the status.
    for (std::size_t at = cell.find("†@"); at != std::string::npos; at = cell.find("†@"))
      cell.erase(at + std::string_view("†").size(), cell.find(' ', at) - at - 3);
    CHECK(cell == scenarios[i].cells.at("Delta tomb"));
  }
}

TEST_CASE("Iceberg 1.12.0 on Spark 4.1.3") {
  const auto target = make_spark("spark:4.1.3/iceberg:1.12.0");
  check_column(*target, "guarded", "Ice guarded");
  check_column(*target, "naive", "Ice naive");
  check_column(*target, "drop-duplicates", "Ice dropdup");
}

TEST_CASE("Auto CDC on Spark 4.2.0") {
  const auto target = make_spark("spark:4.2.0/test-catalog");
  check_column(*target, "auto-cdc-scd1", "AutoCDC 4.2.0");
}

TEST_CASE("Auto CDC on Spark 4.3.0") {
  const auto target = make_spark("spark:4.3.0/test-catalog:4.2.0");
  check_column(*target, "auto-cdc-scd1", "AutoCDC 4.3.0 scd1");
  const std::vector<Scenario> scenarios = read_scenarios();
  const auto results = run_all(*target, *find_strategy("auto-cdc-scd2"), scenarios);
  const std::map<std::string, std::string> intervals = read_intervals();
  std::size_t compared = 0;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const auto expected = intervals.find(scenarios[i].name);
    if (expected == intervals.end()) continue;
    CAPTURE(scenarios[i].name);
    REQUIRE_MESSAGE(results[i], results[i].error().message);
    CHECK(interval_text(*results[i]) == expected->second);
    ++compared;
  }
  CHECK(compared == 9);
}
