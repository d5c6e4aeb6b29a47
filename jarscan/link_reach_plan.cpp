#include "jarscan/link_reach_plan.hpp"

#include <algorithm>
#include <string>

namespace rowgate::jarscan {

void NumberLists::start(const std::vector<std::uint32_t>& counts) {
  first_.assign(1, 0);
  for (const std::uint32_t count : counts) first_.push_back(first_.back() + count);
  next_.assign(first_.begin(), first_.end() - 1);
  values_.assign(first_.back(), 0);
}

ReachPlan::ReachPlan(const LinkUnit& unit) {
  number_classes(unit);
  number_methods(unit);
  number_refs(unit);
  key_count = static_cast<std::uint32_t>(keys_.size());
}

void ReachPlan::number_classes(const LinkUnit& unit) {
  const auto count = static_cast<std::uint32_t>(unit.classes.size());
  numbers_.reserve(count);
  first_method.assign(1, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const UnitClass& type = unit.classes[i];
    numbers_.emplace(type.decl->name, i);
    first_method.push_back(first_method.back() +
                           static_cast<std::uint32_t>(type.decl->methods.size()));
  }
  std::vector<std::uint32_t> counts(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    super.push_back(number(unit.classes[i].decl->super_name));
    for (const std::string_view name : unit.classes[i].decl->interfaces)
      if (number(name) != kNone) ++counts[i];
  }
  interfaces.start(counts);
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::string_view name : unit.classes[i].decl->interfaces)
      if (const std::uint32_t interface = number(name); interface != kNone)
        interfaces.add(i, interface);
}

void ReachPlan::number_methods(const LinkUnit& unit) {
  const auto selectable = [](const MemberDecl& method) {
    return !method.is(access::kStatic) && !method.name.starts_with('<');
  };
  keys_.reserve(first_method.back());
  for (std::uint32_t i = 0; i < unit.classes.size(); ++i) {
    const auto list = unit.classes[i].decl->methods;
    for (std::uint32_t m = 0; m < list.size(); ++m) {
      methods.emplace_back(i, m);
      key_of.push_back(key(list[m].key));
    }
  }
  std::vector<std::uint32_t> counts(keys_.size());
  const auto each = [&](auto visit) {
    for (std::uint32_t flat = 0; flat < methods.size(); ++flat)
      if (selectable(unit.classes[methods[flat].first].decl->methods[methods[flat].second]))
        visit(flat);
  };
  each([&](std::uint32_t flat) { ++counts[key_of[flat]]; });
  by_key.start(counts);
  each([&](std::uint32_t flat) { by_key.add(key_of[flat], flat); });
}

void ReachPlan::number_refs(const LinkUnit& unit) {
  std::vector<std::uint32_t> used(first_method.back()), naming(first_method.back());
  // Each method that uses a reference, once: a reference's sites stand in the order of the methods.
  const auto each_use = [&](auto visit) {
    for (std::uint32_t i = 0; i < unit.classes.size(); ++i) {
      const UnitClass& type = unit.classes[i];
      for (const LinkRef& ref : type.refs) {
        const Range sites = ref.sites;
        std::uint32_t last = kNone;
        for (std::uint32_t s = 0; s < sites.count; ++s) {
          const std::uint32_t method = type.sites[sites.first + s].method;
          if (method != last) visit(first_method[i] + method, ref.symbol);
          last = method;
        }
      }
    }
  };
  each_use([&](std::uint32_t method, std::uint32_t) { ++used[method]; });
  uses.start(used);
  each_use([&](std::uint32_t method, std::uint32_t symbol) { uses.add(method, symbol); });

  refs.reserve(unit.symbols.size());
  for (const Reference& symbol : unit.symbols) {
    const bool calls = symbol.kind >= RefKind::invoke_virtual;
    refs.push_back({number(element_class(symbol.owner)),
                    calls ? key(member_key(symbol.name, symbol.descriptor)) : kNone, symbol.kind});
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  std::string internal;
  for (std::uint32_t i = 0; i < unit.classes.size(); ++i)
    for (const auto& [method, text] : unit.classes[i].strings) {
      internal.assign(text);
      std::replace(internal.begin(), internal.end(), '.', '/');
      const std::uint32_t named_class = number(internal);
      if (named_class == kNone) continue;
      found.emplace_back(first_method[i] + method, named_class);
      ++naming[found.back().first];
    }
  named.start(naming);
  for (const auto& [method, type] : found) named.add(method, type);
}

}  // namespace rowgate::jarscan
