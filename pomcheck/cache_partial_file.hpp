// A file that is being written and that nobody sees yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::pomcheck {

enum class Durability : std::uint8_t {
  flushed,  // on disk before it is visible
  lazy,     // a crash of the machine may leave it damaged: for files whose digest is checked on use
};

// Holds a lock on the file while it is open, which ends with the process however it ends; that is
// how remove_abandoned() tells a running download from a dead one. Removed when it is destroyed
// before commit(). Movable.
class PartialFile {
 public:
  // A fresh empty file in `folder`, which is made. Errors: io.
  static Result<PartialFile> create(const std::filesystem::path& folder);

  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&& other) noexcept;
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }
  // Nanoseconds since the epoch; it stays the same through commit(). 0 when it cannot be read.
  std::int64_t modified_ns() const;

  Result<void> write(std::string_view contents);
  // Moves it to `target` on the same file system, replacing what is there; parents are made.
  Result<void> commit(const std::filesystem::path& target, Durability durability);

 private:
  PartialFile(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
};

// Removes files that killed processes left in `folder`. Files in use stay.
void remove_abandoned(const std::filesystem::path& folder);

}  // namespace rowgate::pomcheck
