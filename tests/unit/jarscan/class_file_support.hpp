// Shared by the tests of the class-file parser.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "jarscan/class_file.hpp"
#include "tests/support/class_builder.hpp"

namespace rowgate::test {

// An expectation that reads well when it fails.
struct Wrong {
  std::string message;
  std::uint64_t offset = 0;
  friend bool operator==(const Wrong&, const Wrong&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
  return out << '"' << wrong.message << "\" at " << wrong.offset;
}

inline Wrong parse_error(std::string_view bytes,
                         jarscan::ClassDepth depth = jarscan::ClassDepth::code) {
  jarscan::ClassFile file;
  const auto parsed = jarscan::parse_class(base::as_bytes(bytes), depth, file);
  if (parsed) return {"no error", 0};
  return {parsed.error().message, parsed.error().offset.value_or(UINT64_MAX)};
}

inline std::string patched(std::string bytes, std::size_t offset, std::string_view replacement) {
  return bytes.replace(offset, replacement.size(), replacement);
}

inline std::string u1(unsigned value) {
  return BigEndian().u1(value).bytes();
}
inline std::string u2(unsigned value) {
  return BigEndian().u2(value).bytes();
}
inline std::string u4(std::uint32_t value) {
  return BigEndian().u4(value).bytes();
}

}  // namespace rowgate::test
