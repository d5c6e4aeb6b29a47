// Which version of a connector to move to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pomcheck/build_search.hpp"
#include "pomcheck/compatibility.hpp"

namespace rowgate::pomcheck {

// What `advise` was asked about: a family of the naming table, or any artifact.
struct AdviceSubject {
  std::string title;                   // "Delta Lake", or "g:a"
  std::string family;                  // empty for an artifact that no family holds
  std::optional<Coordinate> artifact;  // the user's own, whose Scala and naming scheme come first

  // "delta", "io.delta:delta-spark_2.13" or a full coordinate. Errors: usage, with the nearest
  // family.
  static Result<AdviceSubject> parse(std::string_view text);
};

struct Advice {
  AdviceSubject subject;
  SparkMinor line;
  // Every artifact that was asked for, in order of preference.
  std::vector<SiblingFact> asked;

  // The first artifact that has a build, or nothing.
  const SiblingFact* best() const;
  // present; else undecided when a repository gave no answer; else absent.
  Presence presence() const;
  // "io.delta:delta-spark_4.2_2.13:4.4.0, built against Spark 4.2.0"; "not in central"; "cannot
  // tell: …"
  std::string summary() const;
};

Advice advise(ModelBuilder& builder, const AdviceSubject& subject, SparkMinor line,
              Prereleases prereleases, const RunContext& context);

// The families that the table without arguments shows, in its order.
std::vector<AdviceSubject> listed_subjects();

// advice[i][j] is subjects[i] on lines[j].
std::vector<std::vector<Advice>> advise_table(ModelBuilder& builder,
                                              std::span<const AdviceSubject> subjects,
                                              std::span<const SparkMinor> lines,
                                              Prereleases prereleases, const RunContext& context);

// The least Java that a Spark line runs on: 8, or 17 since 4.0.
unsigned minimum_java(SparkMinor line);

struct Migration {
  AdviceSubject subject;
  // The user's own coordinate when it has a version, else what is newest for `from`.
  std::string from;  // empty: none is known
  Advice to;
  std::vector<std::string> changes;  // "Scala 2.12 -> 2.13", "Java 8 -> 17 or newer", "new group"
};

Migration plan_migration(ModelBuilder& builder, const AdviceSubject& subject, SparkMinor from,
                         SparkMinor to, Prereleases prereleases, const RunContext& context);

}  // namespace rowgate::pomcheck
