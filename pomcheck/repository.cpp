#include "pomcheck/repository.hpp"

#include <algorithm>
#include <map>
#include <type_traits>

#include "base/parallel.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {

namespace {

// one(path) for every distinct path, the answers in the order of `paths`.
template <class One>
auto ask_all(std::span<const std::string> paths, unsigned jobs, One one) {
  std::map<std::string_view, std::size_t> position;
  std::vector<std::string> distinct;
  for (const std::string& path : paths)
    if (position.emplace(path, distinct.size()).second) distinct.push_back(path);
  const auto answers = base::parallel_map(distinct, jobs, one);
  std::remove_const_t<decltype(answers)> ordered;
  ordered.reserve(paths.size());
  for (const std::string& path : paths) ordered.push_back(answers[position.at(path)]);
  return ordered;
}

}  // namespace

std::vector<Result<FetchedFile>> Repository::fetch_all(std::span<const std::string> paths,
                                                       const RunContext& context) {
  return ask_all(paths, context.jobs,
                 [&](const std::string& path) { return fetch(path, context); });
}

std::vector<Result<void>> Repository::probe_all(std::span<const std::string> paths,
                                                const RunContext& context) {
  return ask_all(paths, context.jobs,
                 [&](const std::string& path) { return probe(path, context); });
}

Result<void> check_repository_path(std::string_view path) {
  constexpr std::size_t kMaxLength = 1024;
  const auto refuse = [&](const char* why) {
    return fail(ErrorCode::usage, why, base::printable(path.substr(0, 200)));
  };
  if (path.empty()) return refuse("the path in the repository is empty");
  if (path.size() > kMaxLength) return refuse("the path in the repository is too long");
  if (std::any_of(path.begin(), path.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\\';
      }))
    return refuse("the path in the repository holds a character that no artifact has");
  for (std::string_view segment : base::split(path, '/'))
    if (segment.empty() || segment == "." || segment == "..")
      return refuse("the path would leave the repository's folder");
  return {};
}

}  // namespace rowgate::pomcheck
