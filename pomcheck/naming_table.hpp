// The naming schemes of known connectors, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pomcheck/coordinates.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::pomcheck {

// Where a scheme says which Spark line a build is for.
enum class LineIn : std::uint8_t {
  artifact,       // in the artifact's name
  version,        // in the version's text, around the connector's own
  pom,            // nowhere: the line moves with the version and only the POM tells
  spark_version,  // the artifact is Spark's own and has Spark's version
};

// Templates hold {spark} (4.1), {scala} (2.13) and, in versions, {own} (any version without them).
struct NamingScheme {
  std::string_view family;  // "delta": what `advise` calls the connector
  std::string_view group;
  std::string_view artifact;  // "delta-spark_{spark}_{scala}"
  std::string_view version;   // "{own}", "{own}-spark_{spark}"
  LineIn line_in;
  bool listed;  // shown when `advise` is asked for the whole table
};

struct Family {
  std::string_view id;
  std::string_view title;
};

std::span<const Family> connector_families();
// All schemes, the preferred ones of a family first.
std::span<const NamingScheme> naming_schemes();

const Family* find_family(std::string_view id);
// The scheme that `coordinate`'s group and artifact fit; nullptr when the connector is not known.
const NamingScheme* find_scheme(const Coordinate& coordinate);

// Fills a template; `scala` is "2.13".
std::string fill_template(std::string_view text, SparkMinor line, std::string_view scala);

}  // namespace rowgate::pomcheck
