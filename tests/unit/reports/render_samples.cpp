// render_samples DIR: writes the sample and the hostile report in every format, for the tests that
// hand them to other programs (schema validators, parsers, a markdown renderer, a browser).
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "reports/github.hpp"
#include "reports/html.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/sarif.hpp"
#include "reports/svg.hpp"
#include "reports/text.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: render_samples DIR\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (const auto& [name, report] : {std::pair{"sample", reports::sample_report()},
                                     std::pair{"hostile", reports::hostile_report()}}) {
    const std::vector<std::pair<std::string, std::string>> files = {
        {"txt", reports::render_text(report)},
        {"md", reports::render_markdown(report, {0})},
        {"comment.md", reports::render_markdown(report)},
        {"json", reports::render_json(report)},
        {"xml", reports::render_junit(report)},
        {"html", reports::render_html(report, {"2027-02-28"})},
        {"svg", reports::render_svg(report.series[0], reports::SvgKind::standalone)},
        {"sarif", reports::render_sarif(report)},
        {"annotations", reports::render_github(report)},
    };
    for (const auto& [extension, contents] : files) {
      const auto path = folder / (std::string(name) + "." + extension);
      if (const auto written = base::write_file_atomically(path, contents); !written) {
        std::fprintf(stderr, "%s\n", written.error().to_string().c_str());
        return 3;
      }
    }
  }
  return 0;
}
