// Runs histories on a target: one table for each, or many in one table ("packed").
//
// Packing: a leading key column `_scenario` keeps the histories apart, and batch i of all of them
// is one micro-batch. A strategy whose effect is per key cannot tell the difference. When the
// engine refuses a packed batch and the offending keys are known, their histories are refused and
// the rest goes on; when they are not known, each history is run alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

inline constexpr std::string_view kScenarioColumn = "_scenario";

// What a history ended with: the rows readers see, or why there are none. A failure's evidence says
// at which batch it happened.
using RunOutcome = Attempt<Rows>;

RunOutcome run_alone(Target& target, const Strategy& strategy, const Schema& schema,
                     const History& history);

struct PackedOutcomes {
  std::vector<RunOutcome> outcomes;  // one a history, in order
  std::size_t ran_alone = 0;         // histories that had to leave the pack
};

// All histories have the same schema. Runs them one by one when the strategy reaches over keys, and
// histories for which `alone` says so. A stop (ctx) leaves the rest as not_run.
PackedOutcomes run_packed(Target& target, const Strategy& strategy, const Schema& schema,
                          std::span<const History* const> histories, const std::vector<bool>& alone,
                          const RunContext& ctx);

}  // namespace rowgate::harness
