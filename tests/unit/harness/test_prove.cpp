// prove on DuckDB: the shortest counterexample of each wrong strategy, and none for the right ones.
#include <doctest/doctest.h>

#include "embedded_main.hpp"
#include "harness/embedded_target.hpp"
#include "harness/pack_run.hpp"
#include "harness/prove.hpp"
#include "harness/replay.hpp"
#include "harness/user_sql.hpp"

namespace rowgate::harness {
namespace {

EmbeddedTarget& target() {
  static const std::unique_ptr<EmbeddedTarget> opened = [] {
    auto result = EmbeddedTarget::open_library(duckdb_library());
    if (!result) throw std::runtime_error(result.error().to_string());
    return std::move(*result);
  }();
  return *opened;
}

ProveResult proof(const Strategy& strategy, const ProveOptions& options,
                  const Schema& schema = prove_schema()) {
  auto result = prove(strategy, schema, target(), options, RunContext::quiet());
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().to_string()));
  return std::move(*result);
}

ProveOptions up_to(unsigned events) {
  ProveOptions options;
  options.bounds.events = events;
  return options;
}

UserMerge example() {
  UserMerge merge;
  merge.name = "my_silver";
  merge.table = "order_id INT, status STRING, amount BIGINT, _seq BIGINT";
  merge.keys = "order_id";
  merge.sequence = "seq";
  merge.delete_when = "op = 'DELETE'";
  merge.sql =
      "-- the nightly merge\n"
      "MERGE INTO lake.silver.orders AS t\n"
      "USING (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY seq DESC) "
      "AS rn\n"
      "       FROM updates) WHERE rn = 1) s\n"
      "ON t.order_id = s.order_id\n"
      "WHEN MATCHED AND s.seq > t._seq AND s.op = 'DELETE' THEN DELETE\n"
      "WHEN MATCHED AND s.seq > t._seq THEN UPDATE SET t.status = s.status, t.amount = s.amount, "
      "t._seq = s.seq\n"
      "WHEN NOT MATCHED AND s.op IN ('INSERT', 'UPDATE') THEN\n"
      "  INSERT (order_id, status, amount, _seq) VALUES (s.order_id, s.status, s.amount, s.seq);\n";
  return merge;
}

}  // namespace

TEST_CASE("each wrong strategy has a counterexample of at most three events") {
  struct Wanted {
    const char* strategy;
    unsigned events;
    Wrong how;
  };
  // By hand: [b2][a1] for what has no guard on the update, [b2][D1] for what has none on the
  // delete, [D2][a1] for what has both and no tombstone, [a1 b2] for what does not take the latest
  // of a batch.
  const Wanted wanted[] = {
      {"naive", 2, Wrong::stale},
      {"guarded", 2, Wrong::resurrected},
      {"guard-on-update-only", 2, Wrong::lost_update},
      {"plain-merge", 2, Wrong::duplicate},
      {"plain-upsert", 1, Wrong::ghost_null},
      {"drop-duplicates", 2, Wrong::stale},
      {"drop-duplicates-upsert", 1, Wrong::ghost_null},
      {"scd1-not-equal", 2, Wrong::stale},
      {"scd1-null-safe", 2, Wrong::stale},
      {"not-matched-by-source", 2, Wrong::stale},
      {"bigquery-sql", 2, Wrong::lost_delete},
      {"bigquery-dataframes", 2, Wrong::lost_delete},
      {"bigquery-spark", 2, Wrong::lost_delete},
      {"scd2-two-step", 2, Wrong::duplicate},
  };
  for (const Wanted& each : wanted) {
    CAPTURE(each.strategy);
    const ProveResult result = proof(*find_strategy(each.strategy), up_to(3));
    REQUIRE(result.counterexamples.size() == 1);
    const Counterexample& shortest = result.counterexamples.front();
    CHECK(shortest.confirmed);
    CHECK(shortest.compact.size == each.events);
    CHECK(shortest.verdict.how == std::vector<Wrong>{each.how});
    CHECK_MESSAGE(!shortest.cause.empty(), summary(shortest.verdict));
    CHECK(!shortest.remedy.empty());
    // The fixture replays it.
    const auto fixture = parse_fixture(write_fixture(shortest.fixture), "counterexample");
    REQUIRE(fixture.has_value());
    const Strategy strategies[] = {*find_strategy(each.strategy)};
    const Fixture fixtures[] = {*fixture};
    const auto replayed = replay(fixtures, strategies, target(), {}, RunContext::quiet());
    REQUIRE(replayed.has_value());
    CHECK(replayed->cells.front().verdict.outcome == Outcome::wrong);
    CHECK(replayed->cells.front().control == Control::met);
  }
}

TEST_CASE("all kinds: a guarded merge resurrects, and nothing else") {
  ProveOptions options = up_to(4);
  options.all_kinds = true;
  const ProveResult result = proof(*find_strategy("guarded"), options);
  CHECK(result.exhaustive);
  REQUIRE(result.counterexamples.size() == 1);
  CHECK(result.counterexamples.front().verdict.how == std::vector<Wrong>{Wrong::resurrected});
}

TEST_CASE("the right strategies stand at the default bound, with ties too") {
  const ProveResult right = proof(*find_strategy("soft-tombstone"), ProveOptions{});
  CHECK(right.proved());
  CHECK(right.exhaustive);
  CHECK(right.packed);
  CHECK(right.checked == history_count(Bounds{}));
  ProveOptions ties = up_to(4);
  ties.bounds.ties = ties.bounds.replays = ties.bounds.null_payload = true;
  CHECK(proof(*find_strategy("soft-tombstone"), ties).proved());
  CHECK(proof(*find_strategy("scd2-right"), up_to(4)).proved());
}

TEST_CASE("packed and alone agree on a random sample") {
  std::mt19937_64 random(11);
  Bounds bounds;
  bounds.keys = 3;
  bounds.events = 6;
  bounds.ties = true;
  std::vector<CompactHistory> histories;
  for (int i = 0; i < 40; ++i) histories.push_back(sample(bounds, random));
  for (const char* name :
       {"naive", "plain-merge", "soft-tombstone", "scd2-two-step", "scd2-right"}) {
    const Strategy& strategy = *find_strategy(name);
    const auto packed = run_compact_packed(target(), strategy, prove_schema(), histories);
    REQUIRE(packed.has_value());
    for (std::size_t i = 0; i < histories.size(); ++i) {
      const RunOutcome alone =
          run_alone(target(), strategy, prove_schema(), to_history(histories[i], prove_schema()));
      CHECK_MESSAGE(alone.has_value() == (*packed)[i].has_value(), name);
      if (alone && (*packed)[i]) CHECK_MESSAGE(*alone == *(*packed)[i], name);
    }
  }
}

TEST_CASE("what reaches over keys is not packed") {
  const ProveResult result = proof(*find_strategy("not-matched-by-source"), up_to(2));
  CHECK(!result.packed);
  CHECK(!result.packing_note.empty());
  // No word gives this one away: the probe finds it.
  Strategy sly = *find_strategy("soft-tombstone");
  sly.name = "sly";
  sly.apply.push_back(
      "DELETE FROM ${target} WHERE id IN "
      "(SELECT t.id FROM ${target} t JOIN ${source} s ON s.id > t.id)");
  std::string why;
  CHECK(!reaches_over_keys(sly, why));
  const ProveResult found = proof(sly, up_to(2));
  CHECK(!found.packed);
  CHECK(found.packing_note.find("probe") != std::string::npos);
}

TEST_CASE("laws without an oracle") {
  ProveOptions options = up_to(3);
  options.laws = true;
  CHECK(proof(*find_strategy("soft-tombstone"), options).proved());
  CHECK(proof(*find_strategy("scd2-right"), options).proved());
  const ProveResult guarded = proof(*find_strategy("guarded"), options);
  REQUIRE(!guarded.breaches.empty());
  CHECK(!guarded.proved());
  CHECK(guarded.breaches.front().first_rows != guarded.breaches.front().second_rows);
}

TEST_CASE("null sequences and null keys must be rejected") {
  ProveOptions options = up_to(1);
  options.bounds.null_sequence = true;
  CHECK(proof(*find_strategy("soft-tombstone"), options).counterexamples.front().verdict.how ==
        std::vector<Wrong>{Wrong::accepted});
  options.bounds.null_sequence = false;
  options.bounds.null_key = true;
  CHECK(proof(*find_strategy("soft-tombstone"), options).counterexamples.front().verdict.how ==
        std::vector<Wrong>{Wrong::accepted});
}

TEST_CASE("sampling beyond the bound repeats with its seed") {
  ProveOptions options = up_to(8);
  options.bounds.keys = 3;
  options.samples = 3000;
  options.seed = 5;
  const ProveResult right = proof(*find_strategy("soft-tombstone"), options);
  CHECK(right.proved());
  CHECK(!right.exhaustive);
  CHECK(right.seed == 5);
  const ProveResult first = proof(*find_strategy("guarded"), options);
  const ProveResult second = proof(*find_strategy("guarded"), options);
  REQUIRE(first.counterexamples.size() == 1);
  CHECK(first.counterexamples.front().compact == second.counterexamples.front().compact);
  CHECK(first.counterexamples.front().compact.size == 2);  // shrunk
}

TEST_CASE("a user's own merge") {
  const auto user = user_strategy(example());
  REQUIRE_MESSAGE(user.has_value(), (user ? "" : user.error().to_string()));
  CHECK(user->schema.payload.size() == 2);
  const ProveResult result = proof(user->strategy, up_to(3), user->schema);
  CHECK(result.packed);
  REQUIRE(result.counterexamples.size() == 1);
  CHECK(result.counterexamples.front().verdict.how == std::vector<Wrong>{Wrong::resurrected});
  const base::Report report = prove_report(result);
  CHECK(report.summary.front().verdict == "wrong: resurrected");
  CHECK(report.findings.front().check_id == "RG3201");
}

TEST_CASE("a user's merge with tombstones, read through its own query, is right") {
  UserMerge merge = example();
  merge.table =
      "region STRING, order_id INT, amount DECIMAL(12,2), seq TIMESTAMP, is_deleted BOOLEAN";
  merge.keys = "region, order_id";
  merge.delete_when = "is_deleted";
  merge.read = "SELECT region, order_id, amount, seq FROM silver.orders WHERE NOT is_deleted";
  merge.sql =
      "MERGE INTO silver.orders USING (SELECT * EXCEPT (rn) FROM (SELECT *, ROW_NUMBER() OVER "
      "(PARTITION BY region, order_id ORDER BY seq DESC) AS rn FROM updates) WHERE rn == 1) AS u "
      "ON orders.region <=> u.region AND orders.order_id = u.order_id "
      "WHEN MATCHED AND u.seq >= orders.seq THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *";
  const auto user = user_strategy(merge);
  REQUIRE_MESSAGE(user.has_value(), (user ? "" : user.error().to_string()));
  const ProveResult result = proof(user->strategy, up_to(3), user->schema);
  CHECK_MESSAGE(result.proved(), prove_report(result).summary.front().text);
}

TEST_CASE("SQL that cannot run gives the engine's message and the statement") {
  UserMerge merge = example();
  merge.sql =
      "MERGE INTO t USING updates s ON t.order_id = s.order_id WHEN MATCHED THEN UPDATE SET nope = "
      "1";
  const auto user = user_strategy(merge);
  REQUIRE(user.has_value());
  const auto result = prove(user->strategy, user->schema, target(), up_to(2), RunContext::quiet());
  REQUIRE(!result.has_value());
  CHECK(result.error().code == ErrorCode::child_process);
  CHECK(result.error().message.find("nope") != std::string::npos);
  CHECK(result.error().remedy.starts_with("in: MERGE INTO"));
}

}  // namespace rowgate::harness
