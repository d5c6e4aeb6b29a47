// Modified UTF-8 (JVMS 4.4.7): no zero byte, no four-byte form; surrogates stand for themselves.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rowgate::jarscan {

// Whether all bytes are 0x01..0x7F, as in almost all constants. Words at a time, the last one
// overlapping the one before: the subtraction borrows into the high bit of a zero byte, and what it
// says wrongly is only ever "no".
inline bool is_plain_ascii(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
  const auto odd = [](const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word | (word - kOnes);
  };
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t seen = 0;
  if (text.size() >= 8) {
    for (; end - at > 8; at += 8) seen |= odd(at);
    seen |= odd(end - 8);
  } else {
    for (; at < end; ++at) seen |= static_cast<signed char>(*at) <= 0 ? kHigh : 0;
  }
  return (seen & kHigh) == 0;
}

// The same of a text behind which at least 8 bytes may be read; the bytes there do not count.
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

bool is_modified_utf8_beyond_ascii(std::string_view text);

inline bool is_modified_utf8(std::string_view text) {
  return is_plain_ascii(text) || is_modified_utf8_beyond_ascii(text);
}

}  // namespace rowgate::jarscan
