#include <doctest/doctest.h>

#include "base/digest.hpp"
#include "pomcheck/local_repository.hpp"
#include "tests/unit/repository/support.hpp"

using namespace rowgate;
using namespace rowgate::test;
using namespace rowgate::pomcheck;
namespace fs = std::filesystem;

namespace {

struct Folder {
  base::TempDir dir =
      std::move(*base::TempDir::create(fs::temp_directory_path(), "rowgate-local-"));
  RunContext context = RunContext::quiet();

  void put(const std::string& path, const std::string& contents) const {
    REQUIRE(base::write_file_atomically(dir.path() / path, contents));
  }
  std::unique_ptr<Repository> open(LocalLayout layout) const {
    return open_local_repository({dir.path(), layout, "here"});
  }
  std::string found(LocalLayout layout, const std::string& path) const {
    const auto file = open(layout)->fetch(path, context);
    if (!file) return base::to_string(file.error().code);
    return fs::relative(file->path, dir.path()).string();
  }
};

}  // namespace

TEST_CASE("a folder or file URL is a repository, checksums included") {
  Folder folder;
  folder.put(kPom, pom_text());
  folder.put(kJar, jar_bytes(5000));
  folder.put(kPom + ".sha1", base::digest(base::DigestKind::sha1, base::as_bytes(pom_text())));
  RepositoryConfig config;
  for (const std::string& text :
       {"file://" + folder.dir.path().string(), "file:" + folder.dir.path().string() + "/",
        "f=file://localhost" + folder.dir.path().string(), folder.dir.path().string()}) {
    INFO(text);
    config.repositories = {text};
    auto repositories = open_repositories(config, folder.context);
    REQUIRE(repositories);
    CHECK(repositories->fetch(kPom, folder.context)->verification == Verification::verified);
    CHECK(repositories->fetch(kJar, folder.context)->verification ==
          Verification::no_checksum_published);
    CHECK(repositories->fetch(kMetadata, folder.context).error().code == ErrorCode::not_found);
  }
  folder.put(kJar + ".sha1", std::string(40, '0'));
  CHECK(folder.found(LocalLayout::maven, kJar) == "checksum");
  folder.put(kPom, "<html>log in</html>");
  CHECK(folder.found(LocalLayout::maven_local, kPom) == "malformed");
}

TEST_CASE("Maven's local repository answers for artifacts, not for metadata") {
  Folder folder;
  folder.put(kPom, pom_text());
  folder.put(kMetadata, "<metadata></metadata>");
  CHECK(folder.found(LocalLayout::maven_local, kPom) == kPom);
  CHECK(folder.found(LocalLayout::maven_local, kMetadata) == "not-found");
  CHECK(folder.found(LocalLayout::maven, kMetadata) == kMetadata);
}

// The layout of an Ivy 2.5 cache after resolving a Maven artifact.
TEST_CASE("Ivy's cache: POMs are the originals beside their translations, jars lie by type") {
  Folder folder;
  folder.put("org.acme/thing/ivy-1.0.xml.original", pom_text());
  folder.put("org.acme/thing/ivy-1.0.xml", "<ivy-module/>");
  folder.put("org.acme/thing/jars/thing-1.0.jar", jar_bytes(100));
  folder.put("org.acme/thing/bundles/thing-2.0.jar", jar_bytes(100));
  folder.put("org.acme/thing/jars/thing-1.0-tests.jar", jar_bytes(100));
  const auto found = [&](const std::string& path) {
    return folder.found(LocalLayout::ivy_cache, path);
  };
  CHECK(found(kPom) == "org.acme/thing/ivy-1.0.xml.original");
  CHECK(found(kJar) == "org.acme/thing/jars/thing-1.0.jar");
  CHECK(found("org/acme/thing/2.0/thing-2.0.jar") == "org.acme/thing/bundles/thing-2.0.jar");
  CHECK(found("org/acme/thing/1.0/thing-1.0-tests.jar") ==
        "org.acme/thing/jars/thing-1.0-tests.jar");
  CHECK(found("org/acme/thing/3.0/thing-3.0.jar") == "not-found");
  CHECK(found("thing.jar") == "not-found");
}

TEST_CASE("the folder that spark-submit --packages fills") {
  Folder folder;
  folder.put("org.acme_thing-1.0.jar", jar_bytes(100));
  CHECK(folder.found(LocalLayout::ivy_jars, kJar) == "org.acme_thing-1.0.jar");
  CHECK(folder.found(LocalLayout::ivy_jars, kPom) == "not-found");
}

TEST_CASE("coursier's cache: the root below the host is found by the group's first folder") {
  Folder folder;
  folder.put("https/repo.example.org/maven2/" + kPom, pom_text());
  folder.put("https/user%40corp.example.org/artifactory/libs/" + kJar, jar_bytes(100));
  CHECK(folder.found(LocalLayout::coursier, kPom) == "https/repo.example.org/maven2/" + kPom);
  CHECK(folder.found(LocalLayout::coursier, kJar) ==
        "https/user%40corp.example.org/artifactory/libs/" + kJar);
  CHECK(folder.found(LocalLayout::coursier, "com/acme/a/1/a-1.pom") == "not-found");
}

TEST_CASE("paths that could leave the folder are refused everywhere") {
  Folder folder;
  for (const char* path :
       {"", "/etc/passwd", "../x", "a/../../x", "a//b", "a/./b", "a\\b", "a\nb", "a/b/"}) {
    INFO(path);
    for (LocalLayout layout : {LocalLayout::maven, LocalLayout::maven_local, LocalLayout::ivy_cache,
                               LocalLayout::ivy_jars, LocalLayout::coursier})
      CHECK(folder.found(layout, path) == "usage");
  }
  CHECK(open_local_repository({"/no/such/folder", LocalLayout::coursier, ""})
            ->fetch(kPom, folder.context)
            .error()
            .code == ErrorCode::not_found);
}
