// Maven's version constraints: "[1.0,2.0)", "(,1.0],[2.0,)", "[4.1.*]", or a plain version.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pomcheck/generic_version.hpp"

namespace rowgate::pomcheck {

struct VersionRange {
  struct Bound {
    GenericVersion version;
    bool inclusive;
  };
  std::optional<Bound> lower;  // absent: no bound
  std::optional<Bound> upper;

  bool contains(const GenericVersion& version) const;
};

// A union of ranges, or (soft) one recommended version that mediation may replace.
class VersionConstraint {
 public:
  // Errors: malformed (unbounded, bounds the wrong way round, text between ranges).
  static Result<VersionConstraint> parse(std::string_view text);

  // False for a plain version, which LATEST and RELEASE are too, as far as this class knows.
  bool is_range() const { return !ranges_.empty(); }

  // For a plain version: whether it is that very version in the resolver's order.
  bool contains(const GenericVersion& version) const;

  const std::vector<VersionRange>& ranges() const { return ranges_; }
  const std::string& text() const { return text_; }

  // The highest of `versions` that lies in the range, in the resolver's order; of equal ones the
  // last. nullptr when there is none.
  const std::string* highest(const std::vector<std::string>& versions) const;

 private:
  std::string text_;
  std::vector<VersionRange> ranges_;
  std::optional<GenericVersion> recommended_;
};

// Whether a dependency's version is written as a range, without checking that it is a good one.
bool looks_like_range(std::string_view version);

}  // namespace rowgate::pomcheck
