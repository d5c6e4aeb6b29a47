// One jar's class index as a file. Internal to link_index.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"
#include "jarscan/resolve_class.hpp"

namespace rowgate::jarscan {

struct JarFingerprint {
  std::uint64_t size_bytes = 0, directory = 0, directory_again = 0;

  std::string file_name() const;  // hexadecimal, with the extension
  friend bool operator==(const JarFingerprint&, const JarFingerprint&) = default;
};

// From the end record and the central directory alone. Errors: malformed (no zip), with no subject.
Result<JarFingerprint> fingerprint(base::Bytes jar);

// A view of a mapped index file. Everything in it is checked before use; the bytes outlive it.
class LinkIndexFile {
 public:
  // nullopt: damaged, of another version, or for another jar or Java release.
  static std::optional<LinkIndexFile> read(base::Bytes bytes, const JarFingerprint& wanted,
                                           unsigned java_release);

  std::uint32_t class_count() const { return class_count_; }
  std::uint64_t class_hash(std::uint32_t index) const;  // ascending
  bool has_class(std::uint64_t hash) const;
  std::vector<std::string_view> packages() const;
  // Whether a declaration of the class is held, and it; nullptr also when it is damaged.
  const ClassDecl* find(std::string_view name, DeclPool& pool) const;
  std::vector<const ClassDecl*> all(DeclPool& pool) const;
  std::string names() const;  // of all classes, each followed by a line feed

 private:
  std::string_view string(std::uint64_t id) const;
  const ClassDecl* decode(std::uint32_t index, DeclPool& pool) const;
  std::uint32_t lower_bound(std::size_t start, std::uint32_t count, std::uint64_t hash) const;
  std::uint32_t u4(std::size_t at) const;
  std::uint64_t u8(std::size_t at) const;

  base::Bytes bytes_;
  std::uint32_t class_count_ = 0, package_count_ = 0, decl_count_ = 0, string_count_ = 0;
  std::uint32_t names_size_ = 0;
  std::size_t classes_ = 0, decl_hashes_ = 0, decl_offsets_ = 0, packages_ = 0, string_offsets_ = 0,
              strings_ = 0, bodies_ = 0, names_ = 0;
};

// The bytes of an index file. `names` ascending by name.
std::string write_link_index(const JarFingerprint& fingerprint, unsigned java_release,
                             std::span<const std::string_view> names,
                             std::span<const ClassDecl* const> decls);

}  // namespace rowgate::jarscan
