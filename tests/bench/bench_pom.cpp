// Effective POMs of many coordinates from a warm cache: CPU time and memory, beside Maven's own
// help:effective-pom where mvn is installed and --maven is given.
//
//   bench_pom [--repeat N] [--cache DIR] [--maven] [G:A:V…]     (default: the truth table's first
//   25)
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/compatibility.hpp"
#include "pomcheck/repository_set.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

struct Usage {
  double cpu_seconds;
  double peak_mib;
};

Usage usage_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

EnvironmentMap process_environment() {
  EnvironmentMap variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (const std::size_t equals = text.find('='); equals != std::string::npos)
      variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

std::vector<Coordinate> default_coordinates() {
  std::vector<Coordinate> list;
  const auto text = base::read_file("tests/unit/pomcheck/data/truth.tsv");
  if (!text) return list;
  for (const std::string_view line : base::split(*text, '\n')) {
    const auto cells = base::split(line, '\t');
    if (line.empty() || line.front() == '#' || cells.size() < 3 || list.size() == 25) continue;
    if (auto c = parse_coordinate(fmt::format("{}:{}:{}", cells[0], cells[1], cells[2])))
      list.push_back(std::move(*c));
  }
  return list;
}

// Maven, one POM, offline: the peer's cost of a single answer. The goal wants a project around it.
void run_maven(const Coordinate& coordinate) {
  const auto folder = base::TempDir::create("/tmp", "rowgate-bench");
  if (!folder) return;
  const std::string project = (folder->path() / "pom.xml").string();
  if (!base::write_file_atomically(
          project,
          "<project><modelVersion>4.0.0</modelVersion><groupId>rowgate</groupId><artifactId>bench"
          "</artifactId><version>1</version><packaging>pom</packaging></project>"))
    return;
  const std::string artifact = "-Dartifact=" + coordinate.to_string();
  const Usage before = usage_of(RUSAGE_CHILDREN);
  const pid_t child = fork();
  if (child == 0) {
    execlp("mvn", "mvn", "-q", "-B", "-o", "-f", project.c_str(),
           "org.apache.maven.plugins:maven-help-plugin:3.5.2:effective-pom", artifact.c_str(),
           "-Doutput=/dev/null", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const Usage after = usage_of(RUSAGE_CHILDREN);
  if (status != 0)
    fmt::print("mvn help:effective-pom -o failed for {} (not installed, or not in ~/.m2)\n",
               coordinate.to_string());
  else
    fmt::print("mvn help:effective-pom, 1 POM, offline: {:.2f} CPU s, {:.0f} MiB\n",
               after.cpu_seconds - before.cpu_seconds, after.peak_mib);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Coordinate> coordinates;
  std::size_t repeat = 5;
  bool maven = false;
  const char* home = std::getenv("HOME");
  std::filesystem::path cache =
      std::filesystem::path(home == nullptr ? "/root" : home) / ".cache/rowgate";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--maven") {
      maven = true;
    } else if (argument == "--repeat" && i + 1 < argc) {
      repeat = std::max<std::size_t>(1, std::strtoul(argv[++i], nullptr, 10));
    } else if (argument == "--cache" && i + 1 < argc) {
      cache = argv[++i];
    } else if (auto c = parse_coordinate(argument)) {
      coordinates.push_back(std::move(*c));
    } else {
      fmt::print(stderr, "{}\n", c.error().to_string());
      return 2;
    }
  }
  if (coordinates.empty()) coordinates = default_coordinates();
  const RunContext context = RunContext::quiet();
  RepositoryConfig config =
      standard_repository_config(process_environment(), home == nullptr ? "/root" : home, cache);
  config.local_folders.clear();
  auto repositories = open_repositories(config, context);
  if (!repositories) {
    fmt::print(stderr, "{}\n", repositories.error().to_string());
    return 3;
  }
  // The first round fills the cache and is not counted.
  std::vector<double> rounds;
  for (std::size_t round = 0; round <= repeat; ++round) {
    auto fresh = open_repositories(config, context);
    if (!fresh) return 3;
    const Usage before = usage_of(RUSAGE_SELF);
    ModelBuilder builder(*fresh, pinned_environment().value());
    builder.prefetch(coordinates, context);
    std::size_t valid = 0;
    for (const Coordinate& coordinate : coordinates)
      if (const auto pom = builder.build(coordinate, context); pom && (*pom)->valid()) ++valid;
    const double spent = usage_of(RUSAGE_SELF).cpu_seconds - before.cpu_seconds;
    if (round > 0) rounds.push_back(spent);
    fmt::print("{} coordinates, {} valid models: {:.3f} CPU s{}\n", coordinates.size(), valid,
               spent, round == 0 ? " (filling the cache, not counted)" : "");
  }
  std::sort(rounds.begin(), rounds.end());
  fmt::print("median {:.3f} CPU s warm, peak {:.0f} MiB\n", rounds[rounds.size() / 2],
             usage_of(RUSAGE_SELF).peak_mib);
  if (maven && !coordinates.empty()) run_maven(coordinates.front());
  return 0;
}
