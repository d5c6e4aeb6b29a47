#include "reports/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace rowgate::reports {

Place place_of(const base::Location& location) {
  Place place;
  const std::size_t inside = location.file.find("!/");
  place.file = location.file.substr(0, inside);
  if (inside != std::string::npos) place.inside = location.file.substr(inside + 2);
  // `g:a:v` names an artifact, not a file.
  if (place.file.find('/') == std::string::npos &&
      std::count(place.file.begin(), place.file.end(), ':') >= 2)
    place.file.clear();
  return place;
}

std::optional<std::string> relative_to(std::string_view root, std::string_view file) {
  namespace fs = std::filesystem;
  fs::path path = fs::path(file).lexically_normal();
  if (path.is_absolute()) {
    if (root.empty()) return std::nullopt;
    path = path.lexically_relative(fs::path(root).lexically_normal());
  }
  if (path.empty() || *path.begin() == "..") return std::nullopt;
  return path.generic_string();
}

std::string uri_path(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+@$";
  std::string uri;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      fmt::format_to(std::back_inserter(uri), "%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace rowgate::reports
