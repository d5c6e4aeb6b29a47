// Benches on the real embedded engine: small ones, whose outcome does not depend on how busy the
// machine is.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "harness/bench.hpp"
#include "harness/bench_embedded.hpp"
#include "harness/duckdb_engine.hpp"
#include "harness/user_sql.hpp"
#include "tests/unit/harness/embedded_main.hpp"

using namespace rowgate;
using namespace rowgate::harness;

namespace {

std::unique_ptr<BenchEngine> engine() {
  static const base::SystemClock clock;
  auto opened = open_embedded_bench(duckdb_library(), {}, clock);
  REQUIRE(opened);
  return std::move(*opened);
}

std::vector<Strategy> strategies(const std::vector<std::string>& names) {
  std::vector<Strategy> chosen;
  for (const std::string& name : names) chosen.push_back(*find_strategy(name));
  return chosen;
}

WorkloadShape small() {
  WorkloadShape shape;
  shape.rows = 2'000;
  shape.events = 200;
  return shape;
}

std::string verdict_of(const BenchCase& what, const std::string& label) {
  for (const BenchTreatment& treatment : what.treatments)
    if (treatment.label == label) return summary(treatment.verdict);
  return "";
}

}  // namespace

TEST_CASE("every strategy that SQL can say is judged by its rows, and only right ones are timed") {
  WorkloadShape shape = small();
  shape.rows = 40;  // so that keys get several events
  shape.batches = 4;
  shape.disorder = 0.4;
  shape.delete_rate = 0.3;
  BenchOptions options;
  options.blocks = 1;
  options.warm_up = 1;
  const auto chosen = strategies({"guarded", "naive", "soft-tombstone", "scd2-right", "plain-merge",
                                  "not-matched-by-source", "auto-cdc-scd1"});
  const auto target = engine();
  const BenchCase what = run_case(*target, chosen, shape, options, RunContext::quiet());
  CHECK_FALSE(what.failure);
  // As the correctness table has it: late events after deletes bring keys back, and late batches
  // overwrite.
  CHECK(verdict_of(what, "guarded").find("wrong: ") == 0);
  CHECK(verdict_of(what, "naive").find("stale") != std::string::npos);
  CHECK(verdict_of(what, "soft-tombstone") == "right");
  CHECK(verdict_of(what, "scd2-right") == "right");
  CHECK(verdict_of(what, "plain-merge") == "refused: MERGE_CARDINALITY_VIOLATION");
  CHECK(verdict_of(what, "not-matched-by-source").find("wrong: ") == 0);
  CHECK(verdict_of(what, "auto-cdc-scd1").find("unsupported") == 0);
  CHECK(what.timed() == std::vector<unsigned>{2, 3});
  CHECK(what.samples.size() == 4);
  CHECK(what.same.size() == 4);

  options.wrong = WrongStrategies::timed;
  const BenchCase all = run_case(*target, chosen, shape, options, RunContext::quiet());
  CHECK(all.timed() == std::vector<unsigned>{0, 1, 2, 3, 5});
}

TEST_CASE("every run starts from the same rows: times do not grow with the runs before") {
  BenchOptions options;
  options.blocks = 6;
  const auto target = engine();
  WorkloadShape shape = small();
  shape.insert_rate = 1;  // every merge would make the table larger
  const auto chosen = strategies({"guarded", "soft-tombstone"});
  const BenchCase what = run_case(*target, chosen, shape, options, RunContext::quiet());
  CHECK(what.plan.size() == 6);
  CHECK(what.samples.size() == 24);
  CHECK(verdict_of(what, "guarded") == "right");
  // Judged again after all of them.
  const BenchCase again = run_case(*target, chosen, shape, options, RunContext::quiet());
  CHECK(verdict_of(again, "soft-tombstone") == "right");
}

TEST_CASE("a strategy against itself is not resolved") {
  BenchOptions options;
  options.blocks = 6;
  const auto target = engine();
  unsigned resolved = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    options.seed = seed;
    const BenchCase what = run_case(*target, strategies({"guarded", "guarded"}), small(), options,
                                    RunContext::quiet());
    CHECK(what.treatments[1].label == "guarded (2)");
    Resampler resampler(1);
    const auto pair = compare(what.samples, 0, 1, resampler);
    REQUIRE(pair);
    const auto floor = noise_floor(compare(what.same, 1, 0, resampler));
    REQUIRE(floor);
    resolved += resolve(*pair, floor) == Resolution::resolved ? 1 : 0;
  }
  // Each would be with a probability of less than 5 %.
  CHECK(resolved <= 1);
}

TEST_CASE("ten batches cost several times what one costs") {
  BenchOptions options;
  options.blocks = 6;
  const auto target = engine();
  const auto seconds = [&](std::uint64_t batches) {
    WorkloadShape shape = small();
    shape.batches = batches;
    const BenchCase what = run_case(*target, strategies({"guarded", "soft-tombstone"}), shape,
                                    options, RunContext::quiet());
    Resampler resampler(1);
    const auto time = log_seconds(what.samples, 0, resampler);
    REQUIRE(time);
    return std::exp(time->value);
  };
  CHECK(seconds(10) > 3 * seconds(1));
}

TEST_CASE("a stopped bench keeps its complete blocks, and a budget shrinks them") {
  struct StopAfter : base::ProgressTask {
    StopAfter(std::atomic<bool>& flag, unsigned runs) : stop(flag), left(runs) {}
    void advance(std::uint64_t) override {
      if (--left == 0) stop = true;
    }
    void set_total(std::uint64_t) override {}
    std::atomic<bool>& stop;
    unsigned left;
  };
  struct Watch : base::Progress {
    std::unique_ptr<base::ProgressTask> start(std::string, base::ProgressUnit,
                                              std::optional<std::uint64_t>) override {
      return std::make_unique<StopAfter>(stop, runs);
    }
    std::atomic<bool> stop{false};
    unsigned runs = 0;
  };
  Watch watch;
  BenchOptions options;
  options.blocks = 10;
  options.warm_up = 1;
  watch.runs = 3 + 2 * 8 + 5;  // the warm-up, two blocks, and some of the third
  RunContext context = RunContext::quiet();
  context.progress = &watch;
  context.stop = &watch.stop;
  const auto target = engine();
  const auto chosen = strategies({"guarded", "naive"});
  const BenchCase what = run_case(*target, chosen, small(), options, context);
  CHECK(what.stopped);
  CHECK(what.plan.size() == 2);
  CHECK(what.samples.size() == 8);
  CHECK(what.same.size() == 8);

  options.blocks = 10'000;
  options.budget = std::chrono::milliseconds(1'500);
  const BenchCase cut = run_case(*target, chosen, small(), options, RunContext::quiet());
  CHECK(cut.budget_cut);
  CHECK(cut.plan.size() >= 1);
  CHECK(cut.plan.size() < 10'000);
  CHECK(cut.blocks_wanted == 10'000);
}

TEST_CASE("values are made alike by SQL and by us") {
  auto engine = DuckDb::load(duckdb_library(), {});
  REQUIRE(engine);
  for (const char* name :
       {"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(10,2)", "DECIMAL(2,2)",
        "DECIMAL(38,0)", "DOUBLE", "STRING", "TIMESTAMP", "DATE"}) {
    const auto type = parse_type(name);
    REQUIRE(type);
    CAPTURE(name);
    // Around every type's limit, and the largest number that a workload makes.
    for (const std::int64_t number :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{99}, std::int64_t{100}, std::int64_t{101},
          std::int64_t{29'999}, std::int64_t{30'000}, std::int64_t{2'899'999},
          std::int64_t{2'900'000}, std::int64_t{1'999'999'999}, std::int64_t{2'000'000'000},
          std::int64_t{3'300'000'000}}) {
      CAPTURE(number);
      const std::string sql =
          value_sql(*type, fmt::format("CAST({} AS BIGINT)", number), SqlDialect::duckdb);
      const Value value = value_at(*type, number);
      const auto rows = (*engine)->query("SELECT " + sql);
      REQUIRE_MESSAGE(rows, sql);
      CHECK(rows->front().front() == value);
      const auto literal =
          (*engine)->query("SELECT " + literal_sql(value, *type, SqlDialect::duckdb));
      REQUIRE(literal);
      CHECK(literal->front().front() == value);
    }
    CHECK(value_at(*type, 0) == value_at(*type, static_cast<std::int64_t>(distinct_values(*type))));
  }
}

namespace {

UserMerge orders(const std::string& guard) {
  UserMerge merge;
  merge.name = "mine";
  merge.table =
      "note STRING, order_id INT, _at TIMESTAMP, region STRING, amount DECIMAL(12,2), day DATE, "
      "_loaded BOOLEAN";
  merge.keys = "region, order_id";
  merge.sequence = "at";
  merge.delete_when = "op = 'D'";
  merge.sql =
      "MERGE INTO silver.orders t USING (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY "
      "region, order_id ORDER BY at DESC) AS rn FROM updates) WHERE rn = 1) s "
      "ON t.region = s.region AND t.order_id = s.order_id "
      "WHEN MATCHED AND s.op = 'D'" +
      guard + " THEN DELETE WHEN MATCHED" + guard +
      " THEN UPDATE SET note = s.note, amount = s.amount, day = s.day, _at = s.at "
      "WHEN NOT MATCHED AND s.op <> 'D' THEN INSERT (region, order_id, note, amount, day, _at, "
      "_loaded) VALUES (s.region, s.order_id, s.note, s.amount, s.day, s.at, true)";
  return merge;
}

}  // namespace

TEST_CASE("a user's own merge is timed beside ours, on a table like the user's") {
  const auto guarded = user_strategy(orders(" AND s.at > t._at")),
             naive = user_strategy(orders(""));
  REQUIRE_MESSAGE(guarded, (guarded ? "" : guarded.error().to_string()));
  REQUIRE(naive);
  BenchOptions options;
  options.blocks = 1;
  options.warm_up = 1;
  options.schema = guarded->schema;
  WorkloadShape shape = small();
  shape.rows = 50;
  shape.batches = 5;
  const auto target = engine();
  std::vector<Strategy> chosen = strategies({"soft-tombstone", "scd2-right"});
  chosen.push_back(guarded->strategy);
  chosen.push_back(naive->strategy);
  // In order all of them are right, the second "mine" too.
  const BenchCase ordered = run_case(*target, chosen, shape, options, RunContext::quiet());
  CHECK_FALSE(ordered.failure);
  for (const char* label : {"soft-tombstone", "scd2-right", "mine", "mine (2)"})
    CHECK_MESSAGE(verdict_of(ordered, label) == "right", label);
  CHECK(ordered.timed().size() == 4);
  // Out of order the one that keeps deletes is, and the one without a guard is not.
  shape.disorder = 0.5;
  shape.delete_rate = 0;
  const BenchCase late = run_case(*target, chosen, shape, options, RunContext::quiet());
  CHECK(verdict_of(late, "soft-tombstone") == "right");
  CHECK(verdict_of(late, "mine") == "right");
  CHECK(verdict_of(late, "mine (2)").find("stale") != std::string::npos);
}

TEST_CASE("rows that no event is about must stay as they were") {
  UserMerge merge = orders(" AND s.at > t._at");
  merge.sql += "; UPDATE silver.orders SET note = 'x' WHERE order_id % 10 = 3";
  const auto user = user_strategy(merge);
  REQUIRE_MESSAGE(user, (user ? "" : user.error().to_string()));
  BenchOptions options;
  options.blocks = 1;
  options.warm_up = 1;
  options.schema = user->schema;
  WorkloadShape shape = small();
  shape.events = 3;
  const BenchCase what = run_case(*engine(), std::vector<Strategy>{user->strategy}, shape, options,
                                  RunContext::quiet());
  CHECK(verdict_of(what, "mine").find("wrong: ") == 0);
  CHECK(what.timed().empty());
}

TEST_CASE("what the embedded engine cannot do is said") {
  WorkloadShape shape = small();
  shape.files = 10;
  const auto target = engine();
  const BenchCase what = run_case(*target, strategies({"guarded"}), shape, {}, RunContext::quiet());
  CHECK(what.timed().empty());
  CHECK(verdict_of(what, "guarded").find("unsupported") == 0);
  CHECK_FALSE(open_embedded_bench("/nonexistent", {}, base::SystemClock()));
}
