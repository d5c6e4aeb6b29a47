// Runs the Maven that is installed, for tests that compare with it.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rowgate::tests {

// Runs a program with its output written to `output`; its exit status, or -1.
inline int run(const std::vector<std::string>& command, const std::string& output = "/dev/null") {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A POM of packaging pom whose coordinate nothing depends on.
inline std::string module_pom(const std::string& name, const std::string& body) {
  return "<project><modelVersion>4.0.0</modelVersion><groupId>rowgate</groupId><artifactId>" +
         name + "</artifactId><version>1</version><packaging>pom</packaging>" + body + "</project>";
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
