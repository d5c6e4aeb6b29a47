// One declaration a subcommand, each defined in its cmd_*.cpp. See CommandRow::declare.
#pragma once

#include <memory>

#include "tools/command.hpp"

namespace rowgate::tools {

std::unique_ptr<Command> declare_advise(CLI::App& app);
std::unique_ptr<Command> declare_audit(CLI::App& app);
std::unique_ptr<Command> declare_bench(CLI::App& app);
std::unique_ptr<Command> declare_explain(CLI::App& app);
std::unique_ptr<Command> declare_generate(CLI::App& app);
std::unique_ptr<Command> declare_link(CLI::App& app);
std::unique_ptr<Command> declare_lock(CLI::App& app);
std::unique_ptr<Command> declare_pom(CLI::App& app);
std::unique_ptr<Command> declare_prove(CLI::App& app);
std::unique_ptr<Command> declare_replay(CLI::App& app);
std::unique_ptr<Command> declare_report(CLI::App& app);
std::unique_ptr<Command> declare_scan(CLI::App& app);
std::unique_ptr<Command> declare_setup(CLI::App& app);

}  // namespace rowgate::tools
