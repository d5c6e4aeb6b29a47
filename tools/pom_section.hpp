// What `pom` and `audit` say about connectors' POMs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "pomcheck/compatibility.hpp"

namespace rowgate::tools {

enum class Compared : std::uint8_t { with_target, no };

// "built against": a row a connector. `java` is the Java level of its classes by label, as far as
// it was looked at (0: no classes); the column is left out when none was.
base::Table built_against_table(std::span<const pomcheck::PomVerdict> verdicts,
                                Compared compared = Compared::with_target,
                                const std::map<std::string, unsigned>& java = {});

// "builds for the target": a row an artifact that was asked for; no rows when nothing was.
base::Table sibling_table(std::span<const pomcheck::PomVerdict> verdicts,
                          const pomcheck::SparkVersion& target);

// "iceberg-spark-runtime-4.2_2.13: not in central"
std::string describe(const pomcheck::SiblingFact& fact);

base::Tone tone_of(pomcheck::Tier tier);

}  // namespace rowgate::tools
