// prove: is there any history, within a bound, after which a strategy leaves the wrong rows? If so,
// the shortest one; if not, how many were tried.
//
// Histories are packed: each gets keys of its own, so one run of the strategy's statements per
// batch index serves a hundred thousand histories, unmodified, on a real engine. A probe runs a
// sample of histories alone and packed and compares; a strategy whose outcome differs is run alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "base/run_context.hpp"
#include "harness/enumerate.hpp"
#include "harness/fixture.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

enum class Pack : std::uint8_t { when_possible, never };

struct ProveOptions {
  Bounds bounds;
  std::string oracle;                       // empty: the strategy's own
  std::uint64_t max_histories = 2'000'000;  // beyond this the enumeration is sampled instead
  std::uint64_t samples = 0;                // so many random ones, instead of all
  std::uint64_t seed = 1;
  Pack pack = Pack::when_possible;
  std::size_t histories_a_run = 50'000;  // packed into one table
  std::uint64_t max_alone = 2'000;       // so many when they cannot be packed
  bool all_kinds = false;                // go on after the first, one counterexample a kind
  bool laws = false;                     // check the laws instead of an oracle
};

// The default table of a proof: id BIGINT key, val STRING, seq BIGINT.
Schema prove_schema();

struct Counterexample {
  CompactHistory compact;
  Schema schema;
  History history;
  Answer expected;
  Rows actual;
  Verdict verdict;
  std::string cause;       // one sentence
  std::string remedy;      // one sentence
  Fixture fixture;         // replays it
  bool confirmed = false;  // wrong again when it ran alone, in a table of its own
};

enum class Law : std::uint8_t { permutation, batching, duplication };
std::string_view to_string(Law law);

struct LawBreach {
  Law law = Law::permutation;
  Schema schema;
  History first;  // two histories of one set of events…
  History second;
  Rows first_rows;  // …that end differently
  Rows second_rows;
};

struct ProveResult {
  TargetInfo target;
  std::string strategy;
  std::string oracle;
  Bounds bounds;
  std::uint64_t in_bound = 0;  // histories that the bound holds
  std::uint64_t checked = 0;
  std::uint64_t right = 0;  // includes ambiguous but allowed
  std::uint64_t wrong = 0;
  std::uint64_t refused = 0;   // loud errors of the engine
  bool exhaustive = false;     // every history of the bound was checked
  bool stopped_early = false;  // at the first counterexample
  // What ended the search before its time: the user, or an engine that died. What was checked until
  // then is in the other members.
  std::optional<Error> cut_short;
  bool packed = false;
  std::string packing_note;                     // why not packed, or empty
  std::optional<std::uint64_t> seed;            // of a sampled run
  std::vector<Counterexample> counterexamples;  // shortest first, at most one a kind
  std::vector<LawBreach> breaches;              // at most one a law, shortest first

  bool proved() const {
    return wrong == 0 && refused == 0 && breaches.empty() && checked > 0 && !cut_short;
  }
};

// Errors: usage (bounds, oracle), child_process / unsupported with the engine's message and the
// statement as evidence in the message (the strategy cannot run at all), interrupted (before
// anything was checked).
Result<ProveResult> prove(const Strategy& strategy, const Schema& schema, Target& target,
                          const ProveOptions& options, const RunContext& ctx);

base::Report prove_report(const ProveResult& result);

// Why a strategy that is wrong like this is wrong, and what helps.
std::string cause_sentence(const Strategy& strategy, const Counterexample& example);
std::string remedy_sentence(const Verdict& verdict, StateKind state);

// True when the statement's effect on a key visibly depends on other keys: NOT MATCHED BY SOURCE,
// LIMIT, a window without PARTITION BY, an aggregate without GROUP BY. `why` names it.
bool reaches_over_keys(const Strategy& strategy, std::string& why);

}  // namespace rowgate::harness
