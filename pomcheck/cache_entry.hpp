// What the cache knows about one file of a repository: a few lines of text beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace rowgate::pomcheck {

enum class CachedAnswer : std::uint8_t {
  file,    // its contents are kept
  exists,  // the repository has it (a probe); contents not fetched
  absent,  // the repository said that it has none
};

struct CacheEntry {
  CachedAnswer answer = CachedAnswer::file;
  base::WallTime asked_at{};      // when the repository last said so
  bool with_credentials = false;  // servers say 404 to strangers
  // Of a file:
  std::uint64_t size_bytes = 0;
  std::string sha256;
  std::int64_t modified_ns = 0;  // of the file on disk
  std::string checked_by;        // "sha1", …; empty: the repository publishes no checksum
  std::string etag, last_modified;

  friend bool operator==(const CacheEntry&, const CacheEntry&) = default;
};

std::string to_text(const CacheEntry& entry);

// nullopt for anything that is not exactly what to_text() writes: a damaged entry is a miss.
std::optional<CacheEntry> parse_cache_entry(std::string_view text);

}  // namespace rowgate::pomcheck
