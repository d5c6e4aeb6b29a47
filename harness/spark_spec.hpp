// `spark:<version>[/<connector>…]`: which Spark, with which connectors, as users write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace rowgate::harness {

// How a table is made and found.
enum class TableFlavour : std::uint8_t {
  plain,         // spark_catalog, parquet: no row-level operations
  delta,         // spark_catalog is Delta's catalog
  iceberg,       // a Hadoop catalog of Iceberg's in the work folder
  test_catalog,  // Spark's own in-memory catalog with row-level operations, from its tests jar
};
const char* to_string(TableFlavour flavour);  // "plain", "delta", "iceberg", "test-catalog"

struct SparkSpec {
  std::string text;     // as it was given
  std::string version;  // "4.1.3"
  TableFlavour flavour = TableFlavour::plain;
  // Maven coordinates to resolve, g:a:v or g:a:extension:classifier:v. Their jars, and those of
  // their run-time dependencies that Spark does not have, go into the session.
  std::vector<std::string> coordinates;
  std::string engine;  // "Spark 4.1.3 + Delta Lake 4.4.0"
};

// Connectors are coordinates g:a:v, or short names for the build for this Spark:
//   delta:V      io.delta:delta-spark_<minor>_2.13:V
//   iceberg:V    org.apache.iceberg:iceberg-spark-runtime-<minor>_2.13:V
//   test-catalog[:V]   org.apache.spark:spark-catalyst_2.13:jar:tests:V, V being this Spark unless
//   given
// Errors: usage, with what is wrong.
Result<SparkSpec> parse_spark_spec(std::string_view text);

}  // namespace rowgate::harness
