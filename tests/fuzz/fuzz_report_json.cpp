// Any bytes as a JSON report or a baseline; what is read is rendered in every format, and what was
// written reads back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reports/baseline.hpp"
#include "reports/compare.hpp"
#include "reports/github.hpp"
#include "reports/html.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/merge.hpp"
#include "reports/sarif.hpp"
#include "reports/text.hpp"

using namespace rowgate;
using namespace rowgate::reports;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void use(const base::Report& report) {
  const std::string json = render_json(report);
  const auto again = read_json(json, "again");
  require(again.has_value());
  require(render_json(*again) == json);
  require(render_markdown(report).size() <= kCommentBytes);
  require(!render_text(report).empty());
  require(!render_html(report).empty());
  require(!render_junit(report).empty());
  require(!render_sarif(report).empty());
  render_github(report);
  const Comparison same = compare(report, *again);
  require(same.added.empty() && same.fixed.empty() && same.worse.empty());
  const base::Report merged = merge({{"a", report}, {"b", *again}});
  require(read_json(render_json(merged), "merged").has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto report = read_json(text, "input"))
    use(*report);
  else
    require(!report.error().message.empty() && report.error().offset.value_or(0) <= size);
  if (const auto baseline = parse_baseline(text, "input")) {
    const std::string written = render_baseline(*baseline);
    require(parse_baseline(written, "again").has_value());
  }
  return 0;
}
