// What fixtures of every kind begin with: a name, the kind, a title and prose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/lines.hpp"

namespace rowgate::harness {

// Where a reader keeps it, and what it may say there.
struct FixtureHead {
  std::string& name;
  std::string& title;
  std::vector<std::string>& about;
  std::string_view kind;     // what `kind` must be
  std::string_view example;  // of a name, for a remedy
};

// Takes the present line when it begins with fixture, kind, title or about; false: it is another.
// Errors: malformed (no plain name, a second name, another kind).
Result<bool> read_fixture_head(const Lines& lines, const FixtureHead& head);

// Errors: limit (more than kMaxFixtureBytes).
Result<void> check_fixture_size(std::string_view text, std::string_view file);

}  // namespace rowgate::harness
