// What the driver (drivers/spark_driver.py) is asked for when a strategy takes in micro-batches:
// the fields that replays and benches share; and what Auto CDC's tables look like.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/spark_spec.hpp"
#include "harness/strategy.hpp"

namespace rowgate::harness {

bool is_auto_cdc(const Strategy& strategy);
bool has_auto_cdc(const SparkSpec& spec);  // it came with Spark 4.2

// For strategies that are statements, DataFrame calls or a function of the user's: they see the
// micro-batch as the view `view`.
nlohmann::json merge_request(const Strategy& strategy, const Schema& schema,
                             const std::vector<std::string>& statements, const std::string& view);

// What an Auto CDC flow does.
nlohmann::json auto_cdc_flow(const Schema& schema, StateKind state, TableFlavour flavour,
                             const std::string& table);
// The query for the rows that the flow's table holds: `state_columns`.
std::string auto_cdc_read(const Schema& schema, StateKind state, const std::string& table);
// The flow's own table of tombstones, beside its target.
std::string auto_cdc_tombstones(const std::string& table);

}  // namespace rowgate::harness
