#include <doctest/doctest.h>

#include "base/checks.hpp"
#include "reports/gate.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate;
using namespace rowgate::base;
using namespace rowgate::reports;
using namespace std::chrono;

namespace {

constexpr auto kToday = sys_days(year(2027) / 1 / 15);

Report two_findings() {
  Report report;
  Finding error = make_finding("RG1101", "g:a:1", "no row-level operations");
  error.symbol = "p.Table";
  report.findings = {error, make_finding("RG1102", "g:b:1", "a supertype is missing")};
  normalise(report.findings);
  return report;
}

Ignore ignore_of(const char* check, year_month_day expires) {
  Ignore ignore;
  ignore.check = check;
  ignore.reason = "merged by hand";
  ignore.expires = expires;
  ignore.line = 7;
  return ignore;
}

struct Run {
  std::vector<Ignore> ignores;
  std::vector<Baseline> baselines;
  GatePolicy policy;
  std::vector<std::string> versions = {"4.2.0"};

  Report operator()(Report report) const {
    GateInputs inputs;
    inputs.ignores = &ignores;
    inputs.ignores_file = "rowgate.toml";
    inputs.baselines = &baselines;
    inputs.spark_versions = versions;
    inputs.now = kToday + hours(12);
    apply_gate(report, policy, inputs);
    return report;
  }
};

std::size_t count(const Report& report, std::string_view check) {
  std::size_t found = 0;
  for (const Finding& finding : report.findings) found += finding.check_id == check ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("the gate fails on what it is told to fail on") {
  const auto failed = [](std::vector<FailOn> fail_on, const char* check) {
    Run run;
    run.policy.fail_on = std::move(fail_on);
    Report report;
    report.findings = {make_finding(check, "a", "m")};
    return run(report).gate->failed;
  };
  const char *error = "RG1101", *warning = "RG1003", *undecidable = "RG1102", *note = "RG1004";
  CHECK(failed({FailOn::error}, error));
  CHECK_FALSE(failed({FailOn::error}, warning));
  CHECK_FALSE(failed({FailOn::error}, undecidable));
  CHECK(failed({FailOn::warning}, error));
  CHECK(failed({FailOn::warning}, warning));
  CHECK_FALSE(failed({FailOn::warning}, undecidable));
  CHECK(failed({FailOn::undecidable}, error));
  CHECK(failed({FailOn::undecidable}, undecidable));
  CHECK_FALSE(failed({FailOn::undecidable}, warning));
  CHECK(failed({FailOn::warning, FailOn::undecidable}, undecidable));
  for (const char* check : {error, warning, undecidable}) {
    CHECK(failed({FailOn::new_findings}, check));
    CHECK_FALSE(failed({FailOn::never}, check));
  }
  for (FailOn fail_on : {FailOn::new_findings, FailOn::error, FailOn::warning, FailOn::undecidable})
    CHECK_FALSE(failed({fail_on}, note));
}

TEST_CASE("the gate says what it fails on, and what it lets through") {
  Run run;
  CHECK(run(two_findings()).gate->text == "1 error (fails on: error); let through: 1 undecidable");
  run.policy.fail_on = {FailOn::undecidable};
  CHECK(run(two_findings()).gate->text == "1 error, 1 undecidable (fails on: undecidable)");
  run.policy.fail_on = {FailOn::never};
  const Report report = run(two_findings());
  CHECK_FALSE(report.gate->failed);
  CHECK(report.gate->text ==
        "nothing that it fails on (fails on: never); let through: 1 error, 1 undecidable");
}

TEST_CASE("an ignore entry sets a finding aside until its last day has ended") {
  Run run;
  run.ignores = {ignore_of("RG1101", year(2027) / 1 / 15)};
  Report report = run(two_findings());
  CHECK_FALSE(report.gate->failed);
  REQUIRE(report.suppressed.size() == 1);
  CHECK(report.suppressed[0].finding.check_id == "RG1101");
  CHECK(report.suppressed[0].reason == "merged by hand");
  CHECK(report.suppressed[0].expires == "2027-01-15");
  CHECK(count(report, "RG4003") == 1);  // it ends today
  CHECK(report.gate->text.ends_with("not counted: 1"));

  run.ignores = {ignore_of("RG1101", year(2027) / 6 / 30)};
  CHECK(count(run(two_findings()), "RG4003") == 0);
}

TEST_CASE("an expired entry brings its finding back, with a note on both") {
  Run run;
  run.ignores = {ignore_of("RG1101", year(2027) / 1 / 14)};
  const Report report = run(two_findings());
  CHECK(report.gate->failed);
  CHECK(report.suppressed.empty());
  CHECK(count(report, "RG4001") == 1);
  CHECK(report.findings[0].check_id == "RG1101");
  CHECK(report.findings[0].evidence.back() ==
        "the ignore entry at rowgate.toml:7 expired on 2027-01-14");
  // The note is no error: it does not fail a gate of its own.
  CHECK(report.findings.back().check_id == "RG4001");
  CHECK(report.findings.back().severity == Severity::note);
  CHECK(report.findings.back().location.line == 7);
}

TEST_CASE("an entry that matches nothing is a warning, and a failure on demand") {
  Run run;
  run.ignores = {ignore_of("RG2101", year(2027) / 6 / 30)};
  Report nothing;
  Report report = run(nothing);
  CHECK(count(report, "RG4002") == 1);
  CHECK_FALSE(report.gate->failed);
  run.policy.fail_on = {FailOn::new_findings};
  CHECK_FALSE(run(nothing).gate->failed);  // it is no finding of the connectors
  run.policy.fail_on = {FailOn::warning};
  CHECK(run(nothing).gate->failed);
  run.policy.fail_on = {FailOn::never};
  run.policy.unused_ignores = UnusedIgnores::failed;
  report = run(nothing);
  CHECK(report.gate->failed);
  CHECK(report.gate->text ==
        "1 warning (1 of them unused ignores) (fails on: never, unused-ignores)");
  run.policy.unused_ignores = UnusedIgnores::unsaid;
  CHECK(run(nothing).findings.empty());
}

TEST_CASE("symbol, connector and Spark narrow an entry") {
  const auto suppressed = [](const Ignore& ignore, std::vector<std::string> versions = {"4.2.0"}) {
    Run run;
    run.ignores = {ignore};
    run.versions = std::move(versions);
    return run(two_findings()).suppressed.size();
  };
  const Ignore any = ignore_of("RG1101", year(2027) / 6 / 30);
  Ignore ignore = any;
  CHECK(suppressed(ignore) == 1);
  ignore.symbol = "p.*";
  CHECK(suppressed(ignore) == 1);
  ignore.symbol = "q.*";
  CHECK(suppressed(ignore) == 0);
  ignore = any;
  ignore.connector = "g:a:*";
  CHECK(suppressed(ignore) == 1);
  ignore.connector = "g:b:*";
  CHECK(suppressed(ignore) == 0);
  ignore = any;
  ignore.spark = *SparkRange::parse("4.2");
  CHECK(suppressed(ignore) == 1);
  CHECK(suppressed(ignore, {"4.2.0", "4.2.1"}) == 1);
  CHECK(suppressed(ignore, {"4.2.0", "4.3.0"}) == 0);  // not all of the run
  CHECK(suppressed(ignore, {}) == 0);                  // an unknown Spark is in no range
  CHECK(suppressed(any, {}) == 1);
}

TEST_CASE("in a run over several Sparks an entry with a range is held against a finding's own") {
  Run run;
  run.versions = {"4.1.0", "4.2.0"};
  run.ignores = {ignore_of("RG1101", year(2027) / 6 / 30)};
  run.ignores[0].spark = *SparkRange::parse("4.2");
  const auto suppressed = [&](std::vector<std::string> sparks) {
    Report report = two_findings();
    for (Finding& finding : report.findings) finding.sparks = sparks;
    return run(std::move(report)).suppressed.size();
  };
  CHECK(suppressed({"4.2.0"}) == 1);
  CHECK(suppressed({"4.1.0"}) == 0);
  CHECK(suppressed({"4.1.0", "4.2.0"}) == 0);
  CHECK(suppressed({}) == 0);  // about the run as a whole
}

TEST_CASE("an entry for another Spark is not called unused") {
  Run run;
  run.ignores = {ignore_of("RG1101", year(2027) / 6 / 30)};
  run.ignores[0].spark = *SparkRange::parse("4.1");
  const Report report = run(two_findings());
  CHECK(report.gate->failed);
  CHECK(count(report, "RG4002") == 0);
}

TEST_CASE("a second entry for the same finding is used, too") {
  Run run;
  run.ignores = {ignore_of("RG1101", year(2027) / 6 / 30), ignore_of("RG1101", year(2027) / 1 / 1)};
  const Report report = run(two_findings());
  CHECK(report.suppressed.size() == 1);
  CHECK(count(report, "RG4002") == 0);
  CHECK(count(report, "RG4001") == 1);
}

TEST_CASE("a baseline keeps what was there out of the gate, and comes back from its file") {
  Run run;
  const std::string written = render_baseline(baseline_of(run(two_findings())));
  const auto baseline = parse_baseline(written, "rowgate-baseline.json");
  REQUIRE(baseline);
  CHECK(render_baseline(*baseline) == written);
  CHECK(baseline->entries.size() == 2);

  run.baselines = {*baseline};
  run.policy.fail_on = {FailOn::new_findings};
  Report report = run(two_findings());
  CHECK_FALSE(report.gate->failed);
  CHECK(report.findings.empty());
  REQUIRE(report.suppressed.size() == 2);
  CHECK(report.suppressed[0].kind == SuppressionKind::baseline);
  CHECK(report.suppressed[0].reason == "rowgate-baseline.json");
  // Writing it again from a run that used it gives the same file.
  CHECK(render_baseline(baseline_of(report)) == written);

  Report more = two_findings();
  more.findings.push_back(make_finding("RG1001", "g:c:1", "unreadable"));
  report = run(more);
  CHECK(report.gate->failed);
  CHECK(report.gate->text == "1 error (fails on: new); not counted: 2");
}

TEST_CASE("a baseline does not cover a second finding of the same kind, nor a worse one") {
  Run run;
  Report one;
  one.findings = {make_finding("RG1003", "a", "m")};
  run.baselines = {baseline_of(one)};
  run.baselines[0].file = "b.json";
  run.policy.fail_on = {FailOn::new_findings};
  Report twice = one;
  twice.findings.push_back(one.findings[0]);
  twice.findings[1].location.offset = 5;
  CHECK(run(one).suppressed.size() == 1);
  CHECK(run(twice).suppressed.size() == 1);
  CHECK(run(twice).gate->failed);
  Report worse = one;
  worse.findings[0].severity = Severity::error;
  CHECK(run(worse).gate->failed);
  CHECK(run(worse).suppressed.empty());
  Report better = one;
  better.findings[0].severity = Severity::undecidable;
  CHECK(run(better).suppressed.size() == 1);
}

TEST_CASE("what a baseline holds and did not occur is said") {
  Run run;
  run.baselines = {baseline_of(two_findings())};
  run.baselines[0].file = "b.json";
  const Report report = run(Report{});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].check_id == "RG4004");
  CHECK(report.findings[0].message == "2 findings of the baseline did not occur");
  CHECK_FALSE(report.gate->failed);
  // A finding that is ignored did occur.
  run.ignores = {ignore_of("RG1101", year(2027) / 6 / 30)};
  CHECK(count(run(two_findings()), "RG4004") == 0);
}

TEST_CASE("a baseline that is none is refused") {
  const auto error = [](std::string_view text) { return parse_baseline(text, "b.json").error(); };
  CHECK(error("{").message == "not JSON");
  CHECK(error("[]").message == "not a baseline of rowgate");
  CHECK(error("{\"tool\":\"rowgate\",\"baseline_version\":2}").code == ErrorCode::unsupported);
  CHECK(error("{\"tool\":\"rowgate\",\"baseline_version\":1}").message ==
        "has no array 'findings'");
  const std::string start = "{\"tool\":\"rowgate\",\"baseline_version\":1,\"findings\":[";
  CHECK(error(start + "1]}").message == "findings[0] is no object");
  CHECK(error(start + "{\"fingerprint\":\"x\"}]}").message == "findings[0] has no fingerprint");
  const std::string print = "\"fingerprint\":\"0123456789abcdef0123456789abcdef\"";
  CHECK(error(start + "{" + print + "}]}").message == "findings[0] has no severity");
  const std::string entry = "{" + print + ",\"severity\":\"error\"";
  CHECK(error(start + entry + ",\"count\":0}]}").message ==
        "findings[0] has a count that is no positive number");
  CHECK(error(start + entry + "}," + entry + "}]}").message.starts_with("findings[1] repeats"));
  CHECK(parse_baseline(start + entry + "}]}", "b.json"));
  CHECK_FALSE(parse_baseline(std::string(100'000, '['), "b.json"));
}

TEST_CASE("the gate's own findings go into no baseline") {
  Run run;
  run.ignores = {ignore_of("RG2101", year(2027) / 6 / 30)};
  const Report report = run(two_findings());
  CHECK(count(report, "RG4002") == 1);
  CHECK(baseline_of(report).entries.size() == 2);
}
