// The same report gives the same bytes in every format, from any number of threads; two runs that
// differ in their provenance only differ there only.
#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "reports/github.hpp"
#include "reports/html.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/sarif.hpp"
#include "reports/svg.hpp"
#include "reports/text.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate::base;
using namespace rowgate::reports;

namespace {

std::vector<std::string> all_formats(const Report& report) {
  return {render_text(report),
          render_markdown(report),
          render_markdown(report, {0}),
          render_json(report),
          render_junit(report),
          render_sarif(report),
          render_github(report),
          render_html(report, {"2027-02-28"}),
          render_svg(report.series[0], SvgKind::standalone)};
}

}  // namespace

TEST_CASE("rendering is a function of the report") {
  for (const auto& make : {sample_report, hostile_report}) {
    const std::vector<std::string> once = all_formats(make());
    std::vector<std::vector<std::string>> results(8);
    std::vector<std::thread> threads;
    for (auto& result : results)
      threads.emplace_back([&result, &make] { result = all_formats(make()); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& result : results) CHECK(result == once);
  }
}

TEST_CASE("two runs on the same input are the same, provenance aside") {
  Report a = sample_report(), b = sample_report();
  b.provenance.started_at = "2027-01-01T00:00:00Z";
  b.provenance.elapsed_ms = 9;
  b.provenance.facts = {{"cpu", "64 cores"}};
  CHECK(render_text(a) == render_text(b));
  CHECK(render_markdown(a) == render_markdown(b));
  CHECK(render_junit(a) == render_junit(b));
  CHECK(render_sarif(a) == render_sarif(b));
  CHECK(render_github(a) == render_github(b));
  const std::string x = render_html(a), y = render_html(b);
  CHECK(x != y);
  CHECK(x.substr(0, x.find("<footer>")) == y.substr(0, y.find("<footer>")));
}

TEST_CASE("no format holds a control character of the input") {
  for (const std::string& text : all_formats(hostile_report())) {
    CHECK(std::none_of(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
    }));
    CHECK(text.find("\xC2\x9B") == std::string::npos);      // CSI as one character
    CHECK(text.find("\xE2\x80\xAE") == std::string::npos);  // right-to-left override
  }
}
