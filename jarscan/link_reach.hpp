// Which of a connector's methods Spark can get to, and how: rapid type analysis over the unit's
// call graph, from the classes that Spark loads by name. It ranks findings, it excuses none:
// reflection that builds names from pieces is not seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jarscan/link_reach_plan.hpp"
#include "jarscan/link_unit.hpp"
#include "jarscan/resolve.hpp"

namespace rowgate::jarscan {

// Why a class is an entry point.
enum class EntryKind : std::uint8_t { service, configured, plugin };

struct EntryPoint {
  std::uint32_t type = 0;  // index into LinkUnit::classes
  EntryKind kind = EntryKind::configured;
  std::string detail;  // the service file, the configuration key's value, the plug-in type
};

// META-INF/services of the connectors' jars, classes named by the user (dotted or internal), and
// public concrete classes that implement one of Spark's plug-in types. Sorted by class, each once.
std::vector<EntryPoint> entry_points(const LinkUnit& unit, ClassWorld& world,
                                     const std::vector<std::string>& configured);

class Reachability {
 public:
  // With no entry points everything counts as reached.
  Reachability(const ReachPlan& plan, const LinkUnit& unit, ClassWorld& world,
               const std::vector<EntryPoint>& entries);

  bool all_reached() const { return all_; }
  bool method(std::uint32_t type, std::uint32_t method) const {
    return all_ || parents_[first_[type] + method] != kUnreached;
  }
  // Some reached code loads the class, or it is an entry point.
  bool loaded(std::uint32_t type) const { return all_ || loaded_by_[type] != kUnreached; }
  bool instantiated(std::uint32_t type) const { return all_ || instantiated_[type]; }
  // From an entry point to the method, one step an element: "io.delta.DeltaCatalog.createTable".
  std::vector<std::string> path_to_method(std::uint32_t type, std::uint32_t method) const;
  std::vector<std::string> path_to_class(std::uint32_t type) const;
  std::size_t reached_methods() const;
  std::size_t method_count() const { return parents_.size(); }

 private:
  friend class ReachabilityBuilder;
  static constexpr std::uint32_t kUnreached = UINT32_MAX, kEntry = UINT32_MAX - 1;

  std::vector<std::string> path(std::uint32_t flat) const;
  std::uint32_t type_of(std::uint32_t flat) const;

  const LinkUnit* unit_;
  bool all_ = false;
  std::vector<std::uint32_t> first_;      // flat number of each class's first method; one more
  std::vector<std::uint32_t> parents_;    // by flat number: the caller's
  std::vector<std::uint32_t> loaded_by_;  // by class: the method that names it
  std::vector<bool> instantiated_;
};

// "DeltaCatalog.createTable" and, where the class file has lines, ":260".
std::string place_of(const UnitClass& type, std::uint32_t method, std::uint16_t line);

}  // namespace rowgate::jarscan
