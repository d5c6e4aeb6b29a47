// Resolution where the corpus cannot go: class graphs that no compiler makes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <deque>
#include <map>

#include "jarscan/resolve.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

// Classes made by hand. Views into literals and into texts_.
class MapProvider final : public ClassProvider {
 public:
  ClassDecl& add(std::string name, std::string super = "java/lang/Object",
                 std::vector<std::string> interfaces = {}) {
    ClassDecl& decl = decls_[name];
    const auto keep = [&](const std::string& text) -> std::string_view {
      return texts_.emplace_back(text);
    };
    decl.name = keep(name);
    decl.super_name = keep(super);
    auto& list = lists_.emplace_back();
    for (const std::string& interface : interfaces) list.push_back(keep(interface));
    decl.interfaces = list;
    decl.access = access::kPublic;
    decl.major = 52;
    return decl;
  }
  void method(ClassDecl& decl, const char* name, const char* descriptor, std::uint16_t access) {
    auto& list = members_[&decl];
    list.push_back({member_key(name, descriptor), name, descriptor, access});
    decl.methods = list;
  }

  const ClassDecl* find(std::string_view name) override {
    const auto found = decls_.find(std::string(name));
    return found == decls_.end() ? nullptr : &found->second;
  }
  bool has_package(std::string_view) override { return true; }
  std::vector<std::string> find_simple(std::string_view, std::size_t) override { return {}; }

 private:
  std::map<std::string, ClassDecl> decls_;
  std::deque<std::string> texts_;
  std::deque<std::vector<std::string_view>> lists_;
  std::map<const ClassDecl*, std::vector<MemberDecl>> members_;
};

}  // namespace

TEST_CASE("without a JDK its classes are assumed, but Object is known") {
  MapProvider parent, child;
  child.add("c/Main");
  child.add("c/List", "java/util/AbstractList");
  ClassWorld world({nullptr, &parent, &child, LoadingOrder::parent_first});
  const ResolvedClass* main = world.load("c/Main", LoaderKind::child);
  REQUIRE(main != nullptr);
  const auto call = [&](const char* owner, const char* name, const char* descriptor) {
    return world.resolve({RefKind::invoke_virtual, false, false, owner, name, descriptor, ""},
                         *main);
  };
  CHECK(call("java/util/AbstractList", "anything", "()V").problem == LinkProblem::none);
  CHECK(call("c/List", "anything", "()V").problem == LinkProblem::none);
  CHECK(call("c/List", "anything", "()V").found.member == nullptr);
  CHECK(call("c/Main", "hashCode", "()I").problem == LinkProblem::none);
  CHECK(call("c/Main", "anything", "()V").problem == LinkProblem::method_missing);
  CHECK(call("org/x/Gone", "f", "()V").problem == LinkProblem::class_missing);
}

TEST_CASE("circles, self-extension and endless chains end") {
  MapProvider parent, child;
  child.add("a/A", "a/B");
  child.add("a/B", "a/C");
  child.add("a/C", "a/A");
  child.add("a/Self", "a/Self");
  child.add("a/Below", "a/A");
  for (int i = 0; i < 20'000; ++i) child.add(fmt::format("l/C{}", i), fmt::format("l/C{}", i + 1));
  ClassWorld world({nullptr, &parent, &child, LoadingOrder::parent_first});
  for (const char* name : {"a/A", "a/B", "a/C", "a/Self", "a/Below"}) {
    CAPTURE(name);
    const ResolvedClass* type = world.load(name, LoaderKind::child);
    REQUIRE(type != nullptr);
    CHECK(type->failure == LinkProblem::class_circular);
  }
  const ResolvedClass* chain = world.load("l/C0", LoaderKind::child);
  REQUIRE(chain != nullptr);
  CHECK(chain->failure == LinkProblem::class_missing);
  CHECK(chain->culprit == "l/C20000");
}

TEST_CASE("the parent loader sees no class of the child") {
  MapProvider parent, child;
  parent.add("p/Lib", "p/Optional");
  child.add("p/Optional");
  child.add("c/Main", "p/Lib");
  ClassWorld world({nullptr, &parent, &child, LoadingOrder::parent_first});
  CHECK(world.load("p/Optional", LoaderKind::parent) == nullptr);
  REQUIRE(world.load("p/Optional", LoaderKind::child) != nullptr);
  CHECK(world.load("c/Main", LoaderKind::child)->failure == LinkProblem::class_missing);
  CHECK(world.load("c/Main", LoaderKind::child)->culprit == "p/Optional");
  ClassWorld one({nullptr, &parent, &child, LoadingOrder::one_loader});
  CHECK(one.load_connector_class("c/Main")->loadable());
}

TEST_CASE("a diamond of interfaces with the same abstract and default method") {
  MapProvider parent, child;
  constexpr auto kAbstract = static_cast<std::uint16_t>(access::kPublic | access::kAbstract);
  ClassDecl& top = parent.add("p/Top");
  top.access |= access::kInterface | access::kAbstract;
  parent.method(top, "f", "()V", kAbstract);
  for (const char* name : {"p/Left", "p/Right"}) {
    ClassDecl& side = parent.add(name, "java/lang/Object", {"p/Top"});
    side.access |= access::kInterface | access::kAbstract;
    if (side.name == "p/Left") parent.method(side, "f", "()V", access::kPublic);
  }
  child.add("c/Main", "java/lang/Object", {"p/Right", "p/Left"});
  ClassWorld world({nullptr, &parent, &child, LoadingOrder::parent_first});
  const ResolvedClass* main = world.load("c/Main", LoaderKind::child);
  const MemberDecl wanted{member_key("f", "()V"), "f", "()V", 0};
  const FoundMember found = world.find_method(*main, wanted);
  REQUIRE(found.holder != nullptr);
  CHECK(found.holder->name() == "p/Left");
  CHECK(world.select(*main, found).problem == LinkProblem::none);
}
