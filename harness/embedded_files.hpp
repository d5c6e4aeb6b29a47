// The fixtures and strategies that are built into the program, so that users without the source
// tree have them. Made at build time by embed.cmake from harness/fixtures/ and harness/strategies/.
#pragma once

#include <span>
#include <string_view>

namespace rowgate::harness {

struct EmbeddedFile {
  std::string_view name;  // "S05-stale-delete.fixture"
  std::string_view text;
};

// Sorted by name.
std::span<const EmbeddedFile> embedded_fixtures();       // of merges
std::span<const EmbeddedFile> embedded_feed_fixtures();  // of the Change Data Feed
std::span<const EmbeddedFile> embedded_drift_fixtures();
std::span<const EmbeddedFile> embedded_strategies();

}  // namespace rowgate::harness
