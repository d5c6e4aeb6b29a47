// SARIF 2.1.0, sections: 3.27 result, 3.49 reportingDescriptor, 3.35 suppression, 3.11 message.
#include "reports/sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/fingerprint.hpp"
#include "reports/json_writer.hpp"
#include "reports/layout.hpp"
#include "reports/place.hpp"

namespace rowgate::reports {
namespace {

using base::Finding;
using base::Report;
using base::Severity;
using Layout = JsonWriter::Layout;

constexpr std::size_t kEvidenceLines = 20;
constexpr std::size_t kMaxValueBytes = 8 << 10;

const char* level_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning:
    case Severity::undecidable: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

// Braces are placeholders in a message (3.11.5) and `[text](1)` is a link (3.11.6).
std::string message_text(std::string_view text) {
  const std::string shown = printable_start(text, kMaxValueBytes);
  const bool link = shown.find("](") != std::string::npos;
  std::string out;
  for (const char c : shown) {
    if (c == '{' || c == '}') out += c;
    if (link && (c == '[' || c == ']')) out += '\\';
    out += c;
  }
  return out;
}

std::string message_of(const Finding& finding) {
  std::string text = finding.severity == Severity::undecidable ? "Undecidable: " : "";
  text += message_text(finding.message);
  for (std::size_t i = 0; i < std::min(finding.evidence.size(), kEvidenceLines); ++i)
    text += '\n' + message_text(finding.evidence[i]);
  if (finding.evidence.size() > kEvidenceLines)
    text += fmt::format("\n… {} lines of evidence more", finding.evidence.size() - kEvidenceLines);
  if (!finding.help.empty()) text += "\nHelp: " + message_text(finding.help);
  return text.empty() ? "(no message)" : text;
}

class SarifRenderer {
 public:
  SarifRenderer(const Report& report, const SarifOptions& options)
      : report_(report), options_(options) {
    for (const Finding& finding : report.findings) rules_.emplace(finding.check_id, 0);
    for (const base::Suppressed& entry : report.suppressed)
      rules_.emplace(entry.finding.check_id, 0);
    std::size_t index = 0;
    for (auto& [id, position] : rules_) position = index++;
  }

  std::string render() {
    json_.begin_object()
        .member("$schema",
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                "sarif-schema-2.1.0.json")
        .member("version", "2.1.0");
    json_.key("runs").begin_array().begin_object();
    tool();
    invocation();
    json_.key("originalUriBaseIds").begin_object().key("%SRCROOT%").begin_object();
    json_.key("description").begin_object(Layout::line);
    json_.member("text", "The folder that the audited files are relative to.").end_object();
    json_.end_object().end_object();
    json_.member("columnKind", "utf16CodeUnits");
    json_.key("results").begin_array();
    for (const Finding& finding : report_.findings) result(finding, nullptr);
    for (const base::Suppressed& entry : report_.suppressed) result(entry.finding, &entry);
    json_.end_array().end_object().end_array().end_object();
    return json_.take();
  }

 private:
  void text_object(std::string_view name, std::string_view text) {
    json_.key(name).begin_object(Layout::line).member("text", text).end_object();
  }

  void tool() {
    json_.key("tool").begin_object().key("driver").begin_object().member("name", "rowgate");
    if (!report_.provenance.tool_version.empty())
      json_.member("version", base::printable(report_.provenance.tool_version));
    json_.key("rules").begin_array();
    for (const auto& [id, index] : rules_) rule(id);
    json_.end_array().end_object().end_object();
  }

  void rule(const std::string& id) {
    json_.begin_object().member("id", id);
    // A report of another version may hold a check that this catalogue does not know.
    if (const base::Check* check = base::find_check(id)) {
      text_object("shortDescription", check->title);
      text_object("fullDescription", check->meaning);
      std::string help = fmt::format("{} {}", check->meaning, check->remedy);
      if (!check->reference.empty()) help += fmt::format(" Rests on: {}.", check->reference);
      text_object("help", help);
      json_.key("defaultConfiguration")
          .begin_object(Layout::line)
          .member("level", level_of(check->severity))
          .end_object();
    }
    json_.end_object();
  }

  void invocation() {
    json_.key("invocations").begin_array().begin_object();
    json_.key("executionSuccessful").boolean(true);
    json_.key("toolExecutionNotifications").begin_array();
    for (const base::Coverage& entry : report_.coverage) {
      if (entry.skipped == 0) continue;
      json_.begin_object().member("level", "warning");
      text_object("message", fmt::format("{}: {} could not be looked at, {} were",
                                         message_text(entry.what), entry.skipped, entry.done));
      json_.end_object();
    }
    json_.end_array().end_object().end_array();
  }

  void result(const Finding& finding, const base::Suppressed* suppressed) {
    json_.begin_object().member("ruleId", finding.check_id);
    json_.key("ruleIndex").number(std::uint64_t{rules_.at(finding.check_id)});
    json_.member("level", level_of(finding.severity));
    text_object("message", message_of(finding));
    json_.key("locations").begin_array().begin_object();
    physical_location(finding.location);
    logical_locations(finding);
    json_.end_object().end_array();
    // The second is what GitHub tells alerts apart by: a fingerprint and a running number.
    const std::string print = fingerprint(finding);
    json_.key("partialFingerprints")
        .begin_object()
        .member("rowgateFingerprint/v1", print)
        .member("primaryLocationLineHash", fmt::format("{}:{}", print, ++seen_[print]))
        .end_object();
    if (suppressed != nullptr) suppression(*suppressed);
    json_.key("properties")
        .begin_object()
        .member("severity", base::to_string(finding.severity))
        .member("subject", finding.subject)
        .member("symbol", finding.symbol)
        .key("sparks")
        .begin_array(Layout::line);
    for (const std::string& spark : finding.sparks) json_.string(spark);
    json_.end_array().end_object();
    json_.end_object();
  }

  void physical_location(const base::Location& location) {
    const Place place = place_of(location);
    json_.key("physicalLocation").begin_object().key("artifactLocation").begin_object();
    const bool fallback = place.file.empty();
    const auto relative =
        relative_to(options_.source_root, fallback ? options_.fallback_file : place.file);
    if (relative)
      json_.member("uri", uri_path(*relative)).member("uriBaseId", "%SRCROOT%");
    else
      json_.member("uri", (place.file.starts_with('/') ? "file://" : "") + uri_path(place.file));
    json_.end_object();
    if (fallback)
      json_.key("region").begin_object(Layout::line).key("startLine").number(1UL).end_object();
    else
      region(location);
    json_.end_object();
  }

  void region(const base::Location& location) {
    // A line of 0 and an offset that is no 31-bit number cannot be said in SARIF.
    const bool line = location.line && *location.line > 0;
    const bool offset = location.offset && *location.offset <= 0x7FFFFFFF;
    if (!line && !offset) return;
    json_.key("region").begin_object(Layout::line);
    if (line)
      json_.key("startLine").number(std::uint64_t{*location.line});
    else
      json_.key("byteOffset").number(*location.offset);
    json_.end_object();
  }

  void logical_location(std::string_view name, const char* kind) {
    if (name.empty()) return;
    json_.begin_object()
        .member("fullyQualifiedName", printable_start(name, kMaxValueBytes))
        .member("kind", kind)
        .end_object();
  }

  void logical_locations(const Finding& finding) {
    json_.key("logicalLocations").begin_array();
    logical_location(finding.subject, "module");
    logical_location(place_of(finding.location).inside, "resource");
    if (finding.symbol != finding.location.member) logical_location(finding.symbol, "symbol");
    logical_location(finding.location.member, "member");
    json_.end_array();
  }

  void suppression(const base::Suppressed& entry) {
    std::string why =
        entry.kind == base::SuppressionKind::ignore
            ? printable_start(entry.reason, kMaxValueBytes)
            : fmt::format("in the baseline {}", printable_start(entry.reason, kMaxValueBytes));
    if (!entry.expires.empty())
      why += fmt::format(" (until {})", printable_start(entry.expires, 100));
    json_.key("suppressions")
        .begin_array()
        .begin_object()
        .member("kind", "external")
        .member("status", "accepted")
        .member("justification", why)
        .end_object()
        .end_array();
  }

  const Report& report_;
  const SarifOptions& options_;
  std::map<std::string, std::size_t> rules_;  // check id -> ruleIndex
  std::map<std::string, std::size_t> seen_;   // fingerprint -> how often
  JsonWriter json_;
};

}  // namespace

std::string render_sarif(const Report& report, const SarifOptions& options) {
  return SarifRenderer(report, options).render();
}

}  // namespace rowgate::reports
