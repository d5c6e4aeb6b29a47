// Connectors that a lock file fixes: what `rowgate lock` writes and `rowgate audit --locked` holds
// its inputs to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/config.hpp"
#include "reports/lock_file.hpp"
#include "tools/acquire.hpp"
#include "tools/inputs.hpp"

namespace rowgate::tools {

// What rowgate.toml names as connectors, as arguments that hold from the working directory: paths
// and globs start from the file's folder.
std::vector<std::string> configured_connectors(const reports::Config& config);
// Its repositories: folders start from the file's folder too.
std::vector<std::string> configured_repositories(const reports::Config& config);
// The same for one text of the file: a path or glob from its folder, else as it is.
std::string from_config_folder(const reports::Config& config, const std::string& text);

// `explicit_file`, else rowgate.lock beside the configuration file, else in the working directory.
std::filesystem::path lock_path(const std::string& explicit_file, const reports::Config& config);

// reports::read_lock; what is wrong with the file is a usage error.
Result<reports::LockFile> load_lock(const std::filesystem::path& file);

// Folders become the jars in them: a lock holds files. Errors: those of base::list_files.
Result<std::vector<Input>> without_folders(std::vector<Input> inputs);

// The checksums of what was acquired, in order. Paths become relative to the lock's folder. Errors:
// not_found and the like for a connector or POM that cannot be had, io.
Result<std::vector<reports::LockEntry>> lock_entries(const std::vector<AcquiredInput>& acquired,
                                                     pomcheck::Repository* repository,
                                                     const std::filesystem::path& lock,
                                                     const base::RunContext& context);

// All inputs that the lock holds.
Result<std::vector<Input>> locked_inputs(const reports::LockFile& lock);

enum class LockScope { part, whole };

// Whether the lock holds every input, and with `whole` nothing else. Errors: usage, naming what it
// lacks, or has too many.
Result<void> check_scope(const std::vector<Input>& inputs, const reports::LockFile& lock,
                         LockScope scope);

// Whether what was acquired is what was locked; what could not be had is not looked at. Errors:
// checksum, naming the artifact, the lock's line and both checksums.
Result<void> check_contents(const std::vector<AcquiredInput>& acquired,
                            pomcheck::Repository* repository, const reports::LockFile& lock,
                            const base::RunContext& context);

}  // namespace rowgate::tools
