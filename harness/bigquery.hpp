// A strategy as a BigQuery job: a script that takes a table's change history into another table.
// It is for the user to run there. Nothing here talks to BigQuery, and no verdict comes from it.
#pragma once

#include <string>

#include "harness/strategy.hpp"

namespace rowgate::harness {

struct BigQueryTables {
  std::string source = "project.dataset.source";  // with change history
  std::string target = "project.dataset.target";
};

// The script, in GoogleSQL:
//   - windows of at most one day, which is all that CHANGES reads at once, each in a transaction
//     with a table that remembers up to where the changes were taken in;
//   - SAFE_CAST of every column to the target's type, so that one bad value does not stop the
//   query;
//   - a guard before the MERGE: a row without key or sequence, or with a value that could not be
//     cast, stops its window before anything of it is merged.
// The sequence is the table's own column, not the time of the change. Errors: unsupported (the
// strategy is no SQL, a key of a floating-point type), usage (a table's name that cannot be
// quoted).
Result<std::string> bigquery_script(const Strategy& strategy, const Schema& schema,
                                    const BigQueryTables& tables);

std::string to_bigquery_type(const Type& type);  // "INT64", "NUMERIC(10,2)", "STRING", …

}  // namespace rowgate::harness
