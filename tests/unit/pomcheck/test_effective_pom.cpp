// Expected values: what Maven 3.9.12's model builder made of the same micro-POMs
// (data/synth/expected.tsv), run with JDK 17 on Linux and POMCHECK_ENV=4.1.0 in the environment.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "base/files.hpp"
#include "pomcheck/effective_pom.hpp"
#include "pomcheck/local_repository.hpp"
#include "pomcheck/repository_set.hpp"
#include "tsv.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

const RunContext kContext = RunContext::quiet();

RepositorySet synth_repository() {
  std::vector<std::shared_ptr<Repository>> repositories;
  repositories.push_back(
      open_local_repository({"tests/unit/pomcheck/data/synth/repo", LocalLayout::maven, "synth"}));
  return RepositorySet(std::move(repositories));
}

ModelEnvironment measured_environment() {
  ModelEnvironment environment = pinned_environment("17", "linux").value();
  environment.system_properties["env.POMCHECK_ENV"] = "4.1.0";
  environment.existing_files.insert("/etc/hostname");
  return environment;
}

// The notation of expected.tsv: g:a:type:classifier:version:scope:optional, then exclusions.
std::string show(const char* kind, const PomDependency& d) {
  std::string text = std::string(kind) + " " + d.group + ":" + d.artifact + ":" + d.type + ":" +
                     d.classifier + ":" + d.version.text + ":" + d.scope.text + ":" +
                     d.optional.text;
  std::vector<std::string> exclusions;
  for (const Exclusion& e : d.exclusions) exclusions.push_back(e.group + ":" + e.artifact);
  if (!exclusions.empty()) text += " " + base::join(exclusions, ",");
  return text;
}

std::string show(const EffectivePom& pom) {
  std::vector<std::string> lines;
  for (const PomDependency& d : pom.dependencies) lines.push_back(show("D", d));
  for (const PomDependency& d : pom.managed) lines.push_back(show("M", d));
  return base::join(lines, " ; ");
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.pop_back();
  return text;
}

}  // namespace

TEST_CASE("every micro-POM has Maven's effective model") {
  RepositorySet repositories = synth_repository();
  ModelBuilder builder(repositories, measured_environment());
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv("tests/unit/pomcheck/data/synth/expected.tsv")) {
    INFO(row[0], " ", row[1]);
    ++rows;
    const Coordinate coordinate = parse_coordinate(row[0]).value();
    const auto pom = builder.build(coordinate, kContext);
    const bool ok = pom && (*pom)->valid();
    std::string why;
    if (!pom) why = pom.error().to_string();
    if (pom && !ok) why = (*pom)->first_error()->message;
    INFO(why);
    CHECK((ok ? "OK" : "ERROR") == row[2]);
    if (ok && row[2] == "OK") CHECK(trimmed(show(**pom)) == trimmed(row[3]));
  }
  CHECK(rows == 65);
}
