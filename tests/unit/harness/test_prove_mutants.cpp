// Deliberately broken variants of the soft-tombstone merge. Each is one edit of its text, and prove
// must find every one. (A `>` for the update's `>=`, or a `>=` for the delete's `>`, is not among
// them: with equal sequences both outcomes are allowed, so they are not broken.)
#include <doctest/doctest.h>

#include "embedded_main.hpp"
#include "harness/embedded_target.hpp"
#include "harness/prove.hpp"

namespace rowgate::harness {
namespace {

struct Mutant {
  const char* name;
  const char* from;
  const char* to;
};

constexpr const char* kUpdate =
    "WHEN MATCHED AND NOT ${s.is_delete} AND ${s.seq} >= ${t.seq} THEN\n"
    "  UPDATE SET ${set}, _deleted = FALSE\n";
constexpr const char* kDelete =
    "WHEN MATCHED AND ${s.is_delete} AND ${s.seq} > ${t.seq} THEN\n"
    "  UPDATE SET ${set}, _deleted = TRUE\n";

const Mutant kMutants[] = {
    {"order ascending", "${seq} DESC", "${seq} ASC"},
    {"order by arrival", "ORDER BY ${seq} DESC", "ORDER BY ${arrival} DESC"},
    {"order by first arrival", "ORDER BY ${seq} DESC", "ORDER BY ${arrival}"},
    {"order by payload", "ORDER BY ${seq} DESC", "ORDER BY ${payload}"},
    {"order by operation", "ORDER BY ${seq} DESC", "ORDER BY ${op}"},
    {"order by operation first", "ORDER BY ${seq} DESC", "ORDER BY ${op} DESC, ${seq} DESC"},
    {"deletes first", "ORDER BY ${seq} DESC", "ORDER BY ${op}, ${seq} DESC"},
    {"partition by sequence", "PARTITION BY ${keys}", "PARTITION BY ${keys}, ${seq}"},
    {"partition by operation", "PARTITION BY ${keys}", "PARTITION BY ${keys}, ${op}"},
    {"second row", "_rank = 1", "_rank = 2"},
    {"all rows", "_rank = 1", "_rank >= 1"},
    {"first two rows", "_rank = 1", "_rank <= 2"},
    {"deletes filtered out", "_rank = 1", "_rank = 1 AND NOT ${is_delete}"},
    {"upserts filtered out", "_rank = 1", "_rank = 1 AND ${is_delete}"},
    {"deletes not ranked", "FROM ${source}", "FROM ${source} WHERE NOT ${is_delete}"},
    {"update unguarded", " AND ${s.seq} >= ${t.seq}", ""},
    {"update guard reversed", "${s.seq} >= ${t.seq}", "${s.seq} <= ${t.seq}"},
    {"update guard against itself", "${s.seq} >= ${t.seq}", "${s.seq} >= ${s.seq}"},
    {"update guard only for live rows", "${s.seq} >= ${t.seq}",
     "(t._deleted OR ${s.seq} >= ${t.seq})"},
    {"update guard lenient by one", "${s.seq} >= ${t.seq}", "${s.seq} + 1 >= ${t.seq}"},
    {"update never", "${s.seq} >= ${t.seq}", "FALSE"},
    {"delete unguarded", " AND ${s.seq} > ${t.seq}", ""},
    {"delete guard reversed", "${s.seq} > ${t.seq}", "${s.seq} < ${t.seq}"},
    {"delete guard strict by one", "${s.seq} > ${t.seq}", "${s.seq} > ${t.seq} + 1"},
    {"delete never", "${s.seq} > ${t.seq}", "FALSE"},
    {"no update clause", kUpdate, ""},
    {"no delete clause", kDelete, ""},
    {"rows deleted for good", "UPDATE SET ${set}, _deleted = TRUE", "DELETE"},
    {"flag not cleared", ", _deleted = FALSE", ""},
    {"flag not set", ", _deleted = TRUE", ""},
    {"flag set by updates", "_deleted = FALSE", "_deleted = TRUE"},
    {"sequence not stored", "UPDATE SET ${set}, _deleted = FALSE",
     "UPDATE SET ${set_payload}, _deleted = FALSE"},
    {"delete's sequence not stored", "UPDATE SET ${set}, _deleted = TRUE",
     "UPDATE SET _deleted = TRUE"},
    {"payload not stored", "UPDATE SET ${set}, _deleted = FALSE",
     "UPDATE SET ${seq} = ${s.seq}, _deleted = FALSE"},
    {"no tombstone for unknown keys", "WHEN NOT MATCHED THEN",
     "WHEN NOT MATCHED AND NOT ${s.is_delete} THEN"},
    {"only tombstones inserted", "WHEN NOT MATCHED THEN",
     "WHEN NOT MATCHED AND ${s.is_delete} THEN"},
    {"inserted alive", "(${s.columns}, ${s.is_delete})", "(${s.columns}, FALSE)"},
    {"inserted deleted", "(${s.columns}, ${s.is_delete})", "(${s.columns}, TRUE)"},
    {"reader does not filter", " WHERE NOT _deleted", ""},
    {"reader filters the living", "WHERE NOT _deleted", "WHERE _deleted"},
};

Strategy mutated(const Mutant& mutant) {
  Strategy strategy = *find_strategy("soft-tombstone");
  strategy.name = mutant.name;
  bool changed = false;
  for (std::string* text : {&strategy.apply.front(), &strategy.read}) {
    const std::size_t at = text->find(mutant.from);
    if (at == std::string::npos || changed) continue;
    text->replace(at, std::string_view(mutant.from).size(), mutant.to);
    changed = true;
  }
  REQUIRE_MESSAGE(changed, mutant.name);
  return strategy;
}

}  // namespace

TEST_CASE("every broken variant of the tombstone merge is found") {
  CHECK(std::size(kMutants) >= 30);
  const auto target = EmbeddedTarget::open_library(duckdb_library());
  REQUIRE(target.has_value());
  ProveOptions options;
  options.bounds.events = 4;
  for (const Mutant& mutant : kMutants) {
    const Strategy strategy = mutated(mutant);
    const auto result = prove(strategy, prove_schema(), **target, options, RunContext::quiet());
    REQUIRE_MESSAGE(result.has_value(), mutant.name, ": ",
                    (result ? "" : result.error().to_string()));
    CHECK_MESSAGE(!result->proved(), mutant.name);
    REQUIRE_MESSAGE(result->counterexamples.size() == 1, mutant.name);
    CHECK_MESSAGE(result->counterexamples.front().confirmed, mutant.name);
    CHECK_MESSAGE(result->counterexamples.front().compact.size <= 3, mutant.name);
  }
}

}  // namespace rowgate::harness
