// --merge, --foreach-batch and what says how a user's own table looks: for prove and bench.
#pragma once

#include <filesystem>
#include <string>

#include "harness/user_sql.hpp"
#include "tools/session.hpp"

namespace CLI {
class App;
}

namespace rowgate::tools {

// Adds --foreach-batch, --into, --table, --keys, --sequence, --delete, --upsert-text, --read and
// --source; --merge is the command's own, since some take several.
void add_user_merge_options(CLI::App& app, harness::UserMerge& merge);

// The MERGE in a file, or (with an empty file) the function that `merge` names; called like the
// file or the function. Errors: those of reading and of harness::user_strategy.
Result<harness::UserStrategy> read_user_merge(harness::UserMerge merge,
                                              const std::filesystem::path& file);

}  // namespace rowgate::tools
