// A repository that is configured but cannot be asked.
#pragma once

#include <memory>
#include <string>

#include "pomcheck/repository.hpp"

namespace rowgate::pomcheck {

// Answers `error`, with the path as its subject, to everything: it cannot be told.
std::unique_ptr<Repository> unavailable_repository(std::string id, Error error);

}  // namespace rowgate::pomcheck
