// The file: magic, version (4 bytes each), checksum of the rest (8 bytes), then the count of
// identities and each as its length and its text, sorted. Its name is a hash of everything that the
// judgement depends on; rowgate's version and kVersion stand for the judge itself, so the latter
// grows with every change of it between two releases.
#include "jarscan/link_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/files.hpp"
#include "base/version.hpp"
#include "jarscan/link_numbers.hpp"
#include "jarscan/link_unit_file.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint32_t kMagic = 0x31424C52;  // "RLB1"
constexpr std::uint32_t kVersion = 2;

}  // namespace

std::string break_identity(const LinkUnit& unit, const LinkBreak& broken) {
  const bool implementation =
      broken.place == BreakPlace::implementation || broken.place == BreakPlace::lambda;
  return fmt::format("{}\n{}\n{}", unit.classes[broken.user].decl->name, implementation,
                     broken.symbol);
}

std::optional<std::filesystem::path> baseline_file(const LinkRequest& request) {
  if (request.cache_folder.empty() || !request.baseline || !request.unit->unreadable.empty())
    return std::nullopt;
  const auto spark = request.baseline->spark->contents();
  const auto unit = unit_key(*request.unit->index);
  if (!spark || !unit) return std::nullopt;
  std::string text;
  for (const std::uint64_t part :
       {spark->first, spark->second, unit->first, unit->second, std::uint64_t{kVersion},
        static_cast<std::uint64_t>(request.options.order),
        std::uint64_t{request.options.java_release}})
    put_little(text, part, 8);
  text += base::kVersion;
  if (request.options.jdk != nullptr)
    text += fmt::format("{}\n{}\n{}", request.options.jdk->name(), request.options.jdk->release(),
                        request.options.jdk->size_bytes());
  return request.cache_folder /
         fmt::format("{:016x}{:016x}.rglb", text_hash(text, 1), text_hash(text, 0x5DEECE66D));
}

std::optional<BreakIdentities> read_baseline(const std::filesystem::path& file) {
  const auto mapped = base::MappedFile::open(file);
  if (!mapped) return std::nullopt;
  const base::Bytes bytes = mapped->bytes();
  if (!has_file_head(bytes, kMagic, kVersion, kFileHead) || !is_undamaged(bytes))
    return std::nullopt;
  NumberReader in(bytes.subspan(kFileHead));
  BreakIdentities identities;
  const std::size_t count = in.count();
  identities.reserve(count);
  for (std::size_t i = 0; i < count && !in.failed(); ++i)
    identities.emplace(base::as_text(in.take(in.count())));
  if (in.failed() || !in.at_end()) return std::nullopt;
  return identities;
}

Result<void> write_baseline(const std::filesystem::path& file, const BreakIdentities& identities) {
  std::vector<std::string_view> sorted(identities.begin(), identities.end());
  std::sort(sorted.begin(), sorted.end());
  std::string checked;
  put_number(checked, sorted.size());
  for (const std::string_view identity : sorted) {
    put_number(checked, identity.size());
    checked += identity;
  }
  return base::write_file_atomically(file, with_file_head(kMagic, kVersion, checked));
}

}  // namespace rowgate::jarscan
