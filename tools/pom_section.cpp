#include "tools/pom_section.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rowgate::tools {
namespace {

using base::Cell;
using base::Tone;

Cell built_cell(const pomcheck::BuiltAgainst& built) {
  if (built.shims.size() > 1) return {pomcheck::version_text(built), Tone::plain};
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

base::Table built_against_table(std::span<const pomcheck::PomVerdict> verdicts, Compared compared,
                                const std::map<std::string, unsigned>& java) {
  base::Table table;
  table.id = "built-against";
  table.title = "Built against";
  table.columns = {{"connector"}, {"Spark"}, {"evidence"}, {"Scala"}};
  if (!java.empty()) table.columns.push_back({"Java"});
  if (compared == Compared::with_target) table.columns.push_back({"against the target"});
  for (const pomcheck::PomVerdict& verdict : verdicts) {
    const pomcheck::BuiltAgainst& built = verdict.built;
    std::vector<Cell> row = {{verdict.label},
                             built_cell(built),
                             {pomcheck::to_string(built.kind)},
                             {built.scala.empty() ? "unknown" : built.scala,
                              built.scala.empty() ? Tone::unknown : Tone::plain}};
    if (!java.empty()) {
      const auto level = java.find(verdict.label);
      if (level == java.end())
        row.push_back({"not looked at", Tone::muted});
      else if (level->second == 0)
        row.push_back({"no classes", Tone::muted});
      else
        row.push_back({std::to_string(level->second), Tone::plain});
    }
    if (compared == Compared::with_target)
      row.push_back({pomcheck::to_string(verdict.tier), tone_of(verdict.tier)});
    table.rows.push_back(std::move(row));
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
      table.rows.push_back(
          {{verdict.label}, {artifact_text(fact.artifact)}, presence_cell(fact), {fact.note}});
  return table;
}

}  // namespace rowgate::tools
