// Inputs as files: jars and folders as they are, coordinates fetched into the cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "pomcheck/repository_set.hpp"
#include "tools/inputs.hpp"

namespace rowgate::tools {

struct AcquiredInput {
  Input input;
  // The jar or folder; nothing when it could not be had, and then `finding` says why.
  std::optional<std::filesystem::path> path;
  // What reports call it: the coordinate, or the path as it was given.
  std::string label() const {
    return input.is_path() ? input.text : input.coordinate().to_string();
  }
  std::string origin;  // the repository's id and how its checksum was verified; empty for files
  std::optional<base::Finding> finding;
};

// One result an input, in order; coordinates are fetched in parallel. What one input lacks is a
// finding (RG2001, RG2002, …) of that input, the others go on.
std::vector<AcquiredInput> acquire(
    const std::vector<Input>& inputs,
    pomcheck::Repository* repository,  // null: no coordinate is among them
    const base::RunContext& context);

// The finding for a failed fetch: RG2001 when the repositories have no such file, RG2002 when that
// cannot be told.
base::Finding fetch_finding(const Error& error, const std::string& subject);

}  // namespace rowgate::tools
