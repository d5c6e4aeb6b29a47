// A subcommand: a row of the table in commands.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "tools/exit_status.hpp"
#include "tools/session.hpp"

namespace rowgate::tools {

// A parsed subcommand, ready to run.
class Command {
 public:
  virtual ~Command() = default;
  virtual const CommonOptions& common() const = 0;
  virtual Result<ExitStatus> run(Session& session) = 0;
};

struct CommandRow {
  std::string_view name;
  std::string_view question;  // what a user asks, for the table in README and the man page
  std::string_view summary;   // one line for --help
  // Declares the options on `app` and returns the command that they fill in.
  std::unique_ptr<Command> (*declare)(CLI::App& app);
};

std::span<const CommandRow> command_table();

// Parses the arguments, runs the command, prints errors; the whole program but for `catch`.
ExitStatus run_program(int argc, const char* const* argv);

}  // namespace rowgate::tools
