// Random class graphs: circles, missing and absurd supertypes, members of every flag, in three
// loaders. Each pair of input bytes is a decision. Every class is loaded, every class asks every
// other for a member in every way; nothing may crash, hang, or answer "works" for a member that
// nobody declares.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "jarscan/resolve.hpp"

using namespace rowgate::jarscan;

namespace {

constexpr std::size_t kClasses = 12;

class Decisions {
 public:
  Decisions(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  unsigned below(unsigned limit) {
    const unsigned byte = at_ < size_ ? data_[at_] : static_cast<unsigned>(at_ * 7);
    ++at_;
    return byte % limit;
  }
  bool left() const { return at_ < size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

std::string class_name(unsigned number) {
  return (number % 2 == 0 ? "a/C" : "b/C") + std::to_string(number);
}

class RandomProvider final : public ClassProvider {
 public:
  void fill(Decisions& in) {
    for (unsigned i = 0; i < kClasses && in.left(); ++i) {
      if (in.below(4) == 0) continue;  // missing here
      add(in, i);
    }
  }
  const ClassDecl* find(std::string_view name) override {
    const auto found = decls_.find(std::string(name));
    return found == decls_.end() ? nullptr : &found->second;
  }
  bool has_package(std::string_view) override { return true; }
  std::vector<std::string> find_simple(std::string_view, std::size_t) override { return {}; }

 private:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  void add(Decisions& in, unsigned number) {
    ClassDecl& decl = decls_[class_name(number)];
    decl.name = keep(class_name(number));
    const unsigned super = in.below(kClasses + 3);
    decl.super_name = super < kClasses        ? keep(class_name(super))
                      : super == kClasses     ? std::string_view("java/lang/Object")
                      : super == kClasses + 1 ? std::string_view("java/util/Assumed")
                                              : std::string_view();
    auto& list = lists_.emplace_back();
    for (unsigned i = in.below(4); i > 0; --i) list.push_back(keep(class_name(in.below(kClasses))));
    decl.interfaces = list;
    decl.access = static_cast<std::uint16_t>(in.below(256) << 8 | in.below(256));
    decl.major = static_cast<std::uint16_t>(45 + in.below(25));
    decl.sealed = in.below(8) == 0;
    auto& permitted = lists_.emplace_back();
    if (in.below(2) == 0) permitted.push_back(keep(class_name(in.below(kClasses))));
    decl.permitted = permitted;
    if (in.below(3) == 0) decl.nest_host = keep(class_name(in.below(kClasses)));
    auto& mates = lists_.emplace_back();
    for (unsigned i = in.below(3); i > 0; --i)
      mates.push_back(keep(class_name(in.below(kClasses))));
    decl.nest_members = mates;
    decl.methods = members(in, "()V");
    decl.fields = members(in, "I");
  }
  std::span<const MemberDecl> members(Decisions& in, const char* descriptor) {
    constexpr const char* kNames[] = {"f", "g", "<init>"};
    auto& list = members_.emplace_back();
    for (unsigned i = in.below(4); i > 0; --i) {
      const char* name = kNames[in.below(3)];
      list.push_back({member_key(name, descriptor), name, descriptor,
                      static_cast<std::uint16_t>(in.below(256) | in.below(16) << 8)});
    }
    return list;
  }

  std::map<std::string, ClassDecl> decls_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string_view>> lists_;
  std::deque<std::vector<MemberDecl>> members_;
};

void check(bool condition) {
  if (!condition) std::abort();
}

void ask_everything(ClassWorld& world, ResolvedClass& from, const std::string& owner) {
  constexpr const char* kNames[] = {"f", "g", "<init>", "absent"};
  for (unsigned kind = 0; kind <= static_cast<unsigned>(RefKind::invoke_constructor); ++kind)
    for (const char* name : kNames) {
      const bool field = kind >= 2 && kind <= 5;
      const Reference reference{static_cast<RefKind>(kind), kind % 2 == 0, false, owner, name,
                                field ? "I" : "()V",        "<init>"};
      const Resolution resolved = world.resolve(reference, from);
      const bool member = kind >= 2 && std::string_view(name) == "absent";
      // An absent member is only ever found in a class that is assumed.
      if (member && resolved.problem == LinkProblem::none)
        check(resolved.found.holder != nullptr && resolved.found.member == nullptr);
      if (resolved.problem == LinkProblem::none && resolved.found.member != nullptr)
        check(resolved.found.member->name == name);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Decisions in(data, size);
  constexpr LoadingOrder kOrders[] = {LoadingOrder::parent_first, LoadingOrder::child_first,
                                      LoadingOrder::one_loader};
  const LoadingOrder order = kOrders[in.below(3)];
  RandomProvider parent, child;
  parent.fill(in);
  child.fill(in);
  ClassWorld world({nullptr, &parent, &child, order});
  const LoaderKind from =
      order == LoadingOrder::one_loader ? LoaderKind::parent : LoaderKind::child;
  std::vector<ResolvedClass*> all;
  for (unsigned i = 0; i < kClasses; ++i) {
    ResolvedClass* type = world.load(class_name(i), from);
    if (type == nullptr || !type->loadable()) continue;
    for (unsigned j = 0; j < kClasses; ++j) ask_everything(world, *type, class_name(j));
    ask_everything(world, *type, "[L" + class_name(i) + ";");
    world.supertypes(*type, all);
    for (const ResolvedClass* super : all) {
      check(world.is_subtype(*type, *super));
      for (const MemberDecl& method : super->decl->methods) world.select(*type, {super, &method});
    }
  }
  return 0;
}
