#include <doctest/doctest.h>

#include <cmath>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/fingerprint.hpp"
#include "reports/json.hpp"
#include "reports/json_writer.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate;
using namespace rowgate::base;
using namespace rowgate::reports;

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  append_json_escaped(out, text);
  return out;
}

// A valid report with the first `from` replaced by `to`.
Error error_after(std::string_view from, std::string_view to) {
  std::string json = render_json(sample_report());
  const std::size_t at = json.find(from);
  REQUIRE(at != std::string::npos);
  json.replace(at, from.size(), to);
  const auto report = read_json(json, "r.json");
  REQUIRE_FALSE(report);
  CHECK(report.error().subject == "r.json");
  return report.error();
}

void replace_nan(Report& report) {  // NaN is not equal to itself
  for (Series& series : report.series)
    for (Line& line : series.lines)
      for (double& y : line.y)
        if (std::isnan(y)) y = -1;
}

}  // namespace

TEST_CASE("JSON text is safe on a terminal and in a script element") {
  CHECK(escaped("a\"b\\c") == "a\\\"b\\\\c");
  CHECK(escaped("</script>") == "\\u003c/script\\u003e");
  CHECK(escaped("\x1b\x7f\n") == "\\u001b\\u007f\\n");
  CHECK(escaped("\xc2\x9b\xe2\x80\xae") == "\\u009b\\u202e");
  CHECK(escaped("é宽🙂") == "é宽🙂");
  CHECK(escaped("a\xff") == "a\\\\xFF");
}

TEST_CASE("numbers read back; what is no number is null") {
  JsonWriter json;
  json.begin_array(JsonWriter::Layout::line);
  json.number(0.1).number(1e300).number(std::nan("")).number(INFINITY).number(std::uint64_t{7});
  json.begin_array().end_array().end_array();
  CHECK(json.take() == "[0.1, 1e+300, null, null, 7, []]\n");
}

TEST_CASE("a report comes back from its JSON as it was") {
  Report report = sample_report();
  auto read = read_json(render_json(report), "r.json");
  REQUIRE(read);
  CHECK(std::isnan(read->series[0].lines[1].y[2]));
  replace_nan(report);
  replace_nan(*read);
  CHECK(*read == report);
}

TEST_CASE("an empty report comes back too") {
  const auto read = read_json(render_json(Report{}), "r.json");
  REQUIRE(read);
  CHECK(*read == Report{});
}

TEST_CASE("hostile text comes back as it was, ill-formed bytes printable") {
  Report report = hostile_report();
  auto read = read_json(render_json(report), "r.json");
  REQUIRE(read);
  CHECK(read->findings.size() == report.findings.size());
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const std::string& wrote = report.findings[i].subject;
    CHECK(read->findings[i].subject == (is_utf8(wrote) ? wrote : printable(wrote)));
  }
  CHECK(render_json(*read) == render_json(*read_json(render_json(*read), "r.json")));
}

TEST_CASE("two runs differ in the provenance only") {
  Report a = sample_report(), b = sample_report();
  b.provenance = {"0.2.0", "2027-01-01T00:00:00Z", 7, {}};
  const std::string x = render_json(a), y = render_json(b);
  CHECK(x != y);
  CHECK(x.substr(0, x.find("\"provenance\"")) == y.substr(0, y.find("\"provenance\"")));
}

TEST_CASE("errors of the reader name the place") {
  CHECK(error_after("\"tool\": \"rowgate\"", "\"tool\": \"other\"").message ==
        "not a report of rowgate (\"tool\" is not \"rowgate\")");
  CHECK(error_after("\"schema_version\": 1", "\"schema_version\": 2").code ==
        ErrorCode::unsupported);
  CHECK(error_after("\"schema_version\": 1", "\"schema_version\": \"1\"").code ==
        ErrorCode::malformed);
  CHECK(error_after("\"severity\": \"error\"", "\"severity\": \"fatal\"").message ==
        "findings[0].severity: 'fatal' is none of error, warning, undecidable, note");
  CHECK(error_after("\"offset\": 22118", "\"offset\": -1").message ==
        "findings[0].location.offset: is number; a whole number of at most 18446744073709551615 is "
        "needed");
  CHECK(error_after("\"line\": 12", "\"line\": 4294967296").message ==
        "findings[2].location.line: is number; a whole number of at most 4294967295 is needed");
  CHECK(error_after("\"command\": \"audit\",", "").message ==
        "command: is missing; a string is needed");
  CHECK(error_after("[{\"text\": \"SupportsWrite\", \"tone\": \"plain\"}, ", "[").message ==
        "tables[0].rows[1]: has 2 cells where the table has 3 columns");
  CHECK(error_after("\"y\": [811, ", "\"y\": [").message ==
        "series[0].lines[0]: y, low and high do not go with the 5 values of x");
}

TEST_CASE("text that is not JSON is refused with its offset") {
  const auto report = read_json("{\"tool\": \"rowgate\",}", "r.json");
  REQUIRE_FALSE(report);
  CHECK(report.error().code == ErrorCode::malformed);
  CHECK(report.error().offset == 19);
  CHECK_FALSE(read_json("", "r.json"));
  CHECK_FALSE(read_json("[]", "r.json"));
  CHECK_FALSE(read_json("\"tool\"", "r.json"));
  CHECK_FALSE(read_json("{\"tool\":\"rowgate\",\"x\":1e999}", "r.json"));
}

TEST_CASE("size and depth are limited before anything is parsed") {
  const std::string deep(1'000'000, '[');
  const auto nested = read_json(deep, "r.json");
  REQUIRE_FALSE(nested);
  CHECK(nested.error().code == ErrorCode::limit);
  CHECK(nested.error().offset == 32);
  CHECK(read_json("\"" + deep + "\"", "r.json").error().code == ErrorCode::malformed);
  CHECK(read_json(std::string(11, ' '), "r.json", {10, 32}).error().code == ErrorCode::limit);
}

TEST_CASE("a newer minor's extra keys are ignored") {
  std::string json = render_json(sample_report());
  json.replace(json.find("\"command\""), 0, "\"new_key\": {\"a\": [1]}, ");
  CHECK(read_json(json, "r.json"));
}

TEST_CASE("a fingerprint survives moved lines and folders, not another symbol or version") {
  Finding finding = make_finding("RG1101", "g:a:1", "m");
  finding.symbol = "p.C";
  finding.location = {"/home/a/x.jar!/p/C.class", 3, 4, "p.C.m()V"};
  const std::string base = fingerprint(finding);
  CHECK(base.size() == 32);
  Finding moved = finding;
  moved.location.file = "other/x.jar!/p/C.class";
  moved.location.line = 30;
  moved.severity = Severity::note;
  moved.message = "m, 2 callers";
  CHECK(fingerprint(moved) == base);
  Finding other = finding;
  other.symbol = "p.D";
  CHECK(fingerprint(other) != base);
  other = finding;
  other.location.file = "/home/a/x.jar!/q/C.class";
  CHECK(fingerprint(other) != base);
  other = finding;
  other.subject = "g:a:2";
  CHECK(fingerprint(other) != base);
  // Without symbol and member only the message tells two findings apart.
  other = finding;
  other.symbol = other.location.member = "";
  Finding third = other;
  third.message = "n";
  CHECK(fingerprint(other) != fingerprint(third));
}
