// What a user may name on the command line: jars, folders, globs, coordinates, `-` for a list.
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "pomcheck/coordinates.hpp"
#include "pomcheck/effective_pom.hpp"

namespace rowgate::tools {

struct Input {
  std::string text;                                                // as it was given
  std::variant<std::filesystem::path, pomcheck::Coordinate> what;  // a path that exists, or g:a:v

  bool is_path() const { return std::holds_alternative<std::filesystem::path>(what); }
  const std::filesystem::path& path() const { return std::get<std::filesystem::path>(what); }
  const pomcheck::Coordinate& coordinate() const { return std::get<pomcheck::Coordinate>(what); }
};

struct Inputs {
  std::vector<Input> items;
  // What configuration files among the arguments say besides: classes that Spark will load by name
  // (spark.sql.extensions, spark.sql.catalog.*), repositories, and lines that could not be made
  // into a connector.
  std::vector<std::string> entry_classes;
  std::vector<std::string> repositories;
  std::vector<std::string> problems;
  // pom.xml files, whose dependencies may need their parents: add_projects() reads them.
  std::vector<std::filesystem::path> projects;
  // The Spark that a build file names ("3.5.6"), the first one, and that file.
  std::optional<std::string> spark_version;
  std::string spark_version_of;
};

// As read_inputs, and files that name connectors (spark-defaults.conf, pom.xml, build.sbt,
// build.gradle, requirements.txt) and spark-submit command lines are read for them. After it,
// repositories can be opened, and then add_projects() completes the inputs.
// Errors: those of read_inputs, and of pomcheck::read_connector_input.
Result<Inputs> read_connectors(const std::vector<std::string>& arguments,
                               std::istream& standard_input);

// Reads `inputs.projects` by their effective POMs, appending what they name. What a model lacks is
// among the problems. Errors: those of pomcheck::read_project.
Result<void> add_projects(Inputs& inputs, pomcheck::ModelBuilder& builder,
                          const base::RunContext& context);

// Arguments in the order given. `-` reads one argument a line from `standard_input` (`#` starts a
// comment); a glob that the shell left alone is expanded, sorted; a comma-separated list (the
// --packages string of spark-submit) is split. Errors: usage, naming the argument: neither an
// existing path nor a coordinate, a glob that matches nothing, nothing at all.
Result<std::vector<Input>> read_inputs(const std::vector<std::string>& arguments,
                                       std::istream& standard_input);

}  // namespace rowgate::tools
