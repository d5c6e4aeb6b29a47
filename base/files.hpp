// Files: reading, mapping, and writing so that nobody ever sees half a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace rowgate::base {

using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A whole file, mapped read-only. Movable; the bytes live as long as it does. A file that another
// process truncates while it is mapped raises SIGBUS: inputs are expected not to shrink during a
// run.
class MappedFile {
 public:
  // Errors: not_found, io (a directory, permissions, an unmappable file).
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  Bytes bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// What tells, without reading it, that a file is not what it was. ctime and inode are not part of
// it: they change when a cache is copied or restored.
struct FileStamp {
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // since the epoch

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// nullopt: not a regular file, or it cannot be looked at. Symbolic links are followed.
std::optional<FileStamp> file_stamp(const std::filesystem::path& path);

// The whole file. Errors: not_found, io, limit (larger than `max_size_bytes`).
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_size_bytes = std::uint64_t{1} << 30);

// Writes beside the target under a unique name, flushes it to disk, and renames: readers see the
// old file or the new one. Parent folders are made. Errors: io (also a full disk); then nothing is
// left.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view contents);

// A fresh folder (mode 0700) under `parent`, removed with all it holds when it is destroyed.
class TempDir {
 public:
  static Result<TempDir> create(const std::filesystem::path& parent, std::string_view prefix);

  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Regular files below `folder` whose name ends in `suffix`, sorted by path. Symbolic links to files
// are followed, links to folders are not (they may form cycles). Errors: not_found, io.
Result<std::vector<std::filesystem::path>> list_files(const std::filesystem::path& folder,
                                                      std::string_view suffix);

}  // namespace rowgate::base
