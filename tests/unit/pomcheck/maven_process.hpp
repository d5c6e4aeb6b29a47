// Runs the Maven that is installed, for tests that compare with it.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"

namespace rowgate::tests {

// A POM of packaging pom whose coordinate nothing depends on.
inline std::string module_pom(const std::string& name, const std::string& body) {
  return "<project><modelVersion>4.0.0</modelVersion><groupId>rowgate</groupId><artifactId>" +
         name + "</artifactId><version>1</version><packaging>pom</packaging>" + body + "</project>";
}

// Runs the mvn on the PATH with its output written to `output`; its exit status, or -1. A Maven of
// a few seconds is over before the JVM's optimising compiler pays: without it, it costs half the
// CPU.
inline int run_maven(const std::vector<std::string>& arguments,
                     const std::string& output = "/dev/null") {
  std::vector<char*> argv = {const_cast<char*>("mvn"), const_cast<char*>("-B")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  if (std::getenv("MAVEN_OPTS") == nullptr)
    environment.push_back(const_cast<char*>("MAVEN_OPTS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"));
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// "17.0.15": the Java of the installed Maven, which is asked once. Empty when there is no Maven.
inline const std::string& java_of_maven() {
  static const std::string version = [] {
    const base::TempDir folder = base::TempDir::create("/tmp", "rowgate-maven").value();
    const std::string output = (folder.path() / "version.txt").string();
    if (run_maven({"--version"}, output) != 0) return std::string();
    const std::string text = base::read_file(output).value();
    const std::string key = "Java version: ";
    const std::size_t at = text.find(key);
    if (at == std::string::npos) throw std::runtime_error("mvn --version names no Java: " + text);
    return text.substr(at + key.size(), text.find(',', at) - at - key.size());
  }();
  return version;
}

// One Maven process for many questions: a project whose modules each answer one, written to "out"
// in the module's folder.
class MavenRun {
 public:
  MavenRun() : folder_(base::TempDir::create("/tmp", "rowgate-maven").value()) {}

  // `pom` binds what it asks to the phase validate: kTreeGoal, kEffectivePomGoal.
  void add(const std::string& name, const std::string& pom) {
    modules_ += "<module>" + name + "</module>";
    write(name + "/pom.xml", pom);
  }

  // `local` is Maven's local repository; empty: a fresh one. `more` stands in the modules' parent.
  void run(const std::filesystem::path& local, const std::string& more = {}) const {
    write("pom.xml", module_pom("all", more + "<modules>" + modules_ + "</modules>"));
    const std::filesystem::path repository = local.empty() ? folder_.path() / "local" : local;
    run_maven({"-q", "-fae", "-f", folder_.path(), "-Dmaven.repo.local=" + repository.string(),
               "validate"});
  }

  // An error when Maven refused the module.
  Result<std::string> answer(const std::string& name) const {
    return base::read_file(folder_.path() / name / "out");
  }

 private:
  void write(const std::string& path, const std::string& contents) const {
    if (!base::write_file_atomically(folder_.path() / path, contents))
      throw std::runtime_error("cannot write " + path);
  }

  base::TempDir folder_;
  std::string modules_;
};

// <build> with one plugin whose goal writes into the module's "out".
inline std::string goal(const std::string& artifact, const std::string& version,
                        const std::string& name, const std::string& configuration) {
  return "<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>" +
         artifact + "</artifactId><version>" + version +
         "</version><executions><execution><phase>validate</phase><goals><goal>" + name +
         "</goal></goals><configuration>" + configuration +
         "</configuration></execution></executions></plugin></plugins></build>";
}
inline std::string tree_goal() {
  return goal("maven-dependency-plugin", "3.6.1", "tree",
              "<outputFile>${project.basedir}/out</outputFile>");
}
// Of `artifact`, "g:a:v"; empty: of the module itself.
inline std::string effective_pom_goal(const std::string& artifact = {}) {
  return goal("maven-help-plugin", "3.5.2", "effective-pom",
              (artifact.empty() ? "" : "<artifact>" + artifact + "</artifact>") +
                  "<output>${project.basedir}/out</output>");
}

// The lines of dependency:tree, behind the first, which names the project. The plugin's 3.6
// does not say what is optional.
inline std::vector<std::string> tree_nodes(const std::vector<std::string>& lines) {
  const std::string optional = " (optional)";
  std::vector<std::string> nodes;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::string line = lines[i];
    if (line.ends_with(optional)) line.resize(line.size() - optional.size());
    if (!line.empty()) nodes.push_back(std::move(line));
  }
  return nodes;
}
inline std::vector<std::string> tree_nodes(const std::string& printed) {
  std::vector<std::string> lines;
  for (const std::string_view line : base::split(printed, '\n')) lines.emplace_back(line);
  return tree_nodes(lines);
}

// A POM's repositories: `shelf`, a folder, for artifacts, and for plugins what Maven has in the
// local repository of `home` already.
inline std::string repositories_xml(const std::filesystem::path& shelf,
                                    const std::filesystem::path& home) {
  const std::string policy = "<releases><checksumPolicy>ignore</checksumPolicy></releases>";
  return "<repositories><repository><id>shelf</id><url>file://" + shelf.string() + "</url>" +
         policy +
         "</repository></repositories><pluginRepositories><pluginRepository><id>users</id>" +
         "<url>file://" + (home / ".m2/repository").string() + "</url>" + policy +
         "</pluginRepository></pluginRepositories>";
}

}  // namespace rowgate::tests
