// Fixtures of other kinds than merges, when their session is lost in the middle: what was in it is
// not known, and what comes next runs in a new one.
#include <doctest/doctest.h>

#include <csignal>

#include "harness/change_feed_spark.hpp"
#include "harness/drift_spark.hpp"
#include "harness/fixture_set.hpp"
#include "spark_environment.hpp"

using namespace rowgate;
using namespace rowgate::harness;
using rowgate::test::make_spark;

namespace {

void kill_driver(SparkTarget& target) {
  const int process = target.driver_process_id();
  REQUIRE(process > 0);
  REQUIRE(::kill(process, SIGKILL) == 0);
}

void check_lost(const Failure& failure) {
  CHECK(failure.kind == FailureKind::not_run);
  CHECK(failure.error_name == "driver-died");
}

}  // namespace

TEST_CASE("what was in a session that died is not run, and the next fixture runs") {
  const auto target = make_spark("spark:4.1.3/delta:4.4.0");
  const auto drift = drift_engine(*target);
  const auto feed = feed_engine(*target);
  CHECK(!feed->why_not());

  const DriftFixture& fixture = builtin_fixture_set().drifts.front();
  REQUIRE(drift->begin(fixture.columns));
  REQUIRE(drift->ingest(fixture.files[0], 0, Rescue::on));
  kill_driver(*target);
  // The first to notice, and one that asks after the session is known to be gone.
  const auto rows = drift->bronze();
  REQUIRE(!rows);
  check_lost(rows.error());
  const auto again = drift->ingest(fixture.files[1], 1, Rescue::on);
  REQUIRE(!again);
  check_lost(again.error());
  drift->finish();

  // A feed in the new session: its table is there, and the old engine's is not asked for.
  const FeedFixture& feed_fixture = builtin_fixture_set().feeds.front();
  const Attempt<void> ready = feed->prepare(feed_fixture);
  REQUIRE_MESSAGE(ready, (ready ? "" : ready.error().message));
  const auto lost = drift->bronze();
  REQUIRE(!lost);
  check_lost(lost.error());
  const auto read = feed->read(feed_fixture, feed_fixture.steps[0]);
  REQUIRE(!read);
  CHECK(read.error().error_name == feed_fixture.steps[0].expected.error_name);
  feed->finish();
}

TEST_CASE("the numbers of a fixture's commits must be the table's versions") {
  const auto target = make_spark("spark:4.1.3/delta:4.4.0");
  const auto feed = feed_engine(*target);
  const auto fixture = parse_feed_fixture(
      "fixture numbers\nkind change-feed\ncolumns\n  id INT\n"
      "commit 0\n  CREATE TABLE ${table} (id INT) USING delta\n"
      "commit 1\n  SELECT * FROM ${table}\n"
      "read all\n  startingVersion 1\nexpect no rows\n",
      "f");
  REQUIRE(fixture);
  const Attempt<void> ready = feed->prepare(*fixture);
  REQUIRE(!ready);
  CHECK(ready.error().kind == FailureKind::not_run);
  CHECK(ready.error().message.starts_with("the fixture's 2 commits made 1 versions"));
}
