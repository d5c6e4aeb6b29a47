#include "pomcheck/central.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <pugixml.hpp>

#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

// In Maven 3's model builder, and in Maven 4's implementation jar.
constexpr const char* kSuperPom = "org/apache/maven/model/pom-4.0.0.xml";
constexpr std::uint64_t kMaxSuperPomBytes = 1024 * 1024;

std::optional<std::string> read_entry(const fs::path& jar, const char* name) {
  const std::unique_ptr<zip_t, decltype(&zip_discard)> archive(
      zip_open(jar.c_str(), ZIP_RDONLY, nullptr), &zip_discard);
  if (!archive) return std::nullopt;
  zip_stat_t status;
  if (zip_stat(archive.get(), name, 0, &status) != 0 || (status.valid & ZIP_STAT_SIZE) == 0 ||
      status.size > kMaxSuperPomBytes)
    return std::nullopt;
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> entry(zip_fopen(archive.get(), name, 0),
                                                                 &zip_fclose);
  if (!entry) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.size), '\0');
  if (zip_fread(entry.get(), text.data(), status.size) != static_cast<zip_int64_t>(status.size))
    return std::nullopt;
  return text;
}

// Jars of Maven's own in lib/, the likely ones first.
std::vector<fs::path> maven_jars(const fs::path& home) {
  std::vector<fs::path> jars;
  std::error_code error;
  for (fs::directory_iterator it(home / "lib", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("maven") && name.ends_with(".jar")) jars.push_back(it->path());
  }
  std::sort(jars.begin(), jars.end());
  std::stable_partition(jars.begin(), jars.end(), [](const fs::path& jar) {
    return jar.filename().string().find("model-builder") != std::string::npos;
  });
  return jars;
}

Result<std::string> central_of(std::string_view super_pom, const fs::path& jar) {
  pugi::xml_document document;
  if (!document.load_buffer(super_pom.data(), super_pom.size()))
    return fail(ErrorCode::malformed, "holds a damaged super POM", jar.string());
  for (const pugi::xml_node& repository :
       document.child("project").child("repositories").children("repository"))
    if (base::trim(repository.child("id").text().get()) == "central")
      return std::string(base::trim(repository.child("url").text().get()));
  return fail(ErrorCode::malformed, "holds a super POM without the repository central",
              jar.string());
}

void add_folder(std::vector<fs::path>& homes, const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored) &&
      std::find(homes.begin(), homes.end(), folder) == homes.end())
    homes.push_back(folder);
}

}  // namespace

Result<CentralLocation> find_central(std::span<const fs::path> maven_homes) {
  for (const fs::path& home : maven_homes) {
    for (const fs::path& jar : maven_jars(home)) {
      const auto super_pom = read_entry(jar, kSuperPom);
      if (!super_pom) continue;
      ROWGATE_TRY(std::string url, central_of(*super_pom, jar));
      return CentralLocation{std::move(url), home, jar};
    }
  }
  return fail(ErrorCode::not_found,
              "no Maven repository is known, and no installed Maven says "
              "where Maven Central is",
              "", std::nullopt,
              "give one with --repository URL or ROWGATE_REPOSITORY, add a mirror of central to "
              "~/.m2/settings.xml, or install Maven (its folder may be named in MAVEN_HOME)");
}

std::vector<fs::path> maven_home_candidates(const std::map<std::string, std::string>& environment,
                                            const fs::path& home) {
  std::vector<fs::path> homes;
  for (const char* name : {"MAVEN_HOME", "M2_HOME"})
    if (const auto found = environment.find(name);
        found != environment.end() && !found->second.empty())
      add_folder(homes, found->second);
  if (const auto path = environment.find("PATH"); path != environment.end()) {
    for (std::string_view folder : base::split(path->second, ':')) {
      if (folder.empty()) continue;
      std::error_code error;
      const fs::path mvn = fs::canonical(fs::path(folder) / "mvn", error);
      if (error) continue;
      add_folder(homes, mvn.parent_path().parent_path());
      add_folder(homes, mvn.parent_path().parent_path() / "libexec");  // Homebrew
    }
  }
  for (const char* folder : {"/usr/share/maven", "/opt/maven", "/usr/local/maven",
                             "/opt/homebrew/opt/maven/libexec", "/usr/local/opt/maven/libexec"})
    add_folder(homes, folder);
  if (home.empty()) return homes;
  add_folder(homes, home / ".sdkman/candidates/maven/current");
  // The wrapper unpacks to dists/apache-maven-<version>[-bin]/<hash>/[apache-maven-<version>].
  std::vector<fs::path> wrapped;
  std::error_code error;
  for (fs::recursive_directory_iterator it(home / ".m2/wrapper/dists", error), end;
       !error && it != end; it.increment(error)) {
    if (it.depth() >= 2) it.disable_recursion_pending();
    std::error_code ignored;
    if (fs::is_directory(it->path() / "lib", ignored)) wrapped.push_back(it->path());
  }
  std::sort(wrapped.rbegin(), wrapped.rend());
  for (const fs::path& folder : wrapped) add_folder(homes, folder);
  return homes;
}

}  // namespace rowgate::pomcheck
