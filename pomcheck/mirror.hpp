// Which mirror of settings.xml stands in for a repository.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "pomcheck/http_url.hpp"
#include "pomcheck/settings.hpp"

namespace rowgate::pomcheck {

// Maven's mirrorOf: "*", "external:*", "external:http:*", ids, "!id", separated by commas and, as
// in Maven, without trimming.
bool mirror_matches(std::string_view mirror_of, std::string_view id, const Url& url);

// A mirror whose mirrorOf is the repository's id itself goes before patterns; then order decides.
// nullptr when there is none.
const SettingsMirror* find_mirror(const std::vector<SettingsMirror>& mirrors, std::string_view id,
                                  const Url& url);

}  // namespace rowgate::pomcheck
