// The format of plexus-cipher's PBECipher, as Maven 3 uses it. Between the braces is base64 of
//   salt (8 bytes) | number of random bytes at the end (1 byte) | AES-128-CBC, PKCS #7 | random
//   bytes
// Key and initialisation vector are the halves of SHA-256(password + salt). The master password is
// itself encrypted with the word "settings.security", so the file's protection is all there is.
#include "pomcheck/password.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

using ByteVector = std::vector<unsigned char>;

constexpr std::string_view kMasterKey = "settings.security";
constexpr std::size_t kSaltBytes = 8, kHeaderBytes = 9, kBlockBytes = 16;
constexpr std::size_t kMaxTextBytes = 64 * 1024;
constexpr int kMaxRelocations = 5;

std::optional<std::string_view> inside_braces(std::string_view text) {
  const auto find_unescaped = [&](char brace, std::size_t from) {
    std::size_t at = text.find(brace, from);
    while (at != std::string_view::npos && at > 0 && text[at - 1] == '\\')
      at = text.find(brace, at + 1);
    return at;
  };
  const std::size_t open = find_unescaped('{', 0);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = find_unescaped('}', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return text.substr(open + 1, close - open - 1);
}

std::optional<ByteVector> from_base64(std::string_view text) {
  std::string compact;
  for (char c : text)
    if (c != '\n' && c != '\r' && c != ' ' && c != '\t') compact += c;
  if (compact.empty() || compact.size() % 4 != 0 || compact.size() > kMaxTextBytes)
    return std::nullopt;
  ByteVector bytes(compact.size() / 4 * 3);
  const int size =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(compact.data()),
                      static_cast<int>(compact.size()));
  if (size < 0) return std::nullopt;
  // EVP_DecodeBlock counts the padding as zero bytes.
  std::size_t length = static_cast<std::size_t>(size);
  for (std::size_t i = compact.size(); i > compact.size() - 2 && compact[i - 1] == '='; --i)
    --length;
  bytes.resize(length);
  return bytes;
}

std::optional<std::string> decrypt_bytes(const ByteVector& bytes, std::string_view password) {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  const std::size_t random_bytes = bytes[kSaltBytes];
  if (bytes.size() < kHeaderBytes + random_bytes + kBlockBytes) return std::nullopt;
  const std::size_t cipher_bytes = bytes.size() - kHeaderBytes - random_bytes;
  if (cipher_bytes % kBlockBytes != 0) return std::nullopt;

  std::string keyed(password);
  keyed.append(reinterpret_cast<const char*>(bytes.data()), kSaltBytes);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> key{};
  SHA256(reinterpret_cast<const unsigned char*>(keyed.data()), keyed.size(), key.data());

  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
      EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  ByteVector plain(cipher_bytes + kBlockBytes);
  int first = 0, last = 0;
  if (!context ||
      EVP_DecryptInit_ex(context.get(), EVP_aes_128_cbc(), nullptr, key.data(), key.data() + 16) !=
          1 ||
      EVP_DecryptUpdate(context.get(), plain.data(), &first, bytes.data() + kHeaderBytes,
                        static_cast<int>(cipher_bytes)) != 1 ||
      EVP_DecryptFinal_ex(context.get(), plain.data() + first, &last) != 1)
    return std::nullopt;
  return std::string(reinterpret_cast<const char*>(plain.data()),
                     static_cast<std::size_t>(first + last));
}

}  // namespace

bool is_encrypted(std::string_view text) {
  return inside_braces(text).has_value();
}

Result<std::string> decrypt_password(std::string_view text, std::string_view master_password) {
  constexpr const char* kRemedy = "encrypt it again with `mvn --encrypt-password`";
  const auto inside = inside_braces(text);
  if (!inside) return fail(ErrorCode::usage, "the password is not encrypted", "", {}, kRemedy);
  if (inside->starts_with('['))
    return fail(ErrorCode::unsupported, "the password is encrypted in Maven 4's format", "", {},
                "use ${env.NAME} in settings.xml, or Maven 3's `mvn --encrypt-password`");
  const auto bytes = from_base64(*inside);
  if (!bytes) return fail(ErrorCode::usage, "the encrypted password is damaged", "", {}, kRemedy);
  auto plain = decrypt_bytes(*bytes, master_password);
  if (!plain)
    return fail(ErrorCode::usage,
                "the password cannot be decrypted with the master password of "
                "settings-security.xml",
                "", {}, kRemedy);
  return std::move(*plain);
}

Result<std::string> read_master_password(const std::filesystem::path& settings_security,
                                         const SettingsVariables& variables) {
  std::filesystem::path file = settings_security;
  for (int hop = 0; hop <= kMaxRelocations; ++hop) {
    auto text = base::read_file(file, kMaxTextBytes);
    if (!text && text.error().code == ErrorCode::not_found)
      return fail(ErrorCode::usage,
                  "settings.xml holds an encrypted password, and this file with "
                  "the master password is missing",
                  file.string(), {}, "make it with `mvn --encrypt-master-password`");
    if (!text) return tl::unexpected<Error>(std::move(text.error()));
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text->data(), text->size());
    const pugi::xml_node root = document.child("settingsSecurity");
    if (!parsed || !root)
      return fail(ErrorCode::malformed, "is no settings-security.xml", file.string(),
                  static_cast<std::uint64_t>(parsed.offset < 0 ? 0 : parsed.offset));
    const std::string relocation =
        interpolate_settings(base::trim(root.child("relocation").text().get()), variables);
    if (!relocation.empty()) {
      file = relocation;
      continue;
    }
    const std::string master =
        interpolate_settings(base::trim(root.child("master").text().get()), variables);
    if (master.empty())
      return fail(ErrorCode::usage, "holds no master password", file.string(), {},
                  "make it with `mvn --encrypt-master-password`");
    if (!is_encrypted(master)) return master;
    auto plain = decrypt_password(master, kMasterKey);
    if (!plain) {
      plain.error().subject = file.string();
      plain.error().message = "the master password cannot be decrypted";
    }
    return plain;
  }
  return fail(ErrorCode::usage, "relocates in a circle", settings_security.string());
}

}  // namespace rowgate::pomcheck
