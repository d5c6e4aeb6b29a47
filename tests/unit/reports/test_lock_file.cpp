#include <doctest/doctest.h>

#include "reports/lock_file.hpp"

using namespace rowgate::reports;

namespace {

const std::string kSha(64, 'a');

std::string good() {
  return "version = 1\n\n[[connector]]\nartifact = \"g:a:1\"\nsha256 = \"" + kSha +
         "\"\npom-sha256 = \"" + kSha + "\"\n";
}

std::string error_of(const std::string& text) {
  const auto lock = parse_lock(text, "rowgate.lock");
  return lock ? "" : lock.error().subject + ": " + lock.error().message;
}

// The good lock with one thing changed.
std::string with(const std::string& from, const std::string& to) {
  std::string text = good();
  text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("what is written is read, and the order of entries does not matter") {
  const LockEntry artifact{"g:a:1", "", kSha, std::string(64, 'b'), 0};
  const LockEntry file{"", "libs/\"odd\" \xC3\xA4\n.jar", kSha, "", 0};
  const std::string text = write_lock({artifact, file});
  CHECK(text == write_lock({file, artifact}));
  const auto lock = parse_lock(text, "rowgate.lock");
  REQUIRE(lock);
  REQUIRE(lock->entries.size() == 2);
  CHECK(lock->entries[0].file == file.file);
  CHECK(lock->entries[1].artifact == "g:a:1");
  CHECK(lock->entries[1].pom_sha256 == artifact.pom_sha256);
  CHECK(lock->entries[0].line == 4);
}

TEST_CASE("each mistake is named with its line") {
  CHECK(error_of(good()).empty());
  CHECK(error_of(with("version = 1", "")) == "rowgate.lock:1: has no 'version'");
  CHECK(error_of(with("version = 1", "version = 9")) ==
        "rowgate.lock:1: is of version 9, and 1 is known");
  CHECK(error_of(with("[[connector]]", "[[conector]]")) ==
        "rowgate.lock:3: unknown key 'conector'");
  CHECK(error_of(with("pom-sha256", "pom-sha1")) == "rowgate.lock:6: unknown key 'pom-sha1'");
  CHECK(error_of(with("\"g:a:1\"", "7")) == "rowgate.lock:4: 'artifact' is no text");
  CHECK(error_of(with("artifact", "file")) == "rowgate.lock:3: 'g:a:1' has no right checksums");
  CHECK(error_of(with(kSha, "abc")) == "rowgate.lock:3: 'g:a:1' has no right checksums");
  CHECK(error_of(with(kSha, std::string(64, 'A'))) ==
        "rowgate.lock:3: 'g:a:1' has no right checksums");
  CHECK(error_of(with("artifact = \"g:a:1\"\n", "")) ==
        "rowgate.lock:3: an entry needs either 'artifact' or 'file'");
  CHECK(error_of(good() + good().substr(12)) == "rowgate.lock:8: 'g:a:1' stands here twice");
  CHECK(error_of("version = ").substr(0, 14) == "rowgate.lock:1");
  CHECK(error_of("version = 1 # \xFF") == "rowgate.lock: is not UTF-8");
}
