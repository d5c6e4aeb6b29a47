// Benches on the embedded engine: DuckDB in this process, in memory.
#pragma once

#include <filesystem>
#include <memory>

#include "base/clock.hpp"
#include "harness/bench_engine.hpp"
#include "harness/duckdb_engine.hpp"

namespace rowgate::harness {

// `library` is DuckDB's .so. Errors as DuckDb::load.
Result<std::unique_ptr<BenchEngine>> open_embedded_bench(const std::filesystem::path& library,
                                                         const EngineLimits& limits,
                                                         const base::Clock& clock);

}  // namespace rowgate::harness
