// Source: the resolver's collector and its conflict resolver as Maven 3.9 sets them up
// (ClassicDependencyManager, ScopeDependencySelector(test, provided), OptionalDependencySelector,
// ExclusionDependencySelector; NearestVersionSelector, JavaScopeSelector, JavaScopeDeriver).
//
// The graph is walked by breadth. The first dependency met of a key (group, artifact, extension,
// classifier) is the nearest one, and of equally near ones the first in POM order, so it wins, and
// only winners are expanded: this is nearest-wins mediation in one pass, because whether a node's
// parents win is known when the node is met. A winner's own dependencies are those that the
// exclusions on the winner's path leave.
//
// A range is a hard constraint: when a later one does not contain the version chosen before, the
// constraint is noted and the walk starts again with it. A nearer plain version that it forbids
// then loses to the nearest version that it allows. Where the loser is the project's own
// dependency, that version takes its place, because Maven resolves a project's dependencies once
// more with the versions that it found; this too starts the walk again. Each restart adds a
// constraint to some key or a version to a direct dependency, and their number is bounded, so this
// ends. Scopes are settled last, because the widest scope of all surviving ways counts and a
// parent's scope must be known before its children's.
//
// The project itself takes no part in mediation: a dependency that leads back to it is a node like
// any other.
//
// Of a range Maven tries every version in ascending order, and stops at the first that has moved
// elsewhere: its new place and the versions before compete, and the highest of them wins. So when a
// range's highest version has moved, the others are read too. (When it has not, a lower one that
// has is not looked for.)
//
// Cost: linear in the dependencies met, plus one wave of requests a level.
#include "pomcheck/resolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/artifact_key.hpp"
#include "pomcheck/version_range.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::size_t kMaxNodes = 20'000;
constexpr std::size_t kMaxDependencies = 1'000'000;
constexpr std::size_t kMaxOmitted = 200'000;
constexpr std::size_t kMaxRestarts = 100;
constexpr std::size_t kMaxRelocations = 16;

// Exclusions of one node, and those above it.
struct ExclusionChain {
  std::shared_ptr<const ExclusionChain> above;
  std::vector<Exclusion> own;
  std::size_t node = 0;
};
using ExclusionPtr = std::shared_ptr<const ExclusionChain>;

// The node whose exclusion meets group:artifact, or nothing.
std::optional<std::size_t> excluded_by(const ExclusionChain* chain, const Coordinate& artifact) {
  for (; chain != nullptr; chain = chain->above.get())
    for (const Exclusion& exclusion : chain->own)
      if ((exclusion.group == "*" || exclusion.group == artifact.group) &&
          (exclusion.artifact == "*" || exclusion.artifact == artifact.artifact))
        return chain->node;
  return std::nullopt;
}

struct Managed {
  std::string version;
  std::string scope;
  std::optional<bool> optional;
  std::vector<Exclusion> exclusions;
};

// One surviving way to a node.
struct Edge {
  std::size_t parent;
  std::size_t child;
  std::string scope;  // as declared or managed
  bool scope_is_managed;
  bool optional;
  bool optional_is_managed;
};

// A dependency on its way to becoming a node.
struct Candidate {
  ResolvedNode node;
  std::vector<Exclusion> exclusions;
  bool scope_is_managed = false;
  bool optional_is_managed = false;

  Edge edge_to(std::size_t winner) const {
    return {node.parent, winner, node.scope, scope_is_managed, node.optional, optional_is_managed};
  }
};

class Walk {
 public:
  Walk(ModelBuilder& builder, const PomPtr& root, const RunContext& context)
      : builder_(builder), root_(root), context_(context) {
    for (const PomDependency& entry : root_->managed) {
      Managed& managed = managed_[artifact_key(entry)];
      if (managed.version.empty()) managed.version = entry.version.text;
      if (managed.scope.empty()) managed.scope = entry.scope.text;
      if (!managed.optional && entry.optional.declared()) managed.optional = entry.is_optional();
      managed.exclusions.insert(managed.exclusions.end(), entry.exclusions.begin(),
                                entry.exclusions.end());
    }
  }

  Result<Resolution> run() {
    for (std::size_t restart = 0; restart <= kMaxRestarts; ++restart) {
      again_ = false;
      ROWGATE_CHECK(walk());
      settle_forbidden();
      if (!again_) {
        settle_scopes();
        return std::move(out_);
      }
    }
    out_.problems.push_back(Error{ErrorCode::limit,
                                  "version ranges contradict each other",
                                  root_->id.to_string(),
                                  std::nullopt,
                                  {}});
    settle_scopes();
    return std::move(out_);
  }

 private:
  struct Open {
    std::size_t node;
    PomPtr pom;  // null: its dependencies are unknown
    ExclusionPtr exclusions;
  };

  Result<void> walk() {
    out_.nodes.clear();
    out_.omitted.clear();
    out_.problems.clear();
    winners_.clear();
    edges_.clear();
    forbidden_.clear();
    seen_ = 0;
    ResolvedNode root;
    root.artifact = root_->id;
    out_.nodes.push_back(std::move(root));
    std::vector<Open> level{{0, root_, nullptr}};
    while (!level.empty()) {
      if (context_.stopped()) return fail(ErrorCode::interrupted, "interrupted");
      std::vector<Open> next;
      for (const Open& open : level) ROWGATE_CHECK(expand(open, next));
      read_poms(next);
      level = std::move(next);
    }
    return {};
  }

  Result<void> expand(const Open& open, std::vector<Open>& next) {
    if (open.pom == nullptr) return {};
    const std::size_t depth = out_.nodes[open.node].depth;
    for (const PomDependency& dependency : open.pom->dependencies) {
      if (++seen_ > kMaxDependencies || out_.nodes.size() > kMaxNodes)
        return fail(ErrorCode::limit, "the dependency graph has more than 20,000 artifacts",
                    root_->id.to_string());
      if (depth > 0 && is_left_out(dependency)) continue;
      visit(open, dependency, next);
    }
    return {};
  }

  // Test, provided and optional dependencies of dependencies do not count. What their POM says
  // decides: management comes after the choice, so a managed "test" stays in the graph.
  static bool is_left_out(const PomDependency& dependency) {
    return dependency.scope.text == "test" || dependency.scope.text == "provided" ||
           dependency.is_optional();
  }

  void visit(const Open& open, const PomDependency& dependency, std::vector<Open>& next) {
    Candidate candidate;
    ResolvedNode& node = candidate.node;
    node.artifact = artifact_of(dependency);
    node.scope = dependency.scope.text;
    node.optional = dependency.is_optional();
    node.parent = open.node;
    node.depth = out_.nodes[open.node].depth + 1;
    node.origin = dependency.origin;
    candidate.exclusions = dependency.exclusions;
    if (node.depth >= 2) manage(candidate);
    for (std::size_t moves = 0;; ++moves) {
      if (const auto by = excluded_by(open.exclusions.get(), node.artifact)) {
        omit({open.node, node.artifact, node.scope, Omission::excluded, 0, *by});
        return;
      }
      if (lost_already(candidate)) return;
      const Choice choice = choose_version(node);
      if (choice == Choice::chosen && moves == 0) settle_moved(node);
      if (choice == Choice::forbidden) forbidden_.push_back(std::move(candidate));
      if (choice != Choice::chosen) return;
      // Where an artifact has moved to is known from its POM, that is from an earlier walk.
      if (moves == kMaxRelocations || !follow_relocation(candidate)) break;
    }
    add(open, std::move(candidate), next);
  }

  void manage(Candidate& candidate) const {
    ResolvedNode& node = candidate.node;
    const auto found = managed_.find(artifact_key(node.artifact));
    if (found == managed_.end()) return;
    const Managed& managed = found->second;
    if (!managed.version.empty() && managed.version != node.artifact.version) {
      node.managed_from = node.artifact.version;
      node.artifact.version = managed.version;
    }
    if (!managed.scope.empty()) {
      node.scope = managed.scope;
      candidate.scope_is_managed = true;
    }
    if (managed.optional) {
      node.optional = *managed.optional;
      candidate.optional_is_managed = true;
    }
    candidate.exclusions.insert(candidate.exclusions.end(), managed.exclusions.begin(),
                                managed.exclusions.end());
  }

  bool lost_already(const Candidate& candidate) {
    const ResolvedNode& node = candidate.node;
    const auto found = winners_.find(artifact_key(node.artifact));
    if (found == winners_.end()) return false;
    const std::size_t winner = found->second;
    const std::string& chosen = out_.nodes[winner].artifact.version;
    const bool hard = looks_like_range(node.artifact.version);
    const bool cycle = is_ancestor(winner, node.parent);
    // What stands below an artifact has no say in that artifact's own version.
    if (hard && !cycle) constrain(node, chosen);
    const bool same = hard || node.artifact.version == chosen;
    OmittedDependency omitted{node.parent, node.artifact,
                              node.scope,  same ? Omission::duplicate : Omission::conflict,
                              winner,      0};
    if (cycle)
      omitted.reason = Omission::cycle;
    else
      edges_.push_back(candidate.edge_to(winner));
    omit(std::move(omitted));
    return true;
  }

  bool is_ancestor(std::size_t candidate, std::size_t node) const {
    while (node != candidate && node != 0) node = out_.nodes[node].parent;
    return node == candidate;
  }

  // A range that does not hold the version chosen earlier makes the walk start again.
  void constrain(const ResolvedNode& node, const std::string& chosen) {
    const auto constraint = VersionConstraint::parse(node.artifact.version);
    if (!constraint || constraint->contains(GenericVersion(chosen))) return;
    if (require(artifact_key(node.artifact), *constraint)) return;
    out_.problems.push_back(unsatisfied(node));
  }

  // From the next walk on. False when it is known already.
  bool require(const std::string& key, const VersionConstraint& constraint) {
    std::vector<VersionConstraint>& known = constraints_[key];
    const bool repeated = std::any_of(
        known.begin(), known.end(),
        [&](const VersionConstraint& other) { return other.text() == constraint.text(); });
    if (repeated || known.size() >= kMaxRestarts) return false;
    known.push_back(constraint);
    again_ = true;
    return true;
  }

  static Error unsatisfied(const ResolvedNode& node) {
    return {
        ErrorCode::malformed,
        fmt::format("no version satisfies {} and what else is asked for", node.artifact.version),
        fmt::format("{}:{}", node.artifact.group, node.artifact.artifact),
        std::nullopt,
        {}};
  }

  bool allowed(const std::string& key, const std::string& version) const {
    const auto known = constraints_.find(key);
    return known == constraints_.end() ||
           std::all_of(known->second.begin(), known->second.end(),
                       [&](const VersionConstraint& constraint) {
                         return constraint.contains(GenericVersion(version));
                       });
  }

  enum class Choice : std::uint8_t {
    chosen,
    refused,    // no version fits; the problem has been noted
    forbidden,  // a range further away forbids the version, and another one wins
  };

  Choice choose_version(ResolvedNode& node) {
    const std::string key = artifact_key(node.artifact);
    const std::string asked = node.artifact.version;
    if (!looks_like_range(asked)) {
      if (asked == "LATEST" || asked == "RELEASE") {
        auto resolved =
            builder_.resolve_version(node.artifact.group, node.artifact.artifact, asked, context_);
        if (!resolved) return refuse(resolved.error());
        node.requested = asked;
        node.artifact.version = std::move(*resolved);
      }
      if (allowed(key, node.artifact.version)) return Choice::chosen;
      return take_found_version(node, key);
    }
    const auto constraint = VersionConstraint::parse(asked);
    if (!constraint) return refuse(constraint.error());
    const MergedMetadata& known =
        builder_.metadata(node.artifact.group, node.artifact.artifact, context_);
    std::vector<std::string> versions;
    for (const std::string& version : known.metadata.versions)
      if (allowed(key, version)) versions.push_back(version);
    const std::string* best = constraint->highest(versions);
    if (best == nullptr) {
      if (!known.undecided.empty()) return refuse(known.undecided.front());
      if (constraint->highest(known.metadata.versions) != nullptr) {
        // Other ranges leave nothing of what is listed; a plain version may still lie in all.
        require(key, *constraint);
        return take_found_version(node, key);
      }
      return refuse(Error{ErrorCode::not_found,
                          fmt::format("no version lies in {}", asked),
                          fmt::format("{}:{}", node.artifact.group, node.artifact.artifact),
                          std::nullopt,
                          {}});
    }
    node.requested = asked;
    node.artifact.version = *best;
    return Choice::chosen;
  }

  // A range's highest version has moved: which version Maven takes instead.
  void settle_moved(ResolvedNode& node) {
    if (!looks_like_range(node.requested) || !relocations_.contains(node.artifact)) return;
    const auto less = [](const Coordinate& a, const Coordinate& b) {
      return GenericVersion(a.version) < GenericVersion(b.version);
    };
    const std::vector<Coordinate> range = versions_of_range(node);
    for (const Coordinate& version : range)
      if (relocations_.contains(version) && less(version, node.artifact)) node.artifact = version;
    const Coordinate& new_place = relocations_.at(node.artifact);
    const Coordinate* before = nullptr;
    for (const Coordinate& version : range)
      if (less(version, node.artifact) && less(new_place, version) &&
          (before == nullptr || less(*before, version)))
        before = &version;
    if (before != nullptr) node.artifact = *before;
  }

  // What is listed and lies in the range that the node's version was chosen by.
  std::vector<Coordinate> versions_of_range(const ResolvedNode& node) {
    std::vector<Coordinate> range;
    const auto constraint = VersionConstraint::parse(node.requested);
    if (!constraint) return range;
    for (const std::string& version :
         builder_.metadata(node.artifact.group, node.artifact.artifact, context_)
             .metadata.versions) {
      if (!constraint->contains(GenericVersion(version))) continue;
      range.push_back(node.artifact);
      range.back().version = version;
    }
    return range;
  }

  Choice take_found_version(ResolvedNode& node, const std::string& key) {
    const auto found = found_versions_.find(key);
    if (node.depth != 1 || found == found_versions_.end() || !allowed(key, found->second))
      return Choice::forbidden;
    node.requested = node.artifact.version;
    node.artifact.version = found->second;
    return Choice::chosen;
  }

  Choice refuse(Error error) {
    out_.problems.push_back(std::move(error));
    return Choice::refused;
  }

  // After a walk: those that a range forbade are ways to the version that won.
  void settle_forbidden() {
    for (const Candidate& candidate : forbidden_) {
      const ResolvedNode& node = candidate.node;
      const std::string key = artifact_key(node.artifact);
      const auto found = winners_.find(key);
      if (found == winners_.end()) {
        refuse(unsatisfied(node));
        continue;
      }
      const std::string& version = out_.nodes[found->second].artifact.version;
      if (node.depth == 1 && found_versions_[key] != version) {
        found_versions_[key] = version;
        again_ = true;
      }
      edges_.push_back(candidate.edge_to(found->second));
      omit({node.parent, node.artifact, node.scope, Omission::conflict, found->second, 0});
    }
  }

  bool follow_relocation(Candidate& candidate) {
    ResolvedNode& node = candidate.node;
    const auto moved = relocations_.find(node.artifact);
    if (moved == relocations_.end()) return false;
    node.relocated_from.push_back(node.artifact);
    const bool renamed = node.artifact.group != moved->second.group ||
                         node.artifact.artifact != moved->second.artifact;
    node.artifact = moved->second;
    if (renamed && node.depth >= 2) manage(candidate);
    return true;
  }

  void add(const Open& open, Candidate candidate, std::vector<Open>& next) {
    const std::size_t index = out_.nodes.size();
    edges_.push_back(candidate.edge_to(index));
    ResolvedNode& node = candidate.node;
    winners_.emplace(artifact_key(node.artifact), index);
    for (const Coordinate& old : node.relocated_from) winners_.emplace(artifact_key(old), index);
    out_.nodes[open.node].children.push_back(index);
    out_.nodes.push_back(std::move(node));
    ExclusionPtr chain = open.exclusions;
    if (!candidate.exclusions.empty())
      chain = std::make_shared<const ExclusionChain>(
          ExclusionChain{open.exclusions, std::move(candidate.exclusions), index});
    next.push_back({index, nullptr, std::move(chain)});
  }

  // Reads the POMs of a level. One that has moved makes the walk start again, which then knows it.
  void read_poms(std::vector<Open>& level) {
    std::vector<Coordinate> wanted;
    for (const Open& open : level)
      if (brings_dependencies(out_.nodes[open.node]))
        wanted.push_back(out_.nodes[open.node].artifact);
    builder_.prefetch(wanted, context_);
    for (Open& open : level) {
      ResolvedNode& node = out_.nodes[open.node];
      if (!brings_dependencies(node)) continue;
      Result<PomPtr> pom = builder_.build(node.artifact, context_);
      if (!pom) {
        node.pom_problem = pom.error();
        continue;
      }
      if (const ModelProblem* problem = (*pom)->first_error()) {
        node.pom_problem = problem->cause.value_or(
            Error{ErrorCode::malformed, {}, node.artifact.to_string(), std::nullopt, {}});
        node.pom_problem->message = problem->message;
        continue;
      }
      if ((*pom)->relocation) {
        note_relocation(node.artifact, *(*pom)->relocation);
        if (looks_like_range(node.requested) && node.relocated_from.empty()) read_range(node);
        continue;
      }
      open.pom = *pom;
    }
  }

  // The lower versions of a range whose highest has moved.
  void read_range(const ResolvedNode& node) {
    const std::vector<Coordinate> range = versions_of_range(node);
    builder_.prefetch(range, context_);
    for (const Coordinate& version : range)
      if (const auto pom = builder_.build(version, context_); pom && (*pom)->relocation)
        note_relocation(version, *(*pom)->relocation);
  }

  void note_relocation(const Coordinate& from, const Relocation& relocation) {
    Coordinate to = from;
    if (!relocation.group.empty()) to.group = relocation.group;
    if (!relocation.artifact.empty()) to.artifact = relocation.artifact;
    if (!relocation.version.empty()) to.version = relocation.version;
    if (to == from || !check_coordinate(to)) return;
    again_ = relocations_.emplace(from, std::move(to)).second || again_;
  }

  static bool brings_dependencies(const ResolvedNode& node) {
    const std::string& type = node.artifact.type;
    return node.scope != "system" && type != "war" && type != "ear" && type != "rar";
  }

  void omit(OmittedDependency omitted) {
    if (out_.omitted.size() < kMaxOmitted) out_.omitted.push_back(std::move(omitted));
  }

  // --- scopes ----------------------------------------------------------------------------------

  static std::string_view derive(std::string_view parent, std::string_view child) {
    if (child == "system" || child == "test") return child;
    if (parent.empty() || parent == "compile") return child;
    if (parent == "test" || parent == "runtime") return parent;
    if (parent == "system" || parent == "provided") return "provided";
    return "runtime";
  }

  static int width(std::string_view scope) {
    if (scope == "compile") return 5;
    if (scope == "runtime") return 4;
    if (scope == "provided") return 3;
    if (scope == "test") return 2;
    return scope == "system" ? 1 : 0;
  }

  // Scopes only widen and "optional" only falls along the ways, so repeating until nothing changes
  // ends after a few rounds. A direct dependency keeps what it declares.
  void settle_scopes() {
    std::vector<std::string> scopes(out_.nodes.size());
    std::vector<bool> optional(out_.nodes.size(), true);
    optional[0] = false;
    for (std::size_t i = 1; i < out_.nodes.size(); ++i) {
      const ResolvedNode& node = out_.nodes[i];
      if (node.depth == 1 || node.scope == "system") scopes[i] = node.scope;
      if (node.depth == 1) optional[i] = node.optional;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge& edge : edges_) {
        const ResolvedNode& child = out_.nodes[edge.child];
        if (child.depth <= 1 || (edge.parent != 0 && scopes[edge.parent].empty())) continue;
        const bool is_optional =
            edge.optional || (!edge.optional_is_managed && optional[edge.parent]);
        if (optional[edge.child] && !is_optional) {
          optional[edge.child] = false;
          changed = true;
        }
        if (child.scope == "system") continue;
        const std::string_view scope = edge.scope_is_managed
                                           ? std::string_view(edge.scope)
                                           : derive(scopes[edge.parent], edge.scope);
        if (width(scope) > width(scopes[edge.child])) {
          scopes[edge.child] = scope;
          changed = true;
        }
      }
    }
    for (std::size_t i = 1; i < out_.nodes.size(); ++i) {
      if (!scopes[i].empty()) out_.nodes[i].scope = std::move(scopes[i]);
      out_.nodes[i].optional = optional[i];
    }
  }

  struct CoordinateHash {
    std::size_t operator()(const Coordinate& c) const {
      return std::hash<std::string>()(c.to_string());
    }
  };

  ModelBuilder& builder_;
  const PomPtr& root_;
  const RunContext& context_;
  std::unordered_map<std::string, Managed> managed_;
  std::unordered_map<std::string, std::vector<VersionConstraint>> constraints_;
  std::unordered_map<Coordinate, Coordinate, CoordinateHash> relocations_;
  std::unordered_map<std::string, std::size_t> winners_;
  std::vector<Edge> edges_;
  std::vector<Candidate> forbidden_;
  std::unordered_map<std::string, std::string> found_versions_;  // for direct dependencies
  Resolution out_;
  std::size_t seen_ = 0;
  bool again_ = false;
};

}  // namespace

const char* to_string(Omission reason) {
  switch (reason) {
    case Omission::conflict: return "conflict";
    case Omission::duplicate: return "duplicate";
    case Omission::cycle: return "cycle";
    case Omission::excluded: return "excluded";
  }
  return "conflict";
}

bool Resolution::complete() const {
  return problems.empty() && std::none_of(nodes.begin(), nodes.end(), [](const ResolvedNode& node) {
           return node.pom_problem.has_value();
         });
}

Result<Resolution> resolve_project(ModelBuilder& builder, const PomPtr& root,
                                   const RunContext& context) {
  if (const ModelProblem* problem = root->first_error())
    return fail(ErrorCode::malformed, problem->message, root->id.to_string());
  return Walk(builder, root, context).run();
}

Result<Resolution> resolve_dependencies(ModelBuilder& builder,
                                        std::span<const Coordinate> dependencies,
                                        const RunContext& context) {
  EffectivePom root;
  root.id = {"rowgate", "requested", "1", "", "pom"};
  root.packaging = "pom";
  root.name = std::make_shared<const std::string>("requested");
  for (const Coordinate& coordinate : dependencies) {
    PomDependency dependency;
    dependency.group = coordinate.group;
    dependency.artifact = coordinate.artifact;
    dependency.type = coordinate.type;
    dependency.classifier = coordinate.classifier;
    dependency.version.text = coordinate.version;
    dependency.scope.text = "compile";
    root.dependencies.push_back(std::move(dependency));
  }
  const PomPtr shared = std::make_shared<const EffectivePom>(std::move(root));
  return resolve_project(builder, shared, context);
}

}  // namespace rowgate::pomcheck
