// What a jar says about itself without its classes being read: its coordinate, and the Sparks that
// it was made for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pomcheck/coordinates.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::pomcheck {

// A file below META-INF/maven.
struct EmbeddedFile {
  std::string path;  // "META-INF/maven/g/a/pom.properties"
  std::string text;
};

// The parts of a jar that are looked at. Views live as long as the caller keeps the jar.
struct JarContent {
  std::string file_name;            // "delta-spark_2.13-4.3.1.jar", without folders
  std::string_view manifest;        // the manifest's text; empty when there is none
  std::vector<EmbeddedFile> maven;  // every pom.properties and pom.xml below META-INF/maven
  std::vector<std::string_view> entries;
};

struct JarIdentity {
  // What is known of the coordinate: all of it, or (without a group) artifact and version by the
  // file's name, or nothing. A shaded jar holds the pom.properties of what was shaded into it: one
  // of several counts only when the file is named by it.
  Coordinate coordinate;
  bool complete() const { return !coordinate.group.empty(); }
  // The coordinate's own pom.xml, when the jar has it.
  std::string pom;

  // Folders at the jar's root for one Spark release each ("spark411/"): what the jar was compiled
  // for, more certain than any POM.
  std::vector<SparkVersion> shims;
  // Weaker: a manifest attribute ("Spark-Version"), packages with a line's name ("spark35",
  // "spark_3_5"). Counted when neither POM nor name says anything.
  std::vector<SparkVersion> hints;
  std::vector<std::string> evidence;  // one line each
};

// Never fails: what cannot be read says nothing.
JarIdentity identify_jar(const JarContent& jar);

}  // namespace rowgate::pomcheck
