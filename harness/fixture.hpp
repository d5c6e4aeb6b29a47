// Fixtures: one scenario a text file, that a person can read beside the result. See
// fixtures/README.md for the format.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/verdict.hpp"

namespace rowgate::harness {

// What a named strategy must end with on this fixture: a negative control, or a promise.
struct Expectation {
  std::string strategy;
  std::string target;  // "" any, or a target's engine: "embedded", "spark"
  Outcome outcome = Outcome::right;
  std::vector<Wrong> how;    // when wrong
  std::string error_name;    // when refused; may be empty
  std::optional<Rows> rows;  // the exact rows, where the fixture tells them
  std::size_t line = 0;      // of the fixture file, 1-based
};

struct RightState {
  StateKind state = StateKind::scd1;
  bool reject = false;       // the input must be refused
  std::vector<Rows> states;  // alternatives; sorted rows
};

struct Fixture {
  std::string name;                // "S05-stale-delete"; unique
  std::string title;               // one line
  std::vector<std::string> about;  // lines of prose
  std::string file;                // where it came from: a path, or "(built in)/…"
  Schema schema;
  History history;
  std::vector<RightState> right;  // at most one a StateKind; at least one
  std::vector<Expectation> expectations;
};

// Reads one fixture. Errors: malformed, subject "file:line:column", with a remedy; limit (a fixture
// of more than kMaxFixtureBytes, or with more events or columns than a scenario can sensibly have).
inline constexpr std::size_t kMaxFixtureBytes = std::size_t{1} << 20;
Result<Fixture> parse_fixture(std::string_view text, std::string_view file);

// The text of a fixture; parse_fixture reads it back to an equal fixture (but for `file` and
// lines).
std::string write_fixture(const Fixture& fixture);

// The fixtures of merges that ship with the program, sorted by name (fixture_set.hpp has the other
// kinds). A broken one is a bug (logic_error).
std::span<const Fixture> builtin_fixtures();

}  // namespace rowgate::harness
