// All repositories that a run asks, in order, behind the one interface.
//
// Local folders first, then the cache and the remote ones. The first that has a file wins. If one
// cannot tell and no later one has the file, the answer is that it cannot be told, and the error
// names that repository: absent is said only when every repository said so.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pomcheck/asked_file.hpp"
#include "pomcheck/cache_policy.hpp"
#include "pomcheck/http_limits.hpp"
#include "pomcheck/local_repository.hpp"
#include "pomcheck/repository.hpp"

namespace rowgate::pomcheck {

// Variable name -> value: the environment as the caller hands it over; libraries never read it.
using EnvironmentMap = std::map<std::string, std::string>;

struct RepositoryConfig {
  // Explicit remote repositories, in order: "URL" or "id=URL" (the id selects credentials in
  // settings.xml); http, https, file, or a folder's path; user:password@ is taken out and used as
  // credentials. When there is one, it stands in for Maven Central and for what settings.xml lists,
  // and no mirror applies to it.
  std::vector<std::string> repositories;
  // Asked last, besides all others and under settings.xml's mirrors: what a job's own configuration
  // names (spark.jars.repositories).
  std::vector<std::string> more_repositories;
  // ~/.m2/repository; settings.xml's localRepository takes its place. Empty: not asked. First in
  // order.
  std::filesystem::path maven_local;
  std::vector<LocalFolder> local_folders;  // next, in order
  std::filesystem::path cache_folder;      // made when needed; empty: a usage error for http
  CacheMode mode = CacheMode::normal;      // settings.xml's <offline> makes it offline
  CachePolicy cache;

  // Missing files count as empty ones; damaged ones are errors.
  std::filesystem::path user_settings;      // ~/.m2/settings.xml
  std::filesystem::path global_settings;    // empty: conf/settings.xml of the first maven_homes
  std::filesystem::path settings_security;  // ~/.m2/settings-security.xml
  // Candidates for the installed Maven's home, the first that holds a super POM wins: it says where
  // Maven Central is.
  std::vector<std::filesystem::path> maven_homes;

  EnvironmentMap environment;        // for ${env.X}, HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE
  EnvironmentMap system_properties;  // "user.home", … for ${…} in settings.xml

  HttpLimits http;
};

// What a command line tool uses: settings below `home`/.m2, Maven homes from MAVEN_HOME, M2_HOME,
// the mvn on PATH with links resolved, and the usual folders; ROWGATE_REPOSITORY (separated by
// commas or white space); ~/.m2/repository (or ${maven.repo.local}), ~/.ivy2* and coursier's cache
// where they exist. Looks at the file system, not at the process's environment.
RepositoryConfig standard_repository_config(const EnvironmentMap& environment,
                                            const std::filesystem::path& home,
                                            const std::filesystem::path& cache_folder);

// Thread-safe. Threads that ask for the same file at once cause one transfer, and what was found or
// said to be absent is remembered for the run, so that a run never sees two answers.
class RepositorySet final : public Repository {
 public:
  explicit RepositorySet(std::vector<std::shared_ptr<Repository>> repositories);
  RepositorySet(RepositorySet&&) noexcept;
  RepositorySet& operator=(RepositorySet&&) noexcept;
  ~RepositorySet() override;

  // "central", or "central and 2 others"
  const std::string& id() const override;
  // Each repository's id and place, one a line, in order.
  std::string place() const override;
  Result<FetchedFile> fetch(std::string_view path, const RunContext& context) override;
  Result<void> probe(std::string_view path, const RunContext& context) override;
  std::vector<Result<FetchedFile>> fetch_all(std::span<const std::string> paths,
                                             const RunContext& context) override;
  std::vector<Result<void>> probe_all(std::span<const std::string> paths,
                                      const RunContext& context) override;

  // Every repository's own answer, in order: maven-metadata.xml differs between repositories, and
  // Maven merges their versions.
  struct Answer {
    std::string repository;
    Result<FetchedFile> file;
  };
  std::vector<Answer> fetch_from_each(std::string_view path, const RunContext& context);

  const std::vector<std::shared_ptr<Repository>>& repositories() const;

  // Everything that was asked so far, with the answers, in no order. nullopt when something could
  // not be told.
  std::optional<std::vector<AskedFile>> asked() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads the settings, finds Maven Central, applies mirrors, credentials and proxies. No network
// yet. Errors: usage (no repository is known, with what to do; a URL that is none; a bad password),
// malformed (settings.xml, with the offset), io.
Result<RepositorySet> open_repositories(RepositoryConfig config, const RunContext& context);

}  // namespace rowgate::pomcheck
