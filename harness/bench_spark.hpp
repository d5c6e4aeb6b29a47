// Benches on a real Spark, with Delta or Iceberg.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "harness/bench_engine.hpp"
#include "harness/spark_target.hpp"

namespace rowgate::harness {

// Settings with which Spark behaves as in a job on a few cores, unlike the target's own, which make
// runs of a few rows fast: adaptive execution, several partitions, the JVM's own compilers and
// collector. Clusters want others: --conf.
std::vector<std::pair<std::string, std::string>> spark_bench_settings();

struct SparkBenchOptions {
  TableFlavour flavour = TableFlavour::plain;
  // Micro-batches come through foreachBatch of a real stream that is started in the timed region.
  bool real_stream = false;
  bool all_in_connect = false;                             // as the target's: needed for Auto CDC
  std::filesystem::path work_parent;                       // as the target's
  std::vector<std::pair<std::string, std::string>> facts;  // settings, for the provenance
};

// Takes the target over. Errors: io (no temporary folder).
Result<std::unique_ptr<BenchEngine>> open_spark_bench(std::unique_ptr<SparkTarget> target,
                                                      SparkBenchOptions options,
                                                      const base::Clock& clock);

}  // namespace rowgate::harness
