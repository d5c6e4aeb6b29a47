// Maven's `${…}` substitution.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::pomcheck {

// Replaces expressions by what `lookup` says about their names, recursively. An expression without
// a value stays as it is written. Nested expressions are not a thing: "${a${b}}" has the name
// "a${b".
class Interpolator {
 public:
  // Returns the raw value of a name, or nothing. Must give the same answer for the same name.
  using Lookup = std::function<std::optional<std::string>(std::string_view name)>;

  explicit Interpolator(Lookup lookup) : lookup_(std::move(lookup)) {}

  // Errors: malformed (an expression cycle, with its names), limit (a result over 64 KiB, 8 MiB of
  // values in all, or a chain of more than 100 expressions).
  Result<std::string> interpolate(std::string_view text);

 private:
  Result<std::string> expand(std::string_view text, std::size_t depth);
  Result<const std::string*> value_of(std::string_view name, std::size_t depth);

  Lookup lookup_;
  std::map<std::string, std::optional<std::string>, std::less<>> known_;  // expanded values
  std::set<std::string, std::less<>> open_;                               // being expanded
  std::size_t remembered_bytes_ = 0;
};

bool has_expression(std::string_view text);

}  // namespace rowgate::pomcheck
