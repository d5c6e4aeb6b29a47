// Reading jars. What the JVM does with odd zips was seen by running java.util.zip.ZipFile and
// URLClassLoader of JDK 17 on the same bytes; libzip is asked as a second reader of well-formed
// ones.
#include "jarscan/jar_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zip.h>

#include <set>

#include "tests/support/zip_builder.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

namespace {

std::vector<std::byte> to_bytes(const std::string& text) {
  const auto bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

Result<std::shared_ptr<const JarFile>> open(const std::string& bytes,
                                            const JarLimits& limits = {}) {
  return JarFile::from_bytes("a.jar", to_bytes(bytes), limits);
}

std::string contents(const JarFile& jar, std::string_view name) {
  const auto entry = jar.find(name);
  if (!entry) return "no such entry";
  EntryReader reader;
  const auto bytes = reader.read(jar, jar.entries()[*entry]);
  return bytes ? std::string(base::as_text(*bytes)) : bytes.error().to_string();
}

std::string open_error(const std::string& bytes) {
  const auto jar = open(bytes);
  return jar ? "no error" : jar.error().message + " @" + std::to_string(*jar.error().offset);
}

std::string patched(std::string bytes, std::size_t offset, std::string_view replacement) {
  return bytes.replace(offset, replacement.size(), replacement);
}

}  // namespace

TEST_CASE("stored and deflated entries, with and without data descriptors") {
  ZipEntrySpec late;
  late.name = "late.txt";
  late.contents = std::string(5000, 'x');
  late.data_descriptor = true;
  const auto jar =
      open(ZipBuilder().add("a.txt", "deflated text").store("b.txt", "stored").add(late).build());
  REQUIRE(jar);
  CHECK((*jar)->entries().size() == 3);
  CHECK(contents(**jar, "a.txt") == "deflated text");
  CHECK(contents(**jar, "b.txt") == "stored");
  CHECK(contents(**jar, "late.txt") == late.contents);
  CHECK_FALSE((*jar)->find("c.txt"));
  CHECK((*jar)->local_name((*jar)->entries()[1]) == "b.txt");
}

TEST_CASE("an empty zip, an empty entry, a folder") {
  const auto empty = open(ZipBuilder().build());
  REQUIRE(empty);
  CHECK((*empty)->entries().empty());
  const auto jar = open(ZipBuilder().store("p/", "").add("p/empty", "").build());
  REQUIRE(jar);
  CHECK((*jar)->entries()[0].is_folder());
  CHECK(contents(**jar, "p/empty") == "");
}

TEST_CASE("libzip sees the same entries and contents") {
  ZipBuilder builder;
  for (int i = 0; i < 200; ++i)
    builder.add(fmt::format("p/{}.txt", i), std::string(static_cast<std::size_t>(i) * 7, 'a'));
  ZipEntrySpec wide;
  wide.name = "wide.txt";
  wide.contents = "zip64";
  wide.zip64 = true;
  builder.add(wide).comment("with a comment").zip64_end();
  const std::string bytes = builder.build();
  const auto jar = open(bytes);
  REQUIRE(jar);

  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  REQUIRE(source != nullptr);
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
  REQUIRE_MESSAGE(archive != nullptr, zip_error_strerror(&error));
  REQUIRE(zip_get_num_entries(archive, 0) == static_cast<zip_int64_t>((*jar)->entries().size()));
  EntryReader reader;
  for (std::size_t i = 0; i < (*jar)->entries().size(); ++i) {
    const JarEntry& entry = (*jar)->entries()[i];
    zip_stat_t stat;
    REQUIRE(zip_stat_index(archive, i, 0, &stat) == 0);
    CHECK(entry.name == stat.name);
    CHECK(entry.size_bytes == stat.size);
    CHECK(entry.crc32 == stat.crc);
    zip_file_t* file = zip_fopen_index(archive, i, 0);
    std::string expected(stat.size, '\0');
    CHECK(zip_fread(file, expected.data(), expected.size()) ==
          static_cast<zip_int64_t>(expected.size()));
    zip_fclose(file);
    const auto read = reader.read(**jar, entry);
    REQUIRE(read);
    CHECK(base::as_text(*read) == expected);
  }
  zip_close(archive);
  zip_error_fini(&error);
}

TEST_CASE("of entries of one name the last counts, as for the JVM") {
  const auto jar = open(ZipBuilder()
                            .store("a.txt", "first")
                            .store("b.txt", "other")
                            .store("a.txt", "second")
                            .store("a.txt", "third")
                            .build());
  REQUIRE(jar);
  CHECK(contents(**jar, "a.txt") == "third");
  CHECK(std::vector<std::uint32_t>((*jar)->shadowed().begin(), (*jar)->shadowed().end()) ==
        std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("bytes before the zip and behind it") {
  ZipBuilder builder;
  builder.prefix("#!/bin/sh\nexec java -jar $0\n").add("a.txt", "text");
  const auto script = open(builder.build());
  REQUIRE(script);
  CHECK(contents(**script, "a.txt") == "text");
  const auto padded = open(ZipBuilder().add("a.txt", "text").build() + std::string(100, '\0'));
  REQUIRE(padded);
  CHECK(contents(**padded, "a.txt") == "text");
  const auto commented =
      open(ZipBuilder().add("a.txt", "text").comment("PK\5\6 is no end record").build());
  REQUIRE(commented);
  CHECK(contents(**commented, "a.txt") == "text");
}

TEST_CASE("zip64 directories") {
  ZipEntrySpec wide;
  wide.name = "a.txt";
  wide.contents = "text";
  wide.zip64 = true;
  const auto jar = open(ZipBuilder().add(wide).zip64_end().build());
  REQUIRE(jar);
  CHECK(contents(**jar, "a.txt") == "text");
  // The number of entries in the end record is not believed.
  ZipBuilder builder;
  builder.add("a.txt", "text");
  std::string bytes = builder.build();
  bytes[builder.end_offset() + 10] = 99;
  const auto lying = open(bytes);
  REQUIRE(lying);
  CHECK((*lying)->entries().size() == 1);
}

TEST_CASE("files that are no zip, or half of one") {
  CHECK(open_error("") == "the file is empty @0");
  CHECK(open_error("hello, I am a text file and not a jar") ==
        "not a zip file: it has no end record @0");
  ZipBuilder builder;
  builder.add("a.txt", std::string(100, 'x')).add("b.txt", "more");
  const std::string good = builder.build();
  CHECK(open_error(good.substr(0, builder.directory_offset(1))) ==
        "the zip is cut off: it has no end record @" + std::to_string(builder.directory_offset(1)));
  for (std::size_t size = 0; size < good.size(); ++size) CHECK_FALSE(open(good.substr(0, size)));
}

TEST_CASE("a directory that contradicts itself") {
  ZipBuilder builder;
  builder.add("a.txt", "aaaa").add("b.txt", "bbbb");
  const std::string good = builder.build();
  const std::size_t end = builder.end_offset(), second = builder.directory_offset(1);
  CHECK(open_error(patched(good, end + 12, std::string("\xFF\xFF\0\0", 4))) ==
        "the end record gives the directory more bytes than stand before it @" +
            std::to_string(end));
  CHECK(open_error(patched(good, end + 16, std::string("\xFF\xFF\0\0", 4))) ==
        "the end record places the directory behind its own bytes @" + std::to_string(end));
  CHECK(open_error(patched(good, second, "XX")) ==
        "entry 1 of the directory has no header @" + std::to_string(second));
  CHECK(open_error(patched(good, second + 28, "\xFF\xFF")) ==
        "entry 1 of the directory is cut off @" + std::to_string(second + 28));
  ZipEntrySpec broken;
  broken.name = "a.txt";
  broken.extra = std::string("\x09\0\xFF\xFF", 4);
  ZipBuilder extra;
  extra.add(broken);
  CHECK(open_error(extra.build()).starts_with("entry 0 of the directory has a broken extra field"));
  JarLimits limits;
  limits.entries = 1;
  CHECK(open(good, limits).error().code == ErrorCode::limit);
}

TEST_CASE("an entry that cannot be read is an error of its own; the others can be read") {
  struct Case {
    const char* what;
    ZipEntrySpec spec;
    ErrorCode code;
    std::string message;
  };
  std::vector<Case> cases(8);
  for (Case& one : cases) one.spec.name = "bad", one.spec.contents = std::string(3000, 'x');
  cases[0] = {"encrypted", cases[0].spec, ErrorCode::unsupported, "the entry is encrypted"};
  cases[0].spec.flags = 1;
  cases[1] = {"method", cases[1].spec, ErrorCode::unsupported,
              "compression method 12 (bzip2) is not supported"};
  cases[1].spec.method = 12;
  cases[2] = {"crc", cases[2].spec, ErrorCode::checksum,
              "the entry's CRC is 98ee17e7, the directory says 00000001"};
  cases[2].spec.crc32 = 1;
  cases[3] = {"size too large", cases[3].spec, ErrorCode::malformed,
              "the entry inflates to less than the 3001 bytes that the directory says"};
  cases[3].spec.size = 3001;
  cases[4] = {"size too small", cases[4].spec, ErrorCode::malformed,
              "the entry inflates to more than the 2999 bytes that the directory says"};
  cases[4].spec.size = 2999;
  cases[5] = {"absurd size", cases[5].spec, ErrorCode::limit, ""};
  cases[5].spec.size = 200'000'000;
  cases[6] = {"outside", cases[6].spec, ErrorCode::malformed, "the entry lies outside of the jar"};
  cases[6].spec.header_offset = 5'000'000;
  cases[7] = {"stored size", cases[7].spec, ErrorCode::malformed,
              "a stored entry of 3000 bytes says that it is 2999 long"};
  cases[7].spec.deflate = false;
  cases[7].spec.size = 2999;
  for (const Case& one : cases) {
    CAPTURE(one.what);
    const bool moved = one.spec.header_offset.has_value();
    ZipBuilder builder;
    if (moved)
      builder.add(one.spec).add("good", "text");
    else
      builder.add("good", "text").add(one.spec);
    const auto jar = open(builder.build());
    REQUIRE(jar);
    EntryReader reader;
    const auto bad = reader.read(**jar, (*jar)->entries()[*(*jar)->find("bad")]);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == one.code);
    if (!one.message.empty()) CHECK(bad.error().message == one.message);
    CHECK(bad.error().subject == "a.jar!/bad");
    CHECK(contents(**jar, "good") == "text");
  }
}

TEST_CASE("an offset where no local header is") {
  ZipBuilder builder;
  builder.add("a.txt", "text");
  const std::string good = builder.build();
  const auto jar = open(patched(good, builder.local_offset(0), "XX"));
  REQUIRE(jar);
  CHECK(contents(**jar, "a.txt") ==
        "a.jar!/a.txt: there is no local header at the entry's offset (at byte 0)");
}

TEST_CASE("damaged deflate data") {
  ZipBuilder builder;
  builder.add("a.txt", "some text that is compressed, more or less");
  std::string bytes = builder.build();
  bytes[builder.data_offset(0)] = '\xFF';
  const auto jar = open(bytes);
  REQUIRE(jar);
  CHECK(contents(**jar, "a.txt") ==
        "a.jar!/a.txt: the entry's compressed bytes are damaged (at byte 0)");
}

TEST_CASE("bytes behind the end of the deflate stream") {
  ZipEntrySpec spec;
  spec.name = "a.txt";
  spec.contents = deflated("text") + "hidden";
  spec.deflate = false;
  spec.method = 8;
  spec.size = 4;
  spec.crc32 = crc32_of("text");
  const auto jar = open(ZipBuilder().add(spec).build());
  REQUIRE(jar);
  CHECK(contents(**jar, "a.txt").starts_with("a.jar!/a.txt: the entry's compressed bytes end at"));
}

TEST_CASE("entries that share bytes: the first is read, the others are refused") {
  ZipEntrySpec second;
  second.name = "b.txt";
  second.contents = std::string(1, 'b');
  second.header_offset = 0;
  ZipBuilder builder;
  builder.add("a.txt", std::string(1000, 'a')).add(second);
  const auto jar = open(builder.build());
  REQUIRE(jar);
  CHECK(contents(**jar, "a.txt") == std::string(1000, 'a'));
  CHECK(contents(**jar, "b.txt") ==
        "a.jar!/b.txt: the entry's bytes overlap those of another entry (at byte 0)");
}

TEST_CASE("a local header with another name is seen, and the directory's name counts") {
  ZipEntrySpec spec;
  spec.name = "a.txt";
  spec.contents = "text";
  spec.local_name = "evil.txt";
  const auto jar = open(ZipBuilder().add(spec).build());
  REQUIRE(jar);
  CHECK(contents(**jar, "a.txt") == "text");
  CHECK((*jar)->local_name((*jar)->entries()[0]) == "evil.txt");
}

TEST_CASE("nested jars") {
  const std::string inner = ZipBuilder().add("p/C.class", "inner").build();
  const std::string middle = ZipBuilder().add("lib/inner.jar", inner).build();
  const std::string outer = ZipBuilder()
                                .store("BOOT-INF/lib/stored.jar", inner)
                                .add("WEB-INF/lib/deflated.jar", middle)
                                .add("elsewhere/x.jar", inner)
                                .add("BOOT-INF/lib/broken.jar", "no zip")
                                .build();
  const auto jar = open(outer);
  REQUIRE(jar);
  CHECK(nested_jars(**jar) == std::vector<std::uint32_t>{0, 1, 3});
  const auto stored = JarFile::open_nested(*jar, 0);
  REQUIRE(stored);
  CHECK((*stored)->name() == "a.jar!/BOOT-INF/lib/stored.jar");
  CHECK(contents(**stored, "p/C.class") == "inner");
  const auto deflated_jar = JarFile::open_nested(*jar, 1);
  REQUIRE(deflated_jar);
  const auto deepest = JarFile::open_nested(*deflated_jar, 0);
  REQUIRE(deepest);
  CHECK(contents(**deepest, "p/C.class") == "inner");
  const auto broken = JarFile::open_nested(*jar, 3);
  REQUIRE_FALSE(broken);
  CHECK(broken.error().subject == "a.jar!/BOOT-INF/lib/broken.jar");
  JarLimits shallow;
  shallow.nesting = 0;
  const auto refused = JarFile::open_nested(*open(outer, shallow), 0);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::limit);
}

TEST_CASE("the manifest is found in any case, and multi-release needs its flag") {
  const auto flagged =
      open(ZipBuilder()
               .add("meta-inf/Manifest.MF", "Manifest-Version: 1.0\nMulti-Release: TRUE\n")
               .build());
  REQUIRE(flagged);
  CHECK((*flagged)->is_multi_release());
  const auto plain =
      open(ZipBuilder().add("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n").build());
  REQUIRE(plain);
  CHECK_FALSE((*plain)->is_multi_release());
  CHECK((*plain)->manifest() == "Manifest-Version: 1.0\n");
}

TEST_CASE("names below META-INF/versions") {
  CHECK(versioned_name("META-INF/versions/11/p/C.class")->release == 11);
  CHECK(versioned_name("META-INF/versions/11/p/C.class")->name == "p/C.class");
  for (const char* name : {"META-INF/versions/", "META-INF/versions/x/p", "META-INF/versions/11",
                           "META-INF/versions/09/p", "META-INF/versions/12345/p", "p/C.class"})
    CHECK_FALSE_MESSAGE(versioned_name(name), name);
}

TEST_CASE("a missing file") {
  const auto jar = JarFile::open("tests/no-such.jar");
  REQUIRE_FALSE(jar);
  CHECK(jar.error().code == ErrorCode::not_found);
}
