// From argv to an exit status: declares the table's commands, parses, runs the chosen one, prints
// what went wrong.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <csignal>

#include "base/text.hpp"
#include "base/version.hpp"
#include "tools/command.hpp"
#include "tools/command_line.hpp"

namespace rowgate::tools {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only set such a flag");

// The first interrupt asks the run to stop and keep what it has; the second one kills it.
extern "C" void on_interrupt(int signal) {
  stop_requested.store(true);
  std::signal(signal, SIG_DFL);
}

void install_signal_handlers() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), reported as such
}

// CLI11 names what it could not parse; this adds what the user may have meant.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) {
    std::vector<std::string_view> names;
    for (const CommandRow& row : command_table()) names.push_back(row.name);
    for (const std::string& argument : arguments) {
      if (argument.starts_with('-')) continue;
      const std::string_view near = base::nearest(argument, names);
      return near.empty() ? "" : fmt::format("did you mean `rowgate {}`?", near);
    }
    return "";
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : chosen.front()->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::find(names.begin(), names.end(), name) != names.end())
      continue;
    const std::string_view near = base::nearest(name, views);
    // What CLI11 complains about may be another word: both are named.
    if (!near.empty())
      return fmt::format("instead of {}, did you mean {}?", base::printable(name), near);
  }
  return "";
}

ExitStatus report_parse_failure(const CLI::App& app, const CLI::ParseError& failure, int argc,
                                const char* const* argv) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const std::string command =
      chosen.empty() ? "rowgate" : fmt::format("rowgate {}", chosen.front()->get_name());
  std::string text = fmt::format("{}: {}\n", command, base::printable(failure.what()));
  const std::string hint = suggestion(app, std::vector<std::string>(argv + 1, argv + argc));
  if (!hint.empty()) text += fmt::format("  {}\n", hint);
  text += fmt::format("  `{} --help` shows what it takes\n", command);
  std::fputs(text.c_str(), stderr);
  return ExitStatus::usage;
}

ExitStatus report_error(const Error& error) {
  Error shown = error;
  shown.remedy.clear();
  std::string text = fmt::format("rowgate: {}\n", base::printable(shown.to_string()));
  if (!error.remedy.empty()) text += fmt::format("  {}\n", base::printable(error.remedy));
  std::fputs(text.c_str(), stderr);
  return status_for(error);
}

}  // namespace

ExitStatus run_program(int argc, const char* const* argv) {
  install_signal_handlers();
  DeclaredProgram program = declare_program();
  CLI::App& app = *program.app;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    const std::string text = chosen.empty() ? app.help() : chosen.front()->help("rowgate");
    const Result<void> written = write_stdout(text + "\n");
    return written ? ExitStatus::clean : report_error(written.error());
  } catch (const CLI::CallForVersion&) {
    const Result<void> written = write_stdout(fmt::format("rowgate {}\n", base::kVersion));
    return written ? ExitStatus::clean : report_error(written.error());
  } catch (const CLI::ParseError& failure) {
    return report_parse_failure(app, failure, argc, argv);
  }
  Command& command = *program.commands.at(app.get_subcommands().front()->get_name());
  Session session(read_environment(), command.common(), stop_requested);
  const Result<ExitStatus> status = command.run(session);
  // Who interrupts a run that has nothing to show is told so.
  const ExitStatus ended = status ? *status : report_error(status.error());
  return stop_requested ? ExitStatus::interrupted : ended;
}

}  // namespace rowgate::tools
