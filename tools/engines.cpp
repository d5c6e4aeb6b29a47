#include "tools/engines.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "jarscan/jar_file.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

Result<void> extract(const fs::path& jar_path, const std::string& entry_name, const fs::path& to) {
  ROWGATE_TRY(const auto jar, jarscan::JarFile::open(jar_path));
  const std::optional<std::uint32_t> index = jar->find(entry_name);
  if (!index)
    return fail(ErrorCode::unsupported, fmt::format("holds no {}", entry_name), jar_path.string(),
                {}, "give the engine's library with --duckdb");
  const jarscan::JarEntry& entry = jar->entries()[*index];
  std::error_code ignored;
  // Written atomically, so a file of the right size is a whole one.
  if (fs::file_size(to, ignored) == entry.size_bytes && !ignored) return {};
  jarscan::EntryReader reader;
  ROWGATE_TRY(const base::Bytes contents, reader.read(*jar, entry));
  return base::write_file_atomically(to, base::as_text(contents));
}

}  // namespace

Result<fs::path> embedded_library(const Session& session, const RepositoryOptions& options,
                                  const fs::path& explicit_library) {
  if (!explicit_library.empty()) return explicit_library;
  ROWGATE_TRY(const std::string entry_name, harness::duckdb_jar_entry());
  ROWGATE_TRY(const pomcheck::Coordinate coordinate,
              pomcheck::parse_coordinate(harness::kDuckDbCoordinate));
  ROWGATE_TRY(const auto repositories, open_repositories(session, options));
  ROWGATE_TRY(const pomcheck::FetchedFile jar,
              repositories->fetch(coordinate.path(), session.context()));
  const fs::path library = cache_folder(session, options) / "engines" /
                           fmt::format("duckdb-{}", coordinate.version) / entry_name;
  ROWGATE_CHECK(extract(jar.path, entry_name, library));
  return library;
}

Result<std::unique_ptr<harness::EmbeddedTarget>> open_embedded(const Session& session,
                                                               const RepositoryOptions& options,
                                                               const fs::path& explicit_library) {
  ROWGATE_TRY(const fs::path library, embedded_library(session, options, explicit_library));
  return harness::EmbeddedTarget::open_library(library);
}

}  // namespace rowgate::tools
