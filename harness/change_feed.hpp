// Fixtures of Delta's Change Data Feed: what a table's history gives to those who read it as
// changes, and what a consumer makes of it. Only a real Delta can run them.
//
// A fixture is a list of commits, whose numbers are the table's versions, and of steps: a read of
// the feed, or a consumer's SQL on what a read gave. Each step says how it must end: with these
// rows, or with an error of this name. See fixtures/README.md for the format.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/report.hpp"
#include "base/run_context.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

struct FeedExpectation {
  std::string error_name;    // "DELTA_MISSING_CHANGE_DATA"; empty: rows are expected
  std::optional<Rows> rows;  // sorted
  std::size_t line = 0;      // of the fixture file, 1-based
};

struct FeedStep {
  enum class Kind : std::uint8_t { read, consume };
  Kind kind = Kind::read;
  std::string name;  // unique in its fixture
  // read: options of the reader by Delta's names, as they stand in the fixture. A value "commit N"
  // of startingTimestamp or endingTimestamp means that commit's time.
  std::map<std::string, std::string> options;
  std::map<std::string, std::string> conf;  // session settings during the read
  bool stream = false;                      // read by readStream until it has seen all there is
  // consume: the read whose rows it takes, and SQL: ${changes} are they, ${target} is a fresh table
  // with the fixture's columns.
  std::string of;
  std::vector<std::string> statements;
  FeedExpectation expected;
};

struct FeedFixture {
  std::string name;
  std::string title;
  std::vector<std::string> about;
  std::string file;
  std::vector<Column> columns;
  std::vector<std::string> commits;  // one statement a version, ${table} is the table
  std::vector<FeedStep> steps;
};

// Rows of a read: _commit_version, _change_type, then the fixture's columns.
std::vector<Column> feed_columns(const FeedFixture& fixture);

// Errors: malformed ("file:line:column", with a remedy), limit.
Result<FeedFixture> parse_feed_fixture(std::string_view text, std::string_view file);

// What runs the steps: a Delta table in a session.
class FeedEngine {
 public:
  virtual ~FeedEngine() = default;

  virtual const TargetInfo& info() const = 0;
  // A reason when this target has no Change Data Feed; nothing is started for it.
  virtual std::optional<std::string> why_not() const = 0;
  // Makes the table anew and runs the commits. A failure also when the versions are not as
  // numbered.
  virtual Attempt<void> prepare(const FeedFixture& fixture) = 0;
  virtual Attempt<Rows> read(const FeedFixture& fixture, const FeedStep& step) = 0;
  virtual Attempt<Rows> consume(const FeedFixture& fixture, const FeedStep& step) = 0;
  // The fixture's tables can go.
  virtual void finish() = 0;
};

struct FeedCell {
  enum class Outcome : std::uint8_t { as_stated, otherwise, unsupported, not_run };
  Outcome outcome = Outcome::not_run;
  std::string text;  // "3 rows", "error DELTA_MISSING_CHANGE_DATA", "not run: …"
  Rows rows;
  std::optional<Failure> failure;
};

struct FeedResult {
  TargetInfo target;
  std::optional<std::string> no_feed;  // this target has no Change Data Feed
  // Fixture by fixture, step by step.
  std::vector<std::vector<FeedCell>> cells;
};

// What goes wrong with a step is in its cell.
FeedResult replay_feed(std::span<const FeedFixture> fixtures, FeedEngine& engine,
                       const RunContext& ctx);

// Of a target that cannot run such fixtures: nothing is started.
FeedResult no_feed(std::span<const FeedFixture> fixtures, const TargetInfo& target,
                   std::string reason);

// Adds tables (step by target; the rows as a detail), findings and coverage. Returns the number of
// cells that broke (without those of targets that have no feed).
std::size_t add_feed_report(base::Report& report, std::span<const FeedFixture> fixtures,
                            std::span<const FeedResult> results);

}  // namespace rowgate::harness
