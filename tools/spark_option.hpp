// --spark: the target, a version or the cluster's own jars.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::tools {

// A Spark as the user names it. A folder of jars says its version by its spark-core jar's name.
struct SparkTarget {
  std::string text;                               // as it was given
  std::optional<pomcheck::SparkVersion> version;  // absent: a folder that does not say it
  std::optional<std::filesystem::path> jars;      // the folder that holds its jars

  std::string to_string() const;  // "Spark 4.2.0", "Spark 4.2.0 (DIR)"
};

// `text` is a version, or a folder: SPARK_HOME, or the jars folder itself.
// Errors: usage (neither; a folder without Spark's jars).
Result<SparkTarget> parse_spark_target(const std::string& text);

}  // namespace rowgate::tools
