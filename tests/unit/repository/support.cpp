#include "tests/unit/repository/support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "base/text.hpp"

namespace rowgate::test {

namespace fs = std::filesystem;

std::string pom_text(const std::string& version) {
  return fmt::format(
      "<project>\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>org.acme</groupId>\n"
      "  <artifactId>thing</artifactId>\n  <version>{}</version>\n</project>\n",
      version);
}

std::string jar_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes = "PK\x03\x04";
  while (bytes.size() < size) bytes += static_cast<char>(random());
  return bytes + "PK\x05\x06" + std::string(18, '\0');
}

std::string contents(const Result<pomcheck::FetchedFile>& file) {
  if (!file) FAIL(file.error().to_string());
  return base::read_file(file->path).value();
}

PasswordVector vector_of(const std::string& kind) {
  const auto text = base::read_file("tests/unit/repository/data/password_vectors.txt");
  REQUIRE(text);
  for (std::string_view line : base::split(*text, '\n')) {
    const std::size_t equals = line.find('='), tab = line.find('\t');
    if (tab == std::string_view::npos || line.substr(0, equals) != kind) continue;
    return {std::string(line.substr(equals + 1, tab - equals - 1)),
            std::string(line.substr(tab + 1))};
  }
  FAIL("no vector ", kind);
  return {};
}

pomcheck::HttpLimits short_limits() {
  pomcheck::HttpLimits limits;
  limits.first_delay = std::chrono::milliseconds(1);
  limits.max_delay = std::chrono::milliseconds(20);
  return limits;
}

Served::Served(std::vector<Rule> rules, std::vector<std::string> checksums)
    : dir(std::move(*base::TempDir::create(fs::temp_directory_path(), "rowgate-repository-"))),
      root(dir.path() / "served"),
      cache(dir.path() / "cache"),
      repository(root, std::move(rules), std::move(checksums)),
      server(std::ref(repository)),
      context(RunContext::quiet()) {
  context.log = &log;
  context.clock = &clock;
  put(kPom, pom_text());
  put(kJar, jar_bytes(300'000));
  put(kMetadata, "<metadata><versioning><release>1.0</release></versioning></metadata>\n");
}

void Served::put(const std::string& path, const std::string& contents) const {
  REQUIRE(base::write_file_atomically(root / path, contents));
}

pomcheck::RepositoryConfig Served::config() const {
  pomcheck::RepositoryConfig config;
  config.repositories = {"acme=" + server.url()};
  config.cache_folder = cache;
  config.http = short_limits();
  return config;
}

pomcheck::RepositorySet Served::open() const {
  return open(config());
}

pomcheck::RepositorySet Served::open(pomcheck::RepositoryConfig changed) const {
  auto opened = pomcheck::open_repositories(std::move(changed), context);
  if (!opened) FAIL(opened.error().to_string());
  return std::move(*opened);
}

std::string Served::everything_in_cache() const {
  std::string all;
  const auto files = base::list_files(cache, "");
  if (!files) return all;
  for (const fs::path& file : *files)
    all += file.string() + "\n" + base::read_file(file).value_or("");
  return all;
}

std::size_t Served::files_kept() const {
  std::size_t count = 0;
  const auto files = base::list_files(cache, "");
  if (!files) return 0;
  for (const fs::path& file : *files) {
    const std::string name = file.string();
    const bool body =
        name.find("/files/") != std::string::npos || name.find("/changing/") != std::string::npos;
    count += body ? 1 : 0;
    CHECK_MESSAGE(name.find("/partial/") == std::string::npos, name);
  }
  return count;
}

}  // namespace rowgate::test
