// Maven coordinates: which artifact, and where a repository of the default layout keeps it.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::pomcheck {

// group:artifact:version with an optional classifier and a type ("jar" unless said otherwise).
struct Coordinate {
  std::string group;
  std::string artifact;
  std::string version;
  std::string classifier;
  std::string type = "jar";

  // "g:a:v", "g:a:v:classifier", or Maven's five-part "g:a:type:classifier:v" for other types.
  std::string to_string() const;

  // What Maven's artifact handlers make of type and classifier: a "test-jar" is a .jar with the
  // classifier "tests".
  std::string extension() const;
  std::string file_classifier() const;

  // The file's path in a repository: "io/delta/delta-spark_2.13/4.3.1/delta-spark_2.13-4.3.1.jar".
  std::string path() const;
  // The same for its POM.
  std::string pom_path() const;
  // "io/delta/delta-spark_2.13/maven-metadata.xml"
  std::string metadata_path() const;
  // The metadata of one SNAPSHOT version: "…/1.0-SNAPSHOT/maven-metadata.xml".
  std::string version_metadata_path() const;

  friend auto operator<=>(const Coordinate&, const Coordinate&) = default;
};

// Takes g:a:v, g:a:v:classifier and g:a:type[:classifier]:v as people write them. Every part is
// checked against the characters Maven allows, so that no coordinate can leave a repository's
// folder (".."). Errors: usage, with the part that is wrong.
Result<Coordinate> parse_coordinate(std::string_view text);

// The same check for a coordinate that was put together from a POM's values. A version may hold
// everything that can stand in a file's name, `${revision}` included, because Maven takes it so.
Result<void> check_coordinate(const Coordinate& coordinate);

}  // namespace rowgate::pomcheck
