#include "tools/environment.hpp"

#include <pwd.h>
#include <unistd.h>

#include "base/text.hpp"

extern char** environ;

namespace rowgate::tools {

std::optional<std::string> Environment::get(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::vector<std::filesystem::path> Environment::path() const {
  std::vector<std::filesystem::path> folders;
  const auto value = get("PATH");
  if (!value) return folders;
  for (std::string_view folder : base::split(*value, ':'))
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

Environment read_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  if (const auto home = environment.get("HOME")) {
    environment.home = *home;
  } else if (const passwd* entry = ::getpwuid(::getuid()); entry != nullptr) {
    environment.home = entry->pw_dir;
  }
  // The XDG base directory specification ignores relative paths.
  const auto xdg = environment.get("XDG_CACHE_HOME");
  environment.cache =
      (xdg && xdg->starts_with('/') ? std::filesystem::path(*xdg) : environment.home / ".cache") /
      "rowgate";
  return environment;
}

}  // namespace rowgate::tools
