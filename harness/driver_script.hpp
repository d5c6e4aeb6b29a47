// The Python side of a Spark target, built into the program (see drivers/spark_driver.py).
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::harness {

std::string_view spark_driver_text();

// Writes the driver below `cache` under a name that holds its digest, unless it is already there
// unchanged. Errors: io.
Result<std::filesystem::path> install_spark_driver(const std::filesystem::path& cache);

}  // namespace rowgate::harness
