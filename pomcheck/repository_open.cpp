#include "pomcheck/repository_set.hpp"

#include <utility>

#include "pomcheck/http_url.hpp"

namespace rowgate::pomcheck {
namespace {

// "id=URL" or "URL". An id has none of a URL's characters.
std::pair<std::string, std::string> split_id(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || text.find_first_of(":/.@") < equals)
    return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Result<std::shared_ptr<Repository>> open_remote(const std::string& text) {
  const auto [id, address] = split_id(text);
  ROWGATE_TRY(const RepositoryUrl repository, parse_repository_url(address));
  if (repository.url.scheme != "file")
    return fail(ErrorCode::unsupported, "http repositories are not supported yet",
                repository.url.to_string());
  LocalFolder folder{percent_decode(repository.url.path), LocalLayout::maven, id};
  return std::shared_ptr<Repository>(open_local_repository(std::move(folder)));
}

}  // namespace

Result<RepositorySet> open_repositories(RepositoryConfig config, const RunContext&) {
  std::vector<std::shared_ptr<Repository>> repositories;
  for (LocalFolder& folder : config.local_folders)
    repositories.push_back(open_local_repository(std::move(folder)));
  for (const std::string& text : config.repositories) {
    ROWGATE_TRY(auto repository, open_remote(text));
    repositories.push_back(std::move(repository));
  }
  if (repositories.empty())
    return fail(ErrorCode::usage, "no Maven repository is known", "", std::nullopt,
                "give one with --repository URL or ROWGATE_REPOSITORY");
  return RepositorySet(std::move(repositories));
}

}  // namespace rowgate::pomcheck
