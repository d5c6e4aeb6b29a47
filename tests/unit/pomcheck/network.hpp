// The repositories that a user's own run would ask, for tests labelled network.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "pomcheck/repository_set.hpp"

namespace rowgate::tests {

// Ends the program as skipped, saying why.
[[noreturn]] inline void skip(const std::string& why) {
  std::fprintf(stderr, "skipped: %s\n", why.c_str());
  std::exit(77);
}

inline pomcheck::EnvironmentMap process_environment() {
  pomcheck::EnvironmentMap variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (const std::size_t equals = text.find('='); equals != std::string::npos)
      variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

inline std::filesystem::path home_folder() {
  const char* home = std::getenv("HOME");
  return home == nullptr ? "/root" : home;
}

// Skips the test when no repository is known or Maven Central cannot be reached.
inline pomcheck::RepositorySet network_repositories() {
  const char* cache_home = std::getenv("XDG_CACHE_HOME");
  const std::filesystem::path cache =
      (cache_home == nullptr ? home_folder() / ".cache" : std::filesystem::path(cache_home)) /
      "rowgate";
  pomcheck::RepositoryConfig config =
      pomcheck::standard_repository_config(process_environment(), home_folder(), cache);
  // What Maven and Ivy left on this machine must not answer for the repository.
  config.local_folders.clear();
  const RunContext context = RunContext::quiet();
  auto repositories = pomcheck::open_repositories(std::move(config), context);
  if (!repositories) skip(repositories.error().to_string());
  const auto probe = repositories->fetch("org/apache/apache/23/apache-23.pom", context);
  if (!probe && probe.error().code != ErrorCode::not_found) skip(probe.error().to_string());
  return std::move(*repositories);
}

}  // namespace rowgate::tests
