// Index files and unit files out of a cache folder that anybody may write to: the checksum is made
// right first, so that what stands behind it is reached. Nothing may read outside of the file, a
// class that is found has the name that was asked for, and what a unit says of itself is true.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "jarscan/link_index_file.hpp"
#include "jarscan/link_unit_file.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

constexpr std::size_t kChecksumAt = 8, kCheckedAt = 16;

void expect(bool holds) {
  if (!holds) std::abort();
}

void read_index(const std::string& bytes) {
  constexpr std::size_t kReleaseAt = 40;
  if (bytes.size() < kReleaseAt + 4) return;
  JarFingerprint fingerprint;
  static_assert(sizeof fingerprint == kReleaseAt - kCheckedAt);
  std::memcpy(&fingerprint, bytes.data() + kCheckedAt, sizeof fingerprint);
  std::uint32_t release = 0;
  std::memcpy(&release, bytes.data() + kReleaseAt, sizeof release);
  const auto file = LinkIndexFile::read(base::as_bytes(bytes), fingerprint, release);
  if (!file) return;
  DeclPool pool;
  for (const ClassDecl* decl : file->all(pool)) {
    const ClassDecl* found = file->find(decl->name, pool);
    expect(found == nullptr || found->name == decl->name);
  }
  for (std::uint32_t i = 0; i < file->class_count(); ++i) (void)file->class_hash(i);
  (void)file->packages();
  (void)file->names();
}

void read_unit(const std::string& bytes) {
  UnitKey key;
  if (bytes.size() < kCheckedAt + sizeof key) return;
  std::memcpy(&key, bytes.data() + kCheckedAt, sizeof key);
  const auto unit = read_unit_file(base::as_bytes(bytes), key);
  if (unit == nullptr) return;
  for (const UnitClass& type : unit->classes) {
    const std::size_t methods = type.decl->methods.size();
    for (const LinkSite& site : type.sites) expect(site.method < methods || methods == 0);
    for (const LinkRef& ref : type.refs) {
      expect(ref.symbol < unit->symbols.size());
      expect(std::uint64_t{ref.sites.first} + ref.sites.count <= type.sites.size());
      expect(std::uint64_t{ref.receivers.first} + ref.receivers.count <= type.receivers.size());
    }
    for (const LinkQuestion& question : type.questions) expect(question.method < methods);
    for (const LinkLambda& lambda : type.lambdas) expect(lambda.site.method < methods);
    for (const auto& named : type.strings) expect(named.first < methods);
  }
  // What was read can be written, and is the same again.
  const std::string written = write_unit_file(*unit, key);
  const auto again = read_unit_file(base::as_bytes(written), key);
  expect(again != nullptr && again->classes.size() == unit->classes.size());
  expect(write_unit_file(*again, key) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kCheckedAt) return 0;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::uint64_t sum = text_hash(std::string_view(bytes).substr(kCheckedAt));
  std::memcpy(bytes.data() + kChecksumAt, &sum, sizeof sum);
  read_index(bytes);
  read_unit(bytes);
  return 0;
}
