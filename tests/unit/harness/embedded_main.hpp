// The DuckDB library that the tests run on.
#pragma once

#include <string>

const std::string& duckdb_library();
