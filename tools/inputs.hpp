// What a user may name on the command line: jars, folders, globs, coordinates, `-` for a list.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "pomcheck/coordinates.hpp"

namespace rowgate::tools {

struct Input {
  std::string text;                                                // as it was given
  std::variant<std::filesystem::path, pomcheck::Coordinate> what;  // a path that exists, or g:a:v

  bool is_path() const { return std::holds_alternative<std::filesystem::path>(what); }
  const std::filesystem::path& path() const { return std::get<std::filesystem::path>(what); }
  const pomcheck::Coordinate& coordinate() const { return std::get<pomcheck::Coordinate>(what); }
};

// Arguments in the order given. `-` reads one argument a line from `standard_input` (`#` starts a
// comment); a glob that the shell left alone is expanded, sorted; a comma-separated list (the
// --packages string of spark-submit) is split. Errors: usage, naming the argument: neither an
// existing path nor a coordinate, a glob that matches nothing, nothing at all.
Result<std::vector<Input>> read_inputs(const std::vector<std::string>& arguments,
                                       std::istream& standard_input);

}  // namespace rowgate::tools
