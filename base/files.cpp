#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace rowgate::base {
namespace {

namespace fs = std::filesystem;

// Closes on scope exit; -1 is "none".
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  // The close that reports: some file systems tell of a full disk only here.
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

Error system_error(const fs::path& path, int error_number, std::string_view doing) {
  const ErrorCode code = error_number == ENOENT ? ErrorCode::not_found : ErrorCode::io;
  const std::string reason = std::generic_category().message(error_number);
  return Error{code, fmt::format("cannot {}: {}", doing, reason), path.string(), std::nullopt, {}};
}

tl::unexpected<Error> fail_with(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

// Size of a regular file that was opened.
Result<std::uint64_t> regular_size(int fd, const fs::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return fail_with(system_error(path, errno, "read"));
  if (S_ISDIR(status.st_mode)) return fail(ErrorCode::io, "is a directory", path.string());
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<MappedFile> MappedFile::open(const fs::path& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return fail_with(system_error(path, errno, "open"));
  ROWGATE_TRY(const std::uint64_t size, regular_size(fd.get(), path));
  MappedFile file;
  if (size == 0) return file;  // mmap refuses a length of zero
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (address == MAP_FAILED) return fail_with(system_error(path, errno, "map"));
  file.data_ = static_cast<const std::byte*>(address);
  file.size_ = size;
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

std::optional<FileStamp> file_stamp(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileStamp{static_cast<std::uint64_t>(status.st_size),
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<std::string> read_file(const fs::path& path, std::uint64_t max_size_bytes) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return fail_with(system_error(path, errno, "open"));
  ROWGATE_TRY(const std::uint64_t size, regular_size(fd.get(), path));
  std::string contents;
  contents.reserve(std::min(size, max_size_bytes));
  // Read to the end, not to the size: pipes and /proc files report a size of zero.
  char buffer[64 * 1024];
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_with(system_error(path, errno, "read"));
    if (got == 0) return contents;
    contents.append(buffer, static_cast<std::size_t>(got));
    if (contents.size() > max_size_bytes)
      return fail(ErrorCode::limit, fmt::format("is larger than {} bytes", max_size_bytes),
                  path.string());
  }
}

Result<void> write_file_atomically(const fs::path& path, std::string_view contents) {
  if (path.has_parent_path()) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
      return fail_with(system_error(path.parent_path(), error.value(), "create the folder"));
  }
  static std::atomic<unsigned> counter{0};
  fs::path partial = path;
  partial += fmt::format(".{}.{}.partial", ::getpid(), counter++);
  FileDescriptor fd(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (fd.get() < 0) return fail_with(system_error(path, errno, "write"));
  const auto give_up = [&](int error_number) {
    ::unlink(partial.c_str());
    return fail_with(system_error(path, error_number, "write"));
  };
  for (std::string_view rest = contents; !rest.empty();) {
    const ssize_t put = ::write(fd.get(), rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return give_up(errno);
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(fd.get()) != 0) return give_up(errno);
  if (fd.close() != 0) return give_up(errno);
  if (::rename(partial.c_str(), path.c_str()) != 0) return give_up(errno);
  return {};
}

Result<TempDir> TempDir::create(const fs::path& parent, std::string_view prefix) {
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return fail_with(system_error(parent, error.value(), "create the folder"));
  std::string pattern = (parent / fmt::format("{}XXXXXX", prefix)).string();
  if (::mkdtemp(pattern.data()) == nullptr)
    return fail_with(system_error(parent, errno, "create a temporary folder"));
  return TempDir(fs::path(pattern));
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<std::vector<fs::path>> list_files(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  if (error) return fail_with(system_error(folder, error.value(), "list"));
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (error) return fail_with(system_error(folder, error.value(), "list"));
    std::error_code entry_error;
    if (it->is_regular_file(entry_error) && it->path().filename().string().ends_with(suffix))
      found.push_back(it->path());
  }
  if (error) return fail_with(system_error(folder, error.value(), "list"));
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace rowgate::base
