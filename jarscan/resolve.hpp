// Resolution as the JVM does it (JVMS 5.3, 5.4.3, 5.4.4, 5.4.6) over declarations: what a symbolic
// reference of one class leads to, or the LinkageError that it raises.
//
// A ClassWorld is one JVM's view: the JDK, the parent loader's classes (Spark's jars) and the child
// loader's (connectors given with --jars). Loader constraints (5.3.4) and the JDK's module exports
// are not checked. A world is not thread-safe; use one a thread.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jarscan/resolve_class.hpp"

namespace rowgate::jarscan {

enum class LinkProblem : std::uint8_t {
  none,
  // A class cannot be used or loaded.
  class_missing,
  class_inaccessible,
  class_circular,
  superclass_is_interface,
  superinterface_is_class,
  superclass_final,
  not_permitted,  // by a sealed supertype
  supertype_inaccessible,
  overrides_final,
  // A member cannot be used.
  method_missing,
  field_missing,
  found_interface,  // where the reference expects a class
  found_class,      // where the reference expects an interface
  not_static,       // where the reference expects a static member
  is_static,        // where the reference expects an instance member
  member_inaccessible,
  final_field_written,
  abstract_instantiated,
  abstract_called,  // a super call of an abstract method
  lambda_not_interface,
  // A class lacks something that others will call.
  unimplemented,
  conflicting_defaults,
  implemented_inaccessibly,  // by a method that is not public
  // The verifier refuses a class.
  bad_assignment,
  not_throwable,
  bad_protected_access,
  // A class no longer implements the interface that it is called by.
  interface_lost,
};

// "NoSuchMethodError": the simple name of what the JVM throws; "" for none.
const char* jvm_error(LinkProblem problem);

enum class LoaderKind : std::uint8_t { platform, parent, child };

enum class LoadingOrder : std::uint8_t {
  parent_first,  // --jars, --packages
  child_first,   // spark.{driver,executor}.userClassPathFirst
  one_loader,    // extraClassPath: connectors stand before Spark's jars in one loader
};

// A class as a loader defines it. `failure` says why it cannot be loaded, with `culprit`, the class
// that is missing or wrong, which may be a distant supertype.
struct ResolvedClass {
  const ClassDecl* decl = nullptr;
  LoaderKind loader = LoaderKind::platform;
  bool connector = false;  // comes from the connectors' jars
  bool assumed = false;    // a JDK class that nobody has read: has every member, extends anything
  LinkProblem failure = LinkProblem::none;
  std::string_view culprit;                    // class
  const MemberDecl* culprit_member = nullptr;  // overrides_final
  ResolvedClass* super = nullptr;
  std::vector<ResolvedClass*> interfaces;

  bool loadable() const { return failure == LinkProblem::none; }
  std::string_view name() const { return decl->name; }

 private:
  friend class ClassWorld;
  enum class State : std::uint8_t { fresh, loading, done };
  State state_ = State::fresh;
  std::uint32_t mark_ = 0;
};

struct FoundMember {
  const ResolvedClass* holder = nullptr;  // nullptr: not found
  const MemberDecl* member = nullptr;  // nullptr with a holder: assumed, or signature-polymorphic
};

enum class RefKind : std::uint8_t {
  class_use,    // ldc, checkcast, instanceof, anewarray, catch, a class of a method type
  instantiate,  // new
  get_field,
  get_static,
  put_field,
  put_static,
  invoke_virtual,
  invoke_special,
  invoke_static,
  invoke_interface,
  invoke_constructor,  // a method handle's newInvokeSpecial
};

struct Reference {
  RefKind kind = RefKind::class_use;
  bool interface_constant = false;    // InterfaceMethodref
  bool via_handle = false;            // stands in a MethodHandle constant
  std::string_view owner;             // class, or an array descriptor
  std::string_view name, descriptor;  // of members
  std::string_view from_method;  // name of the method that holds it, for final fields; may be empty

  friend bool operator==(const Reference&, const Reference&) = default;
};

struct Resolution {
  LinkProblem problem = LinkProblem::none;
  std::string_view culprit;              // class that is missing, wrong or not accessible
  const ResolvedClass* owner = nullptr;  // when the owner could be loaded
  FoundMember found;
};

struct WorldLayers {
  ClassProvider* jdk = nullptr;  // nullptr: java/**, javax/**, jdk/**, sun/** are assumed
  ClassProvider* parent = nullptr;
  ClassProvider* child = nullptr;
  LoadingOrder order = LoadingOrder::parent_first;
};

class ClassWorld {
 public:
  explicit ClassWorld(const WorldLayers& layers);
  ~ClassWorld();
  ClassWorld(const ClassWorld&) = delete;
  ClassWorld& operator=(const ClassWorld&) = delete;

  // The class that code of a class defined by `from` means by `name`; its supertypes are loaded and
  // checked. nullptr: no loader that `from` asks has it.
  ResolvedClass* load(std::string_view name, LoaderKind from);
  // The class that the connector's jars have under this name, if the JVM would use it: nullptr when
  // another loader's class shadows it.
  ResolvedClass* load_connector_class(std::string_view name);

  Resolution resolve(const Reference& reference, const ResolvedClass& from);

  FoundMember find_field(const ResolvedClass& owner, const MemberDecl& wanted);
  // 5.4.3.3 for classes, 5.4.3.4 for interfaces. With a conflict of defaults one of them is found.
  FoundMember find_method(const ResolvedClass& owner, const MemberDecl& wanted);
  // 5.4.6: what a call of `resolved` on an object of class `receiver` runs.
  struct Selection {
    LinkProblem problem = LinkProblem::none;
    FoundMember found;
  };
  Selection select(const ResolvedClass& receiver, const FoundMember& resolved);

  bool is_subtype(const ResolvedClass& type, const ResolvedClass& of);
  bool is_subclass(const ResolvedClass& type, const ResolvedClass& of) const;
  bool same_package(const ResolvedClass& a, const ResolvedClass& b) const;
  bool can_access_class(const ResolvedClass& from, const ResolvedClass& target) const;
  bool can_access_member(const ResolvedClass& from, const ResolvedClass& owner,
                         const FoundMember& target);

  // All supertypes of `type` and itself, each once: superclasses first, then interfaces.
  void supertypes(ResolvedClass& type, std::vector<ResolvedClass*>& out);

  bool has_package(std::string_view package);
  const WorldLayers& layers() const { return layers_; }

 private:
  struct Definition {
    ResolvedClass* type = nullptr;
  };
  ResolvedClass* define(std::string_view name, LoaderKind from);
  ResolvedClass* defined(std::string_view name, ClassProvider& provider, LoaderKind loader,
                         bool connector);
  ResolvedClass* assume(std::string_view name);
  void load_supertypes(ResolvedClass& start);
  void check_supertype(ResolvedClass& type, const ResolvedClass& super, bool is_superclass);
  void check_overridden_finals(ResolvedClass& type);
  Resolution resolve_owner(const Reference& reference, const ResolvedClass& from);
  void check_field(const Reference& reference, const ResolvedClass& from, Resolution& result);
  void check_method(const Reference& reference, const ResolvedClass& from, Resolution& result);
  void check_special(const Reference& reference, const ResolvedClass& from, Resolution& result);
  FoundMember find_in_superinterfaces(const ResolvedClass& owner, const MemberDecl& wanted,
                                      bool& conflict);
  const ResolvedClass* nest_host(const ResolvedClass& type);
  std::uint32_t next_mark();

  WorldLayers layers_;
  std::deque<ResolvedClass> classes_;
  std::deque<ClassDecl> assumed_;
  DeclPool names_;
  using Map = std::unordered_map<std::string_view, ResolvedClass*, TextHash>;
  Map initiated_[3];               // by LoaderKind of the asking class
  Map platform_, parent_, child_;  // by defining provider
  std::vector<ResolvedClass*> queue_;
  std::uint32_t mark_ = 0;
};

// Whether a class name belongs to the JDK by its prefix.
bool is_jdk_name(std::string_view internal_name);

}  // namespace rowgate::jarscan
