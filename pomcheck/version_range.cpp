#include "pomcheck/version_range.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

// More ranges than any POM has; a constraint beyond it is hostile.
constexpr std::size_t kMaxRanges = 256;

tl::unexpected<Error> bad_range(std::string_view text, std::string_view why) {
  return fail(ErrorCode::malformed, fmt::format("invalid version range: {}", why),
              base::printable(text.substr(0, 200)));
}

std::optional<VersionRange::Bound> bound(std::string_view text, bool inclusive) {
  if (text.empty()) return std::nullopt;
  return VersionRange::Bound{GenericVersion(text), inclusive};
}

// `text` is "[a,b)", "[a]" or "[a.*]", with its brackets.
Result<VersionRange> parse_range(std::string_view text) {
  const bool lower_inclusive = text.front() == '[';
  const bool upper_inclusive = text.back() == ']';
  const std::string_view inside = text.substr(1, text.size() - 2);
  const std::size_t comma = inside.find(',');
  VersionRange range;
  if (comma == std::string_view::npos) {
    if (!lower_inclusive || !upper_inclusive)
      return bad_range(text, "a single version must be surrounded by []");
    const std::string_view version = base::trim(inside);
    if (version.ends_with(".*")) {
      const std::string prefix(version.substr(0, version.size() - 1));
      range.lower = VersionRange::Bound{GenericVersion(prefix + "min"), true};
      range.upper = VersionRange::Bound{GenericVersion(prefix + "max"), true};
    } else {
      range.lower = VersionRange::Bound{GenericVersion(version), true};
      range.upper = range.lower;
    }
    return range;
  }
  const std::string_view upper = base::trim(inside.substr(comma + 1));
  if (upper.find(',') != std::string_view::npos) return bad_range(text, "more than two bounds");
  range.lower = bound(base::trim(inside.substr(0, comma)), lower_inclusive);
  range.upper = bound(upper, upper_inclusive);
  if (range.lower && range.upper && range.upper->version < range.lower->version)
    return bad_range(text, "the lower bound is greater than the upper");
  return range;
}

}  // namespace

bool VersionRange::contains(const GenericVersion& version) const {
  if (lower) {
    const auto order = lower->version <=> version;
    if (order > 0 || (order == 0 && !lower->inclusive)) return false;
  }
  if (upper) {
    const auto order = upper->version <=> version;
    if (order < 0 || (order == 0 && !upper->inclusive)) return false;
  }
  return true;
}

Result<VersionConstraint> VersionConstraint::parse(std::string_view text) {
  VersionConstraint constraint;
  constraint.text_ = text;
  std::string_view rest = text;
  while (looks_like_range(rest)) {
    const std::size_t end = rest.find_first_of(")]");
    if (end == std::string_view::npos) return bad_range(text, "the range is not closed");
    if (constraint.ranges_.size() == kMaxRanges) return bad_range(text, "too many ranges");
    ROWGATE_TRY(VersionRange range, parse_range(rest.substr(0, end + 1)));
    constraint.ranges_.push_back(std::move(range));
    rest = base::trim(rest.substr(end + 1));
    if (rest.starts_with(',')) rest = base::trim(rest.substr(1));
  }
  if (constraint.ranges_.empty())
    constraint.recommended_.emplace(text);
  else if (!rest.empty())
    return bad_range(text, fmt::format("expected [ or ( before \"{}\"", base::printable(rest)));
  return constraint;
}

bool VersionConstraint::contains(const GenericVersion& version) const {
  if (recommended_) return *recommended_ == version;
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const VersionRange& range) { return range.contains(version); });
}

const std::string* VersionConstraint::highest(const std::vector<std::string>& versions) const {
  const std::string* best = nullptr;
  std::optional<GenericVersion> best_version;
  for (const std::string& text : versions) {
    GenericVersion version(text);
    if (!contains(version) || (best_version && version < *best_version)) continue;
    best = &text;
    best_version = std::move(version);
  }
  return best;
}

bool looks_like_range(std::string_view version) {
  return version.starts_with('[') || version.starts_with('(');
}

}  // namespace rowgate::pomcheck
