// The rule of the verdict: a declared dependency on Spark counts more than the name, the name more
// than a managed version or a bare property. The latter are a build's defaults: Hudi's parent
// manages Spark 3.2 while its hudi-spark3.4-bundle is for 3.4. Every disagreement is kept as a
// finding.
#include "pomcheck/compatibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "pomcheck/interpolation.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::string_view kSparkGroup = "org.apache.spark";
// The module that decides, when several are dependencies.
constexpr std::array<std::string_view, 4> kModules = {"spark-sql_", "spark-core_",
                                                      "spark-catalyst_", "spark-hive_"};
constexpr std::array<std::string_view, 3> kProperties = {"spark.version", "spark-version",
                                                         "version.spark"};

std::size_t module_rank(const PomDependency& dependency) {
  const auto* found = std::find_if(kModules.begin(), kModules.end(), [&](std::string_view module) {
    return std::string_view(dependency.artifact).starts_with(module);
  });
  return static_cast<std::size_t>(found - kModules.begin());
}

bool is_test(const PomDependency& dependency) {
  return dependency.scope.text == "test";
}

bool is_plain_jar(const PomDependency& dependency) {
  return dependency.classifier.empty() && dependency.type == "jar";
}

// A parent that writes "spark-sql_${scala.binary.version}" and a child that writes it out give the
// model two equal dependencies; one is enough.
bool is_listed(const std::vector<SparkDependency>& list, const PomDependency& dependency) {
  return std::any_of(list.begin(), list.end(), [&](const SparkDependency& spark) {
    const PomDependency& d = spark.dependency;
    return d.management_key() == dependency.management_key() &&
           d.version.text == dependency.version.text && d.scope.text == dependency.scope.text;
  });
}

// Main code before tests, jars before their tests, then by module, then by order.
std::optional<std::size_t> choose_primary(const std::vector<SparkDependency>& dependencies) {
  std::optional<std::size_t> best;
  const auto key = [&](std::size_t i) {
    const PomDependency& d = dependencies[i].dependency;
    return std::tuple(is_test(d), !is_plain_jar(d), !dependencies[i].version, module_rank(d));
  };
  for (std::size_t i = 0; i < dependencies.size(); ++i)
    if (!best || key(i) < key(*best)) best = i;
  return best;
}

// The property that a version is written with: "${spark.version}" -> "spark.version".
std::string first_expression(std::string_view text) {
  const std::size_t start = text.find("${");
  if (start == std::string_view::npos) return {};
  const std::size_t end = text.find('}', start);
  return end == std::string_view::npos ? std::string()
                                       : std::string(text.substr(start + 2, end - start - 2));
}

EvidenceKind kind_of(const EffectivePom& pom, const Coordinate& connector,
                     const PomDependency& dependency) {
  if (connector.group == kSparkGroup) return EvidenceKind::own_version;
  if (!pom.is_own(dependency.origin)) return EvidenceKind::inherited;
  if (dependency.version_is_managed) {
    const std::string& manager = *dependency.version.origin.pom;
    const bool in_lineage =
        std::find(pom.lineage.begin(), pom.lineage.end(), manager) != pom.lineage.end();
    return in_lineage ? EvidenceKind::managed : EvidenceKind::bom;
  }
  const std::string property = first_expression(dependency.version_expression);
  if (property.empty()) return EvidenceKind::literal;
  const auto found = pom.properties.find(property);
  if (found == pom.properties.end() || pom.is_own(found->second.origin))
    return EvidenceKind::own_property;
  return EvidenceKind::parent_property;
}

std::string describe(const PomDependency& d) {
  std::string text =
      fmt::format("{}:{}{}{}:{}:{}", d.group, d.artifact, d.classifier.empty() ? "" : ":",
                  d.classifier, d.version.text, d.scope.text);
  if (!d.version_expression.empty()) text += fmt::format(", written {}", d.version_expression);
  if (const std::string place = d.version.origin.to_string(); !place.empty())
    text += fmt::format(" ({})", place);
  return base::printable(text);
}

void take_weak_evidence(const EffectivePom& pom, BuiltAgainst& built) {
  const PomDependency* managed = nullptr;
  for (const PomDependency& entry : pom.managed)
    if (entry.group == kSparkGroup && parse_spark_version(entry.version.text) &&
        (managed == nullptr || module_rank(entry) < module_rank(*managed)))
      managed = &entry;
  if (managed != nullptr) {
    built.kind = EvidenceKind::managed_only;
    built.weak_line = parse_spark_version(managed->version.text)->line;
    built.weak_origin = managed->version.origin;
    built.pom_scala = scala_of_artifact(managed->artifact);
    built.evidence.push_back(fmt::format("managed but not a dependency: {}", describe(*managed)));
    return;
  }
  for (const std::string_view name : kProperties) {
    const auto property = pom.properties.find(name);
    if (property == pom.properties.end()) continue;
    const auto version = parse_spark_version(property->second.text);
    if (!version) continue;
    built.kind = EvidenceKind::property_only;
    built.weak_line = version->line;
    built.weak_origin = property->second.origin;
    built.evidence.push_back(
        base::printable(fmt::format("property {} = {} ({}), used by no dependency", name,
                                    property->second.text, property->second.origin.to_string())));
    return;
  }
}

PomState state_of_failure(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found: return PomState::absent;
    case ErrorCode::malformed:
    case ErrorCode::limit: return PomState::malformed;
    default: return PomState::undecided;
  }
}

void read_pom(const Coordinate& connector, const EffectivePom& pom, BuiltAgainst& built) {
  if (const ModelProblem* problem = pom.first_error()) {
    // A missing parent explains whatever else is wrong.
    for (const ModelProblem& other : pom.problems)
      if (other.kind == ProblemKind::unresolvable_parent ||
          other.kind == ProblemKind::unresolvable_import)
        problem = &other;
    built.state = problem->kind == ProblemKind::invalid ? PomState::invalid_model
                                                        : PomState::unresolvable_parent;
    Error error = problem->cause.value_or(Error{ErrorCode::malformed, {}, {}, {}, {}});
    error.message = problem->message;
    if (error.subject.empty()) error.subject = problem->origin.to_string();
    built.failure = std::move(error);
    return;
  }
  for (const PomDependency& dependency : pom.dependencies) {
    if (dependency.group != kSparkGroup || is_listed(built.dependencies, dependency)) continue;
    SparkDependency spark{dependency, std::nullopt};
    if (auto version = parse_spark_version(dependency.version.text))
      spark.version = std::move(*version);
    built.dependencies.push_back(std::move(spark));
  }
  built.primary = choose_primary(built.dependencies);
  const SparkDependency* primary = built.primary_dependency();
  if (primary == nullptr) {
    take_weak_evidence(pom, built);
    return;
  }
  built.kind = kind_of(pom, connector, primary->dependency);
  built.test_scope_only =
      std::all_of(built.dependencies.begin(), built.dependencies.end(),
                  [](const SparkDependency& spark) { return is_test(spark.dependency); });
  built.version = primary->version;
  if (primary->version) built.pom_line = primary->version->line;
  built.pom_scala = scala_of_artifact(primary->dependency.artifact);
  built.origin = primary->dependency.version.origin;
  built.evidence.push_back(describe(primary->dependency));
}

void take_pom(const Coordinate& coordinate, const Result<PomPtr>& pom, BuiltAgainst& built) {
  if (pom) {
    read_pom(coordinate, **pom, built);
  } else {
    built.failure = pom.error();
    built.state = state_of_failure(pom.error());
  }
}

// Weighs what has been collected. `hints` are what a jar says besides its folders.
void conclude(const Coordinate& coordinate, const std::vector<SparkVersion>& hints,
              BuiltAgainst& built) {
  built.name = read_name(coordinate);
  if (built.name.rule != NameRule::none)
    built.evidence.push_back(
        fmt::format("the {} says Spark {}", to_string(built.name.rule), built.name.line_text()));
  built.scala = built.name.scala.empty() ? built.pom_scala : built.name.scala;
  built.line = built.pom_line;
  if (!built.line && built.name.line) {
    built.line = built.name.line;
    if (built.kind == EvidenceKind::none) built.kind = EvidenceKind::name;
  }
  if (built.shims.empty() && !built.line) built.shims = hints;
  if (!built.shims.empty()) {
    // The newest speaks for all where one line is asked for.
    const SparkVersion& newest = built.shims.back();
    built.kind = EvidenceKind::jar_content;
    built.line = newest.line;
    built.version.reset();
    if (built.shims.size() == 1 && newest.patch) built.version = newest;
  } else if (!built.line) {
    built.line = built.weak_line;
    built.origin = built.weak_origin;
  }
}

}  // namespace

const char* to_string(EvidenceKind kind) {
  switch (kind) {
    case EvidenceKind::own_version: return "own version";
    case EvidenceKind::literal: return "dependency";
    case EvidenceKind::own_property: return "dependency, own property";
    case EvidenceKind::parent_property: return "dependency, parent's property";
    case EvidenceKind::managed: return "dependency, managed";
    case EvidenceKind::bom: return "dependency, BOM";
    case EvidenceKind::inherited: return "inherited dependency";
    case EvidenceKind::name: return "name";
    case EvidenceKind::jar_content: return "jar content";
    case EvidenceKind::managed_only: return "managed version only";
    case EvidenceKind::property_only: return "property only";
    case EvidenceKind::none: return "none";
  }
  return "none";
}

const char* to_string(Tier tier) {
  switch (tier) {
    case Tier::same_patch: return "same patch";
    case Tier::same_minor: return "same minor";
    case Tier::other_minor: return "other minor";
    case Tier::other_vendor: return "other vendor";
    case Tier::unknown: return "unknown";
  }
  return "unknown";
}

BuiltAgainst built_against(const Coordinate& coordinate, const Result<PomPtr>& pom) {
  BuiltAgainst built;
  take_pom(coordinate, pom, built);
  conclude(coordinate, {}, built);
  return built;
}

BuiltAgainst built_against(const JarIdentity& jar, const Result<PomPtr>* pom) {
  BuiltAgainst built;
  built.evidence = jar.evidence;
  built.shims = jar.shims;
  if (pom != nullptr) {
    take_pom(jar.coordinate, *pom, built);
    if (built.state == PomState::absent) {
      built.evidence.push_back(base::printable("its POM: " + built.failure->to_string()));
      built.state = PomState::complete;
      built.failure.reset();
    }
  }
  conclude(jar.coordinate, jar.hints, built);
  return built;
}

std::string version_text(const BuiltAgainst& built) {
  if (built.shims.size() > 1) {
    std::string text = fmt::format("{}, {}", built.shims[0].text, built.shims[1].text);
    if (built.shims.size() > 2) text += fmt::format(" and {} more", built.shims.size() - 2);
    return text;
  }
  if (built.version) return built.version->text;
  return built.line ? built.line->to_string() : std::string("unknown");
}

Tier tier_for(const BuiltAgainst& built, const SparkVersion& target) {
  if (!built.shims.empty()) {
    Tier best = Tier::other_minor;
    for (const SparkVersion& shim : built.shims) {
      if (shim.vendor != target.vendor) continue;
      if (shim.line == target.line && best == Tier::other_minor) best = Tier::same_minor;
      if (shim.patch && target.patch && shim == target) best = Tier::same_patch;
    }
    return best;
  }
  if (!built.line) return Tier::unknown;
  if (*built.line != target.line) return Tier::other_minor;
  if (built.version && built.version->vendor != target.vendor) return Tier::other_vendor;
  if (!target.is_apache() && !built.version) return Tier::other_vendor;
  if (built.version && target.patch && *built.version == target) return Tier::same_patch;
  return Tier::same_minor;
}

}  // namespace rowgate::pomcheck
