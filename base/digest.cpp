#include "base/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace rowgate::base {
namespace {

const EVP_MD* algorithm(DigestKind kind) {
  switch (kind) {
    case DigestKind::md5: return EVP_md5();
    case DigestKind::sha1: return EVP_sha1();
    case DigestKind::sha256: return EVP_sha256();
    case DigestKind::sha512: return EVP_sha512();
  }
  return EVP_sha256();
}

}  // namespace

struct Digester::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
};

const char* to_string(DigestKind kind) {
  switch (kind) {
    case DigestKind::md5: return "md5";
    case DigestKind::sha1: return "sha1";
    case DigestKind::sha256: return "sha256";
    case DigestKind::sha512: return "sha512";
  }
  return "sha256";
}

std::size_t hex_length(DigestKind kind) {
  return static_cast<std::size_t>(EVP_MD_size(algorithm(kind))) * 2;
}

Digester::Digester(DigestKind kind) : state_(std::make_unique<State>()) {
  // libcrypto fails here only when memory is out or the provider lacks the algorithm (FIPS and
  // MD5).
  if (!state_->context || EVP_DigestInit_ex(state_->context.get(), algorithm(kind), nullptr) != 1)
    throw std::bad_alloc();
}

Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
Digester& Digester::operator=(Digester&&) noexcept = default;

void Digester::update(Bytes bytes) {
  EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

std::string Digester::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  unsigned size = 0;
  EVP_DigestFinal_ex(state_->context.get(), raw.data(), &size);
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(size * 2);
  for (unsigned i = 0; i < size; ++i) {
    text += kHex[raw[i] >> 4];
    text += kHex[raw[i] & 15];
  }
  return text;
}

std::string digest(DigestKind kind, Bytes bytes) {
  Digester digester(kind);
  digester.update(bytes);
  return digester.finish();
}

}  // namespace rowgate::base
