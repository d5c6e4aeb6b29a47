// The rules that tell a real break from noise, each a question about one use. Internal to link.
#pragma once

#include <functional>
#include <string_view>

#include "jarscan/link.hpp"

namespace rowgate::jarscan {

struct RuleContext {
  const LinkUnit* unit = nullptr;
  ClassWorld* world = nullptr;
  const Reachability* reach = nullptr;
  std::string_view target;  // label
  bool has_shims = false;   // classes of the unit name two Spark versions or more
  // Whether any Spark that is known has the package, in internal form.
  std::function<bool(std::string_view)> known_package;
  const LinkTarget* spark = nullptr;     // the target
  const LinkTarget* baseline = nullptr;  // nullptr: none
  std::vector<std::string> artifacts;    // of the target's jars, as artifact_of; ascending
};

// The rules that apply to a break, but for on_baseline; bits 1 << LinkRule.
std::uint16_t rules_for(const LinkBreak& broken, const RuleContext& context);

// Whether the break follows from a type that nobody gave: its answer is unknown.
bool is_undecidable(const LinkBreak& broken, const RuleContext& context);

// What the answer depends on when the target's class path is known to have holes: the artifact that
// holds the missing class on the baseline and has no jar on the target. Empty: the break is none of
// the holes' doing.
std::string missing_artifact(const LinkBreak& broken, const RuleContext& context);

// "hive-metastore" of "hive-metastore-2.3.10.jar": up to the hyphen before the version.
std::string artifact_of(std::string_view jar_file_name);

// A Spark version in a class's name, "3.5" for .../spark35/Shim and SparkShim35; empty: none.
std::string version_token(std::string_view class_name);

}  // namespace rowgate::jarscan
