#include "jarscan/class_index.hpp"

#include <doctest/doctest.h>

#include "tests/support/class_builder.hpp"
#include "tests/support/zip_builder.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

namespace {

std::string class_bytes(std::string_view name, std::string_view super = "java/lang/Object") {
  return ClassBuilder(name, super).build();
}

std::shared_ptr<const JarFile> jar(const std::string& name, ZipBuilder builder) {
  const std::string bytes = builder.build();
  const auto view = base::as_bytes(bytes);
  auto opened = JarFile::from_bytes(name, {view.begin(), view.end()});
  REQUIRE(opened);
  return *opened;
}

ClassIndex build(std::vector<ClassPathJar> jars, unsigned release = 17, unsigned jobs = 1) {
  RunContext context = RunContext::quiet();
  context.jobs = jobs;
  return ClassIndex::build(std::move(jars), {release}, context);
}

std::string entry_name(const ClassIndex& index, std::string_view name) {
  const auto found = index.find(name);
  if (!found) return "none";
  return index.jar(found->jar).name() + "!/" + std::string(index.entry(*found).name);
}

constexpr const char* kMultiRelease = "Manifest-Version: 1.0\nMulti-Release: true\n";

}  // namespace

TEST_CASE("the first jar of the class path wins, the others are known") {
  const auto first = jar("1.jar", ZipBuilder().add("p/A.class", class_bytes("p/A")));
  const auto second = jar("2.jar", ZipBuilder()
                                       .add("p/A.class", class_bytes("p/A", "p/B"))
                                       .add("p/q/B.class", class_bytes("p/q/B"))
                                       .add("module-info.class", "")
                                       .add("readme.txt", ""));
  for (const unsigned jobs : {1U, 2U}) {
    const ClassIndex index = build({{first, {}}, {second, {}}}, 17, jobs);
    CHECK(index.class_count() == 2);
    CHECK(index.jar_count() == 2);
    CHECK(entry_name(index, "p/A") == "1.jar!/p/A.class");
    CHECK(index.find_all("p/A") == std::vector<ClassLocation>{{0, 0}, {1, 0}});
    CHECK(index.find_all("p/X").empty());
    CHECK_FALSE(index.find("module-info"));
    CHECK(index.has_package("p/q"));
    CHECK_FALSE(index.has_package("q"));
    CHECK(index.classes().size() == 2);
    CHECK(index.classes()[1].first == "p/q/B");
    CHECK(index.classes_of(0).size() == 1);
    REQUIRE(index.classes_of(1).size() == 1);
    CHECK(index.classes_of(1)[0].first == "p/q/B");
    CHECK(index.name({1, 0}) == "p/A");
  }
}

TEST_CASE("an empty class path") {
  const ClassIndex none;
  CHECK_FALSE(none.find("p/A"));
  CHECK(none.classes().empty());
  CHECK(build({}).class_count() == 0);
}

TEST_CASE("multi-release: the newest that the target's Java takes, only with the flag") {
  ZipBuilder builder;
  builder.add("META-INF/MANIFEST.MF", kMultiRelease)
      .add("p/A.class", class_bytes("p/A"))
      .add("META-INF/versions/8/p/A.class", class_bytes("p/A"))
      .add("META-INF/versions/9/p/A.class", class_bytes("p/A"))
      .add("META-INF/versions/17/p/A.class", class_bytes("p/A"))
      .add("META-INF/versions/21/p/New.class", class_bytes("p/New"));
  const auto flagged = jar("mr.jar", builder);
  CHECK(entry_name(build({{flagged, {}}}, 8), "p/A") == "mr.jar!/p/A.class");
  CHECK(entry_name(build({{flagged, {}}}, 11), "p/A") == "mr.jar!/META-INF/versions/9/p/A.class");
  CHECK(entry_name(build({{flagged, {}}}, 17), "p/A") == "mr.jar!/META-INF/versions/17/p/A.class");
  CHECK(entry_name(build({{flagged, {}}}, 17), "p/New") == "none");
  CHECK(entry_name(build({{flagged, {}}}, 21), "p/New") ==
        "mr.jar!/META-INF/versions/21/p/New.class");
  const ClassIndex index = build({{flagged, {}}}, 17);
  const auto found = index.find("p/A");
  REQUIRE(found);
  CHECK(index.name(*found) == "p/A");
  CHECK(index.load(*found, ClassDepth::header));

  const auto plain =
      jar("plain.jar", ZipBuilder()
                           .add("p/A.class", class_bytes("p/A"))
                           .add("META-INF/versions/9/p/A.class", class_bytes("p/A")));
  CHECK(entry_name(build({{plain, {}}}, 17), "p/A") == "plain.jar!/p/A.class");
  CHECK(build({{plain, {}}}, 17).class_count() == 1);
}

TEST_CASE("overlays: parallel worlds and executable jars") {
  const auto worlds = jar("worlds.jar", ZipBuilder()
                                            .add("p/A.class", class_bytes("p/A"))
                                            .add("spark350/p/A.class", class_bytes("p/A"))
                                            .add("spark400/p/A.class", class_bytes("p/A"))
                                            .add("spark400/p/B.class", class_bytes("p/B")));
  const ClassIndex plain = build({{worlds, {}}});
  CHECK(entry_name(plain, "p/A") == "worlds.jar!/p/A.class");
  const auto wrong_place = plain.find("spark400/p/B");
  REQUIRE(wrong_place);
  const auto loaded = plain.load(*wrong_place, ClassDepth::header);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().message == "the class file holds p/B, its path says spark400/p/B");

  const ClassIndex overlaid = build({{worlds, {"spark400/"}}});
  CHECK(entry_name(overlaid, "p/A") == "worlds.jar!/spark400/p/A.class");
  const auto found = overlaid.find("p/B");
  REQUIRE(found);
  CHECK(overlaid.load(*found, ClassDepth::members)->file.this_name == "p/B");
}

TEST_CASE("duplicate entries within a jar: the last counts") {
  const auto twice = jar("twice.jar", ZipBuilder()
                                          .add("p/A.class", class_bytes("p/A", "p/Old"))
                                          .add("p/A.class", class_bytes("p/A", "p/New")));
  const ClassIndex index = build({{twice, {}}});
  CHECK(index.find_all("p/A").size() == 1);
  const auto loaded = index.load(*index.find("p/A"), ClassDepth::header);
  REQUIRE(loaded);
  CHECK(loaded->file.super_name == "p/New");
}

TEST_CASE("a loaded class may move, its names stay valid") {
  const auto one = jar("1.jar", ZipBuilder().add("p/A.class", class_bytes("p/A")));
  const ClassIndex index = build({{one, {}}});
  std::vector<LoadedClass> kept;
  for (int i = 0; i < 10; ++i) kept.push_back(std::move(*index.load({0, 0}, ClassDepth::header)));
  for (const LoadedClass& loaded : kept) {
    CHECK(loaded.file.this_name == "p/A");
    CHECK(loaded.file.this_name.data() >= reinterpret_cast<const char*>(loaded.bytes.data()));
  }
}

TEST_CASE("errors of a class name the entry") {
  const auto broken = jar("1.jar", ZipBuilder().add("p/A.class", "no class"));
  const ClassIndex index = build({{broken, {}}});
  const auto loaded = index.load({0, 0}, ClassDepth::header);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().subject == "1.jar!/p/A.class");
  CHECK(loaded.error().offset == 0);
}

TEST_CASE("packages") {
  CHECK(package_of("p/q/C") == "p/q");
  CHECK(package_of("C") == "");
}
