#include "tools/command_line.hpp"

#include <CLI/CLI.hpp>

namespace rowgate::tools {

DeclaredProgram::DeclaredProgram() = default;
DeclaredProgram::DeclaredProgram(DeclaredProgram&&) noexcept = default;
DeclaredProgram::~DeclaredProgram() = default;

DeclaredProgram declare_program() {
  DeclaredProgram program;
  program.app = std::make_unique<CLI::App>(
      "Audits table-format connectors for Apache Spark and verifies change-data-capture paths.",
      "rowgate");
  program.app->set_version_flag("--version", "");
  program.app->require_subcommand(1);
  program.app->footer(
      "Exit status: 0 clean, 1 the gate failed, 2 wrong usage or configuration,\n"
      "3 could not be completed, 4 internal error, 130 interrupted.");
  for (const CommandRow& row : command_table()) {
    CLI::App* sub = program.app->add_subcommand(std::string(row.name), std::string(row.summary));
    program.commands.emplace(row.name, row.declare(*sub));
    // A repeatable option takes one value a time: what follows it are arguments of their own.
    for (CLI::Option* option : sub->get_options())
      if (!option->get_positional()) option->allow_extra_args(false);
  }
  return program;
}

}  // namespace rowgate::tools
