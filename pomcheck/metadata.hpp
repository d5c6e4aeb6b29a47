// maven-metadata.xml: which versions a repository has, and what a SNAPSHOT's newest file is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "pomcheck/coordinates.hpp"

namespace rowgate::pomcheck {

class RepositorySet;

struct SnapshotFile {
  std::string classifier;
  std::string extension;
  std::string value;  // "1.0-20260714.010203-7"
};

struct Metadata {
  std::vector<std::string> versions;  // in the file's order, which is that of publication
  std::string latest;                 // empty when the file names none
  std::string release;                // may be a preview: Maven does not look at its name
  std::string last_updated;           // "20260714010203"
  std::string snapshot_timestamp;     // of a version's own metadata
  std::string snapshot_build;
  std::vector<SnapshotFile> snapshot_files;
};

// Errors: malformed with the offset, limit.
Result<Metadata> parse_metadata(std::string_view xml, const std::string& name);

// What all repositories together say. Versions are joined without repeats; latest and release come
// from the newest answer, as in Maven.
struct MergedMetadata {
  Metadata metadata;
  std::vector<std::string> answered;  // repositories that have the artifact's metadata
  std::vector<std::string> absent;    // repositories that say they have none
  std::vector<Error> undecided;       // what could not be asked; then `metadata` may lack versions
};
MergedMetadata fetch_metadata(RepositorySet& repositories, const std::string& path,
                              const RunContext& context);

// Where an artifact's file is now: for a SNAPSHOT the newest timestamped name that the
// repositories' metadata gives, otherwise (and for snapshots that were only installed locally)
// Coordinate::path().
std::string newest_file_path(RepositorySet& repositories, const Coordinate& artifact,
                             const RunContext& context);

}  // namespace rowgate::pomcheck
