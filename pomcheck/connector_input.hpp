// What people have at hand, turned into connectors: coordinates, --packages strings, spark-submit
// command lines, spark-defaults.conf, build files, requirements files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pomcheck/coordinates.hpp"
#include "pomcheck/effective_pom.hpp"
#include "pomcheck/pom.hpp"

namespace rowgate::pomcheck {

// Where something is written: "spark-defaults.conf:3". Arguments have a name and no line.
struct InputPlace {
  std::string file;
  std::uint32_t line = 0;  // 1-based; 0: unknown
  std::string to_string() const;
};

struct InputConnector {
  Coordinate coordinate;
  InputPlace place;
};

struct InputJar {
  std::string path;  // as written: a path, a glob or a URL
  InputPlace place;
};

// spark.sql.catalog.NAME and its options.
struct InputCatalog {
  std::string implementation;  // empty when only options are set
  std::map<std::string, std::string> options;
  InputPlace place;
};

// Something that names a connector and could not be made into one. Never dropped in silence.
struct InputProblem {
  InputPlace place;
  std::string message;
};

struct ConnectorInput {
  std::vector<InputConnector> connectors;  // in order; exact repeats are left out
  std::vector<InputJar> jars;
  std::vector<std::string> repositories;     // credentials in URLs are kept: do not print them
  std::vector<Exclusion> excluded_packages;  // --exclude-packages
  std::vector<std::string> extensions;       // spark.sql.extensions, class names
  std::map<std::string, InputCatalog> catalogs;
  std::optional<std::string> spark_version;  // pyspark==…, or the build's spark-sql
  std::vector<InputProblem> problems;
  std::size_t other_dependencies = 0;  // of a build file: not about Spark, not looked at
};

enum class InputKind : std::uint8_t {
  packages,        // "g:a:v,g:a:v"
  spark_submit,    // a pasted command line, with quotes and line continuations
  spark_defaults,  // spark-defaults.conf, a --properties-file
  maven,           // pom.xml; only plain values, use connectors_of() for the effective ones
  sbt,             // build.sbt, *.sbt, Dependencies.scala
  gradle,          // build.gradle, build.gradle.kts
  requirements,    // requirements.txt
};

// By a file's name, or nothing.
std::optional<InputKind> kind_of_file(std::string_view file_name);
// By an argument's own text: spark-submit's options in it, or coordinates.
InputKind kind_of_argument(std::string_view text);

// Larger inputs are refused.
inline constexpr std::size_t kMaxInputBytes = 4u << 20;

// `name` is what places call the input. Errors: malformed for packages and for XML, with the place;
// limit. In the other kinds a line that cannot be understood is a problem, and the rest is read.
Result<ConnectorInput> read_connector_input(std::string_view text, InputKind kind,
                                            const std::string& name);

// The connectors among a project's effective dependencies.
ConnectorInput connectors_of(const EffectivePom& pom, const std::string& name);

// Whether a dependency is a connector to Spark rather than Spark itself or any other library: the
// naming table knows it, or its name says spark.
bool is_connector(const Coordinate& coordinate);

}  // namespace rowgate::pomcheck
