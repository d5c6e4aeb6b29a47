#include <doctest/doctest.h>

#include "base/digest.hpp"

using namespace rowgate::base;

// The "abc" examples of RFC 1321 and FIPS 180-4.
TEST_CASE("published digests of abc") {
  const auto of = [](DigestKind kind) { return digest(kind, as_bytes("abc")); };
  CHECK(of(DigestKind::md5) == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(of(DigestKind::sha1) == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(of(DigestKind::sha256) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(of(DigestKind::sha512).substr(0, 32) == "ddaf35a193617abacc417349ae204131");
  for (DigestKind kind :
       {DigestKind::md5, DigestKind::sha1, DigestKind::sha256, DigestKind::sha512})
    CHECK(of(kind).size() == hex_length(kind));
}

TEST_CASE("pieces give the digest of the whole") {
  Digester digester(DigestKind::sha1);
  digester.update(as_bytes("a"));
  digester.update(as_bytes(""));
  digester.update(as_bytes("bc"));
  CHECK(digester.finish() == digest(DigestKind::sha1, as_bytes("abc")));
}
