// Checksums as Maven repositories publish them: in files beside the artifact and in headers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/result.hpp"

namespace rowgate::pomcheck {

struct PublishedChecksum {
  base::DigestKind kind = base::DigestKind::sha1;
  std::string hex;  // lower case, of the kind's length

  friend bool operator==(const PublishedChecksum&, const PublishedChecksum&) = default;
};

// The order in which checksum files are looked for: .sha1 first as Maven does, because it is the
// one that nearly every repository has, then from the strongest to the weakest.
inline constexpr base::DigestKind kChecksumOrder[] = {
    base::DigestKind::sha1, base::DigestKind::sha512, base::DigestKind::sha256,
    base::DigestKind::md5};

// Reads a checksum file: `hex`, `hex  file name`, `SHA1(file)= hex`, in either case, after blank
// lines. nullopt when it is none of the right length (an HTML page, an empty file).
std::optional<PublishedChecksum> parse_checksum(std::string_view text, base::DigestKind kind);

// One header of a response: X-Checksum-SHA1 and its like, x-goog-meta-checksum-sha1, and the ETag
// "{SHA1{hex}}" of Nexus 2. nullopt for all others.
std::optional<PublishedChecksum> checksum_from_header(std::string_view name,
                                                      std::string_view value);

// The strongest of those that headers gave, or nullopt.
std::optional<PublishedChecksum> strongest(const std::vector<PublishedChecksum>& checksums);

// Errors: io, checksum (names both values).
Result<void> verify_file(const std::filesystem::path& file, const PublishedChecksum& expected);

// The error that a mismatch gives.
Error checksum_mismatch(std::string subject, const PublishedChecksum& expected,
                        std::string_view actual_hex);

}  // namespace rowgate::pomcheck
