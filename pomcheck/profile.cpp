// Source: Maven 3.9's profile activators (jdk, os, property, file) and DefaultProfileSelector.
#include "pomcheck/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "pomcheck/interpolation.hpp"
#include "pomcheck/model_merge.hpp"
#include "pomcheck/version_range.hpp"

namespace rowgate::pomcheck {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What a condition says: nothing about the profile, or yes or no.
using Verdict = std::optional<bool>;

std::optional<std::string_view> system_property(const ModelEnvironment& environment,
                                                std::string_view name) {
  if (const auto user = environment.user_properties.find(name);
      user != environment.user_properties.end())
    return user->second;
  if (const auto system = environment.system_properties.find(name);
      system != environment.system_properties.end())
    return system->second;
  return std::nullopt;
}

// --- jdk -------------------------------------------------------------------------------------

// The first three numbers of a version, missing ones as 0; nothing when one is no number.
std::optional<std::array<unsigned, 3>> three_numbers(std::string_view version,
                                                     std::string_view separators) {
  std::array<unsigned, 3> numbers{};
  std::size_t at = 0;
  for (unsigned& number : numbers) {
    if (at > version.size()) break;
    const std::size_t end = std::min(version.find_first_of(separators, at), version.size());
    const std::string_view token = version.substr(at, end - at);
    at = end + 1;
    if (token.empty() && &number != &numbers.front()) continue;
    if (token.empty() || token.size() > 9 || !std::all_of(token.begin(), token.end(), is_digit))
      return std::nullopt;
    for (const char c : token) number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return numbers;
}

// Maven has a range syntax of its own here: the brackets of VersionRange, but compared by the first
// three numbers only.
Verdict jdk_in_range(std::string_view range, std::string_view version) {
  std::string digits;
  for (const char c : version)
    if (is_digit(c) || c == '.' || c == '_' || c == '-') digits += c;
  const auto value = three_numbers(digits, "._-");
  if (!value) return std::nullopt;
  const std::size_t comma = range.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view low = base::trim(range.substr(1, comma - 1));
  std::string_view high = base::trim(range.substr(comma + 1));
  const bool low_closed = range.front() == '[';
  const bool high_closed = high.ends_with(']');
  if (high_closed || high.ends_with(')')) high = base::trim(high.substr(0, high.size() - 1));
  if (!low.empty()) {
    const auto bound = three_numbers(low, ".");
    if (!bound) return std::nullopt;
    if (*value < *bound || (*value == *bound && !low_closed)) return false;
    if (*value == *bound) return true;
  }
  if (high.empty()) return true;
  const auto bound = three_numbers(high, ".");
  if (!bound) return std::nullopt;
  return *value < *bound || (*value == *bound && high_closed);
}

Verdict jdk_matches(std::string_view wanted, const ModelEnvironment& environment) {
  const std::string_view version = system_property(environment, "java.version").value_or("");
  if (version.empty() || wanted.empty()) return std::nullopt;
  if (wanted.front() == '!') return !version.starts_with(wanted.substr(1));
  if (looks_like_range(wanted)) return jdk_in_range(wanted, version);
  return version.starts_with(wanted);
}

// --- os --------------------------------------------------------------------------------------

bool is_os_family(std::string_view family, std::string_view os_name) {
  const bool windows = os_name.find("windows") != std::string_view::npos;
  const bool mac = os_name.find("mac") != std::string_view::npos || os_name == "darwin";
  if (family == "windows" || family == "dos") return windows;
  if (family == "mac") return mac;
  if (family == "unix") return !windows;
  return os_name.find(family) != std::string_view::npos;
}

template <class Matches>
bool os_field_matches(const std::optional<std::string>& wanted, Matches matches) {
  if (!wanted) return true;
  std::string lower = base::to_lower(*wanted);
  const bool negated = lower.starts_with('!');
  if (negated) lower.erase(0, 1);
  return matches(lower) != negated;
}

bool os_matches(const Activation::Os& os, const ModelEnvironment& environment) {
  const auto equals = [](const std::string& actual) {
    return [&actual](const std::string& wanted) { return wanted == actual; };
  };
  const auto family = [&](const std::string& wanted) {
    return is_os_family(wanted, environment.os_name);
  };
  return os_field_matches(os.family, family) &&
         os_field_matches(os.name, equals(environment.os_name)) &&
         os_field_matches(os.arch, equals(environment.os_arch)) &&
         os_field_matches(os.version, equals(environment.os_version));
}

// --- property, file ----------------------------------------------------------------------------

Verdict property_matches(const Activation::Property& property,
                         const ModelEnvironment& environment) {
  std::string_view name = property.name ? std::string_view(*property.name) : std::string_view();
  const bool name_negated = name.starts_with('!');
  if (name_negated) name.remove_prefix(1);
  if (name.empty()) return std::nullopt;
  const auto actual = system_property(environment, name);
  if (property.value && !property.value->empty()) {
    std::string_view wanted = *property.value;
    const bool negated = wanted.starts_with('!');
    if (negated) wanted.remove_prefix(1);
    return negated != (actual == wanted);
  }
  return name_negated != (actual && !actual->empty());
}

// A POM from a repository has no folder, so a path that names ${basedir} decides nothing: no.
Verdict file_matches(const Activation& activation, const ModelEnvironment& environment,
                     const Properties& project_properties) {
  const std::string& path =
      activation.file_exists ? *activation.file_exists : *activation.file_missing;
  if (path.find("${basedir}") != std::string::npos ||
      path.find("${project.basedir}") != std::string::npos)
    return false;
  Interpolator interpolator([&](std::string_view name) -> std::optional<std::string> {
    if (const auto value = system_property(environment, name)) return std::string(*value);
    const auto property = project_properties.find(name);
    if (property == project_properties.end()) return std::nullopt;
    return property->second.text;
  });
  const auto resolved = interpolator.interpolate(path);
  if (!resolved) return std::nullopt;
  const bool exists = environment.existing_files.contains(*resolved);
  return activation.file_exists ? exists : !exists;
}

bool is_active(const Profile& profile, const ModelEnvironment& environment,
               const Properties& project_properties, std::vector<std::string>& problems) {
  const Activation& activation = profile.activation;
  bool conditioned = false;
  bool active = true;
  const auto take = [&](const char* what, const Verdict& verdict) {
    conditioned = true;
    active = active && verdict.value_or(false);
    if (!verdict)
      problems.push_back(fmt::format("profile {}: its {} condition cannot be evaluated",
                                     base::printable(profile.id), what));
  };
  if (activation.jdk) take("jdk", jdk_matches(*activation.jdk, environment));
  if (activation.os) take("os", os_matches(*activation.os, environment));
  if (activation.property) take("property", property_matches(*activation.property, environment));
  if (activation.file_exists || activation.file_missing)
    take("file", file_matches(activation, environment, project_properties));
  return conditioned && active;
}

}  // namespace

std::string ModelEnvironment::describe() const {
  std::string text = fmt::format(
      "JDK {}, {} {}", system_property(*this, "java.specification.version").value_or("unknown"),
      os_name, os_arch);
  for (const auto& [name, value] : user_properties) text += fmt::format(", {}={}", name, value);
  return text;
}

Result<ModelEnvironment> pinned_environment(std::string_view jdk, std::string_view os) {
  const auto numbers = three_numbers(jdk, "._-+");
  if (!numbers || (*numbers)[0] == 0)
    return fail(ErrorCode::usage, "not a JDK version", base::printable(jdk.substr(0, 40)),
                std::nullopt, "write it like 17 or 17.0.2");
  ModelEnvironment environment;
  const auto [major, minor, patch] = *numbers;
  const unsigned feature = major == 1 ? minor : major;
  std::string version(jdk);
  if (jdk.find('.') == std::string_view::npos)
    version = feature <= 8 ? fmt::format("1.{}.0", feature) : fmt::format("{}.0.0", feature);
  auto& properties = environment.system_properties;
  properties["java.version"] = version;
  properties["java.specification.version"] =
      feature <= 8 ? fmt::format("1.{}", feature) : fmt::format("{}", feature);
  if (os == "linux") {
    properties["os.name"] = "Linux";
  } else if (os == "mac") {
    environment.os_name = "mac os x";
    environment.os_arch = "aarch64";
    properties["os.name"] = "Mac OS X";
  } else if (os == "windows") {
    environment.os_name = "windows 11";
    environment.os_version = "10.0";
    properties["os.name"] = "Windows 11";
  } else {
    return fail(ErrorCode::usage, "not an operating system that Maven's profiles are read for",
                base::printable(os.substr(0, 40)), std::nullopt, "write linux, mac or windows");
  }
  properties["os.arch"] = environment.os_arch;
  properties["os.version"] = environment.os_version;
  properties["file.separator"] = os == "windows" ? "\\" : "/";
  properties["path.separator"] = os == "windows" ? ";" : ":";
  return environment;
}

std::vector<const Profile*> active_profiles(const std::vector<Profile>& profiles,
                                            const ModelEnvironment& environment,
                                            const Properties& project_properties,
                                            std::vector<std::string>& problems) {
  std::vector<const Profile*> active;
  std::vector<const Profile*> by_default;
  for (const Profile& profile : profiles) {
    if (is_active(profile, environment, project_properties, problems))
      active.push_back(&profile);
    else if (profile.activation.active_by_default)
      by_default.push_back(&profile);
  }
  return active.empty() ? by_default : active;
}

void inject_profile(ModelPart& model, const ModelPart& profile) {
  for (const auto& [name, value] : profile.properties) model.properties[name] = value;
  merge_dependencies(model.dependencies, profile.dependencies, Dominant::source);
  merge_dependencies(model.managed, profile.managed, Dominant::source);
}

}  // namespace rowgate::pomcheck
