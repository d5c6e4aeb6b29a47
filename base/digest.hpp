// Message digests, as lower-case hexadecimal text (OpenSSL's libcrypto).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/files.hpp"

namespace rowgate::base {

// md5 and sha1 are here because Maven repositories publish them; they detect damage, not attack.
enum class DigestKind : std::uint8_t { md5, sha1, sha256, sha512 };

// "sha1", which is also the extension of Maven's checksum files.
const char* to_string(DigestKind kind);

// Number of hexadecimal characters: 32, 40, 64, 128.
std::size_t hex_length(DigestKind kind);

std::string digest(DigestKind kind, Bytes bytes);

// The same over a stream of pieces.
class Digester {
 public:
  explicit Digester(DigestKind kind);
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& operator=(Digester&&) noexcept;

  void update(Bytes bytes);
  std::string finish();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rowgate::base
