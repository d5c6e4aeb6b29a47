// What a connector's name says about Spark and Scala, and how a name for another Spark is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pomcheck/coordinates.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::pomcheck {

enum class NameRule : std::uint8_t {
  none,
  artifact,              // "iceberg-spark-runtime-4.1_2.13"
  artifact_major,        // "iceberg-spark3-runtime": a major line only
  version_suffix,        // "2.10.0-spark_3.2"
  version_suffix_major,  // "5.0.3_for_spark_3"
  version_prefix,        // "3.3.1_0.18.7"
  own_version,           // org.apache.spark's own artifacts
};

const char* to_string(NameRule rule);  // "artifactId", "version-suffix", …

struct NameFacts {
  NameRule rule = NameRule::none;
  std::optional<SparkMinor> line;
  std::optional<unsigned> major;  // set whenever a line is, and alone for the *_major rules
  std::string scala;              // "2.13", or empty

  std::string line_text() const;  // "4.1", "3.x", or empty
};

// Not every number is a Spark line: "_2.13" is Scala's, "kafka-0-10" is Kafka's, and
// "elasticsearch-spark-30" is a label of its own that says nothing.
NameFacts read_name(const Coordinate& coordinate);

// The Scala binary version at the end of an artifact's name ("_2.13"), or empty.
std::string scala_of_artifact(std::string_view artifact);

// The Scala binary versions that a Spark line is published for, the usual one first.
std::vector<std::string> scala_of_spark(SparkMinor line);

// Artifacts of the same connector that would be for `line`, in the order in which to look: the same
// name with the line exchanged, then what the naming table knows of the connector's family. Scala
// stays what it was where the line has it. Versions are not filled in. `coordinate` itself may be
// among them (its line moves with its version).
std::vector<Coordinate> sibling_artifacts(const Coordinate& coordinate, SparkMinor line);

}  // namespace rowgate::pomcheck
