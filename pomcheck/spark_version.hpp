// Spark's own versions, for verdicts: previews before their release, and vendors' builds apart.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::pomcheck {

// A minor line: the unit in which connectors are published and Spark changes its internal API.
struct SparkMinor {
  unsigned major = 0;
  unsigned minor = 0;

  std::string to_string() const;  // "4.2"
  friend auto operator<=>(const SparkMinor&, const SparkMinor&) = default;
};

// What comes before a release, in order.
enum class SparkStage : std::uint8_t { snapshot, preview, candidate, release };

struct SparkVersion {
  SparkMinor line;
  std::optional<unsigned> patch;  // absent in "4.2", which names a line and not a release
  SparkStage stage = SparkStage::release;
  unsigned stage_number = 0;  // of preview5, rc2
  // A vendor's build is another Spark that starts from the Apache release of the same number:
  // "-amzn-0", ".7.2.18.0-641", "-databricks". Empty for Apache's own.
  std::string vendor;
  std::string text;  // as it was written

  bool is_apache() const { return vendor.empty(); }

  // Builds of different vendors are unordered, whatever their numbers; so are "4.2" and "4.2.1".
  friend std::partial_ordering operator<=>(const SparkVersion& a, const SparkVersion& b);
  friend bool operator==(const SparkVersion& a, const SparkVersion& b) { return (a <=> b) == 0; }
};

// "4.2", "4.2.0", "4.2.0-preview5", "4.2.0-rc1", "4.3.0-SNAPSHOT", "4.2.0.dev1" (Python's spelling
// of a preview), "3.5.0-amzn-0". Errors: malformed.
Result<SparkVersion> parse_spark_version(std::string_view text);

// Inclusive at both ends, Apache releases: "4.1.0..4.3.0". A single version is the range of itself.
struct SparkRange {
  SparkVersion first;
  SparkVersion last;
};
Result<SparkRange> parse_spark_range(std::string_view text);

}  // namespace rowgate::pomcheck
