// POMs, metadata, versions, ranges and connector inputs from hostile hands: every reader of
// pomcheck on the same bytes, and the effective model of whatever parses, with no repository behind
// it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "pomcheck/compatibility.hpp"
#include "pomcheck/connector_input.hpp"
#include "pomcheck/generic_version.hpp"
#include "pomcheck/local_repository.hpp"
#include "pomcheck/maven_version.hpp"
#include "pomcheck/metadata.hpp"
#include "pomcheck/repository_set.hpp"
#include "pomcheck/resolution.hpp"
#include "pomcheck/version_range.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

void read_versions(std::string_view text) {
  const std::string_view a = text.substr(0, text.size() / 2);
  const std::string_view b = text.substr(text.size() / 2);
  if ((MavenVersion(a) <=> MavenVersion(b)) != (0 <=> (MavenVersion(b) <=> MavenVersion(a))) ||
      (GenericVersion(a) <=> GenericVersion(b)) !=
          (0 <=> (GenericVersion(b) <=> GenericVersion(a))))
    std::abort();
  if (const auto range = VersionConstraint::parse(a)) (void)range->contains(GenericVersion(b));
  (void)parse_spark_version(text);
  if (const auto coordinate = parse_coordinate(text)) {
    if (coordinate->path().find("..") != std::string::npos) std::abort();
    (void)read_name(*coordinate);
    (void)sibling_artifacts(*coordinate, {4, 2});
  }
}

void build_model(std::string_view text) {
  auto pom = parse_pom(text, "fuzz");
  if (!pom) return;
  std::vector<std::shared_ptr<Repository>> none;
  none.push_back(open_local_repository({"/nonexistent", LocalLayout::maven, "none"}));
  RepositorySet repositories(std::move(none));
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  const RunContext context = RunContext::quiet();
  const auto effective = builder.build(std::move(*pom), context);
  if (!effective) return;
  (void)built_against((*effective)->id, effective);
  (void)connectors_of(**effective, "fuzz");
  if (const auto graph = resolve_project(builder, *effective, context)) (void)tree_lines(*graph);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  build_model(text);
  (void)parse_metadata(text, "fuzz");
  read_versions(text);
  for (const InputKind kind :
       {InputKind::packages, InputKind::spark_submit, InputKind::spark_defaults, InputKind::sbt,
        InputKind::gradle, InputKind::requirements})
    (void)read_connector_input(text, kind, "fuzz");
  return 0;
}
