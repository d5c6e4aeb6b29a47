#include "reports/github.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/layout.hpp"
#include "reports/place.hpp"

namespace rowgate::reports {
namespace {

using base::Finding;
using base::Severity;

constexpr std::size_t kMaxValueBytes = 2 << 10;
constexpr std::size_t kEvidenceLines = 5;

enum Kind : std::size_t { kError, kWarning, kNotice, kKinds };
constexpr std::array<const char*, kKinds> kCommand = {"error", "warning", "notice"};

Kind kind_of(Severity severity) {
  switch (severity) {
    case Severity::error: return kError;
    case Severity::warning:
    case Severity::undecidable: return kWarning;
    case Severity::note: return kNotice;
  }
  return kError;
}

// The runner reads a command up to the end of the line; these are its escapes, `%` first.
std::string escape_data(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else
      out += c;
  }
  return out;
}

std::string escape_property(std::string_view text) {
  std::string out;
  for (const char c : escape_data(printable_start(text, kMaxValueBytes))) {
    if (c == ':')
      out += "%3A";
    else if (c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string annotation(const Finding& finding, const GithubOptions& options) {
  const base::Check* check = base::find_check(finding.check_id);
  std::string title = finding.check_id;
  if (check != nullptr) title += fmt::format(" {}", check->title);
  std::string properties = fmt::format("title={}", escape_property(title));
  const Place place = place_of(finding.location);
  if (const auto file = relative_to(options.source_root, place.file); file && !place.file.empty()) {
    properties += fmt::format(",file={}", escape_property(*file));
    if (finding.location.line && *finding.location.line > 0)
      properties += fmt::format(",line={}", *finding.location.line);
  }
  std::string text = fmt::format("{}: {}", printable_start(finding.subject, kMaxValueBytes),
                                 printable_start(finding.message, kMaxValueBytes));
  if (finding.severity == Severity::undecidable) text = "undecidable: " + text;
  for (std::size_t i = 0; i < std::min(finding.evidence.size(), kEvidenceLines); ++i)
    text += '\n' + printable_start(finding.evidence[i], kMaxValueBytes);
  if (!finding.help.empty()) text += "\nhelp: " + printable_start(finding.help, kMaxValueBytes);
  return fmt::format("::{} {}::{}\n", kCommand[kind_of(finding.severity)], properties,
                     escape_data(text));
}

}  // namespace

std::string render_github(const base::Report& report, const GithubOptions& options) {
  std::array<std::vector<const Finding*>, kKinds> findings;
  for (const Finding& finding : report.findings)
    findings[kind_of(finding.severity)].push_back(&finding);
  const std::size_t limit = std::max<std::size_t>(options.max_of_a_kind, 1);
  std::string out;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    auto& of_kind = findings[kind];
    std::stable_sort(of_kind.begin(), of_kind.end(),
                     [](const Finding* a, const Finding* b) { return a->severity < b->severity; });
    const std::size_t shown = of_kind.size() <= limit ? of_kind.size() : limit - 1;
    for (std::size_t i = 0; i < shown; ++i) out += annotation(*of_kind[i], options);
    if (shown < of_kind.size())
      out += fmt::format("::{} title=rowgate::{} more of this kind, in the log and the report\n",
                         kCommand[kind], base::with_thousands(of_kind.size() - shown));
  }
  return out;
}

}  // namespace rowgate::reports
