// Source: the merging rules of Maven 3.9's ModelMerger, DefaultDependencyManagementImporter and
// DefaultDependencyManagementInjector. Cost: one hash lookup an entry.
#include "pomcheck/model_merge.hpp"

#include <string>
#include <unordered_map>
#include <utility>

namespace rowgate::pomcheck {
namespace {

// Keys -> position in `list`. Putting an entry of a known key replaces it where it stands.
class KeyedList {
 public:
  explicit KeyedList(std::vector<PomDependency>& list) : list_(list) {
    std::vector<PomDependency> old = std::move(list_);
    list_.clear();
    list_.reserve(old.size());
    for (PomDependency& entry : old) put(std::move(entry), Dominant::source);
  }

  void put(PomDependency entry, Dominant dominant) {
    const auto [found, fresh] = places_.emplace(entry.management_key(), list_.size());
    if (fresh)
      list_.push_back(std::move(entry));
    else if (dominant == Dominant::source)
      list_[found->second] = std::move(entry);
  }

 private:
  std::vector<PomDependency>& list_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

void merge_dependencies(std::vector<PomDependency>& target,
                        const std::vector<PomDependency>& source, Dominant dominant) {
  if (source.empty()) return;
  KeyedList merged(target);
  for (const PomDependency& entry : source) merged.put(entry, dominant);
}

void drop_duplicates(std::vector<PomDependency>& dependencies) {
  if (dependencies.size() > 1) const KeyedList unique(dependencies);
}

void inherit(ModelPart& child, const ModelPart& parent) {
  for (const auto& property : parent.properties) child.properties.insert(property);
  merge_dependencies(child.dependencies, parent.dependencies, Dominant::target);
  merge_dependencies(child.managed, parent.managed, Dominant::target);
}

void import_management(std::vector<PomDependency>& managed,
                       const std::vector<const std::vector<PomDependency>*>& imports) {
  if (imports.empty()) return;
  KeyedList merged(managed);
  for (const std::vector<PomDependency>* import : imports)
    for (const PomDependency& entry : *import) merged.put(entry, Dominant::target);
}

void inject_management(std::vector<PomDependency>& dependencies,
                       const std::vector<PomDependency>& managed) {
  if (managed.empty()) return;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < dependencies.size(); ++i)
    places[dependencies[i].management_key()] = i;
  for (const PomDependency& entry : managed) {
    const auto found = places.find(entry.management_key());
    if (found == places.end()) continue;
    PomDependency& dependency = dependencies[found->second];
    if (!dependency.version.declared() && entry.version.declared()) {
      dependency.version = entry.version;
      dependency.version_expression = entry.version_expression;
      dependency.version_is_managed = true;
    }
    if (!dependency.scope.declared()) dependency.scope = entry.scope;
    if (dependency.exclusions.empty()) dependency.exclusions = entry.exclusions;
  }
}

}  // namespace rowgate::pomcheck
