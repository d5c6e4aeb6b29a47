// Repositories on this machine's disk, read and never written: what Maven, Ivy (spark-submit
// --packages) and coursier left behind, and folders or file:// URLs laid out like a remote one.
//
// Each answers through `Repository`. A file that is not there is not_found; a file that cannot be
// read is an error. FetchedFile::path is the file itself, not a copy.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "pomcheck/repository.hpp"

namespace rowgate::pomcheck {

enum class LocalLayout : std::uint8_t {
  // A remote repository's layout on disk (file:// URLs, mirrors, tests). Checksum files beside an
  // artifact are checked; a mismatch is an error.
  maven,
  // ~/.m2/repository: the same paths. It never answers for maven-metadata.xml: what Maven keeps
  // there is one repository's copy of some earlier day.
  maven_local,
  // ~/.ivy2*/cache: organisation/module/jars/module-revision.jar; POMs are
  // ivy-revision.xml.original.
  ivy_cache,
  // ~/.ivy2*/jars, which spark-submit --packages fills: organisation_module-revision.jar. No POMs.
  ivy_jars,
  // ~/.cache/coursier/v1: scheme/host/path/of/the/repository/…
  coursier,
};

struct LocalFolder {
  std::filesystem::path folder;
  LocalLayout layout = LocalLayout::maven_local;
  std::string id;  // shown to people; empty: the folder's path
};

// A folder that does not exist answers not_found to everything.
std::unique_ptr<Repository> open_local_repository(LocalFolder folder);

}  // namespace rowgate::pomcheck
