// Source: Maven 3.9's DefaultModelBuilder, in its order: profiles are applied model by model, then
// models are inherited, then the result is interpolated once, so that a child's property reaches
// the values of its parents. Imports come next (effective_pom.cpp), then management and validation.
#include "pomcheck/effective_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/interpolation.hpp"
#include "pomcheck/model_merge.hpp"

namespace rowgate::pomcheck {
namespace {

std::optional<std::string> non_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

// The order of Maven's value sources: `project.` and `pom.` values, user properties, the model's
// properties, system properties, environment variables, and last a model value without a prefix.
class Values {
 public:
  Values(const InheritedModel& model, const ModelEnvironment& environment)
      : model_(model), environment_(environment) {}

  std::optional<std::string> operator()(std::string_view name) const {
    for (const std::string_view prefix : {"pom.", "project."})
      if (name.starts_with(prefix))
        if (auto value = model_value(name.substr(prefix.size()))) return value;
    if (auto value = find(environment_.user_properties, name)) return value;
    if (const auto found = model_.part.properties.find(name); found != model_.part.properties.end())
      return found->second.text;
    if (auto value = find(environment_.system_properties, name)) return value;
    if (auto value = find(environment_.system_properties, fmt::format("env.{}", name)))
      return value;
    return model_value(name);
  }

 private:
  template <class Map>
  static std::optional<std::string> find(const Map& map, std::string_view name) {
    const auto found = map.find(name);
    return found == map.end() ? std::nullopt : std::optional<std::string>(found->second);
  }

  std::optional<std::string> model_value(std::string_view name) const {
    const RawPom& own = *model_.own;
    if (name == "groupId") return non_empty(model_.group);
    if (name == "artifactId") return non_empty(own.artifact);
    if (name == "version") return non_empty(model_.version);
    if (name == "packaging") return own.packaging;
    if (name == "modelVersion") return non_empty(own.model_version);
    if (own.parent) {
      if (name == "parent.groupId") return own.parent->group;
      if (name == "parent.artifactId") return own.parent->artifact;
      if (name == "parent.version") return own.parent->version;
    }
    return find(own.texts, name);
  }

  const InheritedModel& model_;
  const ModelEnvironment& environment_;
};

class ModelInterpolation {
 public:
  ModelInterpolation(const InheritedModel& model, const ModelEnvironment& environment,
                     EffectivePom& out)
      : interpolator_(Values(model, environment)), out_(out) {}

  void text(std::string& value, const Origin& origin) {
    if (!has_expression(value)) return;
    auto result = interpolator_.interpolate(value);
    if (result)
      value = std::move(*result);
    else
      out_.problems.push_back({ProblemKind::invalid, result.error().message, origin, std::nullopt});
  }
  void text(Sourced& value) { text(value.text, value.origin); }

  void dependency(PomDependency& dependency) {
    text(dependency.group, dependency.origin);
    text(dependency.artifact, dependency.origin);
    text(dependency.type, dependency.origin);
    text(dependency.classifier, dependency.origin);
    if (has_expression(dependency.version.text)) {
      dependency.version_expression = dependency.version.text;
      text(dependency.version);
    }
    text(dependency.scope);
    text(dependency.optional);
    for (Exclusion& exclusion : dependency.exclusions) {
      text(exclusion.group, dependency.origin);
      text(exclusion.artifact, dependency.origin);
    }
  }

 private:
  Interpolator interpolator_;
  EffectivePom& out_;
};

bool is_valid_id(std::string_view id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

class Validator {
 public:
  explicit Validator(EffectivePom& pom) : pom_(pom) {}

  void id(std::string_view field, const std::string& value, const Origin& origin) {
    if (is_valid_id(value)) return;
    refuse(value.empty() ? fmt::format("'{}' is missing", field)
                         : fmt::format("'{}' with value '{}' does not match a valid id pattern",
                                       field, base::printable(value)),
           origin);
  }
  void present(std::string_view field, const std::string& value, const Origin& origin) {
    if (value.empty()) refuse(fmt::format("'{}' is missing", field), origin);
  }
  void missing_version(const PomDependency& dependency) {
    refuse(fmt::format("'dependencies.dependency.version' for {} is missing",
                       base::printable(dependency.management_key())),
           dependency.origin);
  }

 private:
  void refuse(std::string message, const Origin& origin) {
    pom_.problems.push_back({ProblemKind::invalid, std::move(message), origin, std::nullopt});
  }
  EffectivePom& pom_;
};

}  // namespace

InheritedModel inherit_model(std::shared_ptr<const RawPom> own, const InheritedModel* parent,
                             const ModelEnvironment& environment) {
  InheritedModel model;
  model.own = std::move(own);
  const RawPom& raw = *model.own;
  model.part = raw.part;
  drop_duplicates(model.part.dependencies);
  std::vector<std::string> notes;
  for (const Profile* profile :
       active_profiles(raw.profiles, environment, raw.part.properties, notes)) {
    inject_profile(model.part, profile->part);
    model.active_profiles.push_back(fmt::format("{} profile {}", *raw.name, profile->id));
  }
  const Origin whole{raw.name, 1};
  for (std::string& note : notes)
    model.problems.push_back({ProblemKind::note, std::move(note), whole, std::nullopt});
  model.group = raw.group;
  model.version = raw.version;
  model.lineage.push_back(*raw.name);
  model.repositories = raw.repositories;
  if (parent == nullptr) return model;

  inherit(model.part, parent->part);
  if (model.group.empty()) model.group = parent->group;
  if (model.version.empty()) model.version = parent->version;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(model.lineage, parent->lineage);
  append(model.active_profiles, parent->active_profiles);
  append(model.repositories, parent->repositories);
  append(model.problems, parent->problems);
  return model;
}

EffectivePom interpolate_model(const InheritedModel& model, const ModelEnvironment& environment) {
  EffectivePom pom;
  pom.name = model.own->name;
  pom.problems = model.problems;
  pom.id.group = model.group;
  pom.id.artifact = model.own->artifact;
  pom.id.version = model.version;
  pom.packaging = model.own->packaging;
  pom.properties = model.part.properties;
  pom.dependencies = model.part.dependencies;
  pom.managed = model.part.managed;
  pom.relocation = model.own->relocation;
  pom.lineage = model.lineage;
  pom.active_profiles = model.active_profiles;
  pom.repositories = model.repositories;

  ModelInterpolation interpolation(model, environment, pom);
  const Origin whole{pom.name, 1};
  interpolation.text(pom.id.group, whole);
  interpolation.text(pom.id.artifact, whole);
  interpolation.text(pom.id.version, whole);
  interpolation.text(pom.packaging, whole);
  for (auto& [name, value] : pom.properties) interpolation.text(value);
  for (PomDependency& dependency : pom.dependencies) interpolation.dependency(dependency);
  for (PomDependency& dependency : pom.managed) interpolation.dependency(dependency);
  if (pom.relocation) {
    interpolation.text(pom.relocation->group, whole);
    interpolation.text(pom.relocation->artifact, whole);
    interpolation.text(pom.relocation->version, whole);
  }
  return pom;
}

void finish_model(EffectivePom& pom, const RawPom& own) {
  inject_management(pom.dependencies, pom.managed);
  for (PomDependency& dependency : pom.dependencies)
    if (dependency.scope.text.empty()) dependency.scope.text = "compile";

  Validator validator(pom);
  const Origin whole{pom.name, 1};
  validator.present("modelVersion", own.model_version, whole);
  validator.id("groupId", pom.id.group, whole);
  validator.id("artifactId", pom.id.artifact, whole);
  validator.present("packaging", pom.packaging, whole);
  validator.present("version", pom.id.version, whole);
  for (const PomDependency& dependency : pom.dependencies) {
    validator.id("dependencies.dependency.artifactId", dependency.artifact, dependency.origin);
    validator.id("dependencies.dependency.groupId", dependency.group, dependency.origin);
    if (dependency.version.text.empty()) validator.missing_version(dependency);
  }
  for (const PomDependency& dependency : pom.managed) {
    validator.id("dependencyManagement.dependencies.dependency.artifactId", dependency.artifact,
                 dependency.origin);
    validator.id("dependencyManagement.dependencies.dependency.groupId", dependency.group,
                 dependency.origin);
  }
}

}  // namespace rowgate::pomcheck
