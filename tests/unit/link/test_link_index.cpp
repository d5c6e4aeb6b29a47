// Index files that are damaged, of another time, or made by somebody hostile: they count as none,
// and the jar is read instead.
#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "base/files.hpp"
#include "jarscan/link_index.hpp"
#include "jarscan/link_index_file.hpp"
#include "link_test.hpp"

namespace fs = std::filesystem;
using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

constexpr std::size_t kVersionAt = 4, kChecksumAt = 8, kCheckedAt = 16, kReleaseAt = 40,
                      kCountsAt = 44;
constexpr std::size_t kCounts = 8;  // classes, packages, declarations, strings, four sizes

// The jar of the corpus that has the most to say: an enumeration, nested and private classes.
fs::path jar() {
  return link_test::corpus_folder() / "enum-switch-constant-removed" / "client.jar";
}

struct Written {
  JarFingerprint fingerprint;
  std::vector<std::string> names;
  std::string bytes;
};

// What a run writes that asked for every class of the jar.
Written write_index(const fs::path& cache) {
  const LinkIndexOptions options{cache, 17};
  const auto source = IndexedSource::open({jar()}, options, RunContext::quiet()).value();
  Written written;
  const auto index = link_test::open_jars({jar()});
  for (const auto& [name, location] : index->classes()) written.names.emplace_back(name);
  {
    const auto provider = source->provider();
    for (const std::string& name : written.names) REQUIRE(provider->find(name) != nullptr);
  }
  REQUIRE(source->save(RunContext::quiet()));
  const auto mapped = base::MappedFile::open(jar()).value();
  written.fingerprint = fingerprint(mapped.bytes()).value();
  written.bytes = base::read_file(cache / written.fingerprint.file_name()).value();
  return written;
}

// Text that shows all of a declaration.
std::string shown(const ClassDecl& decl) {
  std::string text(decl.name);
  const auto add = [&](std::string_view word) { text.append(" ").append(word); };
  add(decl.super_name);
  add(decl.nest_host);
  for (const auto list : {decl.interfaces, decl.nest_members, decl.permitted})
    for (const std::string_view word : list) add(word);
  for (const auto list : {decl.fields, decl.methods})
    for (const MemberDecl& member : list) {
      add(member.name);
      add(member.descriptor);
      add(std::to_string(member.access));
    }
  add(std::to_string(decl.access));
  add(std::to_string(decl.major));
  add(decl.sealed ? "sealed" : "");
  add(decl.scala ? "scala" : "");
  return text;
}

// Everything that a reader does with a file that it takes.
void use(const LinkIndexFile& file, const std::vector<std::string>& names) {
  DeclPool pool;
  for (const std::string& name : names)
    if (const ClassDecl* decl = file.find(name, pool)) CHECK(decl->name == name);
  for (const ClassDecl* decl : file.all(pool)) CHECK(shown(*decl).size() > 0);
  for (std::uint32_t i = 0; i < file.class_count(); ++i) (void)file.class_hash(i);
  CHECK(file.packages().size() <= std::size_t{1} << 24);
  CHECK(file.names().size() <= std::size_t{1} << 28);
}

void fix_checksum(std::string& bytes) {
  const std::uint64_t sum = text_hash(std::string_view(bytes).substr(kCheckedAt));
  std::memcpy(bytes.data() + kChecksumAt, &sum, sizeof sum);
}

std::optional<LinkIndexFile> read(const std::string& bytes, const JarFingerprint& wanted) {
  return LinkIndexFile::read(base::as_bytes(bytes), wanted, 17);
}

base::TempDir folder() {
  return base::TempDir::create(fs::temp_directory_path(), "link_index").value();
}

}  // namespace

TEST_CASE("a class out of the index is the class out of the jar") {
  const auto cache = folder();
  const Written written = write_index(cache.path());
  const auto file = read(written.bytes, written.fingerprint);
  REQUIRE(file);
  CHECK(file->class_count() == written.names.size());
  JarProvider from_jar(link_test::open_jars({jar()}));
  DeclPool pool;
  for (const std::string& name : written.names) {
    const ClassDecl* decl = file->find(name, pool);
    REQUIRE(decl != nullptr);
    CHECK(shown(*decl) == shown(*from_jar.find(name)));
  }
  CHECK(file->find("not/There", pool) == nullptr);
  CHECK(file->all(pool).size() == written.names.size());
}

TEST_CASE("a file that is cut off, or changed anywhere, is not taken") {
  const auto cache = folder();
  const Written written = write_index(cache.path());
  for (std::size_t size = 0; size < written.bytes.size(); ++size)
    CHECK_FALSE(read(written.bytes.substr(0, size), written.fingerprint));
  CHECK_FALSE(read(written.bytes + '\0', written.fingerprint));
  std::string bytes = written.bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
      CHECK_FALSE(read(bytes, written.fingerprint));
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
    }
}

TEST_CASE("a file of another version, jar or Java release is not taken") {
  const auto cache = folder();
  const Written written = write_index(cache.path());
  REQUIRE(read(written.bytes, written.fingerprint));
  std::string other = written.bytes;
  ++other[kVersionAt];
  fix_checksum(other);
  CHECK_FALSE(read(other, written.fingerprint));
  other = written.bytes;
  ++other[kReleaseAt];
  fix_checksum(other);
  CHECK_FALSE(read(other, written.fingerprint));
  JarFingerprint another = written.fingerprint;
  ++another.size_bytes;
  CHECK_FALSE(read(written.bytes, another));
  another = written.fingerprint;
  another.directory ^= 1;
  CHECK_FALSE(read(written.bytes, another));
  another = written.fingerprint;
  another.directory_again ^= 1;
  CHECK_FALSE(read(written.bytes, another));
}

TEST_CASE("absurd counts under a right checksum are not taken") {
  const auto cache = folder();
  const Written written = write_index(cache.path());
  for (std::size_t count = 0; count < kCounts; ++count)
    for (const std::uint32_t value : {0xFFFFFFFFU, 0x80000000U, 0x10000000U, 0x00010000U}) {
      std::string bytes = written.bytes;
      std::memcpy(bytes.data() + kCountsAt + count * 4, &value, sizeof value);
      fix_checksum(bytes);
      CAPTURE(count);
      CAPTURE(value);
      CHECK_FALSE(read(bytes, written.fingerprint));
    }
}

TEST_CASE("whatever stands under a right checksum stays inside of the file") {
  const auto cache = folder();
  const Written written = write_index(cache.path());
  std::size_t taken = 0;
  for (std::size_t i = kCheckedAt + 24; i < written.bytes.size(); ++i)
    for (const int value : {0, 1, 0x7F, 0x80, 0xFF}) {
      std::string bytes = written.bytes;
      bytes[i] = static_cast<char>(value);
      fix_checksum(bytes);
      if (const auto file = read(bytes, written.fingerprint)) {
        use(*file, written.names);
        ++taken;
      }
    }
  CHECK(taken > 0);
}

TEST_CASE("with a damaged index the jar is read, and the index is written anew") {
  const auto cache = folder();
  const Written written = write_index(cache.path());
  const fs::path file = cache.path() / written.fingerprint.file_name();
  JarProvider from_jar(link_test::open_jars({jar()}));
  std::string flipped = written.bytes;
  flipped[flipped.size() / 2] ^= 1;
  for (const std::string& damaged :
       {std::string(), written.bytes.substr(0, written.bytes.size() / 2), flipped,
        std::string(written.bytes.size(), '\xFF')}) {
    REQUIRE(base::write_file_atomically(file, damaged));
    const auto source =
        IndexedSource::open({jar()}, {cache.path(), 17}, RunContext::quiet()).value();
    CHECK(source->stats().from_cache == 0);
    {
      const auto provider = source->provider();
      for (const std::string& name : written.names) {
        const ClassDecl* decl = provider->find(name);
        REQUIRE(decl != nullptr);
        CHECK(shown(*decl) == shown(*from_jar.find(name)));
      }
    }
    REQUIRE(source->save(RunContext::quiet()));
    CHECK(base::read_file(file).value() == written.bytes);
    const auto again =
        IndexedSource::open({jar()}, {cache.path(), 17}, RunContext::quiet()).value();
    CHECK(again->stats().from_cache == 1);
  }
}
