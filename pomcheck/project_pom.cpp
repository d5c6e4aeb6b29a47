#include "pomcheck/project_pom.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

// As many as ModelBuilder follows.
constexpr std::size_t kMaxParents = 128;

Result<RawPom> parse_file(const fs::path& file) {
  ROWGATE_TRY(const std::string text, base::read_file(file, kMaxPomBytes));
  return parse_pom(text, file.string());
}

// Whether `pom`, read from a file, is the one that `reference` means. What it inherits counts.
bool is_meant(const RawPom& pom, const ParentReference& reference) {
  const std::string& group = pom.group.empty() && pom.parent ? pom.parent->group : pom.group;
  const std::string& version =
      pom.version.empty() && pom.parent ? pom.parent->version : pom.version;
  return group == reference.group && pom.artifact == reference.artifact &&
         version == reference.version;
}

// Hands the parents that lie near `file` to the builder, one after the other.
void provide_parents(ModelBuilder& builder, const RawPom& own, const fs::path& file) {
  std::optional<ParentReference> reference = own.parent;
  fs::path folder = file.parent_path();
  for (std::size_t depth = 0; reference && depth < kMaxParents; ++depth) {
    const std::string relative = reference->relative_path.value_or("../pom.xml");
    if (relative.empty()) return;
    fs::path path = folder / relative;
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) path /= "pom.xml";
    auto parent = parse_file(path);
    if (!parent || !is_meant(*parent, *reference)) return;
    const Coordinate coordinate{reference->group, reference->artifact, reference->version, "",
                                "pom"};
    reference = parent->parent;
    folder = path.parent_path();
    builder.provide(coordinate, std::move(*parent));
  }
}

}  // namespace

Result<ConnectorInput> read_project(ModelBuilder& builder, const fs::path& file,
                                    const RunContext& context) {
  ROWGATE_TRY(RawPom pom, parse_file(file));
  provide_parents(builder, pom, file);
  ROWGATE_TRY(const PomPtr effective, builder.build(std::move(pom), context));
  ConnectorInput input = connectors_of(*effective, file.string());
  for (const ModelProblem& problem : effective->problems) {
    if (problem.kind == ProblemKind::note) continue;
    const bool placed = problem.origin.pom != nullptr;
    input.problems.push_back(
        {placed ? InputPlace{*problem.origin.pom, problem.origin.line}
                : InputPlace{file.string(), 0},
         problem.cause ? fmt::format("{}: {}", problem.message, problem.cause->to_string())
                       : problem.message});
  }
  return input;
}

}  // namespace rowgate::pomcheck
