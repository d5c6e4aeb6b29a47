#include "harness/work_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

namespace rowgate::harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = "rowgate-lock";
// Between making a folder and locking it a run is not told from a dead one.
constexpr std::chrono::minutes kYoung{10};

bool is_young(const fs::path& folder) {
  std::error_code error;
  const auto changed = fs::last_write_time(folder, error);
  return error || fs::file_time_type::clock::now() - changed < kYoung;
}

bool is_abandoned(const fs::path& folder) {
  const int lock = ::open((folder / kLockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return errno == ENOENT && !is_young(folder);
  const bool is_free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return is_free;
}

}  // namespace

WorkFolder::WorkFolder(base::TempDir folder, int lock) : folder_(std::move(folder)), lock_(lock) {}

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)) {}

WorkFolder& WorkFolder::operator=(WorkFolder&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(lock_, other.lock_);
  return *this;
}

WorkFolder::~WorkFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Result<WorkFolder> WorkFolder::create(const fs::path& parent, std::string_view prefix) {
  ROWGATE_TRY(base::TempDir folder, base::TempDir::create(parent, prefix));
  const fs::path path = folder.path() / kLockName;
  const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    if (lock >= 0) ::close(lock);
    return fail(ErrorCode::io,
                fmt::format("cannot be locked: {}", std::generic_category().message(reason)),
                path.string());
  }
  return WorkFolder(std::move(folder), lock);
}

std::size_t remove_abandoned(const fs::path& parent, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->path().filename().string().starts_with(prefix) && !it->is_symlink(ignored) &&
        it->is_directory(ignored) && is_abandoned(it->path()))
      found.push_back(it->path());
  }
  std::size_t removed = 0;
  for (const fs::path& folder : found) {
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (!failed) ++removed;
  }
  return removed;
}

}  // namespace rowgate::harness
