// The one place that reads the process's environment. Everything else gets values from here.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rowgate::tools {

struct Environment {
  std::map<std::string, std::string> variables;
  std::filesystem::path home;   // $HOME, or the password database's entry
  std::filesystem::path cache;  // $XDG_CACHE_HOME/rowgate or ~/.cache/rowgate

  // A variable that is set and not empty.
  std::optional<std::string> get(const std::string& name) const;

  // The folders of $PATH.
  std::vector<std::filesystem::path> path() const;
};

Environment read_environment();

}  // namespace rowgate::tools
