// Runs the tests that need DuckDB's library, or skips them and says why.
#define DOCTEST_CONFIG_IMPLEMENT
#include "embedded_main.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace {
std::string library_path;
}

const std::string& duckdb_library() {
  return library_path;
}

int main(int argc, char** argv) {
  const char* path = std::getenv("ROWGATE_TEST_DUCKDB");
  if (path == nullptr || *path == '\0') {
    std::puts("skipped: ROWGATE_TEST_DUCKDB does not name DuckDB's library");
    return 77;
  }
  library_path = path;
  doctest::Context context(argc, argv);
  return context.run();
}
