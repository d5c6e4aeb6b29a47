// What `pom` and `audit` say about connectors' POMs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "pomcheck/compatibility.hpp"

namespace rowgate::tools {

// "built against": a row a connector.
base::Table built_against_table(std::span<const pomcheck::PomVerdict> verdicts);

// "builds for the target": a row an artifact that was asked for; no rows when nothing was.
base::Table sibling_table(std::span<const pomcheck::PomVerdict> verdicts,
                          const pomcheck::SparkVersion& target);

// "iceberg-spark-runtime-4.2_2.13: not in central"
std::string describe(const pomcheck::SiblingFact& fact);

base::Tone tone_of(pomcheck::Tier tier);

}  // namespace rowgate::tools
