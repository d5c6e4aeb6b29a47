#include "base/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace rowgate::base {

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::undecidable: return "undecidable";
    case Severity::note: return "note";
  }
  return "error";
}

std::optional<Severity> severity_from_string(std::string_view text) {
  for (Severity severity :
       {Severity::error, Severity::warning, Severity::undecidable, Severity::note})
    if (text == to_string(severity)) return severity;
  return std::nullopt;
}

std::string Location::to_string() const {
  std::string text = file;
  if (line) text += fmt::format(":{}", *line);
  if (offset) text += fmt::format(" (byte {})", *offset);
  if (!member.empty()) text += text.empty() ? member : fmt::format(" {}", member);
  return text;
}

namespace {

auto all_but_sparks(const Finding& f) {
  return std::tie(f.severity, f.check_id, f.subject, f.symbol, f.location.file, f.location.line,
                  f.location.offset, f.location.member, f.message, f.evidence, f.help);
}

// A finding about the run as a whole is about every Spark already.
void add_sparks(Finding& finding, const std::vector<std::string>& more) {
  if (more.empty()) finding.sparks.clear();
  if (finding.sparks.empty()) return;
  for (const std::string& spark : more)
    if (std::find(finding.sparks.begin(), finding.sparks.end(), spark) == finding.sparks.end())
      finding.sparks.push_back(spark);
  std::sort(finding.sparks.begin(), finding.sparks.end());
}

}  // namespace

bool report_order(const Finding& a, const Finding& b) {
  const auto key = [](const Finding& f) {
    return std::tuple_cat(all_but_sparks(f), std::tie(f.sparks));
  };
  return key(a) < key(b);
}

void normalise(std::vector<Finding>& findings) {
  std::sort(findings.begin(), findings.end(), report_order);
  // The Sparks are the last key, so such findings are neighbours.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (kept > 0 && all_but_sparks(findings[kept - 1]) == all_but_sparks(findings[i]))
      add_sparks(findings[kept - 1], findings[i].sparks);
    else if (kept++ != i)
      findings[kept - 1] = std::move(findings[i]);
  }
  findings.resize(kept);
}

}  // namespace rowgate::base
