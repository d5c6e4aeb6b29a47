// The dependency graphs of real connectors, compared line by line with what `mvn dependency:tree`
// prints in the same run, Maven reading the same repository. One Maven process builds a project
// with one module a connector. Skipped, with the reason, where Maven is not installed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "network.hpp"
#include "pomcheck/resolution.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

// Runs a program with its output thrown away; its exit status, or -1.
int run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string module_pom(const std::string& name, const std::string& body) {
  return "<project><modelVersion>4.0.0</modelVersion><groupId>rowgate</groupId><artifactId>" +
         name + "</artifactId><version>1</version><packaging>pom</packaging>" + body + "</project>";
}

std::vector<Coordinate> connectors() {
  std::vector<Coordinate> list;
  const std::string text = base::read_file("tests/unit/pomcheck/data/maven_trees.txt").value();
  for (const std::string_view line : base::split(text, '\n'))
    if (!line.empty()) list.push_back(parse_coordinate(line).value());
  return list;
}

// Everything behind the first line, which names the project.
std::string tree_of(const std::vector<std::string>& lines) {
  std::string tree;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!lines[i].empty()) tree += lines[i] + "\n";
  return tree;
}

}  // namespace

TEST_CASE("graphs equal Maven's own") {
  if (run({"mvn", "--version"}) != 0) tests::skip("mvn is not installed");
  RepositorySet repositories = tests::network_repositories();
  const RunContext context = RunContext::quiet();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  const std::vector<Coordinate> list = connectors();
  REQUIRE(list.size() >= 20);

  const base::TempDir folder = base::TempDir::create("/tmp", "rowgate-maven").value();
  std::string modules;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string name = "m" + std::to_string(i);
    modules += "<module>" + name + "</module>";
    REQUIRE(base::write_file_atomically(
        folder.path() / name / "pom.xml",
        module_pom(name, "<dependencies><dependency><groupId>" + list[i].group +
                             "</groupId><artifactId>" + list[i].artifact +
                             "</artifactId><version>" + list[i].version +
                             "</version></dependency></dependencies>")));
  }
  REQUIRE(base::write_file_atomically(folder.path() / "pom.xml",
                                      module_pom("all", "<modules>" + modules + "</modules>")));
  run({"mvn", "-B", "-q", "-fae", "-f", folder.path().string(),
       "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:tree", "-DoutputFile=tree.txt",
       "-DoutputType=text"});

  std::size_t compared = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    INFO(list[i].to_string());
    const auto printed = base::read_file(folder.path() / ("m" + std::to_string(i)) / "tree.txt");
    if (!printed) continue;
    ++compared;
    std::vector<std::string> maven;
    for (const std::string_view line : base::split(*printed, '\n')) maven.emplace_back(line);
    const auto resolution = resolve_dependencies(builder, std::vector{list[i]}, context);
    REQUIRE(resolution);
    CHECK(tree_of(tree_lines(*resolution)) == tree_of(maven));
  }
  // Fewer would mean that Maven could not read its own repository: then nothing was shown.
  CHECK(compared >= 20);
}
