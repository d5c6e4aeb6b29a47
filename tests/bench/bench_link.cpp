// How long a linkage check takes, beside jdeps in the same run:
//
//   bench_link SPARK_JARS_FOLDER BASELINE_JARS_FOLDER JDK CONNECTOR.jar...
//
// Prints medians of several rounds: with every jar opened and every class inflated on demand, with
// the class index of an earlier run, and jdeps (class level only). Page cache warm after the first
// round.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "jarscan/link.hpp"
#include "jarscan/link_index.hpp"

namespace fs = std::filesystem;
using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

constexpr int kRounds = 5;

struct Inputs {
  std::vector<fs::path> spark, baseline, connectors;
  fs::path jdk;
};

RunContext context(unsigned jobs) {
  RunContext made = RunContext::quiet();
  made.jobs = jobs;
  return made;
}

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Median wall and CPU seconds of `work`.
void measure(const char* name, int who, const std::function<void()>& work) {
  std::vector<std::pair<double, double>> rounds;
  for (int i = 0; i < kRounds; ++i) {
    const double cpu = cpu_seconds(who);
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    rounds.emplace_back(wall.count(), cpu_seconds(who) - cpu);
  }
  std::sort(rounds.begin(), rounds.end());
  rusage usage{};
  ::getrusage(who, &usage);
  fmt::print("{:<44} {:7.3f} s wall, {:7.3f} s CPU, peak {} MiB\n", name, rounds[kRounds / 2].first,
             rounds[kRounds / 2].second, usage.ru_maxrss / 1024);
}

LinkResult check(const Inputs& inputs, const fs::path& cache, unsigned jobs) {
  const RunContext run = context(jobs);
  std::vector<ClassPathJar> jars;
  for (const fs::path& path : inputs.connectors) jars.push_back({JarFile::open(path).value(), {}});
  LinkRequest request;
  request.unit = cached_link_unit(
      std::make_shared<ClassIndex>(ClassIndex::build(std::move(jars), {}, run)), cache, run);
  request.cache_folder = cache;
  const LinkIndexOptions options{cache, 17};
  auto target = IndexedSource::open(inputs.spark, options, run).value();
  auto baseline = IndexedSource::open(inputs.baseline, options, run).value();
  request.targets = {{"target", target}};
  request.baseline = LinkTarget{"baseline", baseline};
  request.options.jdk = JdkImage::open(inputs.jdk).value();
  LinkResult result = check_link(request, run).at(0);
  if (!target->save(run) || !baseline->save(run)) fmt::print(stderr, "the index was not saved\n");
  return result;
}

void sweep(const Inputs& inputs, const fs::path& cache, unsigned targets, unsigned jobs) {
  const RunContext run = context(jobs);
  std::vector<ClassPathJar> jars;
  for (const fs::path& path : inputs.connectors) jars.push_back({JarFile::open(path).value(), {}});
  LinkRequest request;
  request.unit = cached_link_unit(
      std::make_shared<ClassIndex>(ClassIndex::build(std::move(jars), {}, run)), cache, run);
  request.cache_folder = cache;
  for (unsigned i = 0; i < targets; ++i)
    request.targets.push_back(
        {fmt::format("{}", i),
         IndexedSource::open(i % 2 == 0 ? inputs.spark : inputs.baseline, {cache, 17}, run)
             .value()});
  request.options.jdk = JdkImage::open(inputs.jdk).value();
  check_link(request, run);
}

void jdeps(const Inputs& inputs) {
  std::vector<std::string> paths;
  for (const fs::path& path : inputs.spark) paths.push_back(path.string());
  std::vector<std::string> arguments = {(inputs.jdk / "bin" / "jdeps").string(),
                                        "--multi-release",
                                        "17",
                                        "--missing-deps",
                                        "-cp",
                                        base::join(paths, ":")};
  for (const fs::path& path : inputs.connectors) arguments.push_back(path.string());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(stdout);  // the child must not print it again
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

std::uint64_t folder_bytes(const fs::path& folder) {
  std::uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder)) total += entry.file_size();
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: bench_link SPARK_JARS BASELINE_JARS JDK CONNECTOR.jar...\n");
    return 2;
  }
  Inputs inputs;
  inputs.spark = base::list_files(argv[1], ".jar").value();
  inputs.baseline = base::list_files(argv[2], ".jar").value();
  inputs.jdk = argv[3];
  inputs.connectors.assign(argv + 4, argv + argc);
  const auto cache = base::TempDir::create(fs::temp_directory_path(), "bench_link").value();
  const LinkResult first = check(inputs, cache.path(), 2);
  fmt::print("{} classes, {} instruction sites, {} references; {}\n", first.classes, first.sites,
             first.references, verdict_text(first));
  fmt::print("index of both Sparks: {}\n", base::human_bytes(folder_bytes(cache.path())));
  measure("with baseline, with index, 2 threads", RUSAGE_SELF,
          [&] { check(inputs, cache.path(), 2); });
  measure("sweep of 8 Sparks, with index, 2 threads", RUSAGE_SELF,
          [&] { sweep(inputs, cache.path(), 8, 2); });
  measure("with baseline, without index, 2 threads", RUSAGE_SELF, [&] { check(inputs, "", 2); });
  measure("jdeps --missing-deps, target only", RUSAGE_CHILDREN, [&] { jdeps(inputs); });
  return 0;
}
