// What resolving a graph costs when its POMs come from a repository on the loopback interface that
// adds 30 ms to each answer: 25 chains of dependencies, each 5 POMs long, each POM with a .sha1.
//
//   rowgate, cold       an empty cache each time
//   in sequence         the same POMs, without their .sha1, one after the other over one
//   connection:
//                       by rowgate's client, and by curl where it is installed
//   Maven, cold         mvn dependency:tree with an empty local repository, which takes its plugins
//                       from the user's; in this run, where mvn is installed and --peers is given
//   coursier, cold      coursier resolve with an empty cache; likewise, with --coursier COMMAND or
//   a
//                       cs on the PATH ("java -cp DIR/* coursier.cli.Coursier" is one, too)
//   rowgate, warm       the same from the disk cache, in a fresh set each time
//
// The longest chain's round trips are depth * latency; the goal for cold is three times that.
//
//   bench_repository [--connections N] [--rounds N] [--peers] [--coursier COMMAND]
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/http_client.hpp"
#include "pomcheck/repository_set.hpp"
#include "pomcheck/resolution.hpp"
#include "tests/support/bad_repository.hpp"

using namespace rowgate;

namespace {

constexpr int kDepth = 5, kWidth = 25;
constexpr std::chrono::milliseconds kLatency{30};

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

double cpu_ms(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// Of this process, server included, or of the child processes.
class Cost {
 public:
  explicit Cost(int who = RUSAGE_SELF) : who_(who) {}

  template <class Work>
  void measure(Work work) {
    const double cpu_before = cpu_ms(who_);
    const auto start = std::chrono::steady_clock::now();
    if (!work()) return;
    wall_.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
    cpu_.push_back(cpu_ms(who_) - cpu_before);
  }

  void print(const char* name) {
    if (wall_.empty()) {
      fmt::print("{:<36} not run\n", name);
      return;
    }
    std::sort(wall_.begin(), wall_.end());
    std::sort(cpu_.begin(), cpu_.end());
    fmt::print("{:<36} {:>9.1f} ms wall (best {:.1f}, of {}) {:>8.1f} ms CPU\n", name,
               wall_[wall_.size() / 2], wall_.front(), wall_.size(), cpu_[cpu_.size() / 2]);
  }

 private:
  int who_;
  std::vector<double> wall_, cpu_;
};

// Its exit status is 0. Output is thrown away.
bool run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {1, 2})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && ::waitpid(child, &status, 0) == child && status == 0;
}

struct Options {
  unsigned connections = pomcheck::HttpLimits{}.max_connections_per_host;
  int rounds = 7;
  bool peers = false;
  std::vector<std::string> coursier = {"cs"};
};

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool more = i + 1 < argc;
    if (argument == "--peers") {
      options.peers = true;
    } else if (argument == "--connections" && more) {
      options.connections = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (argument == "--rounds" && more) {
      options.rounds = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--coursier" && more) {
      options.coursier.clear();
      for (const std::string_view word : base::split(argv[++i], ' '))
        options.coursier.emplace_back(word);
    } else {
      require(false,
              "bench_repository [--connections N] [--rounds N] [--peers] "
              "[--coursier COMMAND]");
    }
  }
  return options;
}

// The graph and where it is served.
class Bench {
 public:
  explicit Bench(Options options)
      : options_(std::move(options)),
        dir_(base::TempDir::create(std::filesystem::temp_directory_path(), "rowgate-bench-")
                 .value()),
        repository_(dir_.path() / "served"),
        server_(std::ref(repository_)) {
    const std::string filler(7000, 'x');  // the size of a usual connector's POM
    for (int depth = 0; depth < kDepth; ++depth)
      for (int width = 0; width < kWidth; ++width)
        write(dir_.path() / "served" / coordinate(depth, width).pom_path(),
              pom(coordinate(depth, width), depth + 1 < kDepth ? dependency(depth + 1, width) : "",
                  "<!-- " + filler + " -->"));
    server_.set_latency(kLatency);
  }

  void run_all() {
    Cost cold, warm, client, curl(RUSAGE_CHILDREN), maven(RUSAGE_CHILDREN),
        coursier(RUSAGE_CHILDREN);
    for (int round = 0; round < options_.rounds; ++round) {
      const auto cache = fresh_folder("cache");
      cold.measure([&] { return resolve(cache); });
      warm.measure([&] { return resolve(cache); });
      if (round >= 3) continue;
      client.measure([&] { return fetch_in_sequence(); });
      curl.measure([&] { return curl_in_sequence(); });
      if (!options_.peers) continue;
      maven.measure([&] { return run_maven(); });
      coursier.measure([&] { return run_coursier(); });
    }
    const auto chain = static_cast<double>(kDepth * kLatency.count());
    fmt::print("{} POMs in chains of {}, {} ms of latency, {} connections\n", kDepth * kWidth,
               kDepth, kLatency.count(), options_.connections);
    fmt::print("{:<36} {:>9.1f} ms\n{:<36} {:>9.1f} ms\n", "the longest chain's round trips", chain,
               "goal for cold (three times that)", 3 * chain);
    cold.print("rowgate, cold, with .sha1");
    client.print("in sequence, rowgate's client");
    curl.print("in sequence, curl");
    if (options_.peers) {
      maven.print("Maven, cold");
      coursier.print("coursier, cold");
    }
    warm.print("rowgate, warm");
  }

 private:
  static pomcheck::Coordinate coordinate(int depth, int width) {
    return pomcheck::parse_coordinate(fmt::format("org.acme:d{}w{}:1.0", depth, width)).value();
  }
  static std::string dependency(int depth, int width) {
    return fmt::format(
        "<dependency><groupId>org.acme</groupId><artifactId>d{}w{}</artifactId>"
        "<version>1.0</version></dependency>",
        depth, width);
  }
  static std::string pom(const pomcheck::Coordinate& id, const std::string& dependencies,
                         const std::string& more) {
    return fmt::format(
        "<project><modelVersion>4.0.0</modelVersion><groupId>{}</groupId><artifactId>{}"
        "</artifactId><version>{}</version><packaging>pom</packaging><dependencies>{}"
        "</dependencies>{}</project>",
        id.group, id.artifact, id.version, dependencies, more);
  }
  static void write(const std::filesystem::path& path, const std::string& contents) {
    require(base::write_file_atomically(path, contents).has_value(), "cannot write");
  }
  std::filesystem::path fresh_folder(const char* name) {
    return dir_.path() / fmt::format("{}{}", name, folders_++);
  }

  bool resolve(const std::filesystem::path& cache) const {
    pomcheck::RepositoryConfig config;
    config.http.max_connections_per_host = options_.connections;
    config.repositories = {server_.url()};
    config.cache_folder = cache;
    const RunContext context = RunContext::quiet();
    auto repositories = pomcheck::open_repositories(std::move(config), context);
    require(repositories.has_value(), "the repositories do not open");
    pomcheck::ModelBuilder builder(*repositories, pomcheck::pinned_environment().value());
    std::vector<pomcheck::Coordinate> roots;
    for (int width = 0; width < kWidth; ++width) roots.push_back(coordinate(0, width));
    const auto graph = pomcheck::resolve_dependencies(builder, roots, context);
    require(graph && graph->complete() && graph->nodes.size() == 1 + kDepth * kWidth,
            "the graph is not whole");
    return true;
  }

  bool fetch_in_sequence() const {
    pomcheck::HttpClient client({}, {}, "");
    for (int depth = 0; depth < kDepth; ++depth) {
      for (int width = 0; width < kWidth; ++width) {
        pomcheck::HttpRequest request;
        request.url = pomcheck::parse_repository_url(server_.url())->url;
        request.url.path = "/" + coordinate(depth, width).pom_path();
        request.max_bytes = 1 << 20;
        request.deadline = std::chrono::seconds(60);
        const auto answers = client.perform({&request, 1}, RunContext::quiet());
        require(answers[0] && answers[0]->status == 200, "a POM did not come");
      }
    }
    return true;
  }

  bool curl_in_sequence() {
    std::string config;
    for (int depth = 0; depth < kDepth; ++depth)
      for (int width = 0; width < kWidth; ++width)
        config += fmt::format("url={}/{}\noutput=/dev/null\n", server_.url(),
                              coordinate(depth, width).pom_path());
    write(dir_.path() / "curl.conf", config);
    return run({"curl", "-sS", "--fail", "-K", (dir_.path() / "curl.conf").string()});
  }

  bool run_maven() {
    const std::filesystem::path folder = fresh_folder("maven");
    const char* home = std::getenv("HOME");
    std::string dependencies;
    for (int width = 0; width < kWidth; ++width) dependencies += dependency(0, width);
    write(
        folder / "pom.xml",
        pom({"rowgate", "bench", "1", "", "jar"}, dependencies,
            "<repositories><repository><id>loopback</id><url>" + server_.url() +
                "</url></repository></repositories><pluginRepositories><pluginRepository><id>users"
                "</id><url>file://" +
                std::string(home == nullptr ? "" : home) +
                "/.m2/repository</url><releases><checksumPolicy>ignore</checksumPolicy></releases>"
                "</pluginRepository></pluginRepositories>"));
    return run({"mvn", "-B", "-q", "-f", folder.string(),
                "-Dmaven.repo.local=" + (folder / "local").string(),
                "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:tree",
                "-DoutputFile=tree.txt"});
  }

  bool run_coursier() {
    std::vector<std::string> command = options_.coursier;
    const std::vector<std::string> more = {"resolve",      "--no-default",
                                           "--repository", server_.url(),
                                           "--cache",      fresh_folder("coursier").string()};
    command.insert(command.end(), more.begin(), more.end());
    for (int width = 0; width < kWidth; ++width)
      command.push_back(coordinate(0, width).to_string());
    return run(command);
  }

  Options options_;
  base::TempDir dir_;
  test::BadRepository repository_;
  test::HttpServer server_;
  int folders_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Bench(parse_options(argc, argv)).run_all();
  return 0;
}
