// The rules of Maven 3.9's DefaultMirrorSelector.
#include "pomcheck/mirror.hpp"

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

bool fits_layout(const SettingsMirror& mirror) {
  // Repositories here have the default layout.
  if (mirror.layouts.empty() || mirror.layouts == "*") return true;
  bool fits = false;
  for (std::string_view layout : base::split(mirror.layouts, ',')) {
    layout = base::trim(layout);
    if (layout == "!default") return false;
    if (layout == "default" || layout == "*") fits = true;
  }
  return fits;
}

}  // namespace

bool mirror_matches(std::string_view mirror_of, std::string_view id, const Url& url) {
  bool matches = false;
  for (std::string_view pattern : base::split(mirror_of, ',')) {
    if (pattern.size() > 1 && pattern.front() == '!') {
      if (pattern.substr(1) == id) return false;
    } else if (pattern == id) {
      return !pattern.empty();
    } else if (pattern == "*") {
      matches = true;
    } else if (pattern == "external:*") {
      matches = matches || !is_local(url);
    } else if (pattern == "external:http:*") {
      matches = matches || (url.scheme == "http" && !is_local(url));
    }
  }
  return matches;
}

const SettingsMirror* find_mirror(const std::vector<SettingsMirror>& mirrors, std::string_view id,
                                  const Url& url) {
  for (const SettingsMirror& mirror : mirrors)
    if (mirror.mirror_of == id && fits_layout(mirror)) return &mirror;
  for (const SettingsMirror& mirror : mirrors)
    if (mirror_matches(mirror.mirror_of, id, url) && fits_layout(mirror)) return &mirror;
  return nullptr;
}

}  // namespace rowgate::pomcheck
