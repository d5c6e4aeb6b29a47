#include "jarscan/hierarchy.hpp"

#include <fmt/format.h>

#include <map>

#include "jar_support.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

namespace {

using Names = std::vector<std::string_view>;

Ancestry ancestry(const ClassIndex& index, std::string_view name) {
  ClassPathTypes types(index);
  const TypeFacts* const type = types.find(name);
  REQUIRE(type != nullptr);
  Ancestry result = ancestry_of(*type, [&](std::string_view n) { return types.find(n); });
  // The views end with `types`: keep only what the index itself owns.
  for (Names* names : {&result.ancestors, &result.unknown})
    for (std::string_view& one : *names) {
      static std::map<std::string, std::string> kept;
      one = kept.emplace(one, one).first->first;
    }
  return result;
}

}  // namespace

TEST_CASE("all supertypes, each once, nearest first; unknown ones are named") {
  JarFolder folder;
  const ClassIndex index = class_path_of({folder.add(
      "a.jar", jar_of({{"p/C", "p/B", {"p/I", "p/J"}},
                       {"p/B", "lib/Missing", {"p/I"}},
                       {"p/I", "java/lang/Object", {"p/J", "scala/Function1"}, kInterfaceAccess},
                       {"p/J", "java/lang/Object", {"lib/AlsoMissing"}, kInterfaceAccess}}))});
  const Ancestry found = ancestry(index, "p/C");
  CHECK(found.ancestors == Names{"p/B", "p/I", "p/J", "lib/Missing", "java/lang/Object",
                                 "scala/Function1", "lib/AlsoMissing"});
  CHECK(found.unknown == Names{"lib/Missing", "lib/AlsoMissing"});
  CHECK_FALSE(found.is_circular);
  CHECK(found.is_complete);
}

TEST_CASE("circles end and are seen by those in them") {
  JarFolder folder;
  const ClassIndex index = class_path_of({folder.add(
      "a.jar", jar_of({{"p/A", "p/B"}, {"p/B", "p/A"}, {"p/C", "p/A"}, {"p/S", "p/S"}}))});
  CHECK(ancestry(index, "p/A").is_circular);
  CHECK(ancestry(index, "p/B").is_circular);
  CHECK(ancestry(index, "p/S").is_circular);
  const Ancestry below = ancestry(index, "p/C");
  CHECK_FALSE(below.is_circular);
  CHECK(below.ancestors == Names{"p/A", "p/B"});
}

TEST_CASE("a chain longer than the bound is cut, and says so") {
  std::vector<ClassSpec> chain;
  for (std::size_t i = 0; i <= kMaxAncestors + 1; ++i)
    chain.push_back({fmt::format("p/C{}", i), fmt::format("p/C{}", i + 1)});
  JarFolder folder;
  const ClassIndex index = class_path_of({folder.add("a.jar", jar_of(chain))});
  const Ancestry found = ancestry(index, "p/C0");
  CHECK_FALSE(found.is_complete);
  CHECK(found.ancestors.size() == kMaxAncestors);
}

TEST_CASE("a class of the class path that cannot be read is unknown, and remembered") {
  JarFolder folder;
  ZipBuilder builder = jar_of({{"p/C", "p/Broken"}});
  builder.add("p/Broken.class", "no class file");
  const ClassIndex index = class_path_of({folder.add("a.jar", builder)});
  ClassPathTypes types(index);
  CHECK(types.find("p/Broken") == nullptr);
  CHECK(types.find("p/Broken") == nullptr);
  REQUIRE(types.errors().size() == 1);
  CHECK(types.errors()[0].subject.ends_with("a.jar!/p/Broken.class"));
  CHECK(types.find("p/Missing") == nullptr);
  CHECK(types.errors().size() == 1);
}

TEST_CASE("the JDK's and Scala's types") {
  for (const char* name : {"java/lang/Object", "javax/sql/DataSource", "scala/Function1"})
    CHECK_MESSAGE(is_platform_type(name), name);
  for (const char* name : {"org/apache/spark/sql/SparkSession", "javafx/X", "scalax/X"})
    CHECK_FALSE_MESSAGE(is_platform_type(name), name);
}
