#include "pomcheck/spark_version.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes a number of at most six digits off the front of `rest`.
std::optional<unsigned> take_number(std::string_view& rest) {
  unsigned value = 0;
  std::size_t size = 0;
  while (size < rest.size() && is_digit(rest[size])) {
    if (size == 6) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(rest[size] - '0');
    ++size;
  }
  if (size == 0) return std::nullopt;
  rest.remove_prefix(size);
  return value;
}

bool take(std::string_view& rest, std::string_view lower_word) {
  if (rest.size() < lower_word.size() ||
      !base::equals_ignoring_case(rest.substr(0, lower_word.size()), lower_word))
    return false;
  rest.remove_prefix(lower_word.size());
  return true;
}

// A stage word with its number: "preview5", "-preview", "rc1", ".dev1". Leaves `rest` untouched
// when there is none.
void take_stage(std::string_view& rest, SparkVersion& version) {
  std::string_view at = rest;
  if (!at.empty() && (at.front() == '-' || at.front() == '.')) at.remove_prefix(1);
  if (take(at, "snapshot")) {
    version.stage = SparkStage::snapshot;
  } else if (take(at, "preview") || take(at, "dev")) {
    version.stage = SparkStage::preview;
  } else if (take(at, "rc")) {
    version.stage = SparkStage::candidate;
  } else {
    return;
  }
  if (!at.empty() && is_digit(at.front())) {
    const auto number = take_number(at);
    if (!number) {
      version.stage = SparkStage::release;
      return;
    }
    version.stage_number = *number;
  }
  rest = at;
}

}  // namespace

std::string SparkMinor::to_string() const {
  return fmt::format("{}.{}", major, minor);
}

Result<SparkVersion> parse_spark_version(std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  const auto bad = [&] {
    return fail(ErrorCode::malformed, "not a Spark version",
                base::printable(trimmed.substr(0, 100)), std::nullopt,
                "write it like 4.2.0, 4.2 or 4.2.0-preview5");
  };
  if (trimmed.size() > 100) return bad();
  SparkVersion version;
  version.text = trimmed;
  std::string_view rest = trimmed;
  const auto major = take_number(rest);
  if (!major || !rest.starts_with('.')) return bad();
  rest.remove_prefix(1);
  const auto minor = take_number(rest);
  if (!minor) return bad();
  version.line = {*major, *minor};
  if (rest.size() > 1 && rest.front() == '.' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    version.patch = take_number(rest);
    if (!version.patch) return bad();
  }
  take_stage(rest, version);
  if (!rest.empty()) {
    constexpr std::string_view kSeparators = "-._+";
    if (kSeparators.find(rest.front()) == std::string_view::npos || rest.size() == 1 ||
        kSeparators.find(rest[1]) != std::string_view::npos)
      return bad();
    version.vendor = rest.substr(1);
  }
  return version;
}

std::partial_ordering operator<=>(const SparkVersion& a, const SparkVersion& b) {
  if (a.vendor != b.vendor) return std::partial_ordering::unordered;
  if (a.line != b.line) return a.line <=> b.line;
  if (a.patch.has_value() != b.patch.has_value()) return std::partial_ordering::unordered;
  if (a.patch != b.patch) return *a.patch <=> *b.patch;
  if (a.stage != b.stage) return a.stage <=> b.stage;
  return a.stage_number <=> b.stage_number;
}

Result<SparkRange> parse_spark_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    ROWGATE_TRY(SparkVersion one, parse_spark_version(text));
    return SparkRange{one, one};
  }
  ROWGATE_TRY(SparkVersion first, parse_spark_version(text.substr(0, dots)));
  ROWGATE_TRY(SparkVersion last, parse_spark_version(text.substr(dots + 2)));
  if (!(first <= last))
    return fail(ErrorCode::usage, "the range's first version is not before its last",
                base::printable(text.substr(0, 200)), std::nullopt, "write it like 4.1.0..4.3.0");
  return SparkRange{std::move(first), std::move(last)};
}

}  // namespace rowgate::pomcheck
