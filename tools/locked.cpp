#include "tools/locked.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStale = "write it anew with `rowgate lock`";

Result<std::string> sha256_of(const fs::path& path) {
  ROWGATE_TRY(const base::MappedFile file, base::MappedFile::open(path));
  return base::digest(base::DigestKind::sha256, file.bytes());
}

// What the lock calls an input.
std::string locked_name(const Input& input, const fs::path& lock) {
  if (!input.is_path()) return input.coordinate().to_string();
  std::error_code ignored;
  const fs::path folder = fs::absolute(lock, ignored).parent_path();
  return fs::absolute(input.path(), ignored)
      .lexically_normal()
      .lexically_proximate(folder.lexically_normal())
      .generic_string();
}

const reports::LockEntry* find_entry(const reports::LockFile& lock, const std::string& name) {
  const auto found =
      std::find_if(lock.entries.begin(), lock.entries.end(),
                   [&](const reports::LockEntry& entry) { return entry.name() == name; });
  return found == lock.entries.end() ? nullptr : &*found;
}

Result<reports::LockEntry> entry_of(const AcquiredInput& input, pomcheck::Repository* repository,
                                    const fs::path& lock, const base::RunContext& context) {
  reports::LockEntry entry;
  const std::string name = locked_name(input.input, lock);
  (input.input.is_path() ? entry.file : entry.artifact) = name;
  ROWGATE_TRY(entry.sha256, sha256_of(*input.path));
  if (input.input.is_path()) {
    if (!base::is_utf8(name))
      return fail(ErrorCode::unsupported, "a path that is not UTF-8 has no place in a lock file",
                  base::printable(name), {}, "rename the file");
    return entry;
  }
  ROWGATE_TRY(const pomcheck::FetchedFile pom,
              repository->fetch(input.input.coordinate().pom_path(), context));
  ROWGATE_TRY(entry.pom_sha256, sha256_of(pom.path));
  return entry;
}

Result<void> check_one(const reports::LockEntry& now, const reports::LockFile& lock) {
  const reports::LockEntry* then = find_entry(lock, now.name());
  if (then == nullptr) return {};  // check_scope says so
  const auto differs = [&](std::string_view what, const std::string& is, const std::string& was) {
    return fail(ErrorCode::checksum,
                fmt::format("the {} has the sha256 checksum {}, and {}:{} says {}", what, is,
                            lock.file, then->line, was),
                now.name(), std::nullopt,
                "it was replaced since it was locked: find out by whom, or lock it anew with "
                "`rowgate lock`");
  };
  if (now.sha256 != then->sha256)
    return differs(now.artifact.empty() ? "file" : "jar", now.sha256, then->sha256);
  if (now.pom_sha256 != then->pom_sha256) return differs("POM", now.pom_sha256, then->pom_sha256);
  return {};
}

}  // namespace

std::string from_config_folder(const reports::Config& config, const std::string& text) {
  const fs::path path = fs::path(config.file).parent_path() / text;
  std::error_code ignored;
  const bool is_path =
      text.find(':') == std::string::npos &&
      (text.find_first_of("*?[/") != std::string::npos || fs::exists(path, ignored));
  return is_path ? path.string() : text;
}

std::vector<std::string> configured_connectors(const reports::Config& config) {
  std::vector<std::string> arguments;
  for (const std::string& connector : config.connectors)
    arguments.push_back(from_config_folder(config, connector));
  if (config.spark_defaults)
    arguments.push_back((fs::path(config.file).parent_path() / *config.spark_defaults).string());
  return arguments;
}

std::vector<std::string> configured_repositories(const reports::Config& config) {
  std::vector<std::string> repositories;
  for (const std::string& repository : config.repositories)
    repositories.push_back(from_config_folder(config, repository));
  return repositories;
}

fs::path lock_path(const std::string& explicit_file, const reports::Config& config) {
  if (!explicit_file.empty()) return explicit_file;
  return fs::path(config.file).parent_path() / reports::kLockName;
}

Result<reports::LockFile> load_lock(const fs::path& file) {
  auto lock = reports::read_lock(file);
  if (!lock && lock.error().code != ErrorCode::io) lock.error().code = ErrorCode::usage;
  return lock;
}

Result<std::vector<Input>> without_folders(std::vector<Input> inputs) {
  std::vector<Input> files;
  for (Input& input : inputs) {
    std::error_code ignored;
    if (!input.is_path() || !fs::is_directory(input.path(), ignored)) {
      files.push_back(std::move(input));
      continue;
    }
    ROWGATE_TRY(const std::vector<fs::path> jars, base::list_files(input.path(), ".jar"));
    for (const fs::path& jar : jars) files.push_back({jar.string(), jar});
  }
  return files;
}

Result<std::vector<reports::LockEntry>> lock_entries(const std::vector<AcquiredInput>& acquired,
                                                     pomcheck::Repository* repository,
                                                     const fs::path& lock,
                                                     const base::RunContext& context) {
  const auto results = base::parallel_map(
      acquired, context.jobs, [&](const AcquiredInput& input) -> Result<reports::LockEntry> {
        return entry_of(input, repository, lock, context);
      });
  std::vector<reports::LockEntry> entries;
  for (const Result<reports::LockEntry>& entry : results) {
    if (!entry) return tl::unexpected<Error>(entry.error());
    if (std::none_of(entries.begin(), entries.end(), [&](const reports::LockEntry& other) {
          return other.name() == entry->name();
        }))
      entries.push_back(*entry);
  }
  return entries;
}

Result<std::vector<Input>> locked_inputs(const reports::LockFile& lock) {
  std::vector<Input> inputs;
  for (const reports::LockEntry& entry : lock.entries) {
    if (entry.artifact.empty()) {
      const fs::path path = fs::path(lock.file).parent_path() / entry.file;
      inputs.push_back({path.string(), path});
      continue;
    }
    auto coordinate = pomcheck::parse_coordinate(entry.artifact);
    if (!coordinate)
      return fail(ErrorCode::malformed, coordinate.error().message,
                  fmt::format("{}:{}", lock.file, entry.line), std::nullopt, kStale);
    inputs.push_back({entry.artifact, std::move(*coordinate)});
  }
  if (inputs.empty())
    return fail(ErrorCode::usage, "holds no connector", lock.file, std::nullopt, kStale);
  return inputs;
}

Result<void> check_scope(const std::vector<Input>& inputs, const reports::LockFile& lock,
                         LockScope scope) {
  std::vector<std::string> names;
  for (const Input& input : inputs) {
    names.push_back(locked_name(input, lock.file));
    if (find_entry(lock, names.back()) == nullptr)
      return fail(ErrorCode::usage, fmt::format("is not in {}", lock.file), names.back(),
                  std::nullopt, kStale);
  }
  if (scope == LockScope::part) return {};
  for (const reports::LockEntry& entry : lock.entries)
    if (std::find(names.begin(), names.end(), entry.name()) == names.end())
      return fail(ErrorCode::usage,
                  fmt::format("{} is locked, and the configuration does not name it", entry.name()),
                  fmt::format("{}:{}", lock.file, entry.line), std::nullopt, kStale);
  return {};
}

Result<void> check_contents(const std::vector<AcquiredInput>& acquired,
                            pomcheck::Repository* repository, const reports::LockFile& lock,
                            const base::RunContext& context) {
  std::vector<AcquiredInput> had;
  for (const AcquiredInput& input : acquired)
    if (input.path) had.push_back(input);
  ROWGATE_TRY(const std::vector<reports::LockEntry> entries,
              lock_entries(had, repository, lock.file, context));
  for (const reports::LockEntry& entry : entries) ROWGATE_CHECK(check_one(entry, lock));
  return {};
}

}  // namespace rowgate::tools
