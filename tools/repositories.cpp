#include "tools/repositories.hpp"

#include <CLI/CLI.hpp>

namespace rowgate::tools {

void add_repository_options(CLI::App& app, RepositoryOptions& options) {
  app.add_option("-r,--repository", options.repositories,
                 "Maven repository to ask instead of Maven's own: URL, id=URL or folder "
                 "(repeatable; default: ROWGATE_REPOSITORY, else what Maven uses)")
      ->type_name("URL");
  app.add_option("--settings", options.settings, "Maven settings instead of ~/.m2/settings.xml")
      ->type_name("FILE");
  app.add_option("--cache", options.cache, "Cache folder instead of ~/.cache/rowgate")
      ->type_name("DIR");
  app.add_flag("--offline", options.offline, "Use only what is in the cache or a local folder");
  app.add_flag("--refresh", options.refresh, "Ask again about metadata and absent files");
}

std::filesystem::path cache_folder(const Session& session, const RepositoryOptions& options) {
  return options.cache.empty() ? session.environment().cache : std::filesystem::path(options.cache);
}

Result<std::shared_ptr<pomcheck::RepositorySet>> open_repositories(
    const Session& session, const RepositoryOptions& options,
    const std::vector<std::string>& more) {
  if (options.offline && options.refresh)
    return fail(ErrorCode::usage, "--offline and --refresh exclude each other", "", {},
                "leave one of them out");
  const Environment& environment = session.environment();
  pomcheck::RepositoryConfig config = pomcheck::standard_repository_config(
      environment.variables, environment.home, cache_folder(session, options));
  if (!options.repositories.empty()) config.repositories = options.repositories;
  config.more_repositories = more;
  if (!options.settings.empty()) config.user_settings = options.settings;
  if (options.offline) config.mode = pomcheck::CacheMode::offline;
  if (options.refresh) config.mode = pomcheck::CacheMode::refresh;
  ROWGATE_TRY(pomcheck::RepositorySet set,
              pomcheck::open_repositories(std::move(config), session.context()));
  return std::make_shared<pomcheck::RepositorySet>(std::move(set));
}

Result<Maven> open_maven(const Session& session, const RepositoryOptions& options,
                         const std::vector<std::string>& more,
                         const ModelAssumptions& assumptions) {
  ROWGATE_TRY(auto repositories, open_repositories(session, options, more));
  ROWGATE_TRY(pomcheck::ModelEnvironment environment,
              pomcheck::pinned_environment(assumptions.jdk, assumptions.os));
  std::string described = environment.describe();
  pomcheck::ModelBuilder builder(*repositories, std::move(environment));
  return Maven{std::move(repositories), std::move(builder), std::move(described)};
}

}  // namespace rowgate::tools
