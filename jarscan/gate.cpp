// The Auto CDC gate of Spark 4.2. A flow with Auto CDC resolves its target's table and goes on only
// if the table object is an instance of SupportsRowLevelOperations; otherwise it stops with
// AUTOCDC_TARGET_DOES_NOT_SUPPORT_MERGE. It does not ask whether the connector can run MERGE in
// another way, and several can: by falling back to data source v1, or by analyzer rules of their
// own that take the MERGE plan over before Spark asks.
#include <fmt/format.h>

#include <algorithm>

#include "jarscan/capabilities.hpp"

namespace rowgate::jarscan {
namespace {

std::string short_name(const std::string& internal_name) {
  return internal_name.substr(internal_name.rfind('/') + 1);
}

// "A, B and 3 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + short_name(names[i]);
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

bool is_v1_source(const JarCapabilities& jar) {
  for (const char* id : {"TableProvider", "DataSourceRegister", "RelationProvider",
                         "CreatableRelationProvider", "StreamSourceProvider", "StreamSinkProvider"})
    if (!jar.use(id).concrete.empty()) return true;
  return false;
}

std::string refusal(const GateVerdict& gate) {
  std::string text =
      "Auto CDC refuses it: it is a data source without a v2 table class, so nothing of it can "
      "implement SupportsRowLevelOperations";
  if (gate.reason == GateReason::v2_without_it)
    text = fmt::format(
        "Auto CDC refuses it: none of its {} table classes ({}) implements "
        "SupportsRowLevelOperations",
        gate.tables.size(), some_of(gate.tables));
  if (!gate.merge_rules.empty())
    text += fmt::format(
        "; it runs MERGE by analyzer rules of its own ({}), which the gate does not "
        "ask for",
        some_of(gate.extensions));
  if (!gate.v1_fallback.empty())
    text += fmt::format("; {} falls back to data source v1", some_of(gate.v1_fallback));
  return text;
}

}  // namespace

const char* to_string(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::passes: return "passes";
    case GateOutcome::refused: return "refused";
    case GateOutcome::undecidable: return "undecidable";
    case GateOutcome::not_applicable: return "not applicable";
  }
  return "unknown";
}

GateVerdict judge_gate(const JarCapabilities& jar,
                       const std::vector<std::string>& undecided_tables) {
  GateVerdict gate;
  gate.tables = jar.use("Table").concrete;
  gate.v1_fallback = jar.use("V2TableWithV1Fallback").concrete;
  gate.extensions = jar.use("SparkSessionExtensions").concrete;
  if (!gate.extensions.empty()) gate.merge_rules = jar.use("MergeIntoTable").naming;
  const std::vector<std::string>& row_level = jar.use("SupportsRowLevelOperations").concrete;
  if (!row_level.empty()) {
    gate.outcome = GateOutcome::passes;
    gate.reason = GateReason::implemented;
    gate.because = row_level;
    gate.sentence = fmt::format(
        "Auto CDC takes it: {} of its {} table classes {} "
        "SupportsRowLevelOperations ({})",
        row_level.size(), gate.tables.size(), row_level.size() == 1 ? "implements" : "implement",
        some_of(row_level));
  } else if (!undecided_tables.empty()) {
    gate.outcome = GateOutcome::undecidable;
    gate.reason = GateReason::missing_types;
    gate.because = undecided_tables;
    gate.sentence = fmt::format(
        "whether Auto CDC takes it cannot be decided: {} missing {} could "
        "implement SupportsRowLevelOperations ({})",
        undecided_tables.size(), undecided_tables.size() == 1 ? "type" : "types",
        some_of(undecided_tables));
  } else if (jar.unread > 0) {
    gate.outcome = GateOutcome::undecidable;
    gate.reason = GateReason::unread_classes;
    gate.sentence = fmt::format(
        "whether Auto CDC takes it cannot be decided: {} of its class files could not be read",
        jar.unread);
  } else if (!gate.tables.empty() || is_v1_source(jar)) {
    gate.outcome = GateOutcome::refused;
    gate.reason = gate.tables.empty() ? GateReason::v1_only : GateReason::v2_without_it;
    gate.sentence = refusal(gate);
  } else {
    gate.sentence = "it is no data source: Auto CDC cannot write to it";
  }
  return gate;
}

}  // namespace rowgate::jarscan
