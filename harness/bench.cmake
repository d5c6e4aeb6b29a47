# What merging costs: design, statistics, workload, run, report. Included by harness/CMakeLists.txt.
rowgate_library(bench
  SOURCES bench_design.cpp bench_stats.cpp
  PUBLIC rowgate_harness
  PRIVATE fmt::fmt)
