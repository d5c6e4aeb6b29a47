// The disk cache: what HTTP repositories answered, kept apart by repository.
//
// Safe with any number of processes, any of which may be killed: files appear by rename, an entry
// is written after its file, and contents are compared with the entry's digest on use. So a reader
// sees a complete answer or none. Nothing here is ever served for another repository: the folder is
// named after a hash of the repository's URL (without credentials, which are never written).
//
//   <folder>/maven/repositories/<host-path-hash>/entries/<hash>   what is known (CacheEntry)
//                                               /files/<path>     released files, which never
//                                               change /changing/<path>/<hash>/<name>   metadata,
//                                               snapshots
//   <folder>/maven/partial/       downloads on their way, locked by their process
//   <folder>/maven/locks/         so that processes do not download one big file side by side
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "pomcheck/cache_entry.hpp"
#include "pomcheck/cache_partial_file.hpp"
#include "pomcheck/http_url.hpp"

namespace rowgate::pomcheck {

// maven-metadata.xml and everything in a -SNAPSHOT folder may change; releases may not.
bool may_change(std::string_view path);

// Held until it is destroyed; movable.
class CacheLock {
 public:
  explicit CacheLock(int descriptor) : descriptor_(descriptor) {}
  CacheLock(CacheLock&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  CacheLock& operator=(CacheLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  CacheLock(const CacheLock&) = delete;
  ~CacheLock();

 private:
  int descriptor_;
};

// Paths are relative and have passed check_repository_path(). Thread-safe.
class Cache {
 public:
  // Touches nothing on disk but abandoned downloads.
  Cache(const std::filesystem::path& folder, const Url& repository);

  std::optional<CacheEntry> find(std::string_view path) const;

  // The contents that `entry` promises. nullopt when they are gone or damaged: a miss. Files up to
  // 1 MiB are digested each time; larger ones when their size or time of change is not as it was.
  std::optional<std::filesystem::path> contents(std::string_view path,
                                                const CacheEntry& entry) const;

  Result<PartialFile> start_download() const { return PartialFile::create(root_ / "partial"); }

  // Keeps a downloaded file, whose size and sha256 `entry` holds; gives where it is now.
  Result<std::filesystem::path> keep(std::string_view path, PartialFile file,
                                     CacheEntry entry) const;
  // Keeps an entry alone: absent, exists, or a revalidated file.
  Result<void> keep_entry(std::string_view path, const CacheEntry& entry) const;

  // nullopt while another process (or thread) downloads the file.
  std::optional<CacheLock> try_lock(std::string_view path) const;

 private:
  std::filesystem::path entry_path(std::string_view path) const;
  std::filesystem::path file_path(std::string_view path, const CacheEntry& entry) const;
  void remove_old_versions(const std::filesystem::path& current) const;

  std::filesystem::path root_;
  std::filesystem::path repository_;
};

// "repo.example.org-maven2-0123456789ab": readable, and unique to the canonical URL.
std::string cache_name(const Url& repository);

}  // namespace rowgate::pomcheck
