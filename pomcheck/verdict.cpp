// From evidence to findings: check_poms() of compatibility.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "pomcheck/compatibility.hpp"
#include "pomcheck/naming.hpp"

namespace rowgate::pomcheck {
namespace {

base::Location location_of(const Origin& origin) {
  base::Location location;
  if (origin.pom != nullptr && origin.line != 0) {
    location.file = *origin.pom;
    location.line = origin.line;
  }
  return location;
}

class Findings {
 public:
  // The parts that compare need a target.
  Findings(PomVerdict& verdict, const std::optional<SparkVersion>& target)
      : verdict_(verdict), target_(target) {}

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

  void about_nothing_known() {
    const BuiltAgainst& built = verdict_.built;
    if (built.line || built.state != PomState::complete) return;
    add("RG2103", verdict_.connector.group.empty()
                      ? "neither the jar's metadata nor its name says which Spark it was built "
                        "against"
                      : "neither the POM nor the name says which Spark it was built against");
  }

  void about_tier() {
    const BuiltAgainst& built = verdict_.built;
    switch (verdict_.tier) {
      case Tier::same_patch: return;
      case Tier::same_minor:
        if (built.version)
          add("RG2102", fmt::format("built against Spark {}, the target is {}", built.version->text,
                                    target_->text));
        return;
      case Tier::other_minor:
        add("RG2101", fmt::format("built against Spark {} ({}), the target is {}",
                                  version_text(built), to_string(built.kind), target_->text));
        return;
      case Tier::other_vendor:
        add("RG2110", fmt::format("built against Spark {}, the target is {}: a vendor's build is "
                                  "another Spark",
                                  version_text(built), target_->text));
        return;
      case Tier::unknown: return;
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
    const std::vector<std::string> supported = scala_of_spark(target_->line);
    const std::string& scala = verdict_.built.scala;
    if (scala.empty() || std::find(supported.begin(), supported.end(), scala) != supported.end())
      return;
    add("RG2107", fmt::format("built for Scala {}; Spark {} is published for Scala {}", scala,
                              target_->line.to_string(), base::join(supported, " and ")));
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
                                target_->line.to_string(), undecided->note));
      return;
    }
    const SiblingFact& first = verdict_.siblings.front();
    base::Finding& finding =
        add("RG2104", fmt::format("no build for Spark {} in {}: {}", target_->line.to_string(),
                                  base::join(first.repositories, ", "), first.note));
    for (const SiblingFact& fact : verdict_.siblings)
      finding.evidence.push_back(
          fmt::format("{}:{}: {}", fact.artifact.group, fact.artifact.artifact, fact.note));
  }

 private:
  base::Finding& add(const char* check, std::string message) {
    base::Finding finding = base::make_finding(check, verdict_.label, base::printable(message));
    finding.location = location_of(verdict_.built.origin);
    finding.evidence = verdict_.built.evidence;
    verdict_.findings.push_back(std::move(finding));
    return verdict_.findings.back();
  }

  PomVerdict& verdict_;
  const std::optional<SparkVersion>& target_;
};

}  // namespace

namespace {

BuiltAgainst look_at(ModelBuilder& builder, const PomSubject& subject, const RunContext& context) {
  if (!subject.jar)
    return built_against(subject.connector, builder.build(subject.connector, context));
  const JarIdentity& jar = *subject.jar;
  if (!jar.complete()) return built_against(jar, nullptr);
  // A repository's POM is what Maven reads; the one in the jar may have had its profiles applied.
  Result<PomPtr> pom = builder.build(jar.coordinate, context);
  if (!pom && !jar.pom.empty())
    if (auto own = parse_pom(jar.pom, subject.label + "!/pom.xml"))
      pom = builder.build(std::move(*own), context);
  return built_against(jar, &pom);
}

std::string summary_of(const PomVerdict& verdict, const std::optional<SparkVersion>& target) {
  const BuiltAgainst& built = verdict.built;
  std::string text =
      built.shims.size() > 1
          ? fmt::format("holds builds for Spark {} ({})", version_text(built),
                        to_string(built.kind))
          : fmt::format("built against Spark {} ({})", version_text(built), to_string(built.kind));
  if (target) text += fmt::format(", target {}: {}", target->text, to_string(verdict.tier));
  return text;
}

}  // namespace

std::vector<PomVerdict> check_poms(ModelBuilder& builder, std::span<const PomSubject> subjects,
                                   const std::optional<SparkVersion>& target,
                                   const RunContext& context) {
  std::vector<Coordinate> wanted;
  for (const PomSubject& subject : subjects)
    if (!subject.connector.group.empty()) wanted.push_back(subject.connector);
  builder.prefetch(wanted, context);
  std::vector<PomVerdict> verdicts;
  verdicts.reserve(subjects.size());
  for (const PomSubject& subject : subjects) {
    PomVerdict verdict;
    verdict.label = subject.label;
    verdict.connector = subject.connector;
    verdict.built = look_at(builder, subject, context);
    if (target) verdict.tier = tier_for(verdict.built, *target);
    if (verdict.tier == Tier::other_minor && !subject.connector.group.empty())
      for (Coordinate& sibling : sibling_artifacts(subject.connector, target->line))
        verdict.siblings.push_back(
            find_build(builder, std::move(sibling), target->line, Prereleases::skip, context));
    verdict.summary = summary_of(verdict, target);
    Findings findings(verdict, target);
    findings.about_pom();
    findings.about_nothing_known();
    findings.about_contradictions();
    findings.about_scopes();
    if (target) {
      findings.about_tier();
      findings.about_scala();
      findings.about_siblings();
    }
    base::normalise(verdict.findings);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::vector<PomVerdict> check_poms(ModelBuilder& builder, std::span<const Coordinate> connectors,
                                   const SparkVersion& target, const RunContext& context) {
  std::vector<PomSubject> subjects;
  for (const Coordinate& connector : connectors)
    subjects.push_back({connector.to_string(), connector, std::nullopt});
  return check_poms(builder, subjects, std::optional(target), context);
}

}  // namespace rowgate::pomcheck
