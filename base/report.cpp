#include "base/report.hpp"

namespace rowgate::base {

std::array<std::size_t, 4> count_by_severity(const std::vector<Finding>& findings) {
  std::array<std::size_t, 4> counts{};
  for (const Finding& finding : findings) ++counts[static_cast<std::size_t>(finding.severity)];
  return counts;
}

}  // namespace rowgate::base
