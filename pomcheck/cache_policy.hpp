// How long cached answers are believed.
#pragma once

#include <chrono>
#include <cstdint>

namespace rowgate::pomcheck {

enum class CacheMode : std::uint8_t {
  normal,
  refresh,  // revalidate metadata and snapshots, ask again about what was absent
  offline,  // no network: what is not in the cache or a local folder cannot be told
};

struct CachePolicy {
  // Releases never change and are never asked for again. maven-metadata.xml and snapshots are
  // revalidated (ETag, Last-Modified) when older than this.
  std::chrono::seconds metadata_max_age = std::chrono::hours(24);
  // "Not there" is believed for this long: an artifact may be published any minute.
  std::chrono::seconds absent_max_age = std::chrono::hours(1);
};

}  // namespace rowgate::pomcheck
