#include <doctest/doctest.h>

#include "tools/render.hpp"

using namespace rowgate;
using namespace rowgate::tools;

TEST_CASE("a file's extension says its format") {
  CHECK(format_for_file("a/report.md").value() == "markdown");
  CHECK(format_for_file("r.json").value() == "json");
  CHECK(format_for_file("r.sarif.json").value() == "sarif");
  const auto unknown = format_for_file("r.docx");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::usage);
  CHECK(unknown.error().remedy.find(".md") != std::string::npos);
}

TEST_CASE("every named format renders, an unknown one is a usage error") {
  base::Report report;
  report.command = "scan";
  report.title = "t";
  for (const std::string& name : format_names()) CHECK(render(report, name, {}));
  CHECK(render(report, "yaml", {}).error().code == ErrorCode::usage);
}
