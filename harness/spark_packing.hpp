// Many scenarios in one table: starting a table and committing to it costs seconds on a real
// engine, rows cost nothing. Scenarios of one schema are run together under a scenario number that
// becomes the first key column, batch by batch, so that each still sees its own events in its own
// order.
//
// Sound only for strategies whose effect is per key (Reach::per_key); others are run one by one.
#pragma once

#include <span>
#include <vector>

#include "base/run_context.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

// The first key column of a packed table.
inline constexpr const char* kScenarioColumn = "rowgate_scenario";

// The schema with the scenario's number before its keys.
Schema packed_schema(const Schema& schema);

// The final rows of each history, or why there are none, in the order of `histories`. A batch that
// is refused is applied again without the scenarios that caused it: those the failure names, or
// those found by halving the batch. Where a refusal may have left a part of a batch behind (a
// strategy of several statements), all scenarios are run one by one instead. When the driver dies
// the whole run is repeated once. Precondition: the histories fit the schema.
std::vector<Attempt<Rows>> run_packed(Target& target, const Strategy& strategy,
                                      const Schema& schema, std::span<const History> histories,
                                      const RunContext& context);

}  // namespace rowgate::harness
