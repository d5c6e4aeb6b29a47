// The declared command line as data: parsed by program.cpp, printed as a man page and as shell
// completions by cmd_generate.cpp, so that neither can go stale.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tools/command.hpp"

namespace CLI {
class App;
}

namespace rowgate::tools {

struct DeclaredProgram {
  std::unique_ptr<CLI::App> app;
  std::map<std::string, std::unique_ptr<Command>> commands;  // by name

  DeclaredProgram();
  DeclaredProgram(DeclaredProgram&&) noexcept;
  ~DeclaredProgram();
};

DeclaredProgram declare_program();

}  // namespace rowgate::tools
