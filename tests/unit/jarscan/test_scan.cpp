#include "jarscan/scan.hpp"

#include <fmt/format.h>

#include <atomic>

#include "base/digest.hpp"
#include "jar_support.hpp"
#include "jarscan/scan_jar.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

namespace {

ScanResult scanned(const std::vector<std::filesystem::path>& paths, unsigned jobs = 2) {
  RunContext context = RunContext::quiet();
  context.jobs = jobs;
  auto result = scan(paths, {}, context);
  REQUIRE(result);
  return std::move(*result);
}

std::vector<std::string> checks(const ScanResult& result) {
  std::vector<std::string> ids;
  for (const auto& finding : result.findings) ids.push_back(finding.check_id);
  return ids;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("what is learned of a jar") {
  ZipBuilder builder;
  builder
      .add("META-INF/MANIFEST.MF",
           "Manifest-Version: 1.0\nImplementation-Version: 1.2.3\nMulti-Release: true\n")
      .add("META-INF/maven/g/b/pom.properties", "#made\nversion=2\ngroupId=g\nartifactId=b\n")
      .add("META-INF/maven/g/a/pom.properties", "version=1\r\ngroupId = g\r\nartifactId=a\r\n")
      .add("META-INF/services/p.Service", "# comment\np.First  # why\n\np.Second\n")
      .add("module-info.class", ClassBuilder("module-info", "", 0x8000).version(53).build())
      .add("p/A.class", ClassBuilder("p/A", "p/B").interface("p/I").version(52).build())
      .add("p/B.class", ClassBuilder("p/B").version(61).build())
      .add("META-INF/versions/21/p/A.class", ClassBuilder("p/A").version(65).build())
      .add("spark350/q/S.class", ClassBuilder("q/S").build())
      .add("readme.txt", "text");
  JarFolder folder;
  const auto path = folder.add("a.jar", builder);
  const ScanResult result = scanned({path});
  CHECK(checks(result).empty());
  REQUIRE(result.jars.size() == 1);
  const JarScan& jar = result.jars[0];
  CHECK(jar.name == path.string());
  CHECK(jar.sha1 == base::digest(base::DigestKind::sha1, base::as_bytes(*base::read_file(path))));
  CHECK(jar.size_bytes == std::filesystem::file_size(path));
  CHECK(jar.entries == 10);
  CHECK(jar.classes_read == 5);
  CHECK(jar.classes_skipped == 0);
  CHECK(jar.min_major == 52);
  CHECK(jar.max_major == 61);
  CHECK(java_release_of(jar.max_major) == 17);
  CHECK(jar.is_multi_release);
  CHECK(jar.has_module_info);
  REQUIRE(jar.manifest.size() == 3);
  CHECK(jar.manifest[1].second == "1.2.3");
  REQUIRE(jar.poms.size() == 2);
  CHECK(jar.poms[0].artifact_id == "a");
  CHECK(jar.poms[0].group_id == "g");
  CHECK(jar.poms[1].version == "2");
  REQUIRE(jar.services.size() == 1);
  CHECK(jar.services[0].service == "p.Service");
  CHECK(jar.services[0].providers == Ids{"p.First", "p.Second"});
  REQUIRE(jar.shims.size() == 1);
  CHECK(jar.shims[0].prefix == "spark350/");
  CHECK(jar.shims[0].classes == 1);
  REQUIRE(jar.classes.size() == 4);
  CHECK(jar.classes[0].type.name == "p/A");
  CHECK(jar.classes[0].type.super == "p/B");
  REQUIRE(jar.classes[0].type.interfaces.size() == 1);
  CHECK(jar.classes[0].type.interfaces[0] == "p/I");
}

TEST_CASE("folders, nested jars, and the same result for any number of threads") {
  JarFolder folder;
  const std::string inner = jar_of({{"p/Inner"}}).build();
  folder.add("b.jar", ZipBuilder().store("BOOT-INF/lib/inner.jar", inner).add("x.txt", ""));
  // More than one run.
  ZipBuilder large;
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 300; ++i) {
    ClassBuilder builder(fmt::format("p/C{}", i));
    noise.clear();
    for (int j = 0; j < 12000; ++j)
      noise += static_cast<char>('!' + (state = state * 1664525 + 1013904223) / 46000000 % 90);
    builder.utf8(noise);
    large.add(fmt::format("p/C{}.class", i), builder.build());
  }
  folder.add("a.jar", large);
  folder.add_bytes("notes.txt", "no jar");
  const ScanResult one = scanned({folder.path()}, 1), three = scanned({folder.path()}, 3);
  REQUIRE(one.jars.size() == 3);
  CHECK(one.jars[0].name.ends_with("a.jar"));
  CHECK(one.jars[2].name.ends_with("b.jar!/BOOT-INF/lib/inner.jar"));
  CHECK(one.jars[2].classes.at(0).type.name == "p/Inner");
  CHECK(one.findings == three.findings);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(one.jars[i].name == three.jars[i].name);
    CHECK(one.jars[i].class_bytes == three.jars[i].class_bytes);
    REQUIRE(one.jars[i].classes.size() == three.jars[i].classes.size());
    for (std::size_t j = 0; j < one.jars[i].classes.size(); ++j)
      CHECK(one.jars[i].classes[j].type.name == three.jars[i].classes[j].type.name);
  }
}

TEST_CASE("what cannot be read is a finding, and the rest is read") {
  JarFolder folder;
  const std::string good = class_bytes({"p/Good"});
  ZipEntrySpec damaged;
  damaged.name = "p/Damaged.class";
  damaged.contents = good;
  damaged.crc32 = 1;
  ZipEntrySpec encrypted = damaged;
  encrypted.name = "p/Encrypted.class";
  encrypted.crc32.reset();
  encrypted.flags = 1;
  ZipEntrySpec renamed;
  renamed.name = "p/Renamed.class";
  renamed.contents = class_bytes({"p/Renamed"});
  renamed.local_name = "p/Another.class";
  const auto path = folder.add("a.jar", ZipBuilder()
                                            .add("p/Good.class", good)
                                            .add("p/Good.class", good)
                                            .add(damaged)
                                            .add(encrypted)
                                            .add(renamed)
                                            .add("p/Short.class", good.substr(0, 20))
                                            .add("q/Moved.class", class_bytes({"p/Moved"})));
  const ScanResult result = scanned({path});
  CHECK(checks(result) == Ids{"RG1002", "RG1002", "RG1003", "RG1006", "RG1007", "RG1004"});
  CHECK(result.findings[0].message == "the entry's CRC is " + [&] {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", crc32_of(good));
    return std::string(text);
  }() + ", the directory says 00000001");
  CHECK(result.findings[0].symbol == "p/Damaged.class");
  CHECK(result.findings[1].message == "the entry is encrypted");
  CHECK(result.findings[2].location.file == path.string() + "!/p/Short.class");
  CHECK(result.findings[2].location.offset.has_value());
  CHECK(result.findings[3].message == "the local header names the entry p/Another.class");
  CHECK(result.findings[4].message == "the class file holds p.Moved");
  CHECK(result.findings[5].symbol == "p/Good.class");
  CHECK(result.jars[0].classes_read == 3);
  CHECK(result.jars[0].classes_skipped == 3);
}

TEST_CASE("inputs that are no jars") {
  JarFolder folder, empty;
  const auto text = folder.add_bytes("text.jar", "I am a text file, not a jar");
  const auto truncated =
      folder.add_bytes("half.jar", jar_of({{"p/A"}, {"p/B"}}).build().substr(0, 150));
  const auto resources = folder.add("resources.jar", ZipBuilder().add("a.txt", "text"));
  const ScanResult result =
      scanned({text, truncated, resources, folder.path() / "missing.jar", empty.path()});
  CHECK(checks(result) == Ids{"RG1001", "RG1001", "RG1001", "RG1005", "RG1005"});
  CHECK(result.jars_skipped == 3);
  CHECK(result.jars.size() == 1);
  bool named = false;
  for (const auto& finding : result.findings)
    named |= finding.message == "the zip is cut off: it has no end record";
  CHECK(named);
}

TEST_CASE("a scan can be stopped") {
  JarFolder folder;
  const auto path = folder.add("a.jar", jar_of({{"p/A"}}));
  const std::atomic<bool> stop = true;
  RunContext context = RunContext::quiet();
  context.stop = &stop;
  const auto result = scan({path}, {}, context);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::interrupted);
}

TEST_CASE("the names of the catalogue are found among Class constants only") {
  ClassBuilder builder("p/C");
  builder.utf8("org/apache/spark/sql/connector/catalog/SupportsWrite");
  builder.class_("org/apache/spark/sql/connector/catalog/SupportsRead");
  builder.class_("org/apache/spark/sql/connector/catalog/SupportsReadX");
  const std::string bytes = builder.build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::header, file));
  CHECK(named_capabilities(file.pool) == capability_bit(capability_index("SupportsRead")));
}
