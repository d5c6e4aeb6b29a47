// What is noteworthy about a class path as such. Internal to link.
#pragma once

#include <string>
#include <vector>

#include "jarscan/link.hpp"

namespace rowgate::jarscan {

// Shadowed classes, classes that several connectors have, class files that the target's Java cannot
// load, classes that could not be read, and what was taken for granted. Subjects are jars.
std::vector<base::Finding> class_path_findings(const LinkUnit& unit, const Judgement& judgement,
                                               const LinkOptions& options,
                                               const std::string& target_label);

// Whether two jars hold classes of one name and different contents, so that it matters which of
// them stands first.
bool has_conflicting_classes(const ClassIndex& index);

}  // namespace rowgate::jarscan
