// Which keys made a MERGE fail because several source rows match one target row. Spark, Delta and
// Iceberg refuse such a MERGE without naming a key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/history.hpp"
#include "harness/spark_spec.hpp"

namespace rowgate::harness {

// A query, in Spark's SQL, for the keys (the schema's key columns) of the target rows that more
// than one source row matches. nullopt when the statement is no MERGE that can be refused for that.
std::optional<std::string> cardinality_query(std::string_view statement, const Schema& schema,
                                             TableFlavour flavour);

}  // namespace rowgate::harness
