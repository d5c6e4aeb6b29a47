#include <doctest/doctest.h>

#include <cmath>

#include "harness/bench.hpp"

using namespace rowgate::harness;

namespace {

// Times with a known ratio, without noise but for every third block.
BenchCase simulated(unsigned blocks, double ratio) {
  BenchCase what;
  for (const char* name : {"guarded", "naive", "plain-merge"}) {
    BenchTreatment treatment;
    treatment.label = name;
    treatment.verdict.outcome = Outcome::right;
    treatment.timed = true;
    treatment.first_seconds = 0.5;
    what.treatments.push_back(treatment);
  }
  what.treatments[2].timed = false;
  what.treatments[2].verdict.outcome = Outcome::wrong;
  what.treatments[2].verdict.how = {Wrong::stale};
  what.treatments[0].metrics = {{"files added", "2"}};
  what.blocks_wanted = 8;
  what.plan = plan_blocks(2, blocks, 1);
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned row = 0; row < 2; ++row)
      for (unsigned place = 0; place < 2; ++place) {
        const unsigned treatment = what.plan[block][row][place];
        const double noise = block % 3 == 0 ? 1.01 : 1;
        const double seconds = 0.1 * noise * (place == 1 ? 0.9 : 1);
        what.samples.push_back(
            {0, block, row, place, treatment, seconds * (treatment == 1 ? ratio : 1)});
        what.same.push_back({0, block, row, place, treatment, seconds});
      }
  return what;
}

const rowgate::base::Table* table(const rowgate::base::Report& report, std::string_view id) {
  for (const auto& candidate : report.tables)
    if (candidate.id == id) return &candidate;
  return nullptr;
}

BenchRun run_of(BenchCase what, std::string dimension = {}) {
  BenchRun run;
  run.target = {"embedded", "DuckDB 2.0.0", false};
  run.facts = {{"engine threads", "2"}};
  run.dimension = std::move(dimension);
  run.cases.push_back(std::move(what));
  return run;
}

}  // namespace

TEST_CASE("a report says the ratio, the order effect, and what was not timed") {
  BenchOptions options;
  options.blocks = 8;
  const BenchRun runs[] = {run_of(simulated(8, 1.2))};
  const rowgate::base::Report report = bench_report(runs, options);
  REQUIRE(report.summary.size() == 2);
  CHECK(report.summary[0].subject == "naive / guarded");
  CHECK(report.summary[0].verdict == "1.20 times as long");
  CHECK(report.summary[0].text.find("later of two runs takes 0.900 times") != std::string::npos);
  CHECK(report.summary[1].subject == "plain-merge");
  CHECK(report.summary[1].text == "wrong: stale");
  const auto* pairs = table(report, "pairs");
  REQUIRE(pairs != nullptr);
  REQUIRE(pairs->rows.size() == 2);
  CHECK(pairs->rows[0][1].text == "1.20");
  CHECK(pairs->rows[0][4].text == "0.900");
  CHECK(pairs->rows[1][0].text == "guarded / guarded");
  const auto* times = table(report, "times");
  REQUIRE(times != nullptr);
  CHECK(times->rows[2][2].text == "not timed");
  CHECK(table(report, "runs")->rows.size() == 64);
  CHECK(table(report, "metrics")->rows.size() == 1);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].check_id == "RG3301");
  CHECK(report.provenance.facts[0].second == "2");
}

TEST_CASE("equal strategies are not resolved, and few blocks tell nothing") {
  const BenchRun equal[] = {run_of(simulated(8, 1.0))};
  CHECK(bench_report(equal, {}).summary[0].verdict == "not resolved");
  const BenchRun few[] = {run_of(simulated(5, 1.2))};
  const auto report = bench_report(few, {});
  CHECK(report.summary[0].verdict == "too few blocks (5)");
  CHECK(table(report, "times")->notes[1].substr(0, 24) == "5 of 8 blocks were run");
  CHECK(report.coverage[0].skipped == 3);
}

TEST_CASE("a sweep is a table of ratios and a series of times") {
  BenchRun run = run_of(simulated(8, 1.2), "rows");
  run.cases.push_back(simulated(8, 2.0));
  run.cases[0].shape.rows = 1'000;
  run.cases[1].shape.rows = 10'000;
  const BenchRun runs[] = {run};
  const auto report = bench_report(runs, {});
  const auto* sweep = table(report, "sweep-rows");
  REQUIRE(sweep != nullptr);
  REQUIRE(sweep->rows.size() == 2);
  CHECK(sweep->rows[1][0].text == "10,000");
  CHECK(sweep->rows[1][1].text == "94.9");  // √(100 · 90), its two places
  CHECK(sweep->rows[1][2].text.substr(0, 4) == "2.00");
  REQUIRE(report.series.size() == 1);
  CHECK(report.series[0].x == std::vector<double>{1'000, 10'000});
  REQUIRE(report.series[0].lines.size() == 2);
  CHECK(report.series[0].lines[1].y[1] / report.series[0].lines[0].y[1] ==
        doctest::Approx(2).epsilon(0.05));
  CHECK(report.summary[1].verdict == "1.67 times");  // naive: 2.0 / 1.2
}

TEST_CASE("cases survive their way between processes, and damaged ones are refused") {
  BenchCase what = simulated(6, 1.5);
  what.budget_cut = true;
  what.failure = Failure{};
  what.failure->message = "out of \"memory\"\n";
  const BenchCase cases[] = {what, simulated(3, 1)};
  const std::string text = write_cases(cases);
  auto read = read_cases(text);
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK(read->front().samples == what.samples);
  CHECK(read->front().same == what.same);
  CHECK(read->front().plan == what.plan);
  CHECK(read->front().budget_cut);
  CHECK(read->front().failure->message == what.failure->message);
  CHECK(write_cases(*read) == text);
  CHECK_FALSE(read_cases("{}x"));
  CHECK_FALSE(read_cases(R"([{"shape":[1]}])"));
  std::string negative = text;
  negative.replace(negative.find(",0.1"), 4, ",-.1");
  CHECK_FALSE(read_cases(negative));

  BenchCase all = read->front();
  CHECK_FALSE(add_process(all, [] {
    BenchCase other = simulated(6, 1.5);
    other.shape.rows = 7;
    return other;
  }()));
  BenchCase more = simulated(6, 1.5);
  for (BenchSample& sample : more.samples) sample.process = 1;
  REQUIRE(add_process(all, more));
  CHECK(all.samples.size() == 2 * what.samples.size());
  CHECK(all.processes == 2);
}
