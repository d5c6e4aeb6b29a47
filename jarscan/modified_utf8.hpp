// Modified UTF-8 (JVMS 4.4.7): no zero byte, no four-byte form; surrogates stand for themselves.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rowgate::jarscan {

// Whether all bytes are 0x01..0x7F, as in almost all constants. Behind the text at least 8 bytes
// must be readable; they do not count. The subtraction borrows into the high bit of a zero byte,
// and what it says wrongly is only ever "no".
inline bool is_plain_ascii_padded(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t seen = 0, word = 0;
  for (; left >= 8; at += 8, left -= 8) {
    std::memcpy(&word, at, sizeof word);
    seen |= word | (word - kOnes);
  }
  std::memcpy(&word, at, sizeof word);
  const std::uint64_t counted = (std::uint64_t{1} << (left * 8)) - 1;
  word = (word & counted) | (kOnes & ~counted);
  seen |= word | (word - kOnes);
  return (seen & kHigh) == 0;
}

bool is_modified_utf8(std::string_view text);

}  // namespace rowgate::jarscan
