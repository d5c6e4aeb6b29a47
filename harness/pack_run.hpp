// Runs compact histories on a target, packed into one table by disjoint keys or each alone.
// Internal to prove.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/run_context.hpp"
#include "harness/enumerate.hpp"
#include "harness/runner.hpp"

namespace rowgate::harness {

// Keys a history takes in a packed table.
inline constexpr std::uint64_t kKeysAHistory = kMaxBoundKeys;

// How many histories the narrowest range of the key columns can hold; at least one key column must
// tell all keys apart.
std::uint64_t packing_capacity(const Schema& schema);

// One outcome a history, rows in the history's own keys (as to_history without an offset). An error
// means that nothing could be run.
Result<std::vector<RunOutcome>> run_compact_packed(Target& target, const Strategy& strategy,
                                                   const Schema& schema,
                                                   std::span<const CompactHistory> histories);

// The strategy's failure to run, as an error for the user.
Error as_error(const Strategy& strategy, const Failure& failure);

}  // namespace rowgate::harness
