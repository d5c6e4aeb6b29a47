#include "jarscan/hierarchy.hpp"

#include <algorithm>
#include <unordered_set>

namespace rowgate::jarscan {

const TypeFacts* ClassPathTypes::find(std::string_view internal_name) {
  const auto [place, is_new] = known_.try_emplace(std::string(internal_name));
  if (!is_new) return place->second ? &place->second->facts : nullptr;
  const auto location = index_.find(internal_name);
  if (!location) return nullptr;
  if (auto loaded = index_.load(*location, ClassDepth::header, reader_, file_); !loaded) {
    errors_.push_back(std::move(loaded).error());
    return nullptr;
  }
  auto known = std::make_unique<Known>();
  std::size_t size = file_.this_name.size() + file_.super_name.size();
  for (const std::string_view name : file_.interfaces) size += name.size();
  known->text.reserve(size);  // the views below stay valid because it never grows
  const auto keep = [&](std::string_view name) {
    const std::size_t start = known->text.size();
    known->text += name;
    return std::string_view(known->text).substr(start);
  };
  known->facts.name = keep(file_.this_name);
  known->facts.super = keep(file_.super_name);
  for (const std::string_view name : file_.interfaces) known->interfaces.push_back(keep(name));
  known->facts.interfaces = known->interfaces;
  known->facts.access = file_.access;
  place->second = std::move(known);
  return &place->second->facts;
}

namespace {

// Almost every type has a handful of ancestors, which are looked through faster than hashed.
class SeenNames {
 public:
  // `names`: those seen so far, which the caller adds to.
  explicit SeenNames(const std::vector<std::string_view>& names) : names_(names) {}

  bool is_new(std::string_view name) {
    if (names_.size() < kFew) return std::find(names_.begin(), names_.end(), name) == names_.end();
    if (set_.empty()) set_.insert(names_.begin(), names_.end());
    return set_.insert(name).second;
  }

 private:
  static constexpr std::size_t kFew = 32;
  const std::vector<std::string_view>& names_;
  std::unordered_set<std::string_view> set_;
};

}  // namespace

Ancestry ancestry_of(const TypeFacts& type, const TypeLookup& lookup) {
  Ancestry result;
  SeenNames seen(result.ancestors);
  const auto add = [&](std::string_view name) {
    if (name.empty()) return;
    if (name == type.name) result.is_circular = true;
    if (result.ancestors.size() >= kMaxAncestors)
      result.is_complete = false;
    else if (seen.is_new(name))
      result.ancestors.push_back(name);
  };
  const auto add_supertypes = [&](const TypeFacts& facts) {
    add(facts.super);
    for (const std::string_view name : facts.interfaces) add(name);
  };
  add_supertypes(type);
  for (std::size_t i = 0; i < result.ancestors.size(); ++i) {
    const std::string_view name = result.ancestors[i];
    if (const TypeFacts* const facts = lookup(name))
      add_supertypes(*facts);
    else if (!is_platform_type(name))
      result.unknown.push_back(name);
  }
  return result;
}

bool is_platform_type(std::string_view internal_name) {
  for (const std::string_view prefix : {"java/", "javax/", "jdk/", "sun/", "scala/"})
    if (internal_name.starts_with(prefix)) return true;
  return false;
}

}  // namespace rowgate::jarscan
