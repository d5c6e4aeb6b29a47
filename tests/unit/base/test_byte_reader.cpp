#include <doctest/doctest.h>

#include "base/byte_reader.hpp"

using namespace rowgate::base;

TEST_CASE("numbers are big-endian and signed where asked") {
  ByteReader reader(as_bytes(std::string_view("\x01\xFF\xFE\x80\x00\x00\x01\xFF", 8)));
  CHECK(reader.u1() == 1);
  CHECK(reader.s2() == -2);
  CHECK(reader.u4() == 0x80000001);
  CHECK(reader.s1() == -1);
  CHECK(reader.remaining() == 0);
  CHECK_FALSE(reader.failed());
}

TEST_CASE("a read past the end fails once and for all, at its offset") {
  ByteReader reader(as_bytes("abc"));
  CHECK(reader.u2() == 0x6162);
  CHECK(reader.u4() == 0);
  CHECK(reader.failed());
  CHECK(reader.failure_offset() == 2);
  CHECK(reader.u1() == 0);  // although one byte remains
  CHECK(reader.take(1).empty());
  CHECK(reader.failure_offset() == 2);
}
