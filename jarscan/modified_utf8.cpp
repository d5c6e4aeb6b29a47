#include "jarscan/modified_utf8.hpp"

#include <cstddef>

namespace rowgate::jarscan {

bool is_modified_utf8(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto continues = [&](std::ptrdiff_t i) {
    return end - at > i && (static_cast<unsigned char>(at[i]) & 0xC0) == 0x80;
  };
  while (at < end) {
    const auto c = static_cast<unsigned char>(*at);
    if (c >= 0x01 && c <= 0x7F) {
      ++at;
    } else if ((c & 0xE0) == 0xC0) {
      if (!continues(1)) return false;
      at += 2;
    } else if ((c & 0xF0) == 0xE0) {
      if (!continues(1) || !continues(2)) return false;
      at += 3;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace rowgate::jarscan
