// Verdicts: what a cell of the correctness table says. Silent wrong and loud error are not the
// same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/oracle.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

enum class Outcome : std::uint8_t {
  right,
  ambiguous,  // ended in one of several allowed states: right, by a rule that the data leaves open
  wrong,      // no error, and other rows than any allowed state
  refused,    // a loud error; right when the oracle wants the input rejected (then it is `right`)
  unsupported,
  not_run,
};
std::string_view to_string(Outcome outcome);  // "right", "ambiguous", …, "not-run"
std::optional<Outcome> outcome_from_string(std::string_view text);

// How it is wrong; several may hold. In order of gravity, which is also the order in texts.
enum class Wrong : std::uint8_t {
  duplicate,    // more rows (or open intervals) of a key than there may be
  overlap,      // SCD2 intervals of a key overlap, or one ends before it starts
  resurrected,  // a deleted key is back through an event older than the delete
  lost_delete,  // a delete that counts was not carried out
  ghost_null,   // a row whose payload nobody ever sent: NULLs where values should be
  lost_update,  // the row is missing though the last thing that counts is an upsert
  stale,        // the row is there, with an older version's values
  accepted,     // input that must be rejected (null key, null sequence) was taken silently
  other,        // none of the above
};
std::string_view to_string(Wrong wrong);  // "lost-delete"
std::optional<Wrong> wrong_from_string(std::string_view text);

struct KeyDifference {
  Row key;
  Wrong how = Wrong::other;
  Rows expected;  // of the nearest allowed state
  Rows actual;
};

struct Verdict {
  Outcome outcome = Outcome::not_run;
  std::vector<Wrong> how;  // sorted, distinct; empty unless wrong
  std::vector<KeyDifference> differences;
  std::optional<Failure> failure;  // refused, unsupported, not_run
};

// "right", "wrong: stale, duplicate", "refused: MERGE_CARDINALITY_VIOLATION"
std::string summary(const Verdict& verdict);

// Judges the rows that a strategy ended with.
Verdict judge(const Schema& schema, StateKind state, const History& history, const Answer& answer,
              const Rows& actual);
// Judges a failure: a refusal of what must be rejected is right.
Verdict judge(const Answer& answer, Failure failure);

}  // namespace rowgate::harness
