// Where a finding is, in the words of code hosts: a file of the repository, or not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/finding.hpp"

namespace rowgate::reports {

struct Place {
  std::string file;    // the file on disk; for `a.jar!/p/C.class` the jar; empty for a coordinate
  std::string inside;  // what follows `!/`
};

Place place_of(const base::Location& location);

// `file` as a path below `root` with forward slashes, or nothing when it is elsewhere. Neither is
// looked up on disk; an empty root is the folder that relative paths start from.
std::optional<std::string> relative_to(std::string_view root, std::string_view file);

// Bytes that RFC 3986 does not let stand in a path, percent-encoded.
std::string uri_path(std::string_view path);

}  // namespace rowgate::reports
