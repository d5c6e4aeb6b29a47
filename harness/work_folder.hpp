// Temporary folders that do not outlive a killed run for long.
//
// A folder holds a lock file that its owner keeps locked. The lock goes with the process, however
// it ends; so a folder whose lock is free was abandoned, and the next run removes it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/files.hpp"
#include "base/result.hpp"

namespace rowgate::harness {

// A fresh folder (mode 0700) that is removed with all it holds when it is destroyed. Movable.
class WorkFolder {
 public:
  // Errors: io (no permission, a full disk); then nothing is left.
  static Result<WorkFolder> create(const std::filesystem::path& parent, std::string_view prefix);

  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&& other) noexcept;
  ~WorkFolder();

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  WorkFolder(base::TempDir folder, int lock);
  base::TempDir folder_;
  int lock_ = -1;
};

// Removes the folders in `parent` that WorkFolder made under this prefix and whose owners are gone.
// How many; what cannot be removed (another user's) stays.
std::size_t remove_abandoned(const std::filesystem::path& parent, std::string_view prefix);

}  // namespace rowgate::harness
