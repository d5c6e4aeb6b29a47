#include "tests/unit/reports/sample.hpp"

#include <limits>

#include "base/checks.hpp"

namespace rowgate::reports {

using namespace rowgate::base;

Report sample_report() {
  Report report;
  report.command = "audit";
  report.title = "2 connectors against Spark 4.2.0";
  report.inputs = {{"target", "Spark 4.2.0, Scala 2.13"}, {"repository", "central"}};
  report.summary = {
      {"io.delta:delta-spark_2.13:4.3.1", "breaks", "3 references do not link.", Tone::bad},
      {"org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0", "undecidable: needs parquet",
       "A supertype is in no jar that was given.", Tone::unknown}};

  Table plain;
  plain.id = "capabilities";
  plain.title = "Capabilities";
  plain.columns = {{"interface"}, {"named"}, {"classes", Align::right}};
  plain.rows = {
      {{"SupportsRowLevelOperations"}, {"no", Tone::bad}, {"0"}},
      {{"SupportsWrite"}, {"yes", Tone::good}, {"2"}},
      {{"V2TableWithV1Fallback"}, {"unknown", Tone::unknown}, {"1"}},
  };
  plain.notes = {"Counted are classes that implement the interface directly or by a supertype."};
  Table detail = plain;
  detail.id = "capabilities-detail";
  detail.title = "Capabilities, class by class";
  detail.detail = true;
  Table matrix;
  matrix.id = "sweep";
  matrix.title = "Connectors by Spark version";
  matrix.matrix = true;
  matrix.columns = {{"connector"}, {"4.1.1"}, {"4.1.2"}, {"4.2.0"}};
  matrix.rows = {{{"delta-spark_2.13:4.3.1"},
                  {"works", Tone::good},
                  {"1 warning", Tone::caution},
                  {"breaks", Tone::bad}},
                 {{"iceberg-spark-runtime-4.1_2.13:1.11.0"},
                  {"works", Tone::good},
                  {"works", Tone::good},
                  {"undecidable", Tone::unknown}}};
  report.tables = {plain, detail, matrix};

  Series series;
  series.id = "merge-by-rows";
  series.title = "One MERGE of 3 rows";
  series.x_label = "rows in the table";
  series.y_label = "time [ms]";
  series.x_scale = Scale::logarithmic;
  series.x = {1e3, 1e4, 1e5, 1e6, 1e7};
  const double none = std::numeric_limits<double>::quiet_NaN();
  series.lines = {{"guarded",
                   {811, 808.5, 820, 835, 870},
                   {780, 790, 800, 800, 841},
                   {840, 830, 845, 871, 905}},
                  {"naive", {820, 815, none, 840, 866}, {}, {}}};
  report.series = {series};

  Finding link = make_finding("RG1001", "io.delta:delta-spark_2.13:4.3.1",
                              "the central directory ends before its last entry");
  link.location = {"libs/delta-spark_2.13-4.3.1.jar", std::nullopt, 22118, ""};
  link.evidence = {"expected 412 entries", "found 377"};
  link.sparks = {"4.2.0"};
  Finding gate = make_finding("RG1101", "io.delta:delta-spark_2.13:4.3.1",
                              "no table class implements SupportsRowLevelOperations");
  gate.symbol = "org.apache.spark.sql.delta.catalog.DeltaTableV2";
  gate.location = {
      "libs/delta-spark_2.13-4.3.1.jar!/org/apache/spark/sql/delta/catalog/"
      "DeltaTableV2.class",
      std::nullopt, std::nullopt,
      "org.apache.spark.sql.delta.catalog.DeltaTableV2.newScanBuilder(Lorg/apache/"
      "spark/sql/util/CaseInsensitiveStringMap;)V"};
  gate.help = "Keep the hand-written MERGE.";
  Finding warning =
      make_finding("RG1003", "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
                   "bad constant pool index 77");
  warning.location = {"conf/spark-defaults.conf", 12, std::nullopt, ""};
  Finding undecidable =
      make_finding("RG1102", "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0",
                   "org.apache.parquet.Base is in no jar that was given");
  undecidable.symbol = "org.apache.parquet.Base";
  Finding note = make_finding("RG1004", "io.delta:delta-spark_2.13:4.3.1", "META-INF/LICENSE");
  report.findings = {link, gate, warning, undecidable, note};
  normalise(report.findings);

  Finding ignored = make_finding("RG2101", "io.delta:delta-spark_2.13:4.3.1",
                                 "built against Spark 4.1.0, the target is 4.2.0");
  ignored.location = {"pom.xml", 41, std::nullopt, ""};
  Finding old = make_finding("RG2104", "com.example:old-connector:1.0", "no build for Spark 4.2");
  report.suppressed = {{ignored, SuppressionKind::ignore, "vendor confirmed it", "2027-01-31"},
                       {old, SuppressionKind::baseline, "rowgate-baseline.json", ""}};
  report.gate = GateOutcome{true, {"error"}, "2 errors (fail-on: error)"};
  report.coverage = {{"jars", 2, 0}, {"classes", 12345, 1}};
  report.provenance = {"0.1.0", "2026-11-30T07:37:24Z", 1234.5, {{"cpu", "2 cores"}}};
  return report;
}

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> kTexts = {
      "a|b||c\\|d",
      "<script>alert(1)</script><img src=x onerror=alert(2)>",
      "</script></style></details><!-- -->-->]]>",
      "\x1b[31mred\x1b]0;title\x07\x08\x7f",
      "line\none\r\ntwo\ttab\vx",
      std::string("nul\0byte", 8),
      "bad \xff\xfe utf8 \xc0\x80 \xed\xa0\x80",
      "\xe2\x80\xaetxt.exe \xc2\x9b"
      "31m \xef\xbb\xbf",
      "`code` **bold** _it_ [link](javascript:alert(1)) ![i](x) ~~s~~",
      "# h1",
      "- item",
      "1. item",
      "===",
      "---",
      "    indented",
      "```",
      "@octocat #1 www.example.com https://example.com/?a=b&c=d me@example.com $x$",
      "::error file=a::b%0A%25",
      "&lt;b&gt;&amp;&#60; \" ' = onclick='x'",
      "宽字符 e\xcc\x81 🙂",
      "",
      " ",
  };
  return kTexts;
}

Report hostile_report() {
  const std::vector<std::string>& texts = hostile_texts();
  std::string all;
  for (const std::string& text : texts) all += text + " ";
  const std::string huge = "p/" + std::string(10'000, 'x') + "$Y";
  Report report;
  report.command = all;
  report.title = all;
  report.inputs = {{all, all}, {huge, huge}};
  Table table;
  table.id = all;
  table.title = all;
  table.columns = {{"n"}, {all}, {"text", Align::right}};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    report.summary.push_back({texts[i], texts[i], texts[i], Tone::bad});
    table.rows.push_back({{std::to_string(i)}, {texts[i]}, {texts[i], Tone::unknown}});
    Finding finding = make_finding("RG1101", texts[i], texts[i]);
    finding.symbol = texts[i];
    finding.location = {texts[i], 1, 2, texts[i]};
    finding.evidence = {texts[i], huge};
    finding.help = texts[i];
    report.findings.push_back(finding);
    report.suppressed.push_back({finding, SuppressionKind::ignore, texts[i], texts[i]});
    report.coverage.push_back({texts[i], 1, 1});
    report.provenance.facts.emplace_back(texts[i], texts[i]);
  }
  table.rows.push_back({{"huge"}, {huge}, {huge}});
  table.notes = texts;
  Table detail = table;
  detail.detail = true;
  Table matrix = table;
  matrix.matrix = true;
  report.tables = {table, detail, matrix};
  Series series;
  series.id = series.title = series.x_label = series.y_label = all;
  series.x = {-1, 0, 1e300};
  series.x_scale = Scale::logarithmic;
  series.y_scale = Scale::logarithmic;
  const double infinity = std::numeric_limits<double>::infinity();
  series.lines = {{all, {infinity, -infinity, -5}, {0, 0, 0}, {1, 1, 1}},
                  {huge, {std::numeric_limits<double>::quiet_NaN(), 0, 1e-300}, {}, {}}};
  report.series = {series};
  report.gate = GateOutcome{true, {all}, all};
  report.provenance.tool_version = all;
  normalise(report.findings);
  return report;
}

}  // namespace rowgate::reports
