// Engines that replay and prove run on, made ready from what a Maven repository serves.
#pragma once

#include <filesystem>
#include <memory>

#include "harness/embedded_target.hpp"
#include "tools/repositories.hpp"
#include "tools/session.hpp"

namespace rowgate::tools {

// The embedded engine's library: `explicit_library` when it is not empty, else the library in the
// artifact harness::kDuckDbCoordinate, fetched through the repositories once and extracted into the
// cache. Errors: those of the repositories and of the jar, io.
Result<std::filesystem::path> embedded_library(const Session& session,
                                               const RepositoryOptions& options,
                                               const std::filesystem::path& explicit_library);

// Errors: as above, and those of harness::EmbeddedTarget::open_library.
Result<std::unique_ptr<harness::EmbeddedTarget>> open_embedded(
    const Session& session, const RepositoryOptions& options,
    const std::filesystem::path& explicit_library);

}  // namespace rowgate::tools
