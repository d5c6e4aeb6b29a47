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

bool report_order(const Finding& a, const Finding& b) {
  const auto key = [](const Finding& f) {
    return std::tie(f.severity, f.check_id, f.subject, f.symbol, f.location.file, f.location.line,
                    f.location.offset, f.location.member, f.message, f.evidence, f.help);
  };
  return key(a) < key(b);
}

void normalise(std::vector<Finding>& findings) {
  std::sort(findings.begin(), findings.end(), report_order);
  findings.erase(std::unique(findings.begin(), findings.end()), findings.end());
}

}  // namespace rowgate::base
