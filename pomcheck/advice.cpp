#include "pomcheck/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/naming.hpp"
#include "pomcheck/naming_table.hpp"
#include "pomcheck/repository_set.hpp"

namespace rowgate::pomcheck {
namespace {

// Artifacts to ask for, the preferred first: for a user's own artifact its siblings; for a family
// all its listed schemes, and each Scala version of the line.
std::vector<Coordinate> artifacts_for(const AdviceSubject& subject, SparkMinor line) {
  if (subject.artifact) return sibling_artifacts(*subject.artifact, line);
  std::vector<Coordinate> artifacts;
  for (const NamingScheme& scheme : naming_schemes()) {
    if (scheme.family != subject.family) continue;
    for (const std::string& scala : scala_of_spark(line)) {
      Coordinate artifact{std::string(scheme.group), fill_template(scheme.artifact, line, scala),
                          "", "", "jar"};
      if (std::find(artifacts.begin(), artifacts.end(), artifact) == artifacts.end())
        artifacts.push_back(std::move(artifact));
    }
  }
  return artifacts;
}

// Fetches in two waves what a table would otherwise ask for one by one: the metadata of every
// artifact, then the newest POM of each.
void fetch_ahead(ModelBuilder& builder, std::span<const AdviceSubject> subjects,
                 std::span<const SparkMinor> lines, Prereleases prereleases,
                 const RunContext& context) {
  std::vector<Coordinate> artifacts;
  std::vector<std::string> paths;
  for (const AdviceSubject& subject : subjects)
    for (const SparkMinor line : lines)
      for (Coordinate& artifact : artifacts_for(subject, line)) {
        paths.push_back(artifact.metadata_path());
        artifacts.push_back(std::move(artifact));
      }
  // Only the repositories' memory is wanted here; answers are looked at when their turn comes.
  builder.repositories().fetch_all(paths, context);
  std::vector<Coordinate> newest;
  for (Coordinate& artifact : artifacts) {
    const MergedMetadata& known = builder.metadata(artifact.group, artifact.artifact, context);
    const auto versions = newest_first(known.metadata.versions, prereleases);
    if (versions.empty()) continue;
    artifact.version = versions.front();
    newest.push_back(std::move(artifact));
  }
  builder.prefetch(newest, context);
}

std::string show(const Coordinate& artifact) {
  return artifact.version.empty() ? fmt::format("{}:{}", artifact.group, artifact.artifact)
                                  : artifact.to_string();
}

}  // namespace

Result<AdviceSubject> AdviceSubject::parse(std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  AdviceSubject subject;
  if (trimmed.find(':') == std::string_view::npos) {
    if (const Family* family = find_family(base::to_lower(trimmed))) {
      subject.family = family->id;
      subject.title = family->title;
      return subject;
    }
    std::vector<std::string_view> ids;
    for (const Family& family : connector_families()) ids.push_back(family.id);
    const std::string_view nearest = base::nearest(trimmed, ids);
    return fail(ErrorCode::usage,
                fmt::format("no connector is known as \"{}\"", base::printable(trimmed)), {},
                std::nullopt,
                nearest.empty() ? "give its coordinate as group:artifact"
                                : fmt::format("did you mean {}?", nearest));
  }
  std::string full(trimmed);
  const bool has_version = std::count(full.begin(), full.end(), ':') > 1;
  if (!has_version) full += ":0";
  ROWGATE_TRY(Coordinate artifact, parse_coordinate(full));
  if (!has_version) artifact.version.clear();
  if (const NamingScheme* scheme = find_scheme(artifact)) subject.family = scheme->family;
  subject.title = fmt::format("{}:{}", artifact.group, artifact.artifact);
  subject.artifact = std::move(artifact);
  return subject;
}

const SiblingFact* Advice::best() const {
  const auto found = std::find_if(asked.begin(), asked.end(), [](const SiblingFact& fact) {
    return fact.presence == Presence::present;
  });
  return found == asked.end() ? nullptr : &*found;
}

Presence Advice::presence() const {
  if (best() != nullptr) return Presence::present;
  const bool undecided =
      asked.empty() || std::any_of(asked.begin(), asked.end(), [](const auto& fact) {
        return fact.presence == Presence::undecided;
      });
  return undecided ? Presence::undecided : Presence::absent;
}

std::string Advice::summary() const {
  if (const SiblingFact* fact = best())
    return fmt::format("{}, built against Spark {} ({})", show(fact->artifact), fact->built_against,
                       fact->evidence);
  for (const SiblingFact& fact : asked)
    if (fact.presence == Presence::undecided) return fmt::format("cannot tell: {}", fact.note);
  // Of several absent artifacts, one that exists for other lines says the most.
  for (const SiblingFact& fact : asked)
    if (!fact.note.starts_with("not in "))
      return fmt::format("{}: {}", show(fact.artifact), fact.note);
  if (asked.empty()) return "cannot tell: no naming scheme is known";
  return fmt::format("{} {}", show(asked.front().artifact), asked.front().note);
}

Advice advise(ModelBuilder& builder, const AdviceSubject& subject, SparkMinor line,
              Prereleases prereleases, const RunContext& context) {
  Advice advice;
  advice.subject = subject;
  advice.line = line;
  for (Coordinate& artifact : artifacts_for(subject, line))
    advice.asked.push_back(find_build(builder, std::move(artifact), line, prereleases, context));
  return advice;
}

std::vector<AdviceSubject> listed_subjects() {
  std::vector<AdviceSubject> subjects;
  for (const NamingScheme& scheme : naming_schemes()) {
    const bool known =
        std::any_of(subjects.begin(), subjects.end(),
                    [&](const AdviceSubject& subject) { return subject.family == scheme.family; });
    if (!scheme.listed || known) continue;
    const Family* family = find_family(scheme.family);
    subjects.push_back({std::string(family->title), std::string(family->id), std::nullopt});
  }
  return subjects;
}

std::vector<std::vector<Advice>> advise_table(ModelBuilder& builder,
                                              std::span<const AdviceSubject> subjects,
                                              std::span<const SparkMinor> lines,
                                              Prereleases prereleases, const RunContext& context) {
  fetch_ahead(builder, subjects, lines, prereleases, context);
  std::vector<std::vector<Advice>> table;
  for (const AdviceSubject& subject : subjects) {
    std::vector<Advice>& row = table.emplace_back();
    for (const SparkMinor line : lines)
      row.push_back(advise(builder, subject, line, prereleases, context));
  }
  return table;
}

unsigned minimum_java(SparkMinor line) {
  return line >= SparkMinor{4, 0} ? 17 : 8;
}

Migration plan_migration(ModelBuilder& builder, const AdviceSubject& subject, SparkMinor from,
                         SparkMinor to, Prereleases prereleases, const RunContext& context) {
  Migration plan;
  plan.subject = subject;
  std::optional<Coordinate> own;
  if (subject.artifact && !subject.artifact->version.empty()) {
    own = subject.artifact;
  } else if (const Advice now = advise(builder, subject, from, prereleases, context);
             const SiblingFact* best = now.best()) {
    own = best->artifact;
  }
  AdviceSubject target = subject;
  if (own) {
    plan.from = own->to_string();
    target.artifact = own;
  }
  plan.to = advise(builder, target, to, prereleases, context);
  if (const SiblingFact* best = plan.to.best(); best != nullptr && own) {
    const Coordinate& next = best->artifact;
    if (next.group != own->group)
      plan.changes.push_back(fmt::format("group {} -> {}", own->group, next.group));
    const std::string old_scala = scala_of_artifact(own->artifact);
    const std::string new_scala = scala_of_artifact(next.artifact);
    if (!old_scala.empty() && !new_scala.empty() && old_scala != new_scala)
      plan.changes.push_back(
          fmt::format("Scala {} -> {}: rebuild your own code for it", old_scala, new_scala));
  }
  if (minimum_java(from) != minimum_java(to))
    plan.changes.push_back(
        fmt::format("Java {} -> {} or newer", minimum_java(from), minimum_java(to)));
  return plan;
}

}  // namespace rowgate::pomcheck
