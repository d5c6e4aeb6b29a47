// The oracle: the right final state, computed from the *set* of events alone, in C++, independent
// of every engine. Arrival order and batch cuts do not enter, but for variants whose documented
// rule makes them matter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/strategy.hpp"

namespace rowgate::harness {

// What is right. Usually one state; conflicting ties (same key, same sequence, other contents) give
// several, each a full state. Or the input must be rejected.
struct Answer {
  enum class Kind : std::uint8_t { states, reject } kind = Kind::states;
  std::vector<Rows> states;  // distinct, sorted; at least one when kind is states
  std::string reason;        // why it must be rejected: "null sequence"
  // More ties than can be told out (the product of choices exceeds kMaxStates): `states` is then
  // incomplete and a state outside it cannot be called wrong.
  bool truncated = false;
};

inline constexpr std::size_t kMaxStates = 4096;

struct OracleVariant {
  std::string_view name;  // "ideal"
  StateKind state;
  std::string_view title;
  std::string_view source;  // where the rule is written down
};

// Sorted by name.
std::span<const OracleVariant> oracle_variants();
const OracleVariant* find_oracle(std::string_view name);  // nullptr when there is none

// Rows have the columns of `state_columns(variant.state, schema)`; keys are normal (`normal_key`).
// Errors: unsupported (a truncate, a partial update or a null under a variant without a rule for
// it).
Result<Answer> right_answer(const OracleVariant& variant, const Schema& schema,
                            const History& history);

// The same for a history that is known to fit its schema (`check_history`).
Result<Answer> right_answer_of_valid(const OracleVariant& variant, const History& history);

}  // namespace rowgate::harness
