#include "pomcheck/asked_file.hpp"

#include <utility>
#include <vector>

#include "pomcheck/cache.hpp"
#include "pomcheck/repository_set.hpp"

namespace rowgate::pomcheck {
namespace {

using Question = AskedFile::Question;

bool is_settled(const AskedFile& asked) {
  return asked.question == Question::fetch && asked.present && !may_change(asked.path);
}

bool settled_files_are_as_they_were(std::span<const AskedFile> asked) {
  for (const AskedFile& one : asked)
    if (is_settled(one) && base::file_stamp(one.file) != one.stamp) return false;
  return true;
}

// The paths that a question was asked about, and what the answers were.
struct Again {
  std::vector<std::string> paths;
  std::vector<const AskedFile*> before;
};

Again questions(std::span<const AskedFile> asked, Question question) {
  Again again;
  for (const AskedFile& one : asked) {
    if (one.question != question || is_settled(one)) continue;
    again.paths.push_back(one.path);
    again.before.push_back(&one);
  }
  return again;
}

}  // namespace

std::optional<AskedFile> asked_file(Question question, std::string path,
                                    const Result<FetchedFile>& answer) {
  AskedFile asked{question, std::move(path)};
  if (!answer) {
    if (answer.error().code != ErrorCode::not_found) return std::nullopt;
    return asked;
  }
  const auto stamp = base::file_stamp(answer->path);
  if (!stamp) return std::nullopt;
  asked.present = true;
  asked.file = answer->path;
  asked.stamp = *stamp;
  return asked;
}

bool still_so(RepositorySet& repositories, std::span<const AskedFile> asked,
              const RunContext& context) {
  if (!settled_files_are_as_they_were(asked)) return false;
  const auto same = [](const AskedFile& before, const Result<FetchedFile>& answer) {
    auto now = asked_file(before.question, before.path, answer);
    if (now) now->repository = before.repository;
    return now && *now == before;
  };
  const Again fetched = questions(asked, Question::fetch);
  const auto files = repositories.fetch_all(fetched.paths, context);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!same(*fetched.before[i], files[i])) return false;
  const Again probed = questions(asked, Question::probe);
  const auto there = repositories.probe_all(probed.paths, context);
  for (std::size_t i = 0; i < there.size(); ++i) {
    const bool told = there[i] || there[i].error().code == ErrorCode::not_found;
    if (!told || there[i].has_value() != probed.before[i]->present) return false;
  }
  for (const AskedFile* before : questions(asked, Question::fetch_from).before) {
    if (before->repository >= repositories.repositories().size()) return false;
    Repository& repository = *repositories.repositories()[before->repository];
    if (!same(*before, repository.fetch(before->path, context))) return false;
  }
  return true;
}

}  // namespace rowgate::pomcheck
