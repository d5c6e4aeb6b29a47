// A project's own pom.xml, with the parents that lie in folders near it.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "pomcheck/connector_input.hpp"
#include "pomcheck/effective_pom.hpp"

namespace rowgate::pomcheck {

// The connectors among the project's effective dependencies. Parents are taken where Maven takes
// them: from <relativePath> (../pom.xml unless it says otherwise) when that file has the parent's
// coordinate, else from the repositories. What keeps the model from being complete is among the
// problems. Errors: not_found, io, malformed, limit: about the file itself.
Result<ConnectorInput> read_project(ModelBuilder& builder, const std::filesystem::path& file,
                                    const RunContext& context);

}  // namespace rowgate::pomcheck
