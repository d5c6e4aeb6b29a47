// What breaks when the classes of a unit run in one world: every class's loading and linking, every
// reference, every abstract method left unimplemented. Facts only; what they mean to a user (new,
// reachable, optional) is decided in link.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jarscan/link_unit.hpp"
#include "jarscan/resolve.hpp"

namespace rowgate::jarscan {

enum class BreakPlace : std::uint8_t {
  loading,         // the class cannot be loaded
  linking,         // the verifier refuses it, or has to load a class that cannot be
  reference,       // an instruction throws when it is first run
  implementation,  // a call of a method that the class lacks throws
  lambda,          // the same of an object made by invokedynamic
};

struct LinkBreak {
  LinkProblem problem = LinkProblem::none;
  BreakPlace place = BreakPlace::reference;
  std::uint32_t user = 0;   // index into LinkUnit::classes
  std::uint32_t index = 0;  // reference, question or lambda, by place
  // The root cause: what is gone or changed, in internal form: "p/C", "p/C.m(I)V", "p/C.f:I".
  // Breaks with the same symbol and problem have the same cause.
  std::string symbol;
  std::string_view culprit;  // the class that is missing or wrong; owner of a missing member
  // loading: the direct supertype that fails; linking: the class that the verifier could not load;
  // bad_assignment, interface_lost: the type that no longer fits.
  std::string via;
  std::string member;          // name and descriptor of the member concerned; empty for classes
  bool split_package = false;  // refused only because two loaders define one package
  bool assumed_jdk = false;
};

struct Judgement {
  std::vector<LinkBreak> breaks;  // by user, place, index
  std::vector<bool> shadowed;     // by unit class: another loader's class is used instead
  std::uint64_t references = 0;   // judged, of classes that are used
  std::uint64_t assumed = 0;      // of those, answered by a JDK class that nobody read
  std::vector<Error> unreadable;  // classes of the path that could not be read when needed
};

// Judges all classes of the unit that `world` uses. `world` was made over the same unit's classes.
Judgement judge(const LinkUnit& unit, ClassWorld& world, const RunContext& context);

}  // namespace rowgate::jarscan
