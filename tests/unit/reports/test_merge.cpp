#include <doctest/doctest.h>

#include "base/checks.hpp"
#include "reports/compare.hpp"
#include "reports/json.hpp"
#include "reports/merge.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate::base;
using namespace rowgate::reports;

namespace {

Report with(std::vector<Finding> findings) {
  Report report;
  report.findings = std::move(findings);
  normalise(report.findings);
  return report;
}

Table matrix(std::vector<Column> columns, std::vector<std::vector<Cell>> rows) {
  Table table;
  table.id = table.title = "sweep";
  table.matrix = true;
  table.columns = std::move(columns);
  table.rows = std::move(rows);
  return table;
}

}  // namespace

TEST_CASE("one report is merged into itself") {
  CHECK(render_json(merge({{"a", sample_report()}})) == render_json(sample_report()));
  CHECK(merge({}) == Report{});
}

TEST_CASE("what agrees appears once, coverage adds up") {
  const Report report = sample_report();
  const Report merged = merge({{"a", report}, {"b", report}});
  CHECK(merged.findings == report.findings);
  CHECK(merged.suppressed == report.suppressed);
  CHECK(merged.tables == report.tables);
  CHECK(merged.series.size() == 1);
  CHECK(merged.series[0].lines.size() == 2);
  CHECK(merged.summary == report.summary);
  CHECK(merged.inputs == report.inputs);
  CHECK(merged.coverage[1].done == 2 * 12345);
  CHECK(merged.coverage[1].skipped == 2);
  CHECK(merged.command == "audit");
  REQUIRE(merged.gate);
  CHECK(merged.gate->failed);
  CHECK(merged.gate->text.starts_with("2 of 2 gated runs failed: a (2 errors"));
}

TEST_CASE("matrices of two runs are joined; what was run by neither says so") {
  Report a, b;
  a.tables = {matrix({{"connector"}, {"4.1.0"}}, {{{"x"}, {"works", Tone::good}}})};
  b.tables = {matrix({{"connector"}, {"4.2.0"}},
                     {{{"x"}, {"breaks", Tone::bad}}, {{"y"}, {"works", Tone::good}}})};
  const Report merged = merge({{"a", a}, {"b", b}});
  REQUIRE(merged.tables.size() == 1);
  const Table& table = merged.tables[0];
  CHECK(table.columns == std::vector<Column>{{"connector"}, {"4.1.0"}, {"4.2.0"}});
  CHECK(table.rows ==
        std::vector<std::vector<Cell>>{{{"x"}, {"works", Tone::good}, {"breaks", Tone::bad}},
                                       {{"y"}, {"not run", Tone::muted}, {"works", Tone::good}}});
}

TEST_CASE("matrices that disagree stay two") {
  Report a, b;
  a.tables = {matrix({{"connector"}, {"4.1.0"}}, {{{"x"}, {"works", Tone::good}}})};
  b.tables = {matrix({{"connector"}, {"4.1.0"}}, {{{"x"}, {"breaks", Tone::bad}}})};
  const Report merged = merge({{"a", a}, {"b", b}});
  REQUIRE(merged.tables.size() == 2);
  CHECK(merged.tables[1].title == "sweep (b)");
}

TEST_CASE("rows that differ say which run they are from, also from the third run on") {
  Report runs[3];
  for (int i = 0; i < 3; ++i) {
    Table table;
    table.id = table.title = "t";
    table.columns = {{"n"}};
    table.rows = {{{std::to_string(i)}}};
    runs[i].tables = {table};
    runs[i].inputs = {{"target", std::to_string(i)}};
  }
  const Report merged = merge({{"a", runs[0]}, {"b", runs[1]}, {"c", runs[2]}});
  REQUIRE(merged.tables.size() == 1);
  CHECK(merged.tables[0].columns == std::vector<Column>{{"run"}, {"n"}});
  CHECK(merged.tables[0].rows ==
        std::vector<std::vector<Cell>>{{{"a"}, {"0"}}, {{"b"}, {"1"}}, {{"c"}, {"2"}}});
  CHECK(merged.inputs[2] == std::pair<std::string, std::string>{"target (c)", "2"});
}

TEST_CASE("lines of a plot are laid over each other") {
  Report a, b;
  Series series;
  series.id = series.title = "s";
  series.x = {1, 2};
  series.lines = {{"guarded", {1, 2}, {}, {}}};
  a.series = {series};
  series.lines = {{"guarded", {3, 4}, {}, {}}, {"naive", {5, 6}, {}, {}}};
  b.series = {series};
  const Report merged = merge({{"a", a}, {"b", b}});
  REQUIRE(merged.series.size() == 1);
  REQUIRE(merged.series[0].lines.size() == 3);
  CHECK(merged.series[0].lines[1].name == "guarded (b)");
  CHECK(merged.series[0].lines[2].name == "naive");
}

TEST_CASE("two runs are compared by fingerprint") {
  Finding stays = make_finding("RG1003", "a", "stays");
  Finding gone = make_finding("RG1001", "a", "gone");
  Finding fresh = make_finding("RG1002", "a", "fresh");
  Finding grows = make_finding("RG1004", "a", "grows");
  Finding moved = stays;
  moved.location.line = 7;
  Finding grown = grows;
  grown.severity = Severity::error;
  const Comparison result = compare(with({moved, fresh, grown}), with({stays, gone, grows}));
  CHECK(result.added == std::vector<Finding>{fresh});
  CHECK(result.worse == std::vector<Finding>{grown});
  CHECK(result.unchanged == std::vector<Finding>{moved});
  CHECK(result.fixed == std::vector<Finding>{gone});
}

TEST_CASE("what is ignored now, or not looked at, is not fixed") {
  Finding ignored = make_finding("RG1001", "a", "ignored");
  Finding elsewhere = make_finding("RG1001", "b", "elsewhere");
  Report now;
  now.summary = {{"a", "works", "", Tone::good}};
  now.suppressed = {{ignored, SuppressionKind::ignore, "r", "2027-01-01"}};
  const Comparison result = compare(now, with({ignored, elsewhere}));
  CHECK(result.fixed.empty());
  CHECK(result.set_aside == std::vector<Finding>{ignored});
  CHECK(result.not_looked_at == std::vector<Finding>{elsewhere});
  // And the other way round: no longer ignored is new.
  CHECK(compare(with({ignored}), now).added == std::vector<Finding>{ignored});
}

TEST_CASE("equal fingerprints are counted, not lumped together") {
  Finding one = make_finding("RG1001", "a", "m");
  Finding two = one;
  two.location.offset = 9;
  const Comparison result = compare(with({one, two}), with({one}));
  CHECK(result.added.size() == 1);
  CHECK(result.unchanged.size() == 1);
  CHECK(compare(with({one}), with({one, two})).fixed.size() == 1);
}

TEST_CASE("the comparison's report says when fixed may be unseen") {
  Report now;
  now.coverage = {{"jars", 1, 2}};
  const Report report = compare_report(now, with({make_finding("RG1001", "a", "m")}), "old.json");
  CHECK(report.title == "compared with old.json");
  CHECK(report.summary[2].verdict == "1");
  CHECK(report.summary[2].text.find("2 inputs could not be looked at") != std::string::npos);
  REQUIRE(report.tables.size() == 1);
  CHECK(report.tables[0].id == "fixed");
}
