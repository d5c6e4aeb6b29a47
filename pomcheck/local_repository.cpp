// Layouts, as the tools themselves document or leave them:
//   Maven    group/as/folders/artifact/version/artifact-version[-classifier].type
//   Ivy 2    cache: [organisation]/[module]/[type]s/[artifact]-[revision](-[classifier]).[ext]; the
//   POM of
//            a Maven artifact stays beside its translation as ivy-[revision].xml.original
//   Spark    jars:  [organisation]_[artifact]-[revision](-[classifier]).[ext] (SparkSubmitUtils)
//   coursier scheme/host/path: a URL as folders
#include "pomcheck/local_repository.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/checksum.hpp"
#include "pomcheck/repository_content.hpp"

namespace rowgate::pomcheck {
namespace {

namespace fs = std::filesystem;

bool is_metadata(std::string_view path) {
  return path.ends_with("/maven-metadata.xml") || path == "maven-metadata.xml";
}

// The parts of an artifact's path in Maven's layout.
struct ArtifactPath {
  std::string group, artifact, version;
  std::string rest;  // "-classifier.jar", ".pom"
};

std::optional<ArtifactPath> parse_artifact_path(std::string_view path) {
  const auto segments = base::split(path, '/');
  if (segments.size() < 4) return std::nullopt;
  const std::size_t last = segments.size() - 1;
  ArtifactPath parts;
  parts.artifact = segments[last - 2];
  parts.version = segments[last - 1];
  for (std::size_t i = 0; i + 2 < last; ++i) {
    if (i > 0) parts.group += '.';
    parts.group += segments[i];
  }
  const std::string stem = fmt::format("{}-{}", parts.artifact, parts.version);
  if (!segments[last].starts_with(stem)) return std::nullopt;
  parts.rest = segments[last].substr(stem.size());
  return parts;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) found.push_back(it->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class LocalRepository : public Repository {
 public:
  explicit LocalRepository(LocalFolder folder) : folder_(std::move(folder)) {
    if (folder_.id.empty()) folder_.id = folder_.folder.string();
  }

  const std::string& id() const override { return folder_.id; }
  std::string place() const override {
    return fmt::format("{} layout {}", folder_.folder.string(), static_cast<int>(folder_.layout));
  }

  Result<FetchedFile> fetch(std::string_view path, const RunContext&) override {
    ROWGATE_CHECK(check_repository_path(path));
    ROWGATE_TRY(const fs::path file, find(path));
    ROWGATE_CHECK(check_file_content(path, file));
    ROWGATE_TRY(const Verification verification, verify(file));
    return FetchedFile{file, folder_.id, file.string(), verification};
  }

  Result<void> probe(std::string_view path, const RunContext&) override {
    ROWGATE_CHECK(check_repository_path(path));
    ROWGATE_CHECK(find(path));
    return {};
  }

 protected:
  // Where the file would be in this layout; the first that is there counts.
  virtual std::vector<fs::path> candidates(std::string_view path) const = 0;
  virtual Result<Verification> verify(const fs::path&) const { return Verification::local; }

  const fs::path& folder() const { return folder_.folder; }

 private:
  Result<fs::path> find(std::string_view path) const {
    for (fs::path& candidate : candidates(path))
      if (is_file(candidate)) return std::move(candidate);
    return fail(ErrorCode::not_found, fmt::format("is not in {}", folder_.id), std::string(path));
  }

  LocalFolder folder_;
};

class MavenFolder final : public LocalRepository {
 public:
  using LocalRepository::LocalRepository;

 private:
  std::vector<fs::path> candidates(std::string_view path) const override {
    return {folder() / path};
  }

  Result<Verification> verify(const fs::path& file) const override {
    for (base::DigestKind kind : kChecksumOrder) {
      const fs::path beside = fmt::format("{}.{}", file.string(), base::to_string(kind));
      if (!is_file(beside)) continue;
      const auto text = base::read_file(beside, 64 * 1024);
      if (!text) continue;
      const auto published = parse_checksum(*text, kind);
      if (!published) continue;
      ROWGATE_CHECK(verify_file(file, *published));
      return Verification::verified;
    }
    return Verification::no_checksum_published;
  }
};

class MavenLocal final : public LocalRepository {
 public:
  using LocalRepository::LocalRepository;

 private:
  std::vector<fs::path> candidates(std::string_view path) const override {
    if (is_metadata(path)) return {};
    return {folder() / path};
  }
};

class IvyCache final : public LocalRepository {
 public:
  using LocalRepository::LocalRepository;

 private:
  std::vector<fs::path> candidates(std::string_view path) const override {
    const auto parts = parse_artifact_path(path);
    if (!parts) return {};
    const fs::path module = folder() / parts->group / parts->artifact;
    if (parts->rest == ".pom") return {module / fmt::format("ivy-{}.xml.original", parts->version)};
    std::vector<fs::path> found;
    for (const fs::path& type : folders_in(module))
      found.push_back(type / fmt::format("{}-{}{}", parts->artifact, parts->version, parts->rest));
    return found;
  }
};

class IvyJars final : public LocalRepository {
 public:
  using LocalRepository::LocalRepository;

 private:
  std::vector<fs::path> candidates(std::string_view path) const override {
    const auto parts = parse_artifact_path(path);
    if (!parts || parts->rest == ".pom") return {};
    return {folder() /
            fmt::format("{}_{}-{}{}", parts->group, parts->artifact, parts->version, parts->rest)};
  }
};

// The cache does not say where a repository's root is below its host, so folders down to a small
// depth are indexed by their children's names: "io" leads to https/host/maven2.
class CoursierCache final : public LocalRepository {
 public:
  explicit CoursierCache(LocalFolder folder) : LocalRepository(std::move(folder)) {
    std::vector<fs::path> level;
    for (const fs::path& scheme : folders_in(this->folder()))
      for (fs::path& host : folders_in(scheme)) level.push_back(std::move(host));
    std::size_t seen = 0;
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      std::vector<fs::path> next;
      for (const fs::path& parent : level) {
        for (fs::path& child : folders_in(parent)) {
          if (++seen > kMaxFolders) return;
          roots_[child.filename().string()].push_back(parent);
          next.push_back(std::move(child));
        }
      }
      level = std::move(next);
    }
  }

 private:
  static constexpr int kMaxDepth = 4;
  static constexpr std::size_t kMaxFolders = 20'000;

  std::vector<fs::path> candidates(std::string_view path) const override {
    if (is_metadata(path)) return {};
    std::vector<fs::path> found;
    const auto roots = roots_.find(std::string(path.substr(0, path.find('/'))));
    if (roots == roots_.end()) return found;
    for (const fs::path& root : roots->second) found.push_back(root / path);
    return found;
  }

  std::map<std::string, std::vector<fs::path>> roots_;
};

}  // namespace

std::unique_ptr<Repository> open_local_repository(LocalFolder folder) {
  switch (folder.layout) {
    case LocalLayout::maven: return std::make_unique<MavenFolder>(std::move(folder));
    case LocalLayout::maven_local: return std::make_unique<MavenLocal>(std::move(folder));
    case LocalLayout::ivy_cache: return std::make_unique<IvyCache>(std::move(folder));
    case LocalLayout::ivy_jars: return std::make_unique<IvyJars>(std::move(folder));
    case LocalLayout::coursier: return std::make_unique<CoursierCache>(std::move(folder));
  }
  return std::make_unique<MavenFolder>(std::move(folder));
}

}  // namespace rowgate::pomcheck
