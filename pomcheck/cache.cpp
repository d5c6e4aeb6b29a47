#include "pomcheck/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDigestAlwaysBytes = 1024 * 1024;
constexpr std::uint64_t kMaxEntryBytes = 16 * 1024;
constexpr std::size_t kEntryHexDigits = 38;
constexpr std::size_t kVersionHexDigits = 16;
// A version of a changing file that another running process may still hold is not older than this.
constexpr std::chrono::hours kKeepOldVersions{7 * 24};

std::string sha256_of(std::string_view text) {
  return base::digest(base::DigestKind::sha256, base::as_bytes(text));
}

}  // namespace

bool may_change(std::string_view path) {
  return path.ends_with("maven-metadata.xml") || path.find("-SNAPSHOT/") != std::string_view::npos;
}

std::string cache_name(const Url& repository) {
  std::string name;
  for (char c : repository.host + repository.path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '.')
      name += c;
    else if (!name.ends_with('-'))
      name += '-';
  }
  constexpr std::size_t kReadableLength = 60;
  return fmt::format("{}-{}", name.substr(0, kReadableLength),
                     sha256_of(repository.to_string()).substr(0, 12));
}

CacheLock::~CacheLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Cache::Cache(const fs::path& folder, const Url& repository)
    : root_(folder / "maven"), repository_(root_ / "repositories" / cache_name(repository)) {
  remove_abandoned(root_ / "partial");
}

fs::path Cache::entry_path(std::string_view path) const {
  // By hash: a folder for each artifact and version would cost more than the entry itself.
  const std::string hash = sha256_of(std::string(path));
  return repository_ / "entries" / hash.substr(0, 2) / hash.substr(2, kEntryHexDigits);
}

fs::path Cache::file_path(std::string_view path, const CacheEntry& entry) const {
  if (!may_change(path)) return repository_ / "files" / path;
  return repository_ / "changing" / path / entry.sha256.substr(0, kVersionHexDigits) /
         fs::path(path).filename();
}

std::optional<CacheEntry> Cache::find(std::string_view path) const {
  const auto text = base::read_file(entry_path(path), kMaxEntryBytes);
  if (!text) return std::nullopt;
  return parse_cache_entry(*text);
}

std::optional<fs::path> Cache::contents(std::string_view path, const CacheEntry& entry) const {
  if (entry.answer != CachedAnswer::file) return std::nullopt;
  fs::path file = file_path(path, entry);
  const auto facts = base::file_stamp(file);
  if (!facts || facts->size_bytes != entry.size_bytes) return std::nullopt;
  if (entry.size_bytes > kDigestAlwaysBytes && facts->modified_ns == entry.modified_ns) return file;
  const auto mapped = base::MappedFile::open(file);
  if (!mapped || base::digest(base::DigestKind::sha256, mapped->bytes()) != entry.sha256)
    return std::nullopt;
  if (facts->modified_ns != entry.modified_ns) {
    CacheEntry seen = entry;
    seen.modified_ns = facts->modified_ns;
    (void)keep_entry(path, seen);  // a read-only cache digests again next time
  }
  return file;
}

Result<fs::path> Cache::keep(std::string_view path, PartialFile file, CacheEntry entry) const {
  fs::path target = file_path(path, entry);
  entry.answer = CachedAnswer::file;
  entry.modified_ns = file.modified_ns();
  const bool small = entry.size_bytes <= kDigestAlwaysBytes;
  ROWGATE_CHECK(file.commit(target, small ? Durability::lazy : Durability::flushed));
  ROWGATE_CHECK(keep_entry(path, entry));
  if (may_change(path)) remove_old_versions(target);
  return target;
}

Result<void> Cache::keep_entry(std::string_view path, const CacheEntry& entry) const {
  ROWGATE_TRY(PartialFile file, start_download());
  ROWGATE_CHECK(file.write(to_text(entry)));
  return file.commit(entry_path(path), Durability::lazy);
}

std::optional<CacheLock> Cache::try_lock(std::string_view path) const {
  // A fixed number of lock files: removing them would race with whoever waits for one.
  const std::string bucket =
      sha256_of(fmt::format("{}/{}", repository_.filename().string(), path)).substr(0, 2);
  const fs::path file = root_ / "locks" / bucket;
  int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0 && errno == ENOENT) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  }
  // Without a lock file (a read-only folder) there is nothing to wait for either.
  if (descriptor < 0) return CacheLock(-1);
  CacheLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
  return lock;
}

void Cache::remove_old_versions(const fs::path& current) const {
  const fs::path versions = current.parent_path().parent_path();
  std::error_code error;
  const auto limit = fs::file_time_type::clock::now() - kKeepOldVersions;
  for (fs::directory_iterator it(versions, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->path() != current.parent_path() && it->last_write_time(ignored) < limit && !ignored)
      fs::remove_all(it->path(), ignored);
  }
}

}  // namespace rowgate::pomcheck
