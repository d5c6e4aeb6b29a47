// What is kept of a connector and of a baseline: the same as what was read, or nothing.
#include <doctest/doctest.h>

#include <cstring>

#include "base/files.hpp"
#include "jarscan/link_baseline.hpp"
#include "jarscan/link_index.hpp"
#include "jarscan/link_unit_file.hpp"
#include "link_test.hpp"

namespace fs = std::filesystem;
using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

constexpr std::size_t kVersionAt = 4, kChecksumAt = 8, kCheckedAt = 16;

// Clients with lambdas, receivers of protected members, strings, questions of the verifier.
constexpr const char* kCases[] = {"lambda-interface-grew", "protected-receiver",
                                  "guarded-by-handler", "verifier-contamination",
                                  "enum-switch-constant-removed"};

std::vector<fs::path> jars(const char* name) {
  return {link_test::corpus_folder() / name / "client.jar"};
}

std::string shown(const LinkSite& site) {
  return std::to_string(site.method) + ":" + std::to_string(site.line) + "/" +
         std::to_string(site.guard);
}

// Text that shows all of a class of a unit.
std::string shown(const LinkUnit& unit, const UnitClass& type) {
  std::string text(type.decl->name);
  const auto add = [&](std::string_view word) { text.append(" ").append(word); };
  for (const MemberDecl& method : type.decl->methods) {
    add(method.name);
    add(method.descriptor);
  }
  for (const LinkRef& ref : type.refs) {
    const Reference& at = unit.reference(ref);
    for (const std::string_view word : {at.owner, at.name, at.descriptor, at.from_method})
      add(word);
    add(std::to_string(static_cast<unsigned>(at.kind)));
    add(at.interface_constant ? "interface" : "class");
    add(at.via_handle ? "handle" : "code");
    for (std::uint32_t i = 0; i < ref.sites.count; ++i) add(shown(type.sites[ref.sites.first + i]));
    for (std::uint32_t i = 0; i < ref.receivers.count; ++i)
      add(type.receivers[ref.receivers.first + i]);
  }
  for (const LinkQuestion& question : type.questions) {
    add(question.from);
    add(question.to);
    add(std::to_string(question.method) + (question.caught ? "caught" : ""));
  }
  for (const LinkLambda& lambda : type.lambdas) {
    for (const std::string_view word : {lambda.interface, lambda.name, lambda.descriptor})
      add(word);
    for (const auto& list : {lambda.markers, lambda.bridges})
      for (const std::string_view word : list) add(word);
    add(shown(lambda.site));
  }
  for (const auto& [method, value] : type.strings) {
    add(std::to_string(method));
    add(value);
  }
  return text;
}

std::string shown(const LinkUnit& unit) {
  std::string text = std::to_string(unit.instruction_sites) + " " + std::to_string(unit.references);
  for (const UnitClass& type : unit.classes) text += "\n" + shown(unit, type);
  return text;
}

base::TempDir folder() {
  return base::TempDir::create(fs::temp_directory_path(), "link_unit").value();
}

void fix_checksum(std::string& bytes) {
  const std::uint64_t sum = text_hash(std::string_view(bytes).substr(kCheckedAt));
  std::memcpy(bytes.data() + kChecksumAt, &sum, sizeof sum);
}

}  // namespace

TEST_CASE("a unit out of the cache is the unit that was read") {
  for (const char* name : kCases) {
    CAPTURE(name);
    const auto cache = folder();
    const auto index = link_test::open_jars(jars(name));
    const auto fresh = read_link_unit(index, RunContext::quiet());
    const auto first = cached_link_unit(index, cache.path(), RunContext::quiet());
    const fs::path file = cache.path() / unit_key(*index).value().file_name();
    REQUIRE(fs::exists(file));
    const auto second = cached_link_unit(index, cache.path(), RunContext::quiet());
    CHECK(second->file.bytes().size() > 0);
    CHECK(shown(*fresh) == shown(*first));
    CHECK(shown(*fresh) == shown(*second));
  }
}

TEST_CASE("a unit's file that is cut off, changed, or another's is not taken") {
  const auto index = link_test::open_jars(jars(kCases[0]));
  const UnitKey key = unit_key(*index).value();
  const auto unit = read_link_unit(index, RunContext::quiet());
  const std::string written = write_unit_file(*unit, key);
  const auto taken = [&](const std::string& bytes, const UnitKey& wanted) {
    return read_unit_file(base::as_bytes(bytes), wanted) != nullptr;
  };
  REQUIRE(taken(written, key));
  for (std::size_t size = 0; size < written.size(); ++size)
    CHECK_FALSE(taken(written.substr(0, size), key));
  CHECK_FALSE(taken(written + '\0', key));
  std::string bytes = written;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
      CHECK_FALSE(taken(bytes, key));
      bytes[i] = static_cast<char>(bytes[i] ^ 1 << bit);
    }
  ++bytes[kVersionAt];
  fix_checksum(bytes);
  CHECK_FALSE(taken(bytes, key));
  CHECK_FALSE(taken(written, UnitKey{key.first + 1, key.second}));
  CHECK_FALSE(taken(written, UnitKey{key.first, key.second + 1}));
}

TEST_CASE("absurd numbers under a right checksum are not followed") {
  const auto index = link_test::open_jars(jars(kCases[0]));
  const UnitKey key = unit_key(*index).value();
  const std::string written = write_unit_file(*read_link_unit(index, RunContext::quiet()), key);
  std::size_t refused = 0;
  for (std::size_t i = kCheckedAt + sizeof key; i + 5 < written.size(); ++i)
    for (const char* absurd : {"\xFF\xFF\xFF\xFF\x0F", "\x80\x80\x80\x80\x80", "\x7F"}) {
      std::string bytes = written;
      std::memcpy(bytes.data() + i, absurd, std::strlen(absurd));
      fix_checksum(bytes);
      const auto unit = read_unit_file(base::as_bytes(bytes), key);
      if (unit == nullptr)
        ++refused;
      else
        CHECK(shown(*unit).size() > 0);
    }
  CHECK(refused > 0);
}

TEST_CASE("with a damaged file the connector is read, and kept anew") {
  const auto cache = folder();
  const auto index = link_test::open_jars(jars(kCases[1]));
  const auto fresh = cached_link_unit(index, cache.path(), RunContext::quiet());
  const fs::path file = cache.path() / unit_key(*index).value().file_name();
  const std::string right = base::read_file(file).value();
  for (const std::string& damaged : {std::string(), right.substr(0, right.size() / 2)}) {
    REQUIRE(base::write_file_atomically(file, damaged));
    const auto again = cached_link_unit(index, cache.path(), RunContext::quiet());
    CHECK(again->file.bytes().empty());
    CHECK(shown(*again) == shown(*fresh));
    CHECK(base::read_file(file).value() == right);
  }
}

TEST_CASE("what breaks on a baseline is kept, and a damaged file counts as none") {
  const auto cache = folder();
  const fs::path file = cache.path() / "baseline";
  const BreakIdentities identities = {"1\ntrue\np/C.m()V", "2\nfalse\np/D", ""};
  REQUIRE(write_baseline(file, identities));
  CHECK(read_baseline(file) == identities);
  const std::string written = base::read_file(file).value();
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::string bytes = written;
    bytes[i] = static_cast<char>(bytes[i] ^ 4);
    REQUIRE(base::write_file_atomically(file, bytes));
    CHECK_FALSE(read_baseline(file));
    REQUIRE(base::write_file_atomically(file, written.substr(0, i)));
    CHECK_FALSE(read_baseline(file));
  }
  CHECK_FALSE(read_baseline(cache.path() / "none"));
}

TEST_CASE("results with a cache are those without one, whether it is empty or full") {
  const fs::path home = link_test::corpus_folder() / "class-to-interface-virtual";
  const auto check = [&](const fs::path& cache) {
    LinkRequest request;
    request.unit =
        cached_link_unit(link_test::open_jars({home / "client.jar"}), cache, RunContext::quiet());
    request.cache_folder = cache;
    const auto spark = [&](const char* name) {
      return LinkTarget{
          name, IndexedSource::open({home / name}, {cache, 17}, RunContext::quiet()).value()};
    };
    request.targets = {spark("old.jar"), spark("new.jar")};
    request.baseline = spark("old.jar");
    request.options.jdk = link_test::jdk();
    std::string text;
    for (const LinkResult& result : check_link(request, RunContext::quiet()))
      for (const base::Finding& finding : link_findings(result, "c"))
        text += finding.check_id + finding.message + "\n";
    for (const LinkTarget& target : request.targets)
      REQUIRE(std::const_pointer_cast<IndexedSource>(
                  std::static_pointer_cast<const IndexedSource>(target.spark))
                  ->save(RunContext::quiet()));
    return text;
  };
  const auto cache = folder();
  const std::string without = check("");
  CHECK(without.find("IncompatibleClassChangeError") != std::string::npos);
  CHECK(check(cache.path()) == without);
  std::size_t kept = 0;
  for (const auto& entry : fs::directory_iterator(cache.path()))
    kept += entry.path().extension() == ".rglb" ? 1 : 0;
  CHECK(kept == 1);
  CHECK(check(cache.path()) == without);
}
