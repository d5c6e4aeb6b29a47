// Ranges of Spark versions, as ignore entries give them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::reports {

// Order of Spark's release numbers: numbers by value, and `4.2.0-preview2` before `4.2.0`.
// Negative, zero, positive.
int compare_spark_versions(std::string_view a, std::string_view b);

// "4.2.0" (that one), "4.2" (every 4.2.x), "4.1.2..4.2.0" (both ends included; an end of two parts
// stands for all its patches), "4.2.0.." and "..4.1" (open ends), "*" (every version).
class SparkRange {
 public:
  SparkRange() = default;  // every version

  // Errors: malformed, usage (an empty range).
  static Result<SparkRange> parse(std::string_view text);

  bool everything() const { return low_.empty() && high_.empty(); }
  bool contains(std::string_view version) const;

 private:
  std::string low_, high_;  // empty: open
};

}  // namespace rowgate::reports
