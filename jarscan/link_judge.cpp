// For each class that the world would use: load it, answer the verifier's questions (4.10.1),
// resolve each different reference once (5.4.3), and for concrete classes look for abstract methods
// without an implementation.
//
// Unimplemented methods are computed bottom up and remembered a class: what remains abstract in C
// is what is declared abstract in C or remains in its direct supertypes, and is not selected
// (5.4.6) to a method with a body in C. Supertypes come first on an explicit stack, so each class
// is computed once.
#include "jarscan/link_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace rowgate::jarscan {
namespace {

struct Remaining {
  FoundMember method;
  LinkProblem problem = LinkProblem::unimplemented;
};

bool same_member(const MemberDecl& a, const MemberDecl& b) {
  return a.key == b.key && a.name == b.name && a.descriptor == b.descriptor;
}

// What each class leaves unimplemented.
class Implementations {
 public:
  explicit Implementations(ClassWorld& world) : world_(world) {}

  // `type` is loadable.
  const std::vector<Remaining>& remaining(const ResolvedClass& type) {
    std::vector<const ResolvedClass*> stack = {&type};
    while (!stack.empty()) {
      const ResolvedClass& at = *stack.back();
      if (known_.contains(&at)) {
        stack.pop_back();
        continue;
      }
      const std::size_t depth = stack.size();
      if (at.super != nullptr && !known_.contains(at.super)) stack.push_back(at.super);
      for (const ResolvedClass* interface : at.interfaces)
        if (!known_.contains(interface)) stack.push_back(interface);
      if (stack.size() != depth) continue;
      known_.emplace(&at, compute(at));
      stack.pop_back();
    }
    return known_.at(&type);
  }

  // Pairs of default methods that compete in `type`, which has none of its own.
  std::vector<Remaining> conflicts(ResolvedClass& type);

 private:
  std::vector<Remaining> compute(const ResolvedClass& type);
  bool has_defaults(const ResolvedClass& type);

  ClassWorld& world_;
  std::unordered_map<const ResolvedClass*, std::vector<Remaining>> known_;
  std::unordered_map<const ResolvedClass*, bool> has_defaults_;
};

std::vector<Remaining> Implementations::compute(const ResolvedClass& type) {
  std::vector<Remaining> left;
  std::vector<FoundMember> candidates;
  const auto add = [&](const FoundMember& method) {
    for (const FoundMember& known : candidates)
      if (same_member(*known.member, *method.member)) return;
    candidates.push_back(method);
  };
  if (type.decl->is_abstract() || type.decl->is_interface())
    for (const MemberDecl& method : type.decl->methods)
      if (method.is(access::kAbstract)) add({&type, &method});
  if (type.super != nullptr)
    for (const Remaining& method : known_.at(type.super)) add(method.method);
  for (const ResolvedClass* interface : type.interfaces)
    for (const Remaining& method : known_.at(interface)) add(method.method);
  for (const FoundMember& method : candidates) {
    if (type.decl->is_interface()) {
      const auto own =
          std::find_if(type.decl->methods.begin(), type.decl->methods.end(),
                       [&](const MemberDecl& m) { return same_member(m, *method.member); });
      if (own != type.decl->methods.end()) {
        if (own->is(access::kAbstract)) left.push_back({method, LinkProblem::unimplemented});
        continue;
      }
    }
    const auto selected = world_.select(type, method);
    if (selected.problem != LinkProblem::none) left.push_back({method, selected.problem});
  }
  return left;
}

bool Implementations::has_defaults(const ResolvedClass& type) {
  if (const auto known = has_defaults_.find(&type); known != has_defaults_.end())
    return known->second;
  std::vector<ResolvedClass*> all;
  world_.supertypes(const_cast<ResolvedClass&>(type), all);
  const bool found = std::any_of(all.begin(), all.end(), [](const ResolvedClass* at) {
    return at->decl->is_interface() &&
           std::any_of(at->decl->methods.begin(), at->decl->methods.end(), [](const MemberDecl& m) {
             return !m.is(access::kAbstract) && !m.is(access::kStatic) && !m.is(access::kPrivate);
           });
  });
  has_defaults_.emplace(&type, found);
  return found;
}

std::vector<Remaining> Implementations::conflicts(ResolvedClass& type) {
  std::size_t sources = type.super != nullptr && has_defaults(*type.super) ? 1 : 0;
  bool fresh = false;
  for (const ResolvedClass* interface : type.interfaces)
    if (has_defaults(*interface)) {
      ++sources;
      fresh = fresh || type.super == nullptr || !world_.is_subtype(*type.super, *interface);
    }
  if (sources < 2 || !fresh) return {};
  std::vector<ResolvedClass*> all;
  world_.supertypes(type, all);
  std::unordered_map<std::uint64_t, FoundMember> first;
  std::vector<Remaining> found;
  for (const ResolvedClass* at : all) {
    if (!at->decl->is_interface()) continue;
    for (const MemberDecl& method : at->decl->methods) {
      if (method.is(access::kAbstract) || method.is(access::kStatic) || method.is(access::kPrivate))
        continue;
      const auto [place, is_new] = first.emplace(method.key, FoundMember{at, &method});
      if (is_new || place->second.holder == nullptr) continue;
      const FoundMember competing = place->second;
      if (world_.select(type, competing).problem == LinkProblem::conflicting_defaults)
        found.push_back({competing, LinkProblem::conflicting_defaults});
      place->second.holder = nullptr;  // asked once
    }
  }
  return found;
}

std::string member_text(const MemberDecl& member) {
  const bool method = member.descriptor.starts_with('(');
  return fmt::format("{}{}{}", member.name, method ? "" : ":", member.descriptor);
}

// Whether a resolution would be the same for any class that makes the reference: all is well, and
// public all the way. Most references of a connector are repeated by many of its classes.
bool same_for_all(const Reference& reference, const Resolution& resolved) {
  switch (reference.kind) {
    case RefKind::put_field:
    case RefKind::put_static: return false;
    case RefKind::invoke_special:
      if (reference.name != "<init>") return false;
      break;
    default: break;
  }
  return resolved.problem == LinkProblem::none && resolved.owner != nullptr &&
         (resolved.owner->decl->access & access::kPublic) != 0 &&
         !reference.owner.starts_with('[') &&
         (resolved.found.member == nullptr || resolved.found.member->is(access::kPublic));
}

class Judge {
 public:
  Judge(const LinkUnit& unit, ClassWorld& world)
      : unit_(unit), world_(world), left_(world), known_(unit.symbols.size(), Known::no) {}

  void judge_class(std::uint32_t number);
  // A class is linked after its supertypes (JVMS 5.4), so it fails with them.
  void spread_linking();
  Judgement result;

 private:
  void judge_loading(const ResolvedClass& type);
  void judge_questions(const ResolvedClass& type);
  void judge_references(const ResolvedClass& type);
  void judge_receivers(const ResolvedClass& type, std::uint32_t index, const Resolution& resolved);
  void judge_implementations(ResolvedClass& type);
  void judge_lambdas(const ResolvedClass& type);
  // The class, or nullptr after a linking break was recorded.
  ResolvedClass* load_for_verifier(std::string_view name, const ResolvedClass& type,
                                   std::uint32_t index);
  LinkBreak& add(LinkProblem problem, BreakPlace place, std::uint32_t index, std::string symbol,
                 std::string_view culprit);
  std::string_view library_owner(const ResolvedClass& owner) const;
  static bool reaches_assumed(const ResolvedClass& type);
  static std::string failure_symbol(LinkProblem problem, std::string_view culprit,
                                    const MemberDecl* member);

  const LinkUnit& unit_;
  ClassWorld& world_;
  Implementations left_;
  enum class Known : std::uint8_t { no, works, assumed };
  std::vector<Known> known_;  // by symbol: the answer for any class that refers to it
  const UnitClass* class_ = nullptr;
  std::uint32_t number_ = 0;
};

LinkBreak& Judge::add(LinkProblem problem, BreakPlace place, std::uint32_t index,
                      std::string symbol, std::string_view culprit) {
  LinkBreak& made = result.breaks.emplace_back();
  made.problem = problem;
  made.place = place;
  made.user = number_;
  made.index = index;
  made.symbol = std::move(symbol);
  made.culprit = culprit;
  return made;
}

std::string Judge::failure_symbol(LinkProblem problem, std::string_view culprit,
                                  const MemberDecl* member) {
  if (problem == LinkProblem::overrides_final && member != nullptr)
    return fmt::format("{}.{}", culprit, member_text(*member));
  return std::string(culprit);
}

bool Judge::reaches_assumed(const ResolvedClass& type) {
  for (const ResolvedClass* at = &type; at != nullptr; at = at->super)
    if (at->assumed) return true;
  return false;
}

// A member that a connector's class no longer inherits was the library's: the first class above
// that is not the connector's own.
std::string_view Judge::library_owner(const ResolvedClass& owner) const {
  for (const ResolvedClass* at = &owner; at != nullptr; at = at->super) {
    if (!at->connector) return at->super == nullptr ? owner.name() : at->name();
    for (const ResolvedClass* interface : at->interfaces)
      if (!interface->connector && at->decl->is_interface()) return interface->name();
  }
  return owner.name();
}

void Judge::judge_loading(const ResolvedClass& type) {
  LinkBreak& made =
      add(type.failure, BreakPlace::loading, 0,
          failure_symbol(type.failure, type.culprit, type.culprit_member), type.culprit);
  if (type.culprit_member != nullptr) made.member = member_text(*type.culprit_member);
  // The direct supertype through which it fails, when that one cannot be loaded itself.
  const auto failing = [&](std::string_view name) {
    const ResolvedClass* super = name.empty() ? nullptr : world_.load(name, type.loader);
    return super != nullptr && !super->loadable();
  };
  if (failing(type.decl->super_name)) {
    made.via = type.decl->super_name;
    return;
  }
  for (const std::string_view interface : type.decl->interfaces)
    if (failing(interface)) {
      made.via = interface;
      return;
    }
}

ResolvedClass* Judge::load_for_verifier(std::string_view name, const ResolvedClass& type,
                                        std::uint32_t index) {
  ResolvedClass* found = world_.load(name, type.loader);
  if (found != nullptr && found->loadable()) return found;
  const LinkProblem problem = found == nullptr ? LinkProblem::class_missing : found->failure;
  const std::string_view culprit = found == nullptr ? name : found->culprit;
  LinkBreak& made =
      add(problem, BreakPlace::linking, index,
          failure_symbol(problem, culprit, found == nullptr ? nullptr : found->culprit_member),
          culprit);
  made.via = name;
  return nullptr;
}

void Judge::judge_questions(const ResolvedClass& type) {
  for (std::uint32_t i = 0; i < class_->questions.size(); ++i) {
    const LinkQuestion& question = class_->questions[i];
    const ResolvedClass* to = load_for_verifier(question.to, type, i);
    if (to == nullptr || to->assumed) continue;
    const bool soft = to->decl->is_interface();
    if (soft) {
      const ResolvedClass* from = world_.load(question.from, type.loader);
      if (from == nullptr || !from->loadable() || from->decl->is_interface() ||
          reaches_assumed(*from) || world_.is_subtype(*from, *to))
        continue;
      LinkBreak& made =
          add(LinkProblem::interface_lost, BreakPlace::reference, i,
              fmt::format("{} implements {}", from->name(), to->name()), from->name());
      made.via = to->name();
      continue;
    }
    const ResolvedClass* from = load_for_verifier(question.from, type, i);
    if (from == nullptr || reaches_assumed(*from) || world_.is_subclass(*from, *to)) continue;
    LinkBreak& made =
        add(question.caught ? LinkProblem::not_throwable : LinkProblem::bad_assignment,
            BreakPlace::linking, i, fmt::format("{} extends {}", from->name(), to->name()),
            from->name());
    made.via = to->name();
  }
}

void Judge::judge_receivers(const ResolvedClass& type, std::uint32_t index,
                            const Resolution& resolved) {
  const LinkRef& ref = class_->refs[index];
  const FoundMember& found = resolved.found;
  if (ref.receivers.count == 0 || found.member == nullptr ||
      !found.member->is(access::kProtected) || found.member->is(access::kStatic) ||
      world_.same_package(type, *found.holder) || !world_.is_subclass(type, *resolved.owner))
    return;
  for (std::uint32_t i = 0; i < ref.receivers.count; ++i) {
    const std::string_view name = class_->receivers[ref.receivers.first + i];
    if (name.starts_with('[')) continue;
    const ResolvedClass* receiver = load_for_verifier(name, type, index);
    if (receiver == nullptr || receiver->assumed || world_.is_subclass(*receiver, type)) continue;
    LinkBreak& made = add(LinkProblem::bad_protected_access, BreakPlace::linking, index,
                          fmt::format("{}.{}", found.holder->name(), member_text(*found.member)),
                          found.holder->name());
    made.member = member_text(*found.member);
    made.via = name;
    return;
  }
}

void Judge::judge_references(const ResolvedClass& type) {
  for (std::uint32_t i = 0; i < class_->refs.size(); ++i) {
    const Reference& reference = unit_.reference(class_->refs[i]);
    Known& known = known_[class_->refs[i].symbol];
    ++result.references;
    if (known != Known::no) {
      result.assumed += known == Known::assumed ? 1 : 0;
      continue;
    }
    const Resolution resolved = world_.resolve(reference, type);
    if (resolved.problem == LinkProblem::none) {
      const bool assumed = resolved.found.holder != nullptr && resolved.found.member == nullptr;
      if (assumed) ++result.assumed;
      if (same_for_all(reference, resolved))
        known = assumed ? Known::assumed : Known::works;
      else
        judge_receivers(type, i, resolved);
      continue;
    }
    const bool about_member = resolved.owner != nullptr &&
                              resolved.problem != LinkProblem::class_inaccessible &&
                              resolved.problem != LinkProblem::found_interface &&
                              resolved.problem != LinkProblem::found_class &&
                              resolved.problem != LinkProblem::abstract_instantiated;
    std::string symbol(resolved.culprit);
    std::string_view culprit = resolved.culprit;
    std::string member;
    if (about_member) {
      const MemberDecl wanted{0, reference.name, reference.descriptor, 0};
      member = member_text(resolved.found.member != nullptr ? *resolved.found.member : wanted);
      culprit = resolved.found.holder != nullptr ? resolved.found.holder->name()
                                                 : library_owner(*resolved.owner);
      symbol = fmt::format("{}.{}", culprit, member);
    } else if (resolved.owner == nullptr) {
      const ResolvedClass* owner = world_.load(element_class(reference.owner), type.loader);
      if (owner != nullptr && !owner->loadable())
        symbol = failure_symbol(owner->failure, owner->culprit, owner->culprit_member);
    }
    LinkBreak& made = add(resolved.problem, BreakPlace::reference, i, std::move(symbol), culprit);
    made.member = std::move(member);
    if (resolved.problem == LinkProblem::class_inaccessible ||
        resolved.problem == LinkProblem::member_inaccessible) {
      const ResolvedClass* target = resolved.found.holder != nullptr
                                        ? resolved.found.holder
                                        : world_.load(resolved.culprit, type.loader);
      made.split_package = target != nullptr && target->loader != type.loader &&
                           package_of(target->name()) == package_of(type.name());
    }
  }
}

void Judge::judge_implementations(ResolvedClass& type) {
  if (type.decl->is_abstract() || type.decl->is_interface()) return;
  const auto report = [&](const Remaining& method) {
    if (method.method.holder->assumed) return;
    LinkBreak& made =
        add(method.problem, BreakPlace::implementation, 0,
            fmt::format("{}.{}", method.method.holder->name(), member_text(*method.method.member)),
            method.method.holder->name());
    made.member = member_text(*method.method.member);
    const MemberDecl& member = *method.method.member;
    made.split_package = !member.is(access::kPublic) && !member.is(access::kProtected) &&
                         method.method.holder->loader != type.loader &&
                         package_of(method.method.holder->name()) == package_of(type.name());
  };
  for (const Remaining& method : left_.remaining(type)) report(method);
  for (const Remaining& method : left_.conflicts(type)) report(method);
}

void Judge::judge_lambdas(const ResolvedClass& type) {
  for (std::uint32_t i = 0; i < class_->lambdas.size(); ++i) {
    const LinkLambda& lambda = class_->lambdas[i];
    const auto check = [&](std::string_view name) {
      const ResolvedClass* interface = world_.load(name, type.loader);
      if (interface == nullptr || !interface->loadable() || interface->assumed) return;
      if (!interface->decl->is_interface()) {
        add(LinkProblem::lambda_not_interface, BreakPlace::lambda, i, std::string(name), name);
        return;
      }
      for (const Remaining& method : left_.remaining(*interface)) {
        const MemberDecl& member = *method.method.member;
        const bool implemented =
            member.name == lambda.name && (member.descriptor == lambda.descriptor ||
                                           std::find(lambda.bridges.begin(), lambda.bridges.end(),
                                                     member.descriptor) != lambda.bridges.end());
        if (implemented) continue;
        LinkBreak& made =
            add(method.problem, BreakPlace::lambda, i,
                fmt::format("{}.{}", method.method.holder->name(), member_text(member)),
                method.method.holder->name());
        made.member = member_text(member);
      }
    };
    check(lambda.interface);
    for (const std::string_view marker : lambda.markers) check(marker);
  }
}

void Judge::judge_class(std::uint32_t number) {
  number_ = number;
  class_ = &unit_.classes[number];
  ResolvedClass* type = world_.load_connector_class(class_->decl->name);
  if (type == nullptr || type->decl != class_->decl) {
    result.shadowed[number] = true;
    return;
  }
  if (!type->loadable()) return judge_loading(*type);
  judge_questions(*type);
  judge_references(*type);
  judge_implementations(*type);
  judge_lambdas(*type);
}

void Judge::spread_linking() {
  std::unordered_map<std::string_view, std::size_t> first;  // class -> its first linking break
  for (std::size_t i = 0; i < result.breaks.size(); ++i)
    if (result.breaks[i].place == BreakPlace::linking)
      first.emplace(unit_.classes[result.breaks[i].user].decl->name, i);
  if (first.empty()) return;
  std::vector<ResolvedClass*> supertypes;
  for (std::uint32_t i = 0; i < unit_.classes.size(); ++i) {
    ResolvedClass* type = world_.load_connector_class(unit_.classes[i].decl->name);
    if (result.shadowed[i] || type == nullptr || !type->loadable() || first.contains(type->name()))
      continue;
    world_.supertypes(*type, supertypes);
    for (const ResolvedClass* super : supertypes) {
      const auto failing = super->connector ? first.find(super->name()) : first.end();
      if (failing == first.end()) continue;
      LinkBreak spread = result.breaks[failing->second];
      spread.user = i;
      spread.via = super->name();
      result.breaks.push_back(std::move(spread));
      break;
    }
  }
}

}  // namespace

Judgement judge(const LinkUnit& unit, ClassWorld& world, const RunContext& context) {
  Judge judge(unit, world);
  judge.result.shadowed.assign(unit.classes.size(), false);
  for (std::uint32_t i = 0; i < unit.classes.size() && !context.stopped(); ++i)
    judge.judge_class(i);
  judge.spread_linking();
  for (const ClassProvider* provider : {world.layers().jdk, world.layers().parent})
    if (provider != nullptr)
      judge.result.unreadable.insert(judge.result.unreadable.end(), provider->unreadable().begin(),
                                     provider->unreadable().end());
  std::stable_sort(judge.result.breaks.begin(), judge.result.breaks.end(),
                   [](const LinkBreak& a, const LinkBreak& b) {
                     if (a.user != b.user) return a.user < b.user;
                     if (a.place != b.place) return a.place < b.place;
                     return a.index < b.index;
                   });
  return std::move(judge.result);
}

}  // namespace rowgate::jarscan
