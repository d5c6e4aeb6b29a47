// What rendering, reading and gating a large report costs. Not a test: prints numbers.
//   bench_reports --benchmark_min_time=0.5
// The report is as large as an audit of ten connectors that all break: findings with evidence, and
// tables of as many rows. bytes_per_second is of the format's own text.
#include <benchmark/benchmark.h>

#include <string>

#include "base/checks.hpp"
#include "reports/compare.hpp"
#include "reports/gate.hpp"
#include "reports/github.hpp"
#include "reports/html.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/sarif.hpp"
#include "reports/text.hpp"

namespace {

using namespace rowgate;

constexpr int kFindings = 10'000;

const base::Report& large_report() {
  static const base::Report kReport = [] {
    base::Report report;
    report.command = "audit";
    report.title = "10 connectors";
    base::Table table;
    table.id = table.title = "references";
    table.columns = {{"reference"}, {"verdict"}, {"count", base::Align::right}};
    for (int i = 0; i < kFindings; ++i) {
      const std::string number = std::to_string(i);
      base::Finding finding =
          base::make_finding(i % 3 == 0 ? "RG1102" : "RG1101",
                             "org.example:connector-" + std::to_string(i % 10) + "_2.13:1.0.0",
                             "org.apache.spark.sql.Thing" + number + ".method(I)V does not link");
      finding.symbol = "org.apache.spark.sql.Thing" + number + ".method(I)V";
      finding.location = {"connector.jar!/org/example/C" + number + ".class",
                          {},
                          {},
                          "org.example.C" + number + ".run()V"};
      finding.evidence = {"called from org.example.Main.main([Ljava/lang/String;)V",
                          "the target has method(J)V instead"};
      table.rows.push_back({{finding.symbol}, {"breaks", base::Tone::bad}, {number}});
      report.findings.push_back(std::move(finding));
    }
    report.tables = {table};
    base::normalise(report.findings);
    return report;
  }();
  return kReport;
}

template <class Render>
void run(benchmark::State& state, Render render) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string text = render(large_report());
    bytes += text.size();
    benchmark::DoNotOptimize(text.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

void text(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_text(report); });
}
void markdown(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_markdown(report, {0}); });
}
void markdown_comment(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_markdown(report); });
}
void json(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_json(report); });
}
void junit(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_junit(report); });
}
void sarif(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_sarif(report); });
}
void html(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_html(report); });
}
void github(benchmark::State& state) {
  run(state, [](const base::Report& report) { return reports::render_github(report); });
}

void read_json(benchmark::State& state) {
  const std::string text = reports::render_json(large_report());
  for (auto _ : state) benchmark::DoNotOptimize(reports::read_json(text, "r.json"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void compare(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(reports::compare(large_report(), large_report()));
  state.SetItemsProcessed(state.iterations() * kFindings);
}

// With `range` ignore entries, none of which matches: the worst case.
void gate(benchmark::State& state) {
  std::vector<reports::Ignore> ignores(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < ignores.size(); ++i) {
    ignores[i].check = "RG1101";
    ignores[i].symbol = "org.apache.*.Other" + std::to_string(i) + ".*";
    ignores[i].expires = std::chrono::year(2099) / 1 / 1;
  }
  const std::vector<reports::Baseline> baselines = {reports::baseline_of(large_report())};
  reports::GateInputs inputs;
  inputs.ignores = &ignores;
  inputs.baselines = &baselines;
  for (auto _ : state) {
    state.PauseTiming();
    base::Report report = large_report();
    state.ResumeTiming();
    reports::apply_gate(report, {}, inputs);
    benchmark::DoNotOptimize(report.gate);
  }
  state.SetItemsProcessed(state.iterations() * kFindings);
}

BENCHMARK(text)->Unit(benchmark::kMillisecond);
BENCHMARK(markdown)->Unit(benchmark::kMillisecond);
BENCHMARK(markdown_comment)->Unit(benchmark::kMillisecond);
BENCHMARK(json)->Unit(benchmark::kMillisecond);
BENCHMARK(read_json)->Unit(benchmark::kMillisecond);
BENCHMARK(junit)->Unit(benchmark::kMillisecond);
BENCHMARK(sarif)->Unit(benchmark::kMillisecond);
BENCHMARK(html)->Unit(benchmark::kMillisecond);
BENCHMARK(github)->Unit(benchmark::kMillisecond);
BENCHMARK(compare)->Unit(benchmark::kMillisecond);
BENCHMARK(gate)->Arg(0)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
