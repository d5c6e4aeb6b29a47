#include "base/report.hpp"

namespace rowgate::base {

const char* to_string(Tone tone) {
  switch (tone) {
    case Tone::plain: return "plain";
    case Tone::good: return "good";
    case Tone::bad: return "bad";
    case Tone::caution: return "caution";
    case Tone::unknown: return "unknown";
    case Tone::muted: return "muted";
  }
  return "plain";
}

const char* to_string(SuppressionKind kind) {
  return kind == SuppressionKind::ignore ? "ignore" : "baseline";
}

std::array<std::size_t, 4> count_by_severity(const std::vector<Finding>& findings) {
  std::array<std::size_t, 4> counts{};
  for (const Finding& finding : findings) ++counts[static_cast<std::size_t>(finding.severity)];
  return counts;
}

}  // namespace rowgate::base
