#include "pomcheck/checksum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

using base::DigestKind;

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

std::optional<PublishedChecksum> checksum_of(std::string_view hex, DigestKind kind) {
  if (hex.size() != base::hex_length(kind) || !is_hex(hex)) return std::nullopt;
  return PublishedChecksum{kind, base::to_lower(hex)};
}

std::string_view first_line_with_text(std::string_view text) {
  for (std::string_view line : base::split(text, '\n'))
    if (const std::string_view trimmed = base::trim(line); !trimmed.empty()) return trimmed;
  return {};
}

}  // namespace

std::optional<PublishedChecksum> parse_checksum(std::string_view text, DigestKind kind) {
  const std::string_view line = first_line_with_text(text.substr(0, 4096));
  // OpenSSL's form first: "SHA1(name with spaces)= hex".
  if (const std::size_t equals = line.rfind("= "); equals != std::string_view::npos)
    if (auto found = checksum_of(base::trim(line.substr(equals + 2)), kind)) return found;
  return checksum_of(line.substr(0, line.find_first_of(" \t")), kind);
}

std::optional<PublishedChecksum> checksum_from_header(std::string_view name,
                                                      std::string_view value) {
  value = base::trim(value);
  constexpr std::array<std::string_view, 2> kPrefixes = {"x-checksum-", "x-goog-meta-checksum-"};
  for (std::string_view prefix : kPrefixes) {
    if (!base::equals_ignoring_case(name.substr(0, prefix.size()), prefix)) continue;
    for (DigestKind kind : kChecksumOrder)
      if (base::equals_ignoring_case(name.substr(prefix.size()), base::to_string(kind)))
        return checksum_of(value, kind);
  }
  constexpr std::string_view kNexusStart = "{SHA1{", kNexusEnd = "}}";
  if (!base::equals_ignoring_case(name, "etag")) return std::nullopt;
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  if (!value.starts_with(kNexusStart) || !value.ends_with(kNexusEnd)) return std::nullopt;
  return checksum_of(
      value.substr(kNexusStart.size(), value.size() - kNexusStart.size() - kNexusEnd.size()),
      DigestKind::sha1);
}

std::optional<PublishedChecksum> strongest(const std::vector<PublishedChecksum>& checksums) {
  const auto best = std::max_element(
      checksums.begin(), checksums.end(),
      [](const PublishedChecksum& a, const PublishedChecksum& b) { return a.kind < b.kind; });
  if (best == checksums.end()) return std::nullopt;
  return *best;
}

Error checksum_mismatch(std::string subject, const PublishedChecksum& expected,
                        std::string_view actual_hex) {
  return Error{ErrorCode::checksum,
               fmt::format("the contents have the {} checksum {}, the repository publishes {}",
                           base::to_string(expected.kind), actual_hex, expected.hex),
               std::move(subject), std::nullopt,
               "nothing was kept; try again, and if it persists tell whoever runs the repository"};
}

Result<void> verify_file(const std::filesystem::path& file, const PublishedChecksum& expected) {
  ROWGATE_TRY(const base::MappedFile mapped, base::MappedFile::open(file));
  const std::string actual = base::digest(expected.kind, mapped.bytes());
  if (actual != expected.hex)
    return tl::unexpected<Error>(checksum_mismatch(file.string(), expected, actual));
  return {};
}

}  // namespace rowgate::pomcheck
