// Source: Maven 3.9's DefaultModelBuilder and the resolver's DefaultModelResolver.
//
// Everything read is remembered by its path in the repository: raw POMs, models with what they
// inherit (parents are shared by many POMs), and effective POMs (BOMs are). It ends because the
// chain of parents and the nesting of imports are bounded and repeats in either are refused.
#include "pomcheck/effective_pom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/effective_model.hpp"
#include "pomcheck/model_merge.hpp"
#include "pomcheck/repository_set.hpp"
#include "pomcheck/version_range.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::size_t kMaxParents = 128;
constexpr std::size_t kMaxImports = 64;
constexpr std::size_t kMaxWaves = kMaxParents + kMaxImports;

using RawPtr = std::shared_ptr<const RawPom>;
using Chain = std::vector<std::string>;  // coordinates of the POMs that import each other

std::string gav(const Coordinate& c) {
  return fmt::format("{}:{}:{}", c.group, c.artifact, c.version);
}

std::string show_chain(const Chain& chain, const std::string& last) {
  std::string text;
  for (const std::string& link : chain) text += link + " -> ";
  return text + last;
}

bool is_moving(std::string_view version) {
  return version == "LATEST" || version == "RELEASE" || looks_like_range(version);
}

bool is_fatal(const ModelProblem& problem) {
  return problem.kind != ProblemKind::note;
}

}  // namespace

bool EffectivePom::valid() const {
  return first_error() == nullptr;
}

const ModelProblem* EffectivePom::first_error() const {
  const auto found = std::find_if(problems.begin(), problems.end(), is_fatal);
  return found == problems.end() ? nullptr : &*found;
}

struct ModelBuilder::State {
  RepositorySet& repositories;
  ModelEnvironment environment;
  std::unordered_map<std::string, Result<RawPtr>> raw;  // by path
  std::unordered_map<const RawPom*, std::shared_ptr<const InheritedModel>> inherited;
  std::unordered_map<std::string, PomPtr> effective;  // by path
  std::unordered_map<std::string, MergedMetadata> metadata;
  std::unordered_map<std::string, std::vector<Coordinate>>
      imports_of;  // once all parents are in `raw`

  Result<RawPtr> read(const Coordinate& coordinate, const Result<FetchedFile>& file) const {
    if (!file) return tl::unexpected<Error>(file.error());
    ROWGATE_TRY(const base::MappedFile mapped, base::MappedFile::open(file->path));
    ROWGATE_TRY(RawPom pom, parse_pom(base::as_text(mapped.bytes()), gav(coordinate)));
    return std::make_shared<const RawPom>(std::move(pom));
  }

  // Snapshots have dated names; what is remembered goes by the plain one.
  std::string file_path(Coordinate coordinate, const RunContext& context) const {
    coordinate.type = "pom";
    coordinate.classifier.clear();
    return newest_file_path(repositories, coordinate, context);
  }

  const Result<RawPtr>& raw_pom(const Coordinate& coordinate, const RunContext& context) {
    std::string path = coordinate.pom_path();
    const auto found = raw.find(path);
    if (found != raw.end()) return found->second;
    Result<RawPtr> pom = check_coordinate(coordinate).and_then([&]() -> Result<RawPtr> {
      return read(coordinate, repositories.fetch(file_path(coordinate, context), context));
    });
    return raw.emplace(std::move(path), std::move(pom)).first->second;
  }

  const MergedMetadata& versions(const std::string& group, const std::string& artifact,
                                 const RunContext& context) {
    const std::string path = Coordinate{group, artifact, "", "", "pom"}.metadata_path();
    const auto found = metadata.find(path);
    if (found != metadata.end()) return found->second;
    MergedMetadata merged;
    if (auto checked = check_coordinate({group, artifact, "1", "", "pom"}); !checked)
      merged.undecided.push_back(checked.error());
    else
      merged = fetch_metadata(repositories, path, context);
    return metadata.emplace(path, std::move(merged)).first->second;
  }

  Result<std::string> resolve_version(const std::string& group, const std::string& artifact,
                                      const std::string& version, const RunContext& context) {
    if (!is_moving(version)) return version;
    const MergedMetadata& known = versions(group, artifact, context);
    const std::string subject = fmt::format("{}:{}:{}", group, artifact, version);
    std::string resolved;
    if (version == "LATEST") {
      resolved = known.metadata.latest.empty() ? known.metadata.release : known.metadata.latest;
    } else if (version == "RELEASE") {
      resolved = known.metadata.release;
    } else {
      ROWGATE_TRY(const VersionConstraint constraint, VersionConstraint::parse(version));
      if (const std::string* best = constraint.highest(known.metadata.versions)) resolved = *best;
    }
    if (!resolved.empty()) return resolved;
    if (!known.undecided.empty()) {
      Error error = known.undecided.front();
      error.message = fmt::format("no version can be chosen for {}: {}", subject, error.message);
      return tl::unexpected<Error>(std::move(error));
    }
    return fail(ErrorCode::not_found, "no version matches", subject);
  }

  // The parent of `child`, or a problem. `depth` parents have been read before it.
  Result<RawPtr> parent_of(const RawPom& child, const RunContext& context) {
    const ParentReference& reference = *child.parent;
    Coordinate coordinate{reference.group, reference.artifact, reference.version, "", "pom"};
    if (is_moving(reference.version)) {
      ROWGATE_TRY(coordinate.version,
                  resolve_version(reference.group, reference.artifact, reference.version, context));
    }
    return raw_pom(coordinate, context);
  }

  // All models from `own` up to the one without a parent. Trouble ends the list and is said.
  std::vector<RawPtr> lineage(const RawPtr& own, std::vector<ModelProblem>& problems,
                              const RunContext& context) {
    std::vector<RawPtr> models{own};
    const auto stop = [&](ProblemKind kind, std::string message, const Origin& origin,
                          std::optional<Error> cause = std::nullopt) {
      problems.push_back({kind, std::move(message), origin, std::move(cause)});
    };
    while (models.back()->parent) {
      const RawPom& child = *models.back();
      const ParentReference& reference = *child.parent;
      const std::string wanted =
          fmt::format("{}:{}:{}", reference.group, reference.artifact, reference.version);
      if (reference.group.empty() || reference.artifact.empty() || reference.version.empty()) {
        stop(ProblemKind::invalid, "the parent's groupId, artifactId or version is missing",
             reference.origin);
        break;
      }
      if (reference.group == child.group && reference.artifact == child.artifact) {
        stop(ProblemKind::invalid, "a POM cannot have its own groupId:artifactId as parent",
             reference.origin);
        break;
      }
      if (models.size() > kMaxParents) {
        stop(ProblemKind::invalid, "more than 128 parents", reference.origin);
        break;
      }
      Result<RawPtr> parent = parent_of(child, context);
      if (!parent) {
        const ErrorCode code = parent.error().code;
        const bool broken = code == ErrorCode::malformed || code == ErrorCode::limit;
        stop(broken ? ProblemKind::invalid : ProblemKind::unresolvable_parent,
             fmt::format("the parent {} {}", base::printable(wanted),
                         broken                         ? "cannot be read"
                         : code == ErrorCode::not_found ? "is not in the repository"
                                                        : "could not be fetched"),
             reference.origin, parent.error());
        break;
      }
      if (std::find(models.begin(), models.end(), *parent) != models.end()) {
        stop(ProblemKind::invalid, fmt::format("the parents form a cycle at {}", wanted),
             reference.origin);
        break;
      }
      if ((*parent)->packaging != "pom")
        stop(ProblemKind::invalid,
             fmt::format("the parent {} has the packaging \"{}\" and must have \"pom\"", wanted,
                         base::printable((*parent)->packaging)),
             reference.origin);
      models.push_back(std::move(*parent));
    }
    return models;
  }

  EffectivePom assemble(const RawPtr& own, const RunContext& context) {
    std::vector<ModelProblem> problems;
    const std::vector<RawPtr> models = lineage(own, problems, context);
    std::shared_ptr<const InheritedModel> above;
    for (std::size_t i = models.size(); i-- > 1;) {
      std::shared_ptr<const InheritedModel>& slot = inherited[models[i].get()];
      // A parent's model is the same under every child, unless its own parents are in trouble.
      if (slot == nullptr || !problems.empty())
        slot = std::make_shared<const InheritedModel>(
            inherit_model(models[i], above.get(), environment));
      above = slot;
    }
    EffectivePom pom = interpolate_model(inherit_model(own, above.get(), environment), environment);
    pom.problems.insert(pom.problems.end(), std::make_move_iterator(problems.begin()),
                        std::make_move_iterator(problems.end()));
    return pom;
  }

  static Coordinate import_coordinate(const PomDependency& import) {
    return {import.group, import.artifact, import.version.text, "", "pom"};
  }

  // Replaces the imports in `pom.managed` by what they hold. Returns whether the result depends on
  // `chain`, that is whether a cycle was met.
  bool import_boms(EffectivePom& pom, Chain& chain, const RunContext& context) {
    bool cyclic = false;
    std::vector<PomPtr> boms;
    std::vector<PomDependency> own;
    std::vector<PomDependency> imports;
    for (PomDependency& entry : pom.managed)
      (entry.is_import() ? imports : own).push_back(std::move(entry));
    pom.managed = std::move(own);
    chain.push_back(gav(pom.id));
    for (const PomDependency& import : imports) {
      const Coordinate coordinate = import_coordinate(import);
      const auto refuse = [&](ProblemKind kind, std::string message,
                              std::optional<Error> cause = std::nullopt) {
        pom.problems.push_back({kind, std::move(message), import.origin, std::move(cause)});
      };
      if (coordinate.version.empty()) {
        refuse(ProblemKind::invalid,
               fmt::format("the import {} has no version", import.management_key()));
        continue;
      }
      if (std::find(chain.begin(), chain.end(), gav(coordinate)) != chain.end()) {
        cyclic = true;
        refuse(ProblemKind::invalid,
               fmt::format("imports form a cycle: {}", show_chain(chain, gav(coordinate))));
        continue;
      }
      if (chain.size() > kMaxImports) {
        refuse(ProblemKind::invalid, "imports are nested more than 64 deep");
        continue;
      }
      const Result<PomPtr> bom = effective_pom(coordinate, chain, cyclic, context);
      if (!bom) {
        const bool broken =
            bom.error().code == ErrorCode::malformed || bom.error().code == ErrorCode::limit;
        refuse(broken ? ProblemKind::invalid : ProblemKind::unresolvable_import,
               fmt::format("the imported BOM {} {}", base::printable(gav(coordinate)),
                           broken                                     ? "cannot be read"
                           : bom.error().code == ErrorCode::not_found ? "is not in the repository"
                                                                      : "could not be fetched"),
               bom.error());
        continue;
      }
      for (const ModelProblem& problem : (*bom)->problems)
        if (is_fatal(problem)) pom.problems.push_back(problem);
      boms.push_back(*bom);
    }
    chain.pop_back();
    std::vector<const std::vector<PomDependency>*> lists;
    for (const PomPtr& bom : boms) lists.push_back(&bom->managed);
    import_management(pom.managed, lists);
    return cyclic;
  }

  // `cyclic` is set when the result depends on `chain`; such a result is not remembered.
  Result<PomPtr> effective_pom(const Coordinate& coordinate, Chain& chain, bool& cyclic,
                               const RunContext& context) {
    std::string path = coordinate.pom_path();
    if (const auto found = effective.find(path); found != effective.end()) return found->second;
    const Result<RawPtr>& own = raw_pom(coordinate, context);
    if (!own) return tl::unexpected<Error>(own.error());
    const RawPtr kept = *own;  // `raw` may grow while parents are read
    EffectivePom pom = assemble(kept, context);
    const bool depends_on_chain = import_boms(pom, chain, context);
    cyclic = cyclic || depends_on_chain;
    finish_model(pom, *kept);
    auto finished = std::make_shared<const EffectivePom>(std::move(pom));
    if (!depends_on_chain) effective.emplace(std::move(path), finished);
    return finished;
  }

  // Adds to `wanted` what must be fetched before anything else of `coordinate` can be known.
  void advance(const Coordinate& coordinate, std::vector<Coordinate>& wanted,
               std::unordered_set<std::string>& visited, const RunContext& context) {
    const std::string path = coordinate.pom_path();
    if (!visited.insert(path).second || !check_coordinate(coordinate)) return;
    if (const auto known = imports_of.find(path); known != imports_of.end()) {
      for (const Coordinate& bom : known->second) advance(bom, wanted, visited, context);
      return;
    }
    const auto found = raw.find(path);
    if (found == raw.end()) {
      wanted.push_back(coordinate);
      return;
    }
    if (!found->second) return;
    const RawPtr own = *found->second;
    RawPtr model = own;
    for (std::size_t depth = 0; model != nullptr && model->parent && depth < kMaxParents; ++depth) {
      const ParentReference& reference = *model->parent;
      // Moving versions need metadata first; build() asks for it when its turn comes.
      if (is_moving(reference.version)) return;
      const Coordinate parent{reference.group, reference.artifact, reference.version, "", "pom"};
      const auto known = raw.find(parent.pom_path());
      if (known == raw.end()) {
        if (visited.insert(parent.pom_path()).second && check_coordinate(parent))
          wanted.push_back(parent);
        return;
      }
      model = known->second ? *known->second : nullptr;
    }
    std::vector<Coordinate> boms;
    for (const PomDependency& entry : assemble(own, context).managed)
      if (entry.is_import()) boms.push_back(import_coordinate(entry));
    imports_of.emplace(path, boms);
    for (const Coordinate& bom : boms) advance(bom, wanted, visited, context);
  }

  void fetch_wave(const std::vector<Coordinate>& wanted, const RunContext& context) {
    std::vector<std::string> paths;
    paths.reserve(wanted.size());
    for (const Coordinate& coordinate : wanted) paths.push_back(file_path(coordinate, context));
    const std::vector<Result<FetchedFile>> files = repositories.fetch_all(paths, context);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      raw.emplace(wanted[i].pom_path(), read(wanted[i], files[i]));
  }
};

ModelBuilder::ModelBuilder(RepositorySet& repositories, ModelEnvironment environment)
    : state_(new State{repositories, std::move(environment), {}, {}, {}, {}, {}}) {}
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;
ModelBuilder::~ModelBuilder() = default;

Result<PomPtr> ModelBuilder::build(const Coordinate& coordinate, const RunContext& context) {
  Chain chain;
  bool cyclic = false;
  return state_->effective_pom(coordinate, chain, cyclic, context);
}

Result<PomPtr> ModelBuilder::build(RawPom pom, const RunContext& context) {
  const auto own = std::make_shared<const RawPom>(std::move(pom));
  EffectivePom built = state_->assemble(own, context);
  Chain chain;
  state_->import_boms(built, chain, context);
  finish_model(built, *own);
  return std::make_shared<const EffectivePom>(std::move(built));
}

void ModelBuilder::provide(const Coordinate& coordinate, RawPom pom) {
  state_->raw.emplace(coordinate.pom_path(), std::make_shared<const RawPom>(std::move(pom)));
}

void ModelBuilder::prefetch(std::span<const Coordinate> coordinates, const RunContext& context) {
  for (std::size_t wave = 0; wave < kMaxWaves && !context.stopped(); ++wave) {
    std::vector<Coordinate> wanted;
    std::unordered_set<std::string> visited;
    for (const Coordinate& coordinate : coordinates)
      state_->advance(coordinate, wanted, visited, context);
    if (wanted.empty()) return;
    state_->fetch_wave(wanted, context);
  }
}

const MergedMetadata& ModelBuilder::metadata(const std::string& group, const std::string& artifact,
                                             const RunContext& context) {
  return state_->versions(group, artifact, context);
}

Result<std::string> ModelBuilder::resolve_version(const std::string& group,
                                                  const std::string& artifact,
                                                  const std::string& version,
                                                  const RunContext& context) {
  return state_->resolve_version(group, artifact, version, context);
}

RepositorySet& ModelBuilder::repositories() const {
  return state_->repositories;
}
const ModelEnvironment& ModelBuilder::environment() const {
  return state_->environment;
}

}  // namespace rowgate::pomcheck
