// Where artifacts come from: the options for it, and fetching inputs through them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pomcheck/coordinates.hpp"
#include "pomcheck/effective_pom.hpp"
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

// `more` are asked last. Errors: those of pomcheck::open_repositories.
Result<std::shared_ptr<pomcheck::RepositorySet>> open_repositories(
    const Session& session, const RepositoryOptions& options,
    const std::vector<std::string>& more = {});

// What POM profiles shall see.
struct ModelAssumptions {
  std::string jdk = "17";
  std::string os = "linux";
};

// The repositories of a run, and the one model builder that reads POMs from them.
struct Maven {
  std::shared_ptr<pomcheck::RepositorySet> repositories;
  pomcheck::ModelBuilder builder;
  std::string assumptions;  // "JDK 17, linux amd64"
};

// Errors: also those of pomcheck::pinned_environment.
Result<Maven> open_maven(const Session& session, const RepositoryOptions& options,
                         const std::vector<std::string>& more = {},
                         const ModelAssumptions& assumptions = {});

}  // namespace rowgate::tools
