// What fetching POMs costs, from a repository on the loopback interface that adds 30 ms to each
// answer:
//   cold        chains of POMs, as a resolver discovers them: each wave asks for all POMs of one
//   depth curl        the same files one after the other over one connection, which is what a shell
//   loop does warm        the same from the disk cache, in a fresh set each time
// The floor for cold is depth * latency. Prints medians of wall time, and CPU time of the process.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/files.hpp"
#include "pomcheck/http_client.hpp"
#include "pomcheck/repository_set.hpp"
#include "tests/support/bad_repository.hpp"

using namespace rowgate;

namespace {

constexpr int kDepth = 5, kWidth = 25, kRounds = 7;
constexpr std::chrono::milliseconds kLatency{30};

double cpu_ms() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

struct Cost {
  std::vector<double> wall_ms, cpu;

  template <class Work>
  void measure(Work work) {
    const double cpu_before = cpu_ms();
    const auto start = std::chrono::steady_clock::now();
    work();
    wall_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
    cpu.push_back(cpu_ms() - cpu_before);
  }
  void print(const char* name) {
    std::sort(wall_ms.begin(), wall_ms.end());
    std::sort(cpu.begin(), cpu.end());
    fmt::print("{:<28} {:>9.1f} ms wall {:>8.1f} ms CPU\n", name, wall_ms[wall_ms.size() / 2],
               cpu[cpu.size() / 2]);
  }
};

std::string path_of(int depth, int width) {
  return fmt::format("org/acme/d{0}w{1}/1.0/d{0}w{1}-1.0.pom", depth, width);
}

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

unsigned connections = pomcheck::HttpLimits{}.max_connections_per_host;

pomcheck::RepositorySet open(const std::string& url, const std::filesystem::path& cache) {
  pomcheck::RepositoryConfig config;
  config.http.max_connections_per_host = connections;
  config.repositories = {url};
  config.cache_folder = cache;
  auto opened = pomcheck::open_repositories(std::move(config), RunContext::quiet());
  require(opened.has_value(), "the repositories do not open");
  return std::move(*opened);
}

void fetch_in_waves(const std::string& url, const std::filesystem::path& cache) {
  pomcheck::RepositorySet repositories = open(url, cache);
  for (int depth = 0; depth < kDepth; ++depth) {
    std::vector<std::string> wave;
    for (int width = 0; width < kWidth; ++width) wave.push_back(path_of(depth, width));
    for (const auto& file : repositories.fetch_all(wave, RunContext::quiet()))
      require(file.has_value(), "a POM did not come");
  }
}

void fetch_one_by_one(const std::string& url) {
  pomcheck::HttpClient client({}, {}, "");
  for (int depth = 0; depth < kDepth; ++depth) {
    for (int width = 0; width < kWidth; ++width) {
      pomcheck::HttpRequest request;
      request.url = pomcheck::parse_repository_url(url)->url;
      request.url.path = "/" + path_of(depth, width);
      request.max_bytes = 1 << 20;
      request.deadline = std::chrono::seconds(60);
      const auto answers = client.perform({&request, 1}, RunContext::quiet());
      require(answers[0] && answers[0]->status == 200, "a POM did not come");
    }
  }
}

}  // namespace

// Usage: bench_repository [connections per host]
int main(int argc, char** argv) {
  if (argc > 1) connections = static_cast<unsigned>(std::atoi(argv[1]));
  auto dir = base::TempDir::create(std::filesystem::temp_directory_path(), "rowgate-bench-");
  require(dir.has_value(), "no temporary folder");
  const auto root = dir->path() / "served";
  const std::string filler(7000, 'x');  // the size of a usual connector's POM
  for (int depth = 0; depth < kDepth; ++depth)
    for (int width = 0; width < kWidth; ++width)
      require(base::write_file_atomically(
                  root / path_of(depth, width),
                  fmt::format("<project><!-- {} {} {} --></project>", depth, width, filler))
                  .has_value(),
              "cannot write");
  test::BadRepository repository(root);
  test::HttpServer server(std::ref(repository));
  server.set_latency(kLatency);

  Cost cold, sequential, warm;
  for (int round = 0; round < kRounds; ++round) {
    const auto cache = dir->path() / fmt::format("cache{}", round);
    cold.measure([&] { fetch_in_waves(server.url(), cache); });
    if (round < 3) sequential.measure([&] { fetch_one_by_one(server.url()); });
    warm.measure([&] { fetch_in_waves(server.url(), cache); });
  }
  fmt::print("{} POMs in {} waves of {}, {} ms of latency\n", kDepth * kWidth, kDepth, kWidth,
             kLatency.count());
  fmt::print("{:<28} {:>9.1f} ms\n", "floor (depth * latency)",
             static_cast<double>(kDepth * kLatency.count()));
  cold.print("cold, with .sha1");
  sequential.print("one by one, without .sha1");
  warm.print("warm");
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {} MiB (server included)\n", usage.ru_maxrss / 1024);
  return 0;
}
