// Loading: from a name to a class whose supertypes are loaded and fit (JVMS 5.3, 5.3.5).
//
// Which class a name means depends on the loader of the class that says it. The parent loader sees
// the JDK and the parent's jars, never the child's. The child sees all; in what order is the
// world's LoadingOrder. Each provider defines a name at most once, so two loaders that reach the
// same provider share the class.
//
// Supertypes are loaded depth-first with an explicit stack. A class is `loading` while it is on the
// stack, so meeting one again is a circularity and the walk ends: each class is pushed once. Cost:
// one look-up for each direct supertype of each class ever loaded.
#include <fmt/format.h>

#include <algorithm>

#include "jarscan/class_index.hpp"
#include "jarscan/resolve.hpp"

namespace rowgate::jarscan {

namespace {

// java/lang/Object's methods, for when no JDK is given: every class inherits them, and no others.
constexpr struct {
  const char* name;
  const char* descriptor;
  std::uint16_t access;
} kObjectMethods[] = {
    {"<init>", "()V", access::kPublic},
    {"getClass", "()Ljava/lang/Class;", access::kPublic | access::kFinal | access::kNative},
    {"hashCode", "()I", access::kPublic | access::kNative},
    {"equals", "(Ljava/lang/Object;)Z", access::kPublic},
    {"clone", "()Ljava/lang/Object;", access::kProtected | access::kNative},
    {"toString", "()Ljava/lang/String;", access::kPublic},
    {"notify", "()V", access::kPublic | access::kFinal | access::kNative},
    {"notifyAll", "()V", access::kPublic | access::kFinal | access::kNative},
    {"wait", "()V", access::kPublic | access::kFinal},
    {"wait", "(J)V", access::kPublic | access::kFinal},
    {"wait", "(JI)V", access::kPublic | access::kFinal},
    {"finalize", "()V", access::kProtected},
};

}  // namespace

bool is_jdk_name(std::string_view name) {
  for (const std::string_view prefix : {"java/", "javax/", "jdk/", "sun/"})
    if (name.starts_with(prefix)) return true;
  return false;
}

ClassWorld::ClassWorld(const WorldLayers& layers) : layers_(layers) {}
ClassWorld::~ClassWorld() = default;

ResolvedClass* ClassWorld::defined(std::string_view name, ClassProvider& provider,
                                   LoaderKind loader, bool connector) {
  Map& map = &provider == layers_.jdk ? platform_ : connector ? child_ : parent_;
  if (const auto known = map.find(name); known != map.end()) return known->second;
  const ClassDecl* decl = provider.find(name);
  ResolvedClass* type = nullptr;
  if (decl != nullptr) {
    type = &classes_.emplace_back();
    type->decl = decl;
    type->loader = loader;
    type->connector = connector;
  }
  map.emplace(decl != nullptr ? decl->name : names_.intern(name), type);
  return type;
}

// Once a name, like every class: the map is the JDK's, which there is none of.
ResolvedClass* ClassWorld::assume(std::string_view name) {
  if (const auto known = platform_.find(name); known != platform_.end()) return known->second;
  ClassDecl& decl = assumed_.emplace_back();
  decl.name = names_.intern(name);
  decl.access = access::kPublic;
  decl.major = 45;
  ResolvedClass& type = classes_.emplace_back();
  type.decl = &decl;
  if (name == "java/lang/Object") {
    const auto methods = names_.array<MemberDecl>(std::size(kObjectMethods));
    for (std::size_t i = 0; i < methods.size(); ++i)
      methods[i] = {member_key(kObjectMethods[i].name, kObjectMethods[i].descriptor),
                    kObjectMethods[i].name, kObjectMethods[i].descriptor, kObjectMethods[i].access};
    decl.methods = methods;
  } else {
    type.assumed = true;
  }
  platform_.emplace(decl.name, &type);
  return &type;
}

ResolvedClass* ClassWorld::define(std::string_view name, LoaderKind from) {
  const bool one = layers_.order == LoadingOrder::one_loader;
  const bool child_sees = from == LoaderKind::child || (one && from == LoaderKind::parent);
  ResolvedClass* type = nullptr;
  if (layers_.jdk != nullptr) type = defined(name, *layers_.jdk, LoaderKind::platform, false);
  const auto ask_parent = [&] {
    if (type == nullptr && from != LoaderKind::platform && layers_.parent != nullptr)
      type = defined(name, *layers_.parent, LoaderKind::parent, false);
  };
  if (layers_.order == LoadingOrder::parent_first) ask_parent();
  if (type == nullptr && child_sees && layers_.child != nullptr)
    type = defined(name, *layers_.child, one ? LoaderKind::parent : LoaderKind::child, true);
  ask_parent();
  if (type == nullptr && layers_.jdk == nullptr && is_jdk_name(name)) type = assume(name);
  return type;
}

ResolvedClass* ClassWorld::load(std::string_view name, LoaderKind from) {
  Map& map = initiated_[static_cast<unsigned>(from)];
  if (const auto known = map.find(name); known != map.end()) return known->second;
  ResolvedClass* type = define(name, from);
  map.emplace(type != nullptr ? type->decl->name : names_.intern(name), type);
  if (type != nullptr && type->state_ == ResolvedClass::State::fresh) load_supertypes(*type);
  return type;
}

ResolvedClass* ClassWorld::load_connector_class(std::string_view name) {
  const bool one = layers_.order == LoadingOrder::one_loader;
  ResolvedClass* type = load(name, one ? LoaderKind::parent : LoaderKind::child);
  return type != nullptr && type->connector ? type : nullptr;
}

bool ClassWorld::has_package(std::string_view package) {
  for (ClassProvider* provider : {layers_.jdk, layers_.parent, layers_.child})
    if (provider != nullptr && provider->has_package(package)) return true;
  return layers_.jdk == nullptr && is_jdk_name(package);
}

bool ClassWorld::same_package(const ResolvedClass& a, const ResolvedClass& b) const {
  return a.loader == b.loader && package_of(a.name()) == package_of(b.name());
}

bool ClassWorld::can_access_class(const ResolvedClass& from, const ResolvedClass& target) const {
  return (target.decl->access & access::kPublic) != 0 || same_package(from, target);
}

void ClassWorld::load_supertypes(ResolvedClass& start) {
  using State = ResolvedClass::State;
  struct Frame {
    ResolvedClass* type;
    std::size_t next;  // 0: the superclass, i + 1: interface i
  };
  std::vector<Frame> stack = {{&start, 0}};
  start.state_ = State::loading;
  const auto fail_with = [](ResolvedClass& type, LinkProblem problem, std::string_view culprit) {
    type.failure = problem;
    type.culprit = culprit;
  };
  while (!stack.empty()) {
    ResolvedClass& type = *stack.back().type;
    const std::size_t next = stack.back().next;
    const ClassDecl& decl = *type.decl;
    if (!type.loadable() || next > decl.interfaces.size()) {
      if (type.loadable() && type.connector) check_overridden_finals(type);
      type.state_ = State::done;
      stack.pop_back();
      continue;
    }
    const std::string_view name = next == 0 ? decl.super_name : decl.interfaces[next - 1];
    if (name.empty()) {  // java/lang/Object, and JDK classes that are assumed
      ++stack.back().next;
      continue;
    }
    ResolvedClass* super = define(name, type.loader);
    if (super == nullptr) {
      fail_with(type, LinkProblem::class_missing, name);
      continue;
    }
    if (super->state_ == State::loading) {
      fail_with(type, LinkProblem::class_circular, super->name());
      continue;
    }
    if (super->state_ == State::fresh) {
      super->state_ = State::loading;
      stack.push_back({super, 0});
      continue;
    }
    ++stack.back().next;
    if (!super->loadable()) {
      fail_with(type, super->failure, super->culprit);
      type.culprit_member = super->culprit_member;
      continue;
    }
    check_supertype(type, *super, next == 0);
    if (next == 0)
      type.super = super;
    else
      type.interfaces.push_back(super);
  }
}

void ClassWorld::check_supertype(ResolvedClass& type, const ResolvedClass& super,
                                 bool is_superclass) {
  if (super.assumed) return;
  const auto fails = [&](LinkProblem problem) {
    type.failure = problem;
    type.culprit = super.name();
  };
  const ClassDecl& decl = *super.decl;
  if (is_superclass && decl.is_interface()) return fails(LinkProblem::superclass_is_interface);
  if (!is_superclass && !decl.is_interface()) return fails(LinkProblem::superinterface_is_class);
  if (is_superclass && (decl.access & access::kFinal) != 0)
    return fails(LinkProblem::superclass_final);
  if (decl.sealed) {
    // Both in one module: each loader has its own unnamed module, and the JDK's are others again.
    // Classes that are not public must be in one run-time package, which the same loader grants
    // together with the access check below.
    const bool permitted = std::find(decl.permitted.begin(), decl.permitted.end(), type.name()) !=
                           decl.permitted.end();
    if (!permitted || type.loader != super.loader) return fails(LinkProblem::not_permitted);
  }
  if (!can_access_class(type, super) && type.loader != LoaderKind::platform)
    return fails(LinkProblem::supertype_inaccessible);
}

void ClassWorld::check_overridden_finals(ResolvedClass& type) {
  for (const MemberDecl& method : type.decl->methods) {
    if (method.is(access::kPrivate) || method.is(access::kStatic) || method.name.starts_with('<'))
      continue;
    for (const ResolvedClass* super = type.super; super != nullptr; super = super->super) {
      for (const MemberDecl& other : super->decl->methods) {
        if (other.key != method.key || other.name != method.name ||
            other.descriptor != method.descriptor)
          continue;
        const bool overridden = !other.is(access::kPrivate) && !other.is(access::kStatic) &&
                                (other.is(access::kPublic) || other.is(access::kProtected) ||
                                 same_package(type, *super));
        if (other.is(access::kFinal) && overridden) {
          type.failure = LinkProblem::overrides_final;
          type.culprit = super->name();
          type.culprit_member = &other;
          return;
        }
      }
    }
  }
}

}  // namespace rowgate::jarscan
