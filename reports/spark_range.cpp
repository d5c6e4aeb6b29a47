#include "reports/spark_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.hpp"
#include "reports/layout.hpp"

namespace rowgate::reports {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "4.2.0-preview2" -> numbers 4, 2, 0 and qualifier "preview2".
struct Parts {
  std::vector<std::uint64_t> numbers;
  std::string_view qualifier;
};

Parts parts_of(std::string_view version) {
  Parts parts;
  const std::size_t dash = version.find('-');
  if (dash != std::string_view::npos) parts.qualifier = version.substr(dash + 1);
  for (std::string_view piece : base::split(version.substr(0, dash), '.')) {
    std::uint64_t number = 0;
    for (const char c : piece)
      if (is_digit(c)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
    parts.numbers.push_back(number);
  }
  return parts;
}

// Digits between dots, at most nine of them, then an optional qualifier.
bool is_version(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos && dash + 1 == text.size()) return false;
  const auto pieces = base::split(text.substr(0, dash), '.');
  return pieces.size() <= 4 &&
         std::all_of(pieces.begin(), pieces.end(), [](std::string_view piece) {
           return !piece.empty() && piece.size() <= 9 &&
                  std::all_of(piece.begin(), piece.end(), is_digit);
         });
}

// Compares no further than `prefix` goes, when it has fewer than three numbers.
int compare_to_bound(std::string_view version, std::string_view bound) {
  const Parts end = parts_of(bound);
  if (end.numbers.size() >= 3 || !end.qualifier.empty())
    return compare_spark_versions(version, bound);
  Parts parts = parts_of(version);
  parts.numbers.resize(end.numbers.size());
  return parts.numbers < end.numbers ? -1 : parts.numbers > end.numbers ? 1 : 0;
}

}  // namespace

int compare_spark_versions(std::string_view a, std::string_view b) {
  Parts x = parts_of(a), y = parts_of(b);
  const std::size_t length = std::max(x.numbers.size(), y.numbers.size());
  x.numbers.resize(length);
  y.numbers.resize(length);
  if (x.numbers != y.numbers) return x.numbers < y.numbers ? -1 : 1;
  if (x.qualifier == y.qualifier) return 0;
  if (x.qualifier.empty()) return 1;
  if (y.qualifier.empty()) return -1;
  return x.qualifier < y.qualifier ? -1 : 1;
}

Result<SparkRange> SparkRange::parse(std::string_view text) {
  text = base::trim(text);
  SparkRange range;
  if (text == "*") return range;
  const std::size_t dots = text.find("..");
  const std::string_view low = dots == std::string_view::npos ? text : text.substr(0, dots);
  const std::string_view high = dots == std::string_view::npos ? text : text.substr(dots + 2);
  const auto fits = [&](std::string_view end) {
    return is_version(end) || (end.empty() && dots != std::string_view::npos);
  };
  if (!fits(low) || !fits(high) || (low.empty() && high.empty()))
    return fail(ErrorCode::malformed,
                fmt::format("'{}' is no range of Spark versions", printable_start(text, 60)), {},
                {}, "write 4.2.0, 4.2, 4.1.2..4.2.0, 4.2.0.., ..4.1 or *");
  range.low_ = low;
  range.high_ = high;
  if (!low.empty() && !high.empty() && compare_to_bound(low, high) > 0)
    return fail(ErrorCode::malformed,
                fmt::format("the range '{}' is empty", printable_start(text, 60)), {}, {},
                "put the lower version first");
  return range;
}

bool SparkRange::contains(std::string_view version) const {
  return (low_.empty() || compare_to_bound(version, low_) >= 0) &&
         (high_.empty() || compare_to_bound(version, high_) <= 0);
}

}  // namespace rowgate::reports
