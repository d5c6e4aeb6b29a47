// What is made of a resolved graph: its tree, explanations, files, and Spark's own class path.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "pomcheck/artifact_key.hpp"
#include "pomcheck/naming.hpp"
#include "pomcheck/repository_set.hpp"
#include "pomcheck/resolution.hpp"

namespace rowgate::pomcheck {
namespace {

// Maven's notation: g:a:type[:classifier]:version.
std::string notation(const Coordinate& c) {
  const std::string classifier = c.file_classifier();
  return fmt::format("{}:{}:{}{}{}:{}", c.group, c.artifact, c.type, classifier.empty() ? "" : ":",
                     classifier, c.version);
}

std::string notation(const ResolvedNode& node) {
  return fmt::format("{}:{}{}", notation(node.artifact), node.scope,
                     node.optional ? " (optional)" : "");
}

// "requested -> g:a:1 -> g:b:2": the way from the root to a node.
std::string way_to(const Resolution& resolution, std::size_t node) {
  std::vector<std::size_t> steps{node};
  while (steps.back() != 0) steps.push_back(resolution.nodes[steps.back()].parent);
  std::string text;
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (!text.empty()) text += " -> ";
    text += notation(resolution.nodes[steps[i]].artifact);
  }
  return text;
}

}  // namespace

Coordinate artifact_of(const PomDependency& dependency) {
  return {dependency.group, dependency.artifact, dependency.version.text, dependency.classifier,
          dependency.type};
}

std::string artifact_key(const Coordinate& artifact) {
  const std::string classifier = artifact.file_classifier();
  std::string key =
      fmt::format("{}:{}:{}", artifact.group, artifact.artifact, artifact.extension());
  if (!classifier.empty()) key += ":" + classifier;
  return key;
}

std::string artifact_key(const PomDependency& dependency) {
  return artifact_key(artifact_of(dependency));
}

std::vector<std::string> tree_lines(const Resolution& resolution) {
  std::vector<std::string> lines;
  if (resolution.nodes.empty()) return lines;
  lines.push_back(notation(resolution.nodes[0].artifact));
  // An explicit stack: the graph may be as deep as it has nodes.
  struct Frame {
    std::size_t node;
    std::size_t next = 0;
  };
  std::vector<Frame> stack{{0}};
  std::string indent;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const std::vector<std::size_t>& children = resolution.nodes[frame.node].children;
    if (frame.next == children.size()) {
      stack.pop_back();
      if (!stack.empty()) indent.resize(3 * (stack.size() - 1));
      continue;
    }
    const std::size_t child = children[frame.next++];
    const bool last = frame.next == children.size();
    lines.push_back(
        fmt::format("{}{} {}", indent, last ? "\\-" : "+-", notation(resolution.nodes[child])));
    indent += last ? "   " : "|  ";
    stack.push_back({child});
  }
  return lines;
}

std::vector<std::string> why_lines(const Resolution& resolution, std::string_view group,
                                   std::string_view artifact) {
  const auto wanted = [&](const Coordinate& c) {
    return c.group == group && c.artifact == artifact;
  };
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < resolution.nodes.size(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    const bool moved_here =
        std::any_of(node.relocated_from.begin(), node.relocated_from.end(), wanted);
    if (!wanted(node.artifact) && !moved_here) continue;
    std::string line = fmt::format("{}, scope {}", way_to(resolution, i), node.scope);
    if (!node.managed_from.empty())
      line += fmt::format(", version managed from {}", node.managed_from);
    if (!node.requested.empty()) line += fmt::format(", chosen from {}", node.requested);
    for (const Coordinate& old : node.relocated_from)
      line += fmt::format(", moved from {}", notation(old));
    lines.push_back(std::move(line));
  }
  for (const OmittedDependency& omitted : resolution.omitted) {
    if (!wanted(omitted.artifact)) continue;
    std::string line = fmt::format("{} -> {}, left out: ", way_to(resolution, omitted.parent),
                                   notation(omitted.artifact));
    switch (omitted.reason) {
      case Omission::conflict:
        line += fmt::format("{} is nearer", resolution.nodes[omitted.winner].artifact.version);
        break;
      case Omission::duplicate: line += "the same is nearer"; break;
      case Omission::cycle: line += "it would be its own ancestor"; break;
      case Omission::excluded:
        line += fmt::format("excluded by {}", notation(resolution.nodes[omitted.by].artifact));
        break;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Coordinate> runtime_artifacts(const Resolution& resolution) {
  // Class-path order is the tree's, not the levels'.
  std::vector<Coordinate> artifacts;
  std::vector<std::size_t> stack{0};
  while (!stack.empty()) {
    const std::size_t at = stack.back();
    stack.pop_back();
    const ResolvedNode& node = resolution.nodes[at];
    const bool wanted = node.scope == "compile" || node.scope == "runtime";
    if (at != 0 && wanted && node.artifact.type != "pom") artifacts.push_back(node.artifact);
    for (std::size_t i = node.children.size(); i-- > 0;) stack.push_back(node.children[i]);
  }
  return artifacts;
}

std::vector<DownloadedArtifact> download(ModelBuilder& builder,
                                         std::span<const Coordinate> artifacts,
                                         const RunContext& context) {
  std::vector<std::string> paths;
  paths.reserve(artifacts.size());
  for (const Coordinate& artifact : artifacts)
    paths.push_back(newest_file_path(builder.repositories(), artifact, context));
  std::vector<Result<FetchedFile>> files = builder.repositories().fetch_all(paths, context);
  std::vector<DownloadedArtifact> downloaded;
  downloaded.reserve(artifacts.size());
  for (std::size_t i = 0; i < artifacts.size(); ++i)
    downloaded.push_back({artifacts[i], std::move(files[i])});
  return downloaded;
}

std::vector<std::string> spark_modules(SparkMinor line) {
  std::vector<std::string> modules = {
      "spark-core",   "spark-sql",  "spark-hive", "spark-mllib",      "spark-streaming",
      "spark-graphx", "spark-repl", "spark-yarn", "spark-kubernetes", "spark-hive-thriftserver"};
  // Since 4.0 the distribution carries Spark Connect; since 4.1 declarative pipelines.
  if (line >= SparkMinor{4, 0}) modules.emplace_back("spark-connect");
  if (line >= SparkMinor{4, 1}) modules.emplace_back("spark-pipelines");
  return modules;
}

Result<Resolution> resolve_spark(ModelBuilder& builder, std::string_view version,
                                 std::span<const std::string> modules, std::string_view scala,
                                 const RunContext& context) {
  const auto name = std::make_shared<const std::string>(fmt::format("Spark {}", version));
  const Origin origin{name, 1};
  RawPom pom;
  pom.name = name;
  pom.model_version = "4.0.0";
  pom.group = "rowgate";
  pom.artifact = "spark-class-path";
  pom.version = version;
  pom.packaging = "pom";
  pom.parent = ParentReference{"org.apache.spark", fmt::format("spark-parent_{}", scala),
                               std::string(version), std::nullopt, origin};
  for (const std::string& module : modules) {
    PomDependency dependency;
    dependency.group = "org.apache.spark";
    dependency.artifact = fmt::format("{}_{}", module, scala);
    dependency.version = {std::string(version), origin};
    dependency.scope = {"compile", origin};
    dependency.origin = origin;
    pom.part.dependencies.push_back(std::move(dependency));
  }
  ROWGATE_TRY(const PomPtr root, builder.build(std::move(pom), context));
  return resolve_project(builder, root, context);
}

}  // namespace rowgate::pomcheck
