#include "pomcheck/cache_partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failed(const char* doing, const fs::path& path, int error_number) {
  return fail(ErrorCode::io,
              fmt::format("cannot {}: {}", doing, std::generic_category().message(error_number)),
              path.string());
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failed("create the folder", folder, error.value());
  return {};
}

// Between a file's creation and its lock another process may take it for abandoned and remove it:
// then nothing links to it any more.
bool lock_and_check(int descriptor) {
  struct stat status {};
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &status) == 0 &&
         status.st_nlink == 1;
}

}  // namespace

Result<PartialFile> PartialFile::create(const fs::path& folder) {
  static std::atomic<unsigned> counter{0};
  ROWGATE_CHECK(make_folder(folder));
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // The time keeps names apart between processes of two machines that share a folder.
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    const fs::path path = folder / fmt::format("{}.{}.{}", ::getpid(), counter++, now);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) return failed("create a file", path, errno);
    PartialFile file(path, descriptor);
    if (lock_and_check(descriptor)) return file;
  }
  return fail(ErrorCode::io, "cannot create a locked file here", folder.string());
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}

PartialFile& PartialFile::operator=(PartialFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

PartialFile::~PartialFile() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

std::int64_t PartialFile::modified_ns() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

Result<void> PartialFile::write(std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t put = ::write(descriptor_, contents.data(), contents.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("write", path_, errno);
    contents.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> PartialFile::commit(const fs::path& target, Durability durability) {
  if (durability == Durability::flushed && ::fsync(descriptor_) != 0)
    return failed("write", target, errno);
  if (::rename(path_.c_str(), target.c_str()) != 0) {
    if (errno != ENOENT) return failed("write", target, errno);
    ROWGATE_CHECK(make_folder(target.parent_path()));
    if (::rename(path_.c_str(), target.c_str()) != 0) return failed("write", target, errno);
  }
  ::close(std::exchange(descriptor_, -1));
  return {};
}

void remove_abandoned(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const int descriptor = ::open(it->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(it->path().c_str());
    ::close(descriptor);
  }
}

}  // namespace rowgate::pomcheck
