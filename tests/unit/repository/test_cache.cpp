#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/digest.hpp"
#include "pomcheck/cache.hpp"
#include "tests/unit/repository/support.hpp"

using namespace rowgate;
using namespace rowgate::test;
using namespace rowgate::pomcheck;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

RepositorySet open_in_mode(const Served& served, CacheMode mode) {
  RepositoryConfig config = served.config();
  config.mode = mode;
  return served.open(config);
}

CacheEntry sample_entry() {
  CacheEntry entry;
  entry.asked_at = base::WallTime(std::chrono::seconds(1'796'025'600));
  entry.with_credentials = true;
  entry.size_bytes = 5;
  entry.sha256 = base::digest(base::DigestKind::sha256, base::as_bytes("hello"));
  entry.modified_ns = 123'456'789;
  entry.checked_by = "sha1";
  entry.etag = "\"a b\"";
  entry.last_modified = "Mon, 30 Nov 2026 07:37:24 GMT";
  return entry;
}

}  // namespace

TEST_CASE("an entry is read as it was written, and not when any of it is damaged") {
  const CacheEntry entry = sample_entry();
  const std::string text = to_text(entry);
  CHECK(parse_cache_entry(text) == entry);
  for (std::size_t cut = 0; cut < text.size(); ++cut)
    CHECK_FALSE(parse_cache_entry(text.substr(0, cut)));
  CHECK_FALSE(parse_cache_entry(std::string(text.size(), '\0')));
  CHECK_FALSE(parse_cache_entry(text + "more\n"));
  CacheEntry hostile = entry;
  hostile.etag = "x\r\nEvil: yes";
  CHECK(parse_cache_entry(to_text(hostile))->etag.empty());
  CacheEntry absent;
  absent.answer = CachedAnswer::absent;
  CHECK(parse_cache_entry(to_text(absent)) == absent);
}

TEST_CASE("a repository's folder is named by its URL and never by its credentials") {
  const auto name = [](const char* url) { return cache_name(parse_repository_url(url)->url); };
  CHECK(name("https://repo.example.org/maven2") ==
        name("HTTPS://bob:pw@REPO.example.org:443/maven2/"));
  CHECK(name("https://repo.example.org/maven2").starts_with("repo.example.org-maven2-"));
  for (const char* other : {"http://repo.example.org/maven2", "https://repo.example.org/maven3",
                            "https://repo.example.org:8443/maven2", "https://repo.example.org"})
    CHECK(name("https://repo.example.org/maven2") != name(other));
}

TEST_CASE("one repository's answers never serve another") {
  Served first;
  Served second;
  second.put(kPom, pom_text("other"));
  RepositoryConfig config = second.config();
  config.cache_folder = first.cache;
  CHECK(contents(first.open().fetch(kPom, first.context)) == pom_text());
  CHECK(contents(second.open(config).fetch(kPom, second.context)) == pom_text("other"));
}

TEST_CASE("'not there' is believed for an hour, and says since when") {
  Served served;
  const std::string missing = "org/acme/none/1/none-1.pom";
  CHECK(served.open().fetch(missing, served.context).error().message ==
        "is not in repository acme");
  const std::size_t requests = served.server.requests().size();
  served.clock.advance(59min);
  const auto cached = served.open().fetch(missing, served.context);
  CHECK(cached.error().code == ErrorCode::not_found);
  CHECK(cached.error().message == "is not in repository acme (as of 2026-11-30T08:00:00Z)");
  CHECK(served.server.requests().size() == requests);

  served.put(missing, pom_text());
  CHECK_FALSE(served.open().fetch(missing, served.context));
  CHECK(open_in_mode(served, CacheMode::refresh).fetch(missing, served.context));
}

TEST_CASE("'not there' is asked again when it is old, or when credentials changed") {
  Served served;
  const std::string missing = "org/acme/none/1/none-1.pom";
  CHECK_FALSE(served.open().fetch(missing, served.context));
  served.put(missing, pom_text());
  SUBCASE("old") {
    served.clock.advance(61min);
    CHECK(served.open().fetch(missing, served.context));
  }
  SUBCASE("from a clock that was wrong") {
    served.clock.advance(-10min);
    CHECK(served.open().fetch(missing, served.context));
  }
  SUBCASE("asked by a stranger") {
    RepositoryConfig config = served.config();
    config.repositories = {"http://u:p@127.0.0.1:" + std::to_string(served.server.port())};
    CHECK(served.open(config).fetch(missing, served.context));
  }
}

TEST_CASE("metadata is revalidated after a day, releases never") {
  Served served;
  CHECK(served.open().fetch(kMetadata, served.context));
  CHECK(served.open().fetch(kPom, served.context));
  std::size_t requests = served.server.requests().size();
  served.clock.advance(23h);
  CHECK(served.open().fetch(kMetadata, served.context));
  CHECK(served.server.requests().size() == requests);

  served.clock.advance(2h);
  const auto same = served.open().fetch(kMetadata, served.context);
  REQUIRE(same);
  CHECK(served.server.requests().size() == requests + 1);  // 304: no checksum needed
  CHECK_FALSE(served.server.requests().back().header("If-None-Match").empty());
  CHECK_FALSE(served.server.requests().back().header("If-Modified-Since").empty());
  CHECK(served.open().fetch(kMetadata, served.context));
  CHECK(served.server.requests().size() == requests + 1);

  served.put(kMetadata, "<metadata><versioning><release>2.0</release></versioning></metadata>\n");
  served.clock.advance(25h);
  const auto changed = served.open().fetch(kMetadata, served.context);
  REQUIRE(changed);
  CHECK(contents(changed).find("2.0") != std::string::npos);
  // The old version stays readable for whoever still works with it.
  CHECK(contents(same).find("1.0") != std::string::npos);
  CHECK(changed->path != same->path);

  served.clock.advance(24h * 1000);
  requests = served.server.requests().size();
  CHECK(served.open().fetch(kPom, served.context));
  CHECK(served.server.requests().size() == requests);
}

TEST_CASE("snapshots change, and a revalidation that fails is not passed over") {
  const std::string snapshot = "org/acme/thing/2-SNAPSHOT/thing-2-SNAPSHOT.jar";
  Served served;
  served.put(snapshot, jar_bytes(2'000'000, 1));
  CHECK(contents(served.open().fetch(snapshot, served.context)) == jar_bytes(2'000'000, 1));
  served.put(snapshot, jar_bytes(2'000'000, 2));
  served.clock.advance(25h);
  CHECK(contents(served.open().fetch(snapshot, served.context)) == jar_bytes(2'000'000, 2));

  served.clock.advance(25h);
  served.server.set_latency(200ms);
  RepositoryConfig config = served.config();
  config.http.large_file_deadline = 20ms;
  const auto unknown = served.open(config).fetch(snapshot, served.context);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::network);
}

TEST_CASE("offline: the cache answers whatever its age, a miss is not 'not found'") {
  Served served;
  CHECK(served.open().fetch(kPom, served.context));
  CHECK(served.open().fetch(kMetadata, served.context));
  const std::size_t requests = served.server.requests().size();
  served.clock.advance(24h * 30);
  RepositorySet offline = open_in_mode(served, CacheMode::offline);
  CHECK(offline.fetch(kPom, served.context));
  CHECK(offline.fetch(kMetadata, served.context));
  for (const auto& missed :
       {offline.fetch(kJar, served.context).error(), offline.probe(kJar, served.context).error()}) {
    CHECK(missed.code == ErrorCode::network);
    CHECK(missed.message.find("offline") != std::string::npos);
    CHECK(missed.subject.ends_with(kJar));
    CHECK(missed.remedy == "run once without --offline");
  }
  CHECK(served.server.requests().size() == requests);
}

TEST_CASE("a damaged file in the cache is noticed and fetched again") {
  Served served;
  for (const std::string& path : {kPom, kJar}) {
    const auto file = served.open().fetch(path, served.context);
    REQUIRE(file);
    const std::string good = contents(file);
    std::string damaged = good;
    damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] + 1);
    for (const std::string& bad : {damaged, good.substr(1), std::string()}) {
      std::ofstream(file->path, std::ios::binary | std::ios::trunc) << bad;
      const auto again = served.open().fetch(path, served.context);
      REQUIRE(again);
      CHECK(contents(again) == good);
    }
    fs::remove(file->path);
    CHECK(contents(served.open().fetch(path, served.context)) == good);
  }
  CHECK(served.log.lines().find("gone or damaged") != std::string::npos);
}

TEST_CASE("a large file that only looks touched is digested once and kept") {
  Served served;
  served.put(kJar, jar_bytes(3'000'000));
  const auto jar = served.open().fetch(kJar, served.context);
  REQUIRE(jar);
  const std::size_t requests = served.server.requests().size();
  fs::last_write_time(jar->path, fs::last_write_time(jar->path) - 1h);
  CHECK(served.open().fetch(kJar, served.context)->path == jar->path);
  CHECK(served.server.requests().size() == requests);
  // Same size, same digest promised, other contents: not the same file.
  std::ofstream(jar->path, std::ios::binary) << jar_bytes(3'000'000, 9);
  CHECK(contents(served.open().fetch(kJar, served.context)) == jar_bytes(3'000'000));
}

TEST_CASE("downloads that a killed process left behind are removed, running ones stay") {
  const base::TempDir dir =
      std::move(*base::TempDir::create(fs::temp_directory_path(), "rowgate-partial-"));
  const fs::path folder = dir.path() / "maven" / "partial";
  auto running = PartialFile::create(folder);
  REQUIRE(running);
  REQUIRE(running->write("half"));
  std::ofstream(folder / "1234.0.5") << "dead";
  const Cache cache(dir.path(), parse_repository_url("http://localhost/")->url);
  CHECK(fs::exists(running->path()));
  CHECK_FALSE(fs::exists(folder / "1234.0.5"));
  const fs::path kept = dir.path() / "a" / "b";
  REQUIRE(running->commit(kept, Durability::flushed));
  CHECK(base::read_file(kept) == std::string("half"));
}

TEST_CASE("a cache that cannot be written is an error that names it") {
  Served served;
  RepositoryConfig config = served.config();
  config.cache_folder = "/proc/rowgate";
  const auto refused = served.open(config).fetch(kPom, served.context);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::io);
  CHECK(refused.error().subject.starts_with("/proc/rowgate"));
}

TEST_CASE("sixteen threads that ask at once cause one transfer") {
  Served served;
  served.server.set_latency(100ms);
  RepositorySet repositories = served.open();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] {
      const auto jar = repositories.fetch(kJar, served.context);
      if (jar && contents(jar) == jar_bytes(300'000)) ++good;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 16);
  CHECK(served.server.count("/" + kJar) == 1);
}

// Each process opens the cache on its own and fetches everything; one is killed in the middle.
TEST_CASE("sixteen processes at once, one of them killed: no damaged file, no wrong answer") {
  Served served;
  constexpr int kProcesses = 16, kPoms = 12;
  constexpr std::size_t kJarBytes = 2'000'000;
  std::vector<std::string> paths;
  for (int i = 0; i < kPoms; ++i) {
    const std::string version = std::to_string(i);
    paths.push_back("org/acme/thing/" + version + "/thing-" + version + ".pom");
    served.put(paths.back(), pom_text(version));
  }
  served.put(kJar, jar_bytes(kJarBytes));
  paths.push_back(kJar);
  paths.push_back("org/acme/none/1/none-1.pom");
  served.server.set_latency(5ms);

  const std::string program = fs::read_symlink("/proc/self/exe").string();
  const std::string folder = served.cache.string(), url = served.server.url();
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {  // only exec from here: this process has threads
      ::execl(program.c_str(), program.c_str(), "--child", folder.c_str(), url.c_str(), nullptr);
      ::_exit(127);
    }
    children.push_back(child);
  }
  // Killed while it holds downloads: the server has seen requests, few of them are answered.
  while (served.server.requests().size() < 20) std::this_thread::sleep_for(1ms);
  ::kill(children[3], SIGKILL);
  int killed = 0;
  for (pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      ++killed;
    else
      CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  CHECK(killed <= 1);
  // While one process downloads the large file, the others wait for it; the killed one may have
  // begun.
  CHECK(served.server.count("/" + kJar) <= 2);
  for (std::size_t i = 0; i + 1 < paths.size(); ++i) {
    const auto file = open_in_mode(served, CacheMode::offline).fetch(paths[i], served.context);
    REQUIRE_MESSAGE(file, file.error().to_string());
    CHECK(contents(file) == base::read_file(served.root / paths[i]).value());
  }
  served.files_kept();  // also checks that nothing is left in partial/
}
