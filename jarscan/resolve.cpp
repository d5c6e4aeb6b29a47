// Resolution of references (JVMS 5.4.3) and access control (5.4.4).
//
// Every search walks supertypes that were loaded before and fit, so superclass chains end at
// java/lang/Object and the interface graph has no circle. Interfaces are visited once a search (a
// mark on each class), so a search costs at most the members of all supertypes.
#include "jarscan/resolve.hpp"

#include <algorithm>

namespace rowgate::jarscan {
namespace {

const MemberDecl* find_in(std::span<const MemberDecl> members, const MemberDecl& wanted) {
  for (const MemberDecl& member : members)
    if (member.key == wanted.key && member.name == wanted.name &&
        member.descriptor == wanted.descriptor)
      return &member;
  return nullptr;
}

// 2.9.3: native varargs methods of these two classes with one Object[] parameter.
const MemberDecl* signature_polymorphic(const ResolvedClass& owner, std::string_view name) {
  if (owner.name() != "java/lang/invoke/MethodHandle" &&
      owner.name() != "java/lang/invoke/VarHandle")
    return nullptr;
  for (const MemberDecl& method : owner.decl->methods)
    if (method.name == name && method.is(access::kNative) && method.is(access::kVarargs) &&
        method.descriptor.starts_with("([Ljava/lang/Object;)"))
      return &method;
  return nullptr;
}

bool is_invocation(RefKind kind) {
  return kind >= RefKind::invoke_virtual;
}

}  // namespace

const char* jvm_error(LinkProblem problem) {
  switch (problem) {
    case LinkProblem::none: return "";
    case LinkProblem::class_missing: return "NoClassDefFoundError";
    case LinkProblem::class_circular: return "ClassCircularityError";
    case LinkProblem::method_missing: return "NoSuchMethodError";
    case LinkProblem::field_missing: return "NoSuchFieldError";
    case LinkProblem::class_inaccessible:
    case LinkProblem::supertype_inaccessible:
    case LinkProblem::member_inaccessible:
    case LinkProblem::implemented_inaccessibly:
    case LinkProblem::final_field_written: return "IllegalAccessError";
    case LinkProblem::abstract_instantiated: return "InstantiationError";
    case LinkProblem::abstract_called:
    case LinkProblem::unimplemented: return "AbstractMethodError";
    case LinkProblem::lambda_not_interface: return "LambdaConversionException";
    case LinkProblem::bad_assignment:
    case LinkProblem::not_throwable:
    case LinkProblem::bad_protected_access: return "VerifyError";
    case LinkProblem::superclass_is_interface:
    case LinkProblem::superinterface_is_class:
    case LinkProblem::superclass_final:
    case LinkProblem::not_permitted:
    case LinkProblem::overrides_final:
    case LinkProblem::found_interface:
    case LinkProblem::found_class:
    case LinkProblem::not_static:
    case LinkProblem::is_static:
    case LinkProblem::conflicting_defaults:
    case LinkProblem::interface_lost: return "IncompatibleClassChangeError";
  }
  return "";
}

std::uint32_t ClassWorld::next_mark() {
  if (++mark_ == 0) {
    for (ResolvedClass& type : classes_) type.mark_ = 0;
    mark_ = 1;
  }
  return mark_;
}

bool ClassWorld::is_subclass(const ResolvedClass& type, const ResolvedClass& of) const {
  for (const ResolvedClass* at = &type; at != nullptr; at = at->super)
    if (at == &of) return true;
  return false;
}

void ClassWorld::supertypes(ResolvedClass& type, std::vector<ResolvedClass*>& out) {
  const std::uint32_t mark = next_mark();
  out.clear();
  for (ResolvedClass* at = &type; at != nullptr; at = at->super) {
    at->mark_ = mark;
    out.push_back(at);
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    for (ResolvedClass* interface : out[i]->interfaces)
      if (interface->mark_ != mark) {
        interface->mark_ = mark;
        out.push_back(interface);
      }
}

bool ClassWorld::is_subtype(const ResolvedClass& type, const ResolvedClass& of) {
  if (is_subclass(type, of)) return true;
  if (!of.decl->is_interface() && !of.assumed) return of.name() == "java/lang/Object";
  supertypes(const_cast<ResolvedClass&>(type), queue_);
  return std::find(queue_.begin(), queue_.end(), &of) != queue_.end();
}

// 5.4.3.2.
FoundMember ClassWorld::find_field(const ResolvedClass& owner, const MemberDecl& wanted) {
  for (const ResolvedClass* at = &owner; at != nullptr; at = at->super) {
    if (at->assumed) return {at, nullptr};
    if (const MemberDecl* field = find_in(at->decl->fields, wanted)) return {at, field};
    // The superinterfaces of this class, depth first and left to right, before its superclass.
    const std::uint32_t mark = next_mark();
    std::vector<ResolvedClass*> stack(at->interfaces.rbegin(), at->interfaces.rend());
    while (!stack.empty()) {
      ResolvedClass* interface = stack.back();
      stack.pop_back();
      if (interface->mark_ == mark) continue;
      interface->mark_ = mark;
      if (interface->assumed) return {interface, nullptr};
      if (const MemberDecl* field = find_in(interface->decl->fields, wanted))
        return {interface, field};
      stack.insert(stack.end(), interface->interfaces.rbegin(), interface->interfaces.rend());
    }
  }
  return {};
}

// The maximally-specific superinterface methods (5.4.3.3): the only one with a body, else any.
FoundMember ClassWorld::find_in_superinterfaces(const ResolvedClass& owner,
                                                const MemberDecl& wanted, bool& conflict) {
  conflict = false;
  std::vector<ResolvedClass*> all;
  supertypes(const_cast<ResolvedClass&>(owner), all);
  std::vector<FoundMember> candidates;
  const ResolvedClass* assumed = nullptr;
  for (const ResolvedClass* type : all) {
    if (type == &owner || !(type->decl->is_interface() || type->assumed)) continue;
    if (type->assumed) {
      assumed = type;
      continue;
    }
    const MemberDecl* method = find_in(type->decl->methods, wanted);
    if (method != nullptr && !method->is(access::kPrivate) && !method->is(access::kStatic))
      candidates.push_back({type, method});
  }
  if (candidates.empty()) return {assumed, nullptr};
  std::vector<FoundMember> maximal;
  for (const FoundMember& candidate : candidates) {
    const bool overridden =
        std::any_of(candidates.begin(), candidates.end(), [&](const FoundMember& other) {
          return other.holder != candidate.holder && is_subtype(*other.holder, *candidate.holder);
        });
    if (!overridden) maximal.push_back(candidate);
  }
  const FoundMember* with_body = nullptr;
  for (const FoundMember& candidate : maximal) {
    if (candidate.member->is(access::kAbstract)) continue;
    if (with_body != nullptr) conflict = true;
    with_body = with_body == nullptr ? &candidate : with_body;
  }
  // A default method and an abstract one, both maximally specific, do not conflict for the JVM: the
  // only one with a body wins.
  if (with_body != nullptr) return *with_body;
  return maximal.front();
}

FoundMember ClassWorld::find_method(const ResolvedClass& owner, const MemberDecl& wanted) {
  if (const MemberDecl* any = signature_polymorphic(owner, wanted.name)) return {&owner, any};
  if (owner.decl->is_interface()) {
    if (const MemberDecl* method = find_in(owner.decl->methods, wanted)) return {&owner, method};
    const ResolvedClass* object = owner.super;
    if (object != nullptr) {
      const MemberDecl* method = find_in(object->decl->methods, wanted);
      if (method != nullptr && method->is(access::kPublic) && !method->is(access::kStatic))
        return {object, method};
    }
  } else {
    for (const ResolvedClass* at = &owner; at != nullptr; at = at->super) {
      if (const MemberDecl* method = find_in(at->decl->methods, wanted)) return {at, method};
      if (at->assumed) return {at, nullptr};
    }
  }
  bool conflict = false;
  return find_in_superinterfaces(owner, wanted, conflict);
}

ClassWorld::Selection ClassWorld::select(const ResolvedClass& receiver,
                                         const FoundMember& resolved) {
  const MemberDecl& wanted = *resolved.member;
  if (wanted.is(access::kPrivate)) return {LinkProblem::none, resolved};
  const bool from_interface = resolved.holder->decl->is_interface();
  for (const ResolvedClass* at = &receiver; at != nullptr; at = at->super) {
    if (at->assumed) return {LinkProblem::none, {at, nullptr}};
    if (at->decl->is_interface()) continue;
    const MemberDecl* method = find_in(at->decl->methods, wanted);
    if (method == nullptr || method->is(access::kStatic) || method->is(access::kPrivate)) continue;
    const FoundMember found{at, method};
    if (from_interface) {
      // The JVM calls nothing that is not public through an interface.
      if (!method->is(access::kPublic)) return {LinkProblem::implemented_inaccessibly, found};
    } else if (at != resolved.holder && !wanted.is(access::kPublic) &&
               !wanted.is(access::kProtected) && !same_package(*at, *resolved.holder)) {
      continue;  // a package-private method is overridden in its run-time package only
    }
    if (method->is(access::kAbstract)) return {LinkProblem::unimplemented, found};
    return {LinkProblem::none, found};
  }
  bool conflict = false;
  const FoundMember found = find_in_superinterfaces(receiver, wanted, conflict);
  if (found.holder == nullptr) return {LinkProblem::unimplemented, {}};
  if (conflict) return {LinkProblem::conflicting_defaults, found};
  if (found.member != nullptr && found.member->is(access::kAbstract))
    return {LinkProblem::unimplemented, found};
  return {LinkProblem::none, found};
}

const ResolvedClass* ClassWorld::nest_host(const ResolvedClass& type) {
  if (type.decl->nest_host.empty()) return &type;
  const ResolvedClass* host = load(type.decl->nest_host, type.loader);
  if (host == nullptr || !host->loadable() || !same_package(*host, type)) return &type;
  const auto members = host->decl->nest_members;
  const bool listed = std::find(members.begin(), members.end(), type.name()) != members.end();
  return listed ? host : &type;
}

bool ClassWorld::can_access_member(const ResolvedClass& from, const ResolvedClass& owner,
                                   const FoundMember& target) {
  if (target.member == nullptr) return true;
  const MemberDecl& member = *target.member;
  const ResolvedClass& holder = *target.holder;
  if (member.is(access::kPublic) || &from == &holder) return true;
  if (member.is(access::kPrivate)) return nest_host(from) == nest_host(holder);
  if (same_package(from, holder)) return true;
  if (!member.is(access::kProtected) || !is_subclass(from, holder)) return false;
  return member.is(access::kStatic) || is_subclass(owner, from) || is_subclass(from, owner);
}

Resolution ClassWorld::resolve_owner(const Reference& reference, const ResolvedClass& from) {
  Resolution result;
  const bool array = reference.owner.starts_with('[');
  const std::string_view name = element_class(reference.owner);
  if (!name.empty()) {
    const ResolvedClass* type = load(name, from.loader);
    if (type == nullptr) return {LinkProblem::class_missing, name, nullptr, {}};
    if (!type->loadable()) return {type->failure, type->culprit, nullptr, {}};
    if (!can_access_class(from, *type))
      return {LinkProblem::class_inaccessible, type->name(), nullptr, {}};
    result.owner = type;
  }
  if (array) result.owner = load("java/lang/Object", LoaderKind::platform);
  return result;
}

Resolution ClassWorld::resolve(const Reference& reference, const ResolvedClass& from) {
  Resolution result = resolve_owner(reference, from);
  if (result.problem != LinkProblem::none || result.owner == nullptr ||
      reference.kind == RefKind::class_use)
    return result;
  const ClassDecl& owner = *result.owner->decl;
  if (reference.kind == RefKind::instantiate) {
    if (owner.is_interface() || owner.is_abstract())
      result = {LinkProblem::abstract_instantiated, owner.name, result.owner, {}};
    return result;
  }
  if (is_invocation(reference.kind))
    check_method(reference, from, result);
  else
    check_field(reference, from, result);
  return result;
}

void ClassWorld::check_field(const Reference& reference, const ResolvedClass& from,
                             Resolution& result) {
  const MemberDecl wanted{member_key(reference.name, reference.descriptor), reference.name,
                          reference.descriptor, 0};
  result.found = find_field(*result.owner, wanted);
  const auto fails = [&](LinkProblem problem) {
    result.problem = problem;
    result.culprit = result.found.holder != nullptr ? result.found.holder->name() : reference.owner;
  };
  if (result.found.holder == nullptr) return fails(LinkProblem::field_missing);
  if (result.found.member == nullptr) return;
  const MemberDecl& field = *result.found.member;
  if (!can_access_member(from, *result.owner, result.found))
    return fails(LinkProblem::member_inaccessible);
  const bool static_wanted =
      reference.kind == RefKind::get_static || reference.kind == RefKind::put_static;
  if (static_wanted != field.is(access::kStatic))
    return fails(static_wanted ? LinkProblem::not_static : LinkProblem::is_static);
  const bool writes = reference.kind == RefKind::put_field || reference.kind == RefKind::put_static;
  if (writes && field.is(access::kFinal)) {
    // Class files before Java 9 may write in any method of the declaring class.
    const std::string_view allowed = static_wanted ? "<clinit>" : "<init>";
    const bool right_method = from.decl->major < 53 || reference.from_method == allowed;
    if (&from != result.found.holder || !right_method || reference.via_handle)
      return fails(LinkProblem::final_field_written);
  }
}

void ClassWorld::check_method(const Reference& reference, const ResolvedClass& from,
                              Resolution& result) {
  const ResolvedClass& owner = *result.owner;
  const bool array = reference.owner.starts_with('[');
  const auto fails = [&](LinkProblem problem) {
    result.problem = problem;
    result.culprit = result.found.holder != nullptr ? result.found.holder->name() : owner.name();
  };
  if (!owner.assumed && !array) {
    const bool wants_interface =
        reference.kind == RefKind::invoke_interface || reference.interface_constant;
    if (wants_interface && !owner.decl->is_interface()) return fails(LinkProblem::found_class);
    // `new` on the interface fails before the constructor would be called.
    if (!wants_interface && owner.decl->is_interface())
      return fails(reference.name == "<init>" ? LinkProblem::abstract_instantiated
                                              : LinkProblem::found_interface);
  }
  if (reference.kind == RefKind::invoke_constructor && owner.decl->is_abstract())
    return fails(LinkProblem::abstract_instantiated);
  const MemberDecl wanted{member_key(reference.name, reference.descriptor), reference.name,
                          reference.descriptor, 0};
  result.found = find_method(owner, wanted);
  const bool constructor = reference.name == "<init>";
  if (constructor && result.found.member != nullptr && result.found.holder != &owner)
    result.found = {};  // a constructor is never inherited
  if (result.found.holder == nullptr) return fails(LinkProblem::method_missing);
  if (result.found.member == nullptr) return;
  const MemberDecl& method = *result.found.member;
  // 4.10.1.8 and 6.5: arrays have a public clone().
  if (array && method.name == "clone") return;
  if (!can_access_member(from, owner, result.found)) return fails(LinkProblem::member_inaccessible);
  const bool static_wanted = reference.kind == RefKind::invoke_static;
  if (static_wanted != method.is(access::kStatic))
    return fails(static_wanted ? LinkProblem::not_static : LinkProblem::is_static);
  if (reference.kind == RefKind::invoke_special && !constructor)
    check_special(reference, from, result);
}

// 6.5 invokespecial: a super call starts at the direct superclass, a call of an interface's default
// method at that interface.
void ClassWorld::check_special(const Reference& reference, const ResolvedClass& from,
                               Resolution& result) {
  const MemberDecl& method = *result.found.member;
  if (method.is(access::kPrivate)) return;
  const ResolvedClass* start = result.owner;
  if (!start->decl->is_interface() && start != &from && is_subclass(from, *start) &&
      from.super != nullptr)
    start = from.super;
  FoundMember selected = find_method(*start, method);
  bool conflict = false;
  if (start->decl->is_interface() && selected.holder != start)
    selected = find_in_superinterfaces(*start, method, conflict);
  (void)reference;
  if (selected.member == nullptr) return;
  if (conflict)
    result.problem = LinkProblem::conflicting_defaults;
  else if (selected.member->is(access::kAbstract))
    result.problem = LinkProblem::abstract_called;
  if (result.problem != LinkProblem::none) {
    result.found = selected;
    result.culprit = selected.holder->name();
  }
}

}  // namespace rowgate::jarscan
