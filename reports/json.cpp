#include "reports/json.hpp"

#include <array>

#include "reports/fingerprint.hpp"
#include "reports/json_writer.hpp"

namespace rowgate::reports {
namespace {

using base::Report;
using Layout = JsonWriter::Layout;

using Pairs = std::vector<std::pair<std::string, std::string>>;

void write_pairs(JsonWriter& json, std::string_view name, const Pairs& pairs) {
  json.key(name).begin_array();
  for (const auto& [key, value] : pairs)
    json.begin_object(Layout::line).member("name", key).member("value", value).end_object();
  json.end_array();
}

void write_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts,
                   Layout layout = Layout::block) {
  json.key(name).begin_array(layout);
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void write_numbers(JsonWriter& json, std::string_view name, const std::vector<double>& numbers) {
  json.key(name).begin_array(Layout::line);
  for (double number : numbers) json.number(number);
  json.end_array();
}

void write_counts(JsonWriter& json, const std::vector<base::Finding>& findings) {
  const std::array<std::size_t, 4> counts = base::count_by_severity(findings);
  json.key("counts").begin_object(Layout::line);
  for (std::size_t i = 0; i < counts.size(); ++i)
    json.key(base::to_string(static_cast<base::Severity>(i))).number(std::uint64_t{counts[i]});
  json.end_object();
}

void write_gate(JsonWriter& json, const Report& report) {
  json.key("gate");
  if (!report.gate) {
    json.null();
    return;
  }
  json.begin_object().key("failed").boolean(report.gate->failed);
  write_strings(json, "fail_on", report.gate->fail_on, Layout::line);
  json.member("text", report.gate->text).end_object();
}

void write_summary(JsonWriter& json, const Report& report) {
  json.key("summary").begin_array();
  for (const base::SummaryLine& line : report.summary)
    json.begin_object()
        .member("subject", line.subject)
        .member("verdict", line.verdict)
        .member("text", line.text)
        .member("tone", base::to_string(line.tone))
        .end_object();
  json.end_array();
}

void write_table(JsonWriter& json, const base::Table& table) {
  json.begin_object().member("id", table.id).member("title", table.title);
  json.key("detail").boolean(table.detail).key("matrix").boolean(table.matrix);
  json.key("columns").begin_array();
  for (const base::Column& column : table.columns)
    json.begin_object(Layout::line)
        .member("name", column.name)
        .member("align", column.align == base::Align::left ? "left" : "right")
        .end_object();
  json.end_array().key("rows").begin_array();
  for (const auto& row : table.rows) {
    json.begin_array(Layout::line);
    for (const base::Cell& cell : row)
      json.begin_object()
          .member("text", cell.text)
          .member("tone", base::to_string(cell.tone))
          .end_object();
    json.end_array();
  }
  json.end_array();
  write_strings(json, "notes", table.notes);
  json.end_object();
}

void write_series(JsonWriter& json, const base::Series& series) {
  const auto scale = [](base::Scale value) {
    return value == base::Scale::linear ? "linear" : "logarithmic";
  };
  json.begin_object()
      .member("id", series.id)
      .member("title", series.title)
      .member("x_label", series.x_label)
      .member("y_label", series.y_label)
      .member("x_scale", scale(series.x_scale))
      .member("y_scale", scale(series.y_scale));
  write_numbers(json, "x", series.x);
  json.key("lines").begin_array();
  for (const base::Line& line : series.lines) {
    json.begin_object().member("name", line.name);
    write_numbers(json, "y", line.y);
    write_numbers(json, "low", line.low);
    write_numbers(json, "high", line.high);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_finding(JsonWriter& json, const base::Finding& finding) {
  json.begin_object()
      .member("check", finding.check_id)
      .member("severity", base::to_string(finding.severity))
      .member("subject", finding.subject)
      .member("message", finding.message)
      .member("symbol", finding.symbol);
  json.key("location").begin_object().member("file", finding.location.file);
  json.key("line");
  finding.location.line ? json.number(std::uint64_t{*finding.location.line}) : json.null();
  json.key("offset");
  finding.location.offset ? json.number(*finding.location.offset) : json.null();
  json.member("member", finding.location.member).end_object();
  write_strings(json, "evidence", finding.evidence);
  write_strings(json, "sparks", finding.sparks, Layout::line);
  json.member("help", finding.help).member("fingerprint", fingerprint(finding)).end_object();
}

void write_provenance(JsonWriter& json, const base::Provenance& provenance) {
  json.key("provenance")
      .begin_object()
      .member("tool_version", provenance.tool_version)
      .member("started_at", provenance.started_at);
  json.key("elapsed_ms").number(provenance.elapsed_ms);
  write_pairs(json, "facts", provenance.facts);
  json.end_object();
}

}  // namespace

std::string render_json(const Report& report) {
  JsonWriter json;
  json.begin_object().member("tool", "rowgate");
  json.key("schema_version").number(std::uint64_t{kReportSchemaVersion});
  json.member("command", report.command).member("title", report.title);
  write_pairs(json, "inputs", report.inputs);
  write_counts(json, report.findings);
  write_gate(json, report);
  write_summary(json, report);
  json.key("tables").begin_array();
  for (const base::Table& table : report.tables) write_table(json, table);
  json.end_array().key("series").begin_array();
  for (const base::Series& series : report.series) write_series(json, series);
  json.end_array().key("findings").begin_array();
  for (const base::Finding& finding : report.findings) write_finding(json, finding);
  json.end_array().key("suppressed").begin_array();
  for (const base::Suppressed& entry : report.suppressed) {
    json.begin_object()
        .member("kind", base::to_string(entry.kind))
        .member("reason", entry.reason)
        .member("expires", entry.expires)
        .key("finding");
    write_finding(json, entry.finding);
    json.end_object();
  }
  json.end_array().key("coverage").begin_array();
  for (const base::Coverage& entry : report.coverage) {
    json.begin_object(Layout::line).member("what", entry.what);
    json.key("done").number(entry.done).key("skipped").number(entry.skipped).end_object();
  }
  json.end_array();
  write_provenance(json, report.provenance);
  json.end_object();
  return json.take();
}

}  // namespace rowgate::reports
