// A Maven repository as the rest of pomcheck sees it: files by path, and an honest answer about
// each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"

namespace rowgate::pomcheck {

// How a file's contents were checked against a checksum that the repository publishes.
enum class Verification : std::uint8_t { verified, no_checksum_published, local };

struct FetchedFile {
  std::filesystem::path path;  // readable, complete, stays valid for the run
  std::string repository;      // id of the repository that had it; never holds credentials
  std::string location;        // URL or path shown to people; never holds credentials
  Verification verification = Verification::local;
};

// Answers are values, and there are exactly three kinds:
//   a value                  the file is here;
//   ErrorCode::not_found     this repository says that it has no such file (404, 410, no such
//   path); any other error          it cannot be told (network, checksum, malformed, limit): never
//   treated as
//                            "not there".
// Implementations are thread-safe.
class Repository {
 public:
  virtual ~Repository() = default;

  // Shown to people: "central", "~/.m2/repository".
  virtual const std::string& id() const = 0;

  // Where its files come from: a URL without credentials, or a folder. Two repositories of one
  // place give the same answers.
  virtual std::string place() const = 0;

  // `path` is relative, with forward slashes, as Coordinate::path() gives it.
  virtual Result<FetchedFile> fetch(std::string_view path, const RunContext& context) = 0;

  // The same answer without the file's contents where that is cheaper (HTTP HEAD).
  virtual Result<void> probe(std::string_view path, const RunContext& context) = 0;

  // Many files at once: answers[i] is fetch(paths[i])'s. Remote repositories keep as many requests
  // in flight as the server takes, so that a wave of POMs costs about one round trip. A path that
  // occurs twice is transferred once.
  virtual std::vector<Result<FetchedFile>> fetch_all(std::span<const std::string> paths,
                                                     const RunContext& context);
  // answers[i] is probe(paths[i])'s, all in flight together.
  virtual std::vector<Result<void>> probe_all(std::span<const std::string> paths,
                                              const RunContext& context);
};

// Refuses what could leave a repository's folder or smuggle anything into a URL: empty paths and
// segments, "." and "..", a leading slash, backslashes, control characters, more than 1,024 bytes.
// Errors: usage.
Result<void> check_repository_path(std::string_view path);

}  // namespace rowgate::pomcheck
