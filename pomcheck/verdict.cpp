// From evidence to findings: check_poms() of compatibility.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "pomcheck/compatibility.hpp"
#include "pomcheck/generic_version.hpp"

namespace rowgate::pomcheck {
namespace {

// A sibling's POM is read for at most this many of its newest versions: an artifact whose line
// moves with its version is for one line over a run of versions.
constexpr std::size_t kVersionsRead = 6;

base::Location location_of(const Origin& origin) {
  base::Location location;
  if (origin.pom != nullptr && origin.line != 0) {
    location.file = *origin.pom;
    location.line = origin.line;
  }
  return location;
}

std::string version_text(const BuiltAgainst& built) {
  if (built.version) return built.version->text;
  return built.line ? built.line->to_string() : std::string("unknown");
}

class Findings {
 public:
  Findings(PomVerdict& verdict, const SparkVersion& target) : verdict_(verdict), target_(target) {}

  void about_pom() {
    const BuiltAgainst& built = verdict_.built;
    if (!built.failure) return;
    switch (built.state) {
      case PomState::complete: return;
      case PomState::absent: add("RG2001", built.failure->to_string()); return;
      case PomState::undecided: add("RG2002", built.failure->to_string()); return;
      case PomState::unresolvable_parent: add("RG2108", built.failure->to_string()); return;
      case PomState::invalid_model:
      case PomState::malformed: add("RG2109", built.failure->to_string()); return;
    }
  }

  void about_tier() {
    const BuiltAgainst& built = verdict_.built;
    switch (verdict_.tier) {
      case Tier::same_patch: return;
      case Tier::same_minor:
        if (built.version)
          add("RG2102", fmt::format("built against Spark {}, the target is {}", built.version->text,
                                    target_.text));
        return;
      case Tier::other_minor:
        add("RG2101", fmt::format("built against Spark {} ({}), the target is {}",
                                  version_text(built), to_string(built.kind), target_.text));
        return;
      case Tier::other_vendor:
        add("RG2110", fmt::format("built against Spark {}, the target is {}: a vendor's build is "
                                  "another Spark",
                                  version_text(built), target_.text));
        return;
      case Tier::unknown:
        if (built.state == PomState::complete)
          add("RG2103", "neither the POM nor the name says which Spark it was built against");
        return;
    }
  }

  void about_contradictions() {
    const BuiltAgainst& built = verdict_.built;
    const NameFacts& name = built.name;
    const std::optional<SparkMinor> pom = built.pom_line ? built.pom_line : built.weak_line;
    if (pom && name.major && (name.line ? *name.line != *pom : *name.major != pom->major)) {
      base::Finding& finding = add(
          "RG2106", fmt::format("the name says Spark {}, the POM's {} says {}; the {} counts",
                                name.line_text(), built.pom_line ? "dependency" : "weak evidence",
                                pom->to_string(), built.pom_line ? "dependency" : "name"));
      if (!built.pom_line) finding.severity = base::Severity::note;
    }
    if (!built.pom_scala.empty() && !name.scala.empty() && built.pom_scala != name.scala) {
      base::Finding& finding =
          add("RG2111", fmt::format("the name says Scala {}, the POM's Spark artifacts are for {}",
                                    name.scala, built.pom_scala));
      if (!built.pom_line) finding.severity = base::Severity::note;
    }
  }

  void about_scala() {
    const std::vector<std::string> supported = scala_of_spark(target_.line);
    const std::string& scala = verdict_.built.scala;
    if (scala.empty() || std::find(supported.begin(), supported.end(), scala) != supported.end())
      return;
    add("RG2107", fmt::format("built for Scala {}; Spark {} is published for Scala {}", scala,
                              target_.line.to_string(), base::join(supported, " and ")));
  }

  void about_scopes() {
    for (const SparkDependency& spark : verdict_.built.dependencies) {
      const PomDependency& d = spark.dependency;
      const bool drags =
          (d.scope.text == "compile" || d.scope.text == "runtime") && !d.is_optional();
      if (!drags || verdict_.connector.group == "org.apache.spark") continue;
      base::Finding& finding = add("RG2105", fmt::format("{}:{}:{} is a {} dependency", d.group,
                                                         d.artifact, d.version.text, d.scope.text));
      finding.symbol = fmt::format("{}:{}", d.group, d.artifact);
      finding.location = location_of(d.origin);
    }
  }

  void about_siblings() {
    if (verdict_.tier != Tier::other_minor || verdict_.siblings.empty()) return;
    const auto with = [&](Presence presence) {
      return std::find_if(verdict_.siblings.begin(), verdict_.siblings.end(),
                          [&](const SiblingFact& fact) { return fact.presence == presence; });
    };
    if (with(Presence::present) != verdict_.siblings.end()) return;
    if (const auto undecided = with(Presence::undecided); undecided != verdict_.siblings.end()) {
      add("RG2112", fmt::format("cannot tell whether there is a build for Spark {}: {}",
                                target_.line.to_string(), undecided->note));
      return;
    }
    const SiblingFact& first = verdict_.siblings.front();
    base::Finding& finding =
        add("RG2104", fmt::format("no build for Spark {} in {}: {}", target_.line.to_string(),
                                  base::join(first.repositories, ", "), first.note));
    for (const SiblingFact& fact : verdict_.siblings)
      finding.evidence.push_back(
          fmt::format("{}:{}: {}", fact.artifact.group, fact.artifact.artifact, fact.note));
  }

 private:
  base::Finding& add(const char* check, std::string message) {
    base::Finding finding =
        base::make_finding(check, verdict_.connector.to_string(), base::printable(message));
    finding.location = location_of(verdict_.built.origin);
    finding.evidence = verdict_.built.evidence;
    verdict_.findings.push_back(std::move(finding));
    return verdict_.findings.back();
  }

  PomVerdict& verdict_;
  const SparkVersion& target_;
};

// Spark's order for a connector's own versions: releases before the rest, newest first.
bool is_prerelease(std::string_view version) {
  const std::string lower = base::to_lower(version);
  for (const char* mark : {"snapshot", "alpha", "beta", "preview", "-rc", ".rc", "-m", ".dev"})
    if (lower.find(mark) != std::string::npos) return true;
  return lower.find("rc") != std::string::npos;
}

}  // namespace

std::vector<std::string> newest_first(std::vector<std::string> versions, Prereleases prereleases) {
  if (prereleases == Prereleases::skip) std::erase_if(versions, is_prerelease);
  std::vector<std::pair<GenericVersion, std::string>> parsed;
  parsed.reserve(versions.size());
  for (std::string& version : versions) parsed.emplace_back(GenericVersion(version), version);
  std::stable_sort(parsed.begin(), parsed.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> sorted;
  sorted.reserve(parsed.size());
  for (auto& [order, text] : parsed) sorted.push_back(std::move(text));
  return sorted;
}

SiblingFact ask_for_sibling(ModelBuilder& builder, Coordinate artifact, SparkMinor line,
                            Prereleases prereleases, const RunContext& context) {
  SiblingFact fact;
  const MergedMetadata& known = builder.metadata(artifact.group, artifact.artifact, context);
  fact.artifact = std::move(artifact);
  if (known.answered.empty()) {
    if (!known.undecided.empty()) {
      fact.presence = Presence::undecided;
      fact.note = known.undecided.front().to_string();
      return fact;
    }
    fact.presence = Presence::absent;
    fact.repositories = known.absent;
    fact.note = fmt::format("not in {}", base::join(known.absent, ", "));
    return fact;
  }
  std::vector<std::string> versions = newest_first(known.metadata.versions, prereleases);
  // Where the name tells, versions for other lines need not be read.
  std::erase_if(versions, [&](const std::string& version) {
    Coordinate candidate = fact.artifact;
    candidate.version = version;
    const NameFacts name = read_name(candidate);
    return name.line && *name.line != line;
  });
  fact.repositories = known.answered;
  std::vector<Coordinate> candidates;
  for (std::size_t i = 0; i < std::min(versions.size(), kVersionsRead); ++i) {
    candidates.push_back(fact.artifact);
    candidates.back().version = versions[i];
  }
  builder.prefetch(candidates, context);
  std::string undecided;
  for (const Coordinate& candidate : candidates) {
    const BuiltAgainst built = built_against(candidate, builder.build(candidate, context));
    if (built.line == line) {
      fact.artifact = candidate;
      fact.presence = Presence::present;
      fact.note = fmt::format("{} was built against Spark {} ({})", candidate.version,
                              version_text(built), to_string(built.kind));
      return fact;
    }
    if (built.state == PomState::undecided && undecided.empty())
      undecided = built.failure->to_string();
    if (fact.note.empty() && built.line)
      fact.note = fmt::format("{} is for Spark {}", candidate.version, built.line->to_string());
  }
  fact.presence = undecided.empty() ? Presence::absent : Presence::undecided;
  if (!undecided.empty())
    fact.note = undecided;
  else if (fact.note.empty())
    fact.note = fmt::format("no version for Spark {} in {}", line.to_string(),
                            base::join(fact.repositories, ", "));
  return fact;
}

std::vector<PomVerdict> check_poms(ModelBuilder& builder, std::span<const Coordinate> connectors,
                                   const SparkVersion& target, const RunContext& context) {
  builder.prefetch(connectors, context);
  std::vector<PomVerdict> verdicts;
  verdicts.reserve(connectors.size());
  for (const Coordinate& connector : connectors) {
    PomVerdict verdict;
    verdict.connector = connector;
    verdict.built = built_against(connector, builder.build(connector, context));
    verdict.tier = tier_for(verdict.built, target);
    if (verdict.tier == Tier::other_minor)
      for (Coordinate& sibling : sibling_artifacts(connector, target.line))
        verdict.siblings.push_back(
            ask_for_sibling(builder, std::move(sibling), target.line, Prereleases::skip, context));
    verdict.summary =
        fmt::format("built against Spark {} ({}), target {}: {}", version_text(verdict.built),
                    to_string(verdict.built.kind), target.text, to_string(verdict.tier));
    Findings findings(verdict, target);
    findings.about_pom();
    findings.about_tier();
    findings.about_contradictions();
    findings.about_scala();
    findings.about_scopes();
    findings.about_siblings();
    base::normalise(verdict.findings);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace rowgate::pomcheck
