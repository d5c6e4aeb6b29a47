// Drift on a Spark target: files that Spark's JSON reader reads, Bronze and Silver as its tables.
#pragma once

#include <memory>

#include "harness/drift.hpp"
#include "harness/spark_target.hpp"

namespace rowgate::harness {

// The target must outlive it. Needs Spark 4.0 (variants carry what is rescued); an older one says
// so by its own error.
std::unique_ptr<DriftEngine> drift_engine(SparkTarget& target);

}  // namespace rowgate::harness
