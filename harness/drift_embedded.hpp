// Drift on the embedded engine: DuckDB's own JSON functions read the records.
#pragma once

#include <memory>

#include "harness/drift.hpp"
#include "harness/embedded_target.hpp"

namespace rowgate::harness {

// The target must outlive it; `clock` gives ingest_time.
std::unique_ptr<DriftEngine> drift_engine(EmbeddedTarget& target, const base::Clock& clock);

}  // namespace rowgate::harness
