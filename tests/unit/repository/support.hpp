// What the repository tests share: a folder laid out as a repository, a server that serves it
// badly, limits short enough for a test.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/run_context.hpp"
#include "pomcheck/repository_set.hpp"
#include "tests/support/bad_repository.hpp"

namespace rowgate::test {

using Rules = std::vector<Rule>;

inline const std::string kPom = "org/acme/thing/1.0/thing-1.0.pom";
inline const std::string kJar = "org/acme/thing/1.0/thing-1.0.jar";
inline const std::string kMetadata = "org/acme/thing/maven-metadata.xml";

// A small POM of version `version`.
std::string pom_text(const std::string& version = "1.0");
// Bytes that end as a zip archive does, about `size` long, different for each seed.
std::string jar_bytes(std::size_t size, unsigned seed = 1);

// A line of data/password_vectors.txt: "master" or "server".
struct PasswordVector {
  std::string plain, encrypted;
};
PasswordVector vector_of(const std::string& kind);

// Fails the test when there is none.
std::string contents(const Result<pomcheck::FetchedFile>& file);

class CollectingLog final : public base::Log {
 public:
  void write(base::LogLevel, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_ += std::string(line) + "\n";
  }
  std::string lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::string lines_;
};

// A clock whose wall time the test sets; durations stay real.
class SetClock final : public base::Clock {
 public:
  base::WallTime now() const override { return base::WallTime(std::chrono::seconds(seconds_)); }
  std::chrono::steady_clock::time_point tick() const override {
    return std::chrono::steady_clock::now();
  }
  void sleep_for(std::chrono::milliseconds duration) const override {
    base::SystemClock().sleep_for(duration);
  }
  void advance(std::chrono::seconds by) { seconds_ += by.count(); }

 private:
  std::int64_t seconds_ = 1'796'025'600;
};

// Retries at once; deadlines as usual, so that a busy machine fails no test.
pomcheck::HttpLimits short_limits();

// A repository folder with a POM, a jar and metadata, served over HTTP under `rules`, and a cache.
struct Served {
  explicit Served(std::vector<Rule> rules = {},
                  std::vector<std::string> checksums = {".sha1", ".md5"});

  void put(const std::string& path, const std::string& contents) const;
  pomcheck::RepositoryConfig config() const;
  // A fresh set, with nothing remembered but the disk cache.
  pomcheck::RepositorySet open() const;
  pomcheck::RepositorySet open(pomcheck::RepositoryConfig changed) const;
  // Names of all files below the cache folder, and their contents.
  std::string everything_in_cache() const;
  std::size_t files_kept() const;  // below files/ and changing/

  base::TempDir dir;
  std::filesystem::path root, cache;
  BadRepository repository;
  HttpServer server;
  CollectingLog log;
  SetClock clock;
  RunContext context;
};

}  // namespace rowgate::test
