#include <doctest/doctest.h>

#include "base/text.hpp"
#include "reports/layout.hpp"
#include "reports/text.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate::base;
using namespace rowgate::reports;

namespace {

bool has_control_characters(std::string text) {
  std::erase(text, '\n');
  return printable(text) != text;  // escapes stay as they are, everything else would change
}

Report one_table(std::vector<Column> columns, std::vector<std::vector<Cell>> rows) {
  Report report;
  report.command = "scan";
  Table table;
  table.title = "T";
  table.columns = std::move(columns);
  table.rows = std::move(rows);
  report.tables = {table};
  return report;
}

}  // namespace

TEST_CASE("shortening keeps both ends and the width") {
  CHECK(shorten("abcdef", 6) == "abcdef");
  CHECK(shorten("abcdefg", 6) == "ab…efg");
  CHECK(shorten("abcdefg", 1) == "…");
  CHECK(shorten("abcdefg", 0).empty());
  CHECK(shorten("宽宽宽宽", 5) == "宽…宽");  // each takes two columns
  CHECK(shorten("e\xcc\x81"
                "bcdef",
                3) == "e\xcc\x81…f");
}

TEST_CASE("wrapping breaks at spaces, then after punctuation, then anywhere") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("", 5) == Lines{""});
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("org.apache.spark.Sql", 12) == Lines{"org.apache.", "spark.Sql"});
  CHECK(wrap("abcdefghij", 4) == Lines{"abcd", "efgh", "ij"});
  CHECK(wrap("宽宽宽", 1) == Lines{"宽", "宽", "宽"});
  CHECK(wrap("one two three four", 5, 2) == Lines{"one", "two …"});
}

TEST_CASE("wrapping loses nothing but blanks") {
  for (const std::string& text : hostile_texts()) {
    const std::string shown = printable(text);
    for (std::size_t width : {1, 2, 3, 7, 20, 80}) {
      std::string joined, wanted;
      for (const std::string& line : wrap(shown, width)) {
        CHECK(display_width(line) <= std::max<std::size_t>(width, 2));
        joined += line;
      }
      std::erase(joined, ' ');
      wanted = shown;
      std::erase(wanted, ' ');
      CHECK(joined == wanted);
    }
  }
}

TEST_CASE("the widest columns give way first") {
  using Widths = std::vector<std::size_t>;
  CHECK(share_width({4, 5}, 20, 8) == Widths{4, 5});
  CHECK(share_width({4, 50, 60}, 44, 8) == Widths{4, 20, 20});
  CHECK(share_width({4, 50, 60}, 45, 8) == Widths{4, 21, 20});
  CHECK(share_width({10, 10, 10}, 23, 8).empty());
}

TEST_CASE("a table that fits is aligned; numbers stand to the right") {
  const std::string text = render_text(
      one_table({{"name"}, {"size", Align::right}}, {{{"a"}, {"1"}}, {{"bcd"}, {"1,000"}}}));
  CHECK(text ==
        "rowgate scan\n"
        "\n"
        "T\n"
        "  name   size\n"
        "  a         1\n"
        "  bcd   1,000\n");
}

TEST_CASE("no line is wider than the terminal, for any width") {
  for (const Report& report : {sample_report(), hostile_report()}) {
    for (std::size_t width : {40, 41, 60, 80, 100, 200}) {
      for (Detail detail : {Detail::brief, Detail::full}) {
        TextOptions options;
        options.width = width;
        options.detail = detail;
        options.notes = Notes::listed;
        const std::string text = render_text(report, options);
        std::size_t widest = 0;
        for (std::string_view line : split(text, '\n'))
          widest = std::max(widest, display_width(line));
        CAPTURE(width);
        CHECK(widest <= width);
      }
    }
  }
}

TEST_CASE("no control character of the input reaches the terminal") {
  TextOptions options;
  options.detail = Detail::full;
  CHECK_FALSE(has_control_characters(render_text(hostile_report(), options)));
  options.colour = Colour::on;
  // With colour the only escapes are SGR sequences of ours.
  std::string text = render_text(hostile_report(), options);
  for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
    const std::size_t end = text.find('m', at);
    REQUIRE(end != std::string::npos);
    CHECK(end - at <= 4);
    text.erase(at, end - at + 1);
  }
  CHECK_FALSE(has_control_characters(text));
}

TEST_CASE("colour changes nothing but the colour") {
  TextOptions options;
  const std::string plain = render_text(sample_report(), options);
  options.colour = Colour::on;
  std::string coloured = render_text(sample_report(), options);
  CHECK(coloured != plain);
  for (std::size_t at = coloured.find('\x1b'); at != std::string::npos; at = coloured.find('\x1b'))
    coloured.erase(at, coloured.find('m', at) - at + 1);
  CHECK(coloured == plain);
}

TEST_CASE("what is left out is counted") {
  const std::string text = render_text(sample_report());
  CHECK(text.find("3 rows, shown with --verbose") != std::string::npos);
  CHECK(text.find("1 note not listed, shown with --all") != std::string::npos);
  CHECK(text.find("2 errors, 1 warning, 1 undecidable, 1 note") != std::string::npos);
  CHECK(text.find("classes: 12,345 looked at, 1 could not be") != std::string::npos);
  CHECK(text.find("1 finding ignored by rowgate.toml, 1 in the baseline") != std::string::npos);
  CHECK(text.find("gate failed: 2 errors") != std::string::npos);
  CHECK(text.find("META-INF/LICENSE") == std::string::npos);

  Report report;
  Finding finding;
  finding.check_id = "RG1001";
  finding.evidence.assign(10, "line");
  report.findings = {finding};
  CHECK(render_text(report).find("… 6 lines of evidence more") != std::string::npos);
}

TEST_CASE("an ignore entry is offered in one piece, without control characters") {
  TextOptions options;
  options.ignore_until = "2027-02-28";
  options.notes = Notes::listed;
  CHECK(render_text(sample_report(), options)
            .find("  to ignore it:\n    [[ignore]]\n    check = \"RG1001\"\n    connector = "
                  "\"io.delta:delta-spark_2.13:4.3.1\"\n    reason = \"\"") != std::string::npos);
  CHECK_FALSE(has_control_characters(render_text(hostile_report(), options)));
}

TEST_CASE("more columns than the width can hold become a block a row") {
  std::vector<Column> columns;
  std::vector<Cell> row;
  for (int i = 0; i < 12; ++i) {
    columns.push_back({"column " + std::to_string(i)});
    row.push_back({"a long value " + std::to_string(i)});
  }
  TextOptions options;
  options.width = 60;
  const std::string text = render_text(one_table(columns, {row, row}), options);
  CHECK(text.find("  column 0   a long value 0\n") != std::string::npos);
  CHECK(text.find("  column 11  a long value 11\n\n  column 0 ") != std::string::npos);
}
