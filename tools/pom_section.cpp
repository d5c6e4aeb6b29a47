#include "tools/pom_section.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rowgate::tools {
namespace {

using base::Cell;
using base::Tone;

Cell built_cell(const pomcheck::BuiltAgainst& built) {
  if (built.version) return {built.version->text, Tone::plain};
  if (built.line) return {built.line->to_string() + ".x", Tone::plain};
  return {"unknown", Tone::unknown};
}

Cell presence_cell(const pomcheck::SiblingFact& fact) {
  switch (fact.presence) {
    case pomcheck::Presence::present:
      return {"in " + base::join(fact.repositories, ", "), Tone::good};
    case pomcheck::Presence::absent:
      return {"not in " + base::join(fact.repositories, ", "), Tone::bad};
    case pomcheck::Presence::undecided: return {"cannot tell", Tone::unknown};
  }
  return {"cannot tell", Tone::unknown};
}

std::string artifact_text(const pomcheck::Coordinate& artifact) {
  return artifact.version.empty() ? artifact.group + ":" + artifact.artifact : artifact.to_string();
}

}  // namespace

Tone tone_of(pomcheck::Tier tier) {
  switch (tier) {
    case pomcheck::Tier::same_patch: return Tone::good;
    case pomcheck::Tier::same_minor: return Tone::good;
    case pomcheck::Tier::other_minor: return Tone::bad;
    case pomcheck::Tier::other_vendor: return Tone::caution;
    case pomcheck::Tier::unknown: return Tone::unknown;
  }
  return Tone::unknown;
}

std::string describe(const pomcheck::SiblingFact& fact) {
  return fmt::format("{}: {}", artifact_text(fact.artifact), presence_cell(fact).text);
}

base::Table built_against_table(std::span<const pomcheck::PomVerdict> verdicts) {
  base::Table table;
  table.id = "built-against";
  table.title = "Built against";
  table.columns = {{"connector"}, {"Spark"}, {"evidence"}, {"Scala"}, {"against the target"}};
  for (const pomcheck::PomVerdict& verdict : verdicts) {
    const pomcheck::BuiltAgainst& built = verdict.built;
    table.rows.push_back({{verdict.connector.to_string()},
                          built_cell(built),
                          {pomcheck::to_string(built.kind)},
                          {built.scala.empty() ? "unknown" : built.scala,
                           built.scala.empty() ? Tone::unknown : Tone::plain},
                          {pomcheck::to_string(verdict.tier), tone_of(verdict.tier)}});
  }
  return table;
}

base::Table sibling_table(std::span<const pomcheck::PomVerdict> verdicts,
                          const pomcheck::SparkVersion& target) {
  base::Table table;
  table.id = "builds-for-target";
  table.title = fmt::format("Builds for Spark {}", target.line.to_string());
  table.columns = {{"connector"}, {"artifact"}, {"in the repositories"}, {"note"}};
  for (const pomcheck::PomVerdict& verdict : verdicts)
    for (const pomcheck::SiblingFact& fact : verdict.siblings)
      table.rows.push_back({{verdict.connector.to_string()},
                            {artifact_text(fact.artifact)},
                            presence_cell(fact),
                            {fact.note}});
  return table;
}

}  // namespace rowgate::tools
