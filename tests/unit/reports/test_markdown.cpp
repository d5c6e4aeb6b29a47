#include <doctest/doctest.h>

#include "base/text.hpp"
#include "reports/markdown.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate::base;
using namespace rowgate::reports;

TEST_CASE("text of the input is inert in markdown") {
  CHECK(markdown_escape("a|b") == "a\\|b");
  CHECK(markdown_escape("<b>&") == "&lt;b&gt;&amp;");
  CHECK(markdown_escape("`x`") == "\\`x\\`");
  CHECK(markdown_escape("a\nb") == "a\\\\x0Ab");
  CHECK(markdown_escape("@octocat") == "@&#8203;octocat");
  CHECK(markdown_escape("#12") == "\\#&#8203;12");
  CHECK(markdown_escape("https://x www.y") == "https&#58;//x &#119;ww.y");
  CHECK(markdown_escape("- x") == "\\- x");
  CHECK(markdown_escape("12. x") == "12\\. x");
  CHECK(markdown_escape("io.delta:delta-spark_2.13:4.3.1") == "io.delta:delta-spark\\_2.13:4.3.1");
}

TEST_CASE("long names keep both ends") {
  const std::string text = markdown_escape("head" + std::string(1000, 'x') + "tail", 20);
  CHECK(text == "headxxxxx…xxxxxxtail");
}

TEST_CASE("every table row has the cells of its header") {
  for (const Report& report : {sample_report(), hostile_report()}) {
    std::size_t columns = 0, rows = 0;
    const std::string markdown = render_markdown(report, {0});
    for (std::string_view line : split(markdown, '\n')) {
      if (!line.starts_with('|')) {
        columns = 0;
        continue;
      }
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\')
          ++i;
        else if (line[i] == '|')
          ++bars;
      }
      if (columns == 0) columns = bars;
      CHECK(bars == columns);
      ++rows;
    }
    CHECK(rows > 10);
  }
}

TEST_CASE("a comment stays under its limit, says what it left out, and closes what it opens") {
  Report report = sample_report();
  for (int i = 0; i < 3000; ++i) {
    report.tables[0].rows.push_back({{"row " + std::to_string(i)}, {"x"}, {"1"}});
    Finding finding = report.findings[0];
    finding.subject = "connector " + std::to_string(i);
    report.findings.push_back(finding);
  }
  for (std::size_t limit : {1'000UL, 5'000UL, 20'000UL, kCommentBytes}) {
    CAPTURE(limit);
    const std::string markdown = render_markdown(report, {limit});
    CHECK(markdown.size() <= limit);
    CHECK(markdown.find("Left out to fit the size limit") != std::string::npos);
    const auto count = [&](std::string_view needle) {
      std::size_t found = 0;
      for (std::size_t at = markdown.find(needle); at != std::string::npos;
           at = markdown.find(needle, at + 1))
        ++found;
      return found;
    };
    CHECK(count("<details>") == count("</details>"));
    CHECK(markdown.find("Gate failed") != std::string::npos);
  }
  CHECK(render_markdown(report, {0}).find("Left out") == std::string::npos);
  CHECK(render_markdown(report).size() <= kCommentBytes);
}

TEST_CASE("the notice itself fits, however many tables are left out") {
  Report report;
  report.command = "scan";
  for (int i = 0; i < 500; ++i) {
    Table table;
    table.title = "a table with a long title, number " + std::to_string(i);
    table.columns = {{"a"}};
    table.rows.assign(5, {{std::string(100, 'x')}});
    report.tables.push_back(table);
  }
  for (std::size_t limit = 1'000; limit < 40'000; limit += 777) {
    const std::string markdown = render_markdown(report, {limit});
    CHECK(markdown.size() <= limit);
    CHECK(markdown.find("Left out to fit") != std::string::npos);
  }
}

TEST_CASE("the numbers of what was left out are right") {
  Report report;
  report.command = "scan";
  Table table;
  table.title = "T";
  table.columns = {{"a"}};
  for (int i = 0; i < 1000; ++i) table.rows.push_back({{"row"}});
  report.tables = {table};
  const std::string markdown = render_markdown(report, {2'000});
  std::size_t shown = 0;
  for (std::string_view line : split(markdown, '\n')) shown += line == "| row |" ? 1 : 0;
  CHECK(markdown.find(std::to_string(1000 - shown) + " rows of “T”") != std::string::npos);
}
