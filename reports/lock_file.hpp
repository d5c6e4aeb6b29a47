// rowgate.lock: the connectors that a gate takes, each with the checksum of its contents.
//
//   version = 1
//
//   [[connector]]
//   artifact = "io.delta:delta-spark_2.13:4.3.1"
//   sha256 = "…"                          # of the jar
//   pom-sha256 = "…"
//
//   [[connector]]
//   file = "libs/own.jar"                 # relative to the lock file
//   sha256 = "…"
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace rowgate::reports {

inline constexpr std::string_view kLockName = "rowgate.lock";

struct LockEntry {
  std::string artifact;    // a coordinate, or empty
  std::string file;        // a path, or empty
  std::string sha256;      // lower-case hexadecimal
  std::string pom_sha256;  // empty for files
  std::uint32_t line = 0;  // of the entry, 1-based; 0 when it was not read from a file

  const std::string& name() const { return artifact.empty() ? file : artifact; }
};

struct LockFile {
  std::string file;  // as shown to people
  std::vector<LockEntry> entries;
};

// Sorted by name: the same entries give the same bytes.
std::string write_lock(std::vector<LockEntry> entries);

// Errors: malformed (`rowgate.lock:12`: not TOML, an unknown key, a wrong type, no checksum,
// another version, an entry twice), limit.
Result<LockFile> parse_lock(std::string_view text, std::string_view file);
// The same, and not_found with the command that writes it, io.
Result<LockFile> read_lock(const std::filesystem::path& file);

}  // namespace rowgate::reports
