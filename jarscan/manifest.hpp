// META-INF/MANIFEST.MF (JAR File Specification, "JAR Manifest"): the main section's attributes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowgate::jarscan {

struct Manifest {
  // In file order, continuation lines joined. Lines that are no attribute are left out.
  std::vector<std::pair<std::string, std::string>> main_attributes;

  // Names are compared without regard to ASCII case; of several, the last counts, as in the JDK.
  std::optional<std::string_view> find(std::string_view name) const&;
  std::optional<std::string_view> find(std::string_view name) const&& = delete;  // would dangle

  static Manifest parse(std::string_view text);
};

}  // namespace rowgate::jarscan
