// What a run asked its repositories, and the answers: while all of them hold, another run that asks
// the same comes to the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/files.hpp"
#include "base/run_context.hpp"
#include "pomcheck/repository.hpp"

namespace rowgate::pomcheck {

class RepositorySet;

struct AskedFile {
  enum class Question : std::uint8_t {
    fetch,       // of all repositories
    probe,       // of all repositories
    fetch_from,  // of one
  };
  Question question = Question::fetch;
  std::string path;            // in the repository
  std::size_t repository = 0;  // of fetch_from: which one, in the order of the set
  bool present = false;
  std::filesystem::path file = {};  // of a fetch: where it is
  base::FileStamp stamp = {};       // of a fetch: the file's

  friend bool operator==(const AskedFile&, const AskedFile&) = default;
};

// nullopt when it could not be told whether there is such a file, or the file cannot be looked at.
std::optional<AskedFile> asked_file(AskedFile::Question question, std::string path,
                                    const Result<FetchedFile>& answer);

// Whether these repositories would answer the same now. Of a released file, which never changes,
// only that the file is as it was; everything else is asked again, so the answers are as old as the
// cache's policy lets them be, and no older.
bool still_so(RepositorySet& repositories, std::span<const AskedFile> asked,
              const RunContext& context);

}  // namespace rowgate::pomcheck
