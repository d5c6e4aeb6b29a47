// A unit's call graph as numbers: what reachability asks for every Spark and does not depend on it.
// Internal to link.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jarscan/link_unit.hpp"

namespace rowgate::jarscan {

// Lists of numbers, one behind the other.
class NumberLists {
 public:
  // `counts` is the length of each list; add() fills them in any order.
  void start(const std::vector<std::uint32_t>& counts);
  void add(std::uint32_t list, std::uint32_t value) { values_[next_[list]++] = value; }
  // Empty for a list that was never started.
  std::span<const std::uint32_t> of(std::uint32_t list) const {
    if (list + 1 >= first_.size()) return {};
    return std::span(values_).subspan(first_[list], first_[list + 1] - first_[list]);
  }

 private:
  std::vector<std::uint32_t> first_, next_, values_;
};

// Immutable once made. Classes are numbered as in the unit, methods through all classes in their
// order ("flat").
struct ReachPlan {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit ReachPlan(const LinkUnit& unit);

  struct Ref {
    std::uint32_t owner = kNone;  // the unit's class, of arrays their element's
    std::uint32_t key = kNone;    // of the method that is called; kNone for other references
    RefKind kind = RefKind::class_use;
  };

  std::vector<std::uint32_t> first_method;  // of each class; one more
  std::vector<std::uint32_t> super;         // class, or kNone when it is not the unit's
  NumberLists interfaces;                   // by class: those that are the unit's
  std::vector<Ref> refs;                    // by symbol of the unit
  NumberLists uses;                         // by flat method: symbols
  NumberLists named;                        // by flat method: classes named by strings
  std::vector<std::uint32_t> key_of;        // by flat method
  std::vector<std::pair<std::uint32_t, std::uint32_t>> methods;  // by flat: class, its method
  NumberLists by_key;  // by key: flat methods that a virtual call may select
  std::uint32_t key_count = 0;

 private:
  void number_classes(const LinkUnit& unit);
  void number_methods(const LinkUnit& unit);
  void number_refs(const LinkUnit& unit);
  std::uint32_t number(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found != numbers_.end() ? found->second : kNone;
  }
  std::uint32_t key(std::uint64_t member_key) {
    return keys_.emplace(member_key, static_cast<std::uint32_t>(keys_.size())).first->second;
  }

  std::unordered_map<std::string_view, std::uint32_t, TextHash> numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> keys_;
};

}  // namespace rowgate::jarscan
