# What merging costs: design, statistics, workload, run, report. Included by harness/CMakeLists.txt.
rowgate_library(bench
  SOURCES bench.cpp bench_design.cpp bench_embedded.cpp bench_json.cpp bench_report.cpp
          bench_stats.cpp bench_values.cpp bench_workload.cpp
  PUBLIC rowgate_harness
  PRIVATE fmt::fmt nlohmann_json::nlohmann_json)

rowgate_library(bench_spark
  SOURCES bench_spark.cpp
  PUBLIC rowgate_bench rowgate_spark
  PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
