#include "pomcheck/pom.hpp"

#include <fmt/format.h>

namespace rowgate::pomcheck {

std::string Origin::to_string() const {
  if (pom == nullptr || line == 0) return {};
  return fmt::format("{} line {}", *pom, line);
}

std::string PomDependency::management_key() const {
  std::string key;
  key.reserve(group.size() + artifact.size() + type.size() + classifier.size() + 3);
  key.append(group).append(1, ':').append(artifact).append(1, ':').append(type);
  if (!classifier.empty()) key.append(1, ':').append(classifier);
  return key;
}

}  // namespace rowgate::pomcheck
