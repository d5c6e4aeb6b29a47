#include "reports/lock_file.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <set>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "reports/config.hpp"
#include "reports/layout.hpp"

namespace rowgate::reports {
namespace {

constexpr std::size_t kMaxBytes = 4 << 20;
constexpr std::int64_t kVersion = 1;
constexpr const char* kRemedy = "write it anew with `rowgate lock`";

bool is_sha256(std::string_view text) {
  return text.size() == base::hex_length(base::DigestKind::sha256) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string_view file) { lock_.file = file; }

  Result<LockFile> read(const toml::table& root) {
    const auto* version = root.get_as<std::int64_t>("version");
    if (version == nullptr) return problem(1, "has no 'version'");
    if (version->get() != kVersion)
      return problem(version->source().begin.line,
                     fmt::format("is of version {}, and {} is known", version->get(), kVersion));
    for (const auto& [key, node] : root) {
      if (key.str() == "version") continue;
      const auto* entries = key.str() == "connector" ? node.as_array() : nullptr;
      if (entries == nullptr)
        return problem(key.source().begin.line,
                       fmt::format("unknown key '{}'", printable_start(key.str(), 80)));
      for (const toml::node& entry : *entries) ROWGATE_CHECK(read_entry(entry));
    }
    return std::move(lock_);
  }

 private:
  tl::unexpected<Error> problem(std::uint32_t line, std::string message) const {
    return fail(ErrorCode::malformed, std::move(message), fmt::format("{}:{}", lock_.file, line),
                std::nullopt, kRemedy);
  }

  Result<void> read_entry(const toml::node& node) {
    LockEntry entry;
    entry.line = node.source().begin.line;
    const auto* table = node.as_table();
    if (table == nullptr) return problem(entry.line, "a connector is no table");
    for (const auto& [key, value] : *table) {
      std::string* into = key.str() == "artifact"     ? &entry.artifact
                          : key.str() == "file"       ? &entry.file
                          : key.str() == "sha256"     ? &entry.sha256
                          : key.str() == "pom-sha256" ? &entry.pom_sha256
                                                      : nullptr;
      const std::uint32_t line = key.source().begin.line;
      if (into == nullptr)
        return problem(line, fmt::format("unknown key '{}'", printable_start(key.str(), 80)));
      const auto* text = value.as_string();
      if (text == nullptr || text->get().empty())
        return problem(line, fmt::format("'{}' is no text", key.str()));
      *into = text->get();
    }
    if (entry.artifact.empty() == entry.file.empty())
      return problem(entry.line, "an entry needs either 'artifact' or 'file'");
    const bool pom_fits =
        entry.artifact.empty() ? entry.pom_sha256.empty() : is_sha256(entry.pom_sha256);
    if (!is_sha256(entry.sha256) || !pom_fits)
      return problem(entry.line, fmt::format("'{}' has no right checksums",
                                             printable_start(entry.name(), 200)));
    if (!names_.insert(entry.name()).second)
      return problem(entry.line,
                     fmt::format("'{}' stands here twice", printable_start(entry.name(), 200)));
    lock_.entries.push_back(std::move(entry));
    return {};
  }

  LockFile lock_;
  std::set<std::string> names_;
};

}  // namespace

std::string write_lock(std::vector<LockEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const LockEntry& a, const LockEntry& b) {
    return std::tie(a.artifact, a.file) < std::tie(b.artifact, b.file);
  });
  std::string text = fmt::format(
      "# Written by `rowgate lock`; `rowgate audit --locked` takes exactly these.\nversion = {}\n",
      kVersion);
  for (const LockEntry& entry : entries) {
    text += "\n[[connector]]\n";
    text += fmt::format("{} = {}\n", entry.artifact.empty() ? "file" : "artifact",
                        toml_string(entry.name()));
    text += fmt::format("sha256 = \"{}\"\n", entry.sha256);
    if (!entry.pom_sha256.empty()) text += fmt::format("pom-sha256 = \"{}\"\n", entry.pom_sha256);
  }
  return text;
}

Result<LockFile> parse_lock(std::string_view text, std::string_view file) {
  if (text.size() > kMaxBytes)
    return fail(ErrorCode::limit,
                fmt::format("is {}, more than the limit of {}", base::human_bytes(text.size()),
                            base::human_bytes(kMaxBytes)),
                std::string(file));
  if (!base::is_utf8(text))
    return fail(ErrorCode::malformed, "is not UTF-8", std::string(file), std::nullopt, kRemedy);
  try {
    return Reader(file).read(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::malformed, printable_start(error.description(), 300),
                fmt::format("{}:{}", file, error.source().begin.line), std::nullopt, kRemedy);
  }
}

Result<LockFile> read_lock(const std::filesystem::path& file) {
  auto text = base::read_file(file, kMaxBytes);
  if (!text) {
    Error error = std::move(text).error();
    if (error.code == ErrorCode::not_found) error.remedy = "write it with `rowgate lock`";
    return tl::unexpected<Error>(std::move(error));
  }
  return parse_lock(*text, file.string());
}

}  // namespace rowgate::reports
