// Fixtures of all kinds. A file says its kind in a line `kind change-feed` or `kind drift`; without
// one it is about merges.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/change_feed.hpp"
#include "harness/drift.hpp"
#include "harness/fixture.hpp"

namespace rowgate::harness {

struct FixtureSet {
  std::vector<Fixture> merges;
  std::vector<FeedFixture> feeds;
  std::vector<DriftFixture> drifts;
};

// The fixtures that ship with the program, each kind sorted by name. A broken one is a bug
// (logic_error).
const FixtureSet& builtin_fixture_set();

// Reads one fixture into the set it belongs to. Errors: as the readers', and malformed for a kind
// that is not known or a name that another fixture of the set has.
Result<void> add_fixture(std::string_view text, std::string_view file, FixtureSet& set);

// Loads a file, or all *.fixture files below a folder (sorted). Errors: as add_fixture, not_found.
Result<FixtureSet> load_fixture_set(const std::string& path);

}  // namespace rowgate::harness
