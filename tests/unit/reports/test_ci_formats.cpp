// JUnit, SARIF and GitHub annotations, as far as no other program is needed to see it.
#include <doctest/doctest.h>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/escape.hpp"
#include "reports/github.hpp"
#include "reports/junit.hpp"
#include "reports/place.hpp"
#include "reports/sarif.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate::base;
using namespace rowgate::reports;

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  lines.pop_back();  // after the last newline
  return lines;
}

Report report_with(std::size_t errors, std::size_t warnings, std::size_t undecidable) {
  Report report;
  for (std::size_t i = 0; i < errors; ++i)
    report.findings.push_back(make_finding("RG1001", "e" + std::to_string(i), "m"));
  for (std::size_t i = 0; i < warnings; ++i)
    report.findings.push_back(make_finding("RG1002", "w" + std::to_string(i), "m"));
  for (std::size_t i = 0; i < undecidable; ++i)
    report.findings.push_back(make_finding("RG1102", "u" + std::to_string(i), "m"));
  return report;
}

}  // namespace

TEST_CASE("HTML and XML text has no character that XML forbids") {
  CHECK(html_escape("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  CHECK(html_escape(std::string_view("\0\x1b\n", 3)) == "\\x00\\x1B\\x0A");
  CHECK(html_escape("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD") == "\\u{FFFE}\\u{FFFF}\xEF\xBF\xBD");
}

TEST_CASE("a place is a file, or a jar with what is inside, or no file at all") {
  CHECK(place_of({"libs/a.jar!/p/C.class", {}, {}, ""}).file == "libs/a.jar");
  CHECK(place_of({"libs/a.jar!/p/C.class", {}, {}, ""}).inside == "p/C.class");
  CHECK(place_of({"g:a:1", {}, {}, ""}).file.empty());
  CHECK(place_of({"pom.xml", {}, {}, ""}).file == "pom.xml");
}

TEST_CASE("paths are relative to the source root or not at all") {
  CHECK(relative_to("/src", "/src/conf/x.conf") == "conf/x.conf");
  CHECK(relative_to("/src/", "/src/./a/../x.conf") == "x.conf");
  CHECK_FALSE(relative_to("/src", "/srcs/x.conf"));
  CHECK_FALSE(relative_to("/src", "/etc/passwd"));
  CHECK_FALSE(relative_to("", "/etc/passwd"));
  CHECK_FALSE(relative_to("/src", "../x.conf"));
  CHECK(relative_to("", "./x.conf") == "x.conf");
  CHECK(uri_path("a b/ü:%?#.jar") == "a%20b/%C3%BC%3A%25%3F%23.jar");
}

TEST_CASE("GitHub annotations: the worst first, ten of a kind, the last counts the others") {
  const std::string text = render_github(report_with(3, 11, 1));
  const auto lines = lines_of(text);
  REQUIRE(lines.size() == 3 + 10);
  CHECK(lines[0] == "::error title=RG1001 jar cannot be read::e0: m");
  CHECK(lines[3] == "::warning title=RG1002 entry cannot be read::w0: m");
  CHECK(lines[12] == "::warning title=rowgate::3 more of this kind, in the log and the report");
  CHECK(lines_of(render_github(report_with(10, 0, 0))).size() == 10);
  CHECK(lines_of(render_github(report_with(11, 0, 0)))[9].find("::2 more") != std::string::npos);
  CHECK(render_github(Report{}).empty());
}

TEST_CASE("GitHub annotations escape what the runner reads") {
  Report report;
  Finding finding = make_finding("RG1003", "100%", "a::b\n::error::c");
  finding.location = {"conf/a,b:c%.conf", 7, {}, ""};
  finding.evidence = {"one", "two"};
  report.findings = {finding};
  CHECK(render_github(report) ==
        "::warning title=RG1003 class file is malformed,file=conf/a%2Cb%3Ac%25.conf,line=7::"
        "100%25: a::b\\x0A::error::c%0Aone%0Atwo\n");
}

TEST_CASE("a hostile text makes no command of its own") {
  const std::string text = render_github(hostile_report());
  for (std::string_view line : lines_of(text)) {
    CHECK(line.starts_with("::"));
    CHECK(printable(line) == line);
  }
}

TEST_CASE("JUnit: what the gate does not fail on is not a failure") {
  Report report = report_with(0, 1, 1);
  const auto has = [&](std::string_view text) {
    return render_junit(report).find(text) != std::string::npos;
  };
  CHECK(has("<error type=\"RG1102\""));
  CHECK_FALSE(has("<failure"));
  report.gate = GateOutcome{false, {"error"}, ""};
  CHECK_FALSE(has("<error"));
  CHECK(has("<skipped message=\"m\"/>"));
  report.gate = GateOutcome{true, {"error", "warning", "undecidable"}, ""};
  CHECK(has("<error type=\"RG1102\""));
  CHECK(has("<failure type=\"RG1002\""));
}

TEST_CASE("SARIF: files outside the source root are file URIs") {
  Report report;
  Finding finding = make_finding("RG1001", "a", "m");
  finding.location = {"/opt/spark/jars/a b.jar", {}, 7, ""};
  report.findings = {finding};
  std::string sarif = render_sarif(report);
  CHECK(sarif.find("\"uri\": \"file:///opt/spark/jars/a%20b.jar\"") != std::string::npos);
  CHECK(sarif.find("\"byteOffset\": 7") != std::string::npos);
  sarif = render_sarif(report, {"/opt", "x.toml"});
  CHECK(sarif.find("\"uri\": \"spark/jars/a%20b.jar\"") != std::string::npos);
}

TEST_CASE("SARIF: braces and links in messages are text") {
  Report report;
  report.findings = {make_finding("RG1001", "a", "{0} [x](http://y) [I")};
  CHECK(render_sarif(report).find("\"text\": \"{{0}} \\\\[x\\\\](http://y) \\\\[I\"") !=
        std::string::npos);
  report.findings = {make_finding("RG1001", "a", "m([I)V")};
  CHECK(render_sarif(report).find("\"text\": \"m([I)V\"") != std::string::npos);
}
