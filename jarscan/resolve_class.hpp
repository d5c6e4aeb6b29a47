// What linkage needs to know of a class: its supertypes, flags and members, without its code. The
// same form whether it was read from a jar, from the JDK or from the class index in the cache.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "jarscan/class_file.hpp"

namespace rowgate::jarscan {

// Hash of a member's name and descriptor: equal members have equal keys, so that a search compares
// one number a member, and texts only where the numbers agree.
std::uint64_t member_key(std::string_view name, std::string_view descriptor);
std::uint64_t text_hash(std::string_view text, std::uint64_t seed = 0);

struct TextHash {
  std::size_t operator()(std::string_view text) const { return text_hash(text); }
};

struct MemberDecl {
  std::uint64_t key = 0;
  std::string_view name, descriptor;
  std::uint16_t access = 0;

  bool is(std::uint16_t flag) const { return (access & flag) != 0; }
};

struct ClassDecl {
  std::string_view name, super_name;  // super_name is empty for java/lang/Object only
  std::string_view nest_host;         // empty: the class is its own
  std::span<const std::string_view> interfaces, nest_members, permitted;
  std::span<const MemberDecl> fields, methods;  // in the class file's order
  std::uint16_t access = 0;
  std::uint16_t major = 0;
  bool sealed = false;
  bool scala = false;  // compiled by scalac: has one of its attributes

  bool is_interface() const { return (access & access::kInterface) != 0; }
  bool is_abstract() const { return (access & access::kAbstract) != 0; }
};

// Owns texts and arrays of declarations; nothing is freed before the pool. Not thread-safe.
class DeclPool {
 public:
  // The same text always gives the same view.
  std::string_view intern(std::string_view text);
  // Room for `count` objects that need no destructor, value-initialised.
  template <class T>
  std::span<T> array(std::size_t count) {
    if (count == 0) return {};
    T* first = static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }
  // From a class file of depth `members` or `code`; copies all that it keeps. Private members are
  // kept too: resolution finds them and access control refuses them.
  const ClassDecl* declare(const ClassFile& file);
  // The same declaration with its texts in this pool.
  const ClassDecl* copy(const ClassDecl& decl);
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::span<const std::string_view> texts(std::span<const std::string_view> from);
  std::span<const MemberDecl> members(std::span<const Member> from);

  std::pmr::monotonic_buffer_resource memory_{std::size_t{64} << 10};
  std::unordered_set<std::string_view, TextHash> texts_;
  std::uint64_t bytes_ = 0;
};

// Where a class loader finds its classes. Not thread-safe; what it returns lives as long as it.
class ClassProvider {
 public:
  virtual ~ClassProvider() = default;

  // nullptr when this provider has no such class, or has one that cannot be read: then unreadable()
  // lists it, because the JVM would refuse it too.
  virtual const ClassDecl* find(std::string_view internal_name) = 0;
  virtual bool has_package(std::string_view package) = 0;
  // Internal names of the classes whose simple name (after the last '/') is `simple_name`, sorted,
  // at most `limit`: where a class that is gone may have moved to.
  virtual std::vector<std::string> find_simple(std::string_view simple_name, std::size_t limit) = 0;
  virtual std::span<const Error> unreadable() const { return {}; }
};

// "[[Lp/C;" -> "p/C"; "p/C" -> itself; arrays of primitive types -> "".
std::string_view element_class(std::string_view name_or_array);

// Calls `visit(internal name)` for every class of a field or method descriptor.
template <class Visit>
void for_each_class(std::string_view descriptor, Visit visit) {
  for (std::size_t at = 0; at < descriptor.size(); ++at) {
    if (descriptor[at] != 'L') continue;
    const std::size_t end = descriptor.find(';', at);
    if (end == std::string_view::npos) return;
    visit(descriptor.substr(at + 1, end - at - 1));
    at = end;
  }
}

}  // namespace rowgate::jarscan
