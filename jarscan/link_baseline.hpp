// What breaks on a baseline, kept in the cache folder, so that a connector is judged there once.
// Internal to link.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>

#include "jarscan/link.hpp"

namespace rowgate::jarscan {

// User, symbol and whether it is about an implementation: what must agree for two breaks to be the
// same one on two Sparks.
std::string break_identity(const LinkUnit& unit, const LinkBreak& broken);

using BreakIdentities = std::unordered_set<std::string>;

// The file for this request's unit, baseline and options; nullopt when something of it has no hash
// of its contents, or there is no folder.
std::optional<std::filesystem::path> baseline_file(const LinkRequest& request);

// nullopt: no such file, or a damaged one.
std::optional<BreakIdentities> read_baseline(const std::filesystem::path& file);

// Errors: io.
Result<void> write_baseline(const std::filesystem::path& file, const BreakIdentities& identities);

}  // namespace rowgate::jarscan
