// Where artifacts come from: the options for it, and fetching inputs through them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pomcheck/coordinates.hpp"
#include "pomcheck/repository_set.hpp"
#include "tools/session.hpp"

namespace rowgate::tools {

struct RepositoryOptions {
  std::vector<std::string> repositories;
  std::string settings;  // another settings.xml than ~/.m2/settings.xml
  std::string cache;     // another cache folder
  bool offline = false;
  bool refresh = false;
};

// Adds --repository, --settings, --cache, --offline, --refresh.
void add_repository_options(CLI::App& app, RepositoryOptions& options);

// The cache folder that these options mean.
std::filesystem::path cache_folder(const Session& session, const RepositoryOptions& options);

// Errors: those of pomcheck::open_repositories.
Result<std::shared_ptr<pomcheck::RepositorySet>> open_repositories(
    const Session& session, const RepositoryOptions& options);

}  // namespace rowgate::tools
