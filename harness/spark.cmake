# Real Spark, driven through a child process. Included by harness/CMakeLists.txt.
rowgate_library(process
  SOURCES child_process.cpp
  PUBLIC rowgate_base
  PRIVATE fmt::fmt Boost::boost)
