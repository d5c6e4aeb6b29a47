// Where the tools of a usual machine keep things.
#include <algorithm>

#include "base/text.hpp"
#include "pomcheck/central.hpp"
#include "pomcheck/repository_set.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder, ignored);
}

std::string value_of(const EnvironmentMap& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

// ~/.ivy2 and its successors: Spark 4 writes to ~/.ivy2.5.2.
std::vector<fs::path> ivy_homes(const fs::path& home) {
  std::vector<fs::path> homes;
  std::error_code error;
  for (fs::directory_iterator it(home, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->path().filename().string().starts_with(".ivy2") && it->is_directory(ignored))
      homes.push_back(it->path());
  }
  std::sort(homes.begin(), homes.end());
  return homes;
}

void add_folder(RepositoryConfig& config, const fs::path& folder, LocalLayout layout) {
  if (is_folder(folder)) config.local_folders.push_back({folder, layout, folder.string()});
}

}  // namespace

RepositoryConfig standard_repository_config(const EnvironmentMap& environment, const fs::path& home,
                                            const fs::path& cache_folder) {
  RepositoryConfig config;
  config.cache_folder = cache_folder;
  config.environment = environment;
  config.maven_homes = maven_home_candidates(environment, home);
  std::string named = value_of(environment, "ROWGATE_REPOSITORY");
  std::replace_if(
      named.begin(), named.end(), [](char c) { return c == ',' || c == '\t' || c == '\n'; }, ' ');
  for (std::string_view repository : base::split(named, ' '))
    if (!repository.empty()) config.repositories.emplace_back(repository);
  if (home.empty()) return config;
  config.system_properties["user.home"] = home.string();
  config.user_settings = home / ".m2" / "settings.xml";
  config.settings_security = home / ".m2" / "settings-security.xml";
  config.maven_local = home / ".m2" / "repository";
  for (const fs::path& ivy : ivy_homes(home)) {
    add_folder(config, ivy / "cache", LocalLayout::ivy_cache);
    add_folder(config, ivy / "jars", LocalLayout::ivy_jars);
  }
  const std::string coursier = value_of(environment, "COURSIER_CACHE");
  add_folder(config, coursier.empty() ? home / ".cache/coursier/v1" : fs::path(coursier),
             LocalLayout::coursier);
  return config;
}

}  // namespace rowgate::pomcheck
