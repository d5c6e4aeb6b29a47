// Supertypes of classes, over whatever knows types by name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jarscan/class_index.hpp"

namespace rowgate::jarscan {

// Views are owned by whoever made it.
struct TypeFacts {
  std::string_view name;
  std::string_view super;  // empty for java/lang/Object
  std::span<const std::string_view> interfaces;
  std::uint16_t access = 0;

  bool is_concrete() const { return (access & (access::kInterface | access::kAbstract)) == 0; }
  bool is_interface() const { return (access & access::kInterface) != 0; }
};

// nullptr: the type is in nothing that was given. Pointers stay valid while the source lives.
using TypeLookup = std::function<const TypeFacts*(std::string_view internal_name)>;

// The types of a class path, each read when it is first asked for. One thread at a time.
class ClassPathTypes {
 public:
  explicit ClassPathTypes(const ClassIndex& index) : index_(index) {}
  const TypeFacts* find(std::string_view internal_name);
  // Classes that were asked for and could not be read.
  const std::vector<Error>& errors() const { return errors_; }

 private:
  struct Known {
    std::string text;  // name, super and interfaces, one after the other
    std::vector<std::string_view> interfaces;
    TypeFacts facts;
  };
  const ClassIndex& index_;
  EntryReader reader_;
  ClassFile file_;
  std::unordered_map<std::string, std::unique_ptr<Known>> known_;  // null: not there
  std::vector<Error> errors_;
};

struct Ancestry {
  std::vector<std::string_view> ancestors;  // known and unknown ones, each once, nearest first
  std::vector<std::string_view> unknown;    // of these, what the lookup does not know
  bool is_circular =
      false;  // the type is its own ancestor: a JVM refuses it (ClassCircularityError)
  bool is_complete = true;  // false: more than kMaxAncestors, the rest was not looked at
};

inline constexpr std::size_t kMaxAncestors = 4096;

// All supertypes of a type. Cycles end because no type is visited twice.
Ancestry ancestry_of(const TypeFacts& type, const TypeLookup& lookup);

// Types that no Spark connector API can hide behind: the JDK's and the Scala library's. They count
// as known when they are not given.
bool is_platform_type(std::string_view internal_name);

}  // namespace rowgate::jarscan
