// The one checked way to read binary input: big-endian, never past the end, knows its offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "base/result.hpp"

namespace rowgate::base {

// Reads from a span that it does not own. A read past the end sets `failed()` and yields zeros or
// an empty span from then on, so that a parser can read a whole structure and check once; the
// position of the first short read is kept. Whoever loops on a count from the input must check
// inside the loop.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  std::uint8_t u1() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u2() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u4() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u8() {
    const std::uint64_t high = u4();
    return high << 32 | u4();
  }
  std::int8_t s1() { return static_cast<std::int8_t>(u1()); }
  std::int16_t s2() { return static_cast<std::int16_t>(u2()); }
  std::int32_t s4() { return static_cast<std::int32_t>(u4()); }

  Bytes take(std::size_t size) {
    if (!has(size)) return {};
    const Bytes piece = bytes_.subspan(at_, size);
    at_ += size;
    return piece;
  }
  void skip(std::size_t size) { take(size); }

  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }
  bool failed() const { return failed_; }
  std::size_t failure_offset() const { return failure_offset_; }

 private:
  bool has(std::size_t size) {
    if (!failed_ && size <= remaining()) return true;
    if (!failed_) failure_offset_ = at_;
    failed_ = true;
    return false;
  }
  std::uint32_t number(unsigned width) {
    if (!has(width)) return 0;
    std::uint32_t value = 0;
    for (unsigned i = 0; i < width; ++i)
      value = value << 8 | static_cast<std::uint32_t>(bytes_[at_ + i]);
    at_ += width;
    return value;
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  std::size_t failure_offset_ = 0;
  bool failed_ = false;
};

}  // namespace rowgate::base
