// The man page and the completions are printed from the declared options, at build time, so that
// what is installed always matches the binary.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "base/version.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"

namespace rowgate::tools {
namespace {

// Text in roff: backslashes and leading dots are special, a plain hyphen may be set as a dash.
std::string roff(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\\' || c == '-') escaped += '\\';
    if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) escaped += "\\&";
    escaped += c;
  }
  return escaped;
}

// "--jobs" and "-j" of an option, positional ones by their name.
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// The values that an option's check names in braces ("{text,json}"), for completions.
std::vector<std::string> choices(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos || close < open) return values;
  for (std::string_view value :
       base::split(std::string_view(type).substr(open + 1, close - open - 1), ','))
    values.emplace_back(value);
  return values;
}

std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH ROWGATE 1 \"\" \"rowgate {}\" \"User Commands\"\n.SH NAME\n"
      "rowgate \\- audits Spark table\\-format connectors and verifies CDC paths\n"
      ".SH SYNOPSIS\n.B rowgate\n.I COMMAND\n.RI [ OPTION ...]\n.SH DESCRIPTION\n{}\n"
      ".SH COMMANDS\n",
      base::kVersion, roff(app.get_description()));
  for (const CLI::App* sub : app.get_subcommands({})) {
    page +=
        fmt::format(".SS rowgate {}\n{}.\n", roff(sub->get_name()), roff(sub->get_description()));
    for (const CLI::Option* option : sub->get_options()) {
      const std::vector<std::string> names = spellings(*option);
      std::string head = names.empty() ? option->get_name(true) : base::join(names, ", ");
      if (!names.empty() && takes_value(*option)) head += " " + option->get_type_name();
      page += fmt::format(".TP\n.B {}\n{}\n", roff(head), roff(option->get_description()));
    }
  }
  page +=
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\nclean\n.TP\n.B 1\nthe gate failed\n.TP\n.B 2\nwrong usage or configuration\n"
      ".TP\n.B 3\ncould not be completed: input, network or a child process\n"
      ".TP\n.B 4\ninternal error\n.TP\n.B 130\ninterrupted\n";
  page +=
      ".SH ENVIRONMENT\n"
      ".TP\n.B ROWGATE_REPOSITORY\nthe Maven repository to use instead of Maven's own central\n"
      ".TP\n.B XDG_CACHE_HOME\nwhere the cache folder `rowgate' lies; default ~/.cache\n"
      ".TP\n.B NO_COLOR\nwhen set and not empty, no colour\n";
  return page;
}

std::string bash_completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names += sub->get_name() + " ";
    std::string options, values;
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : spellings(*option)) options += name + " ";
      const std::vector<std::string> allowed = choices(*option);
      if (!allowed.empty())
        values +=
            fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return;;\n",
                        base::join(spellings(*option), "|"), base::join(allowed, " "));
    }
    cases += fmt::format("    {})\n      case \"$prev\" in\n{}      esac\n      words=\"{}\";;\n",
                         sub->get_name(), values.empty() ? std::string("        '') ;;\n") : values,
                         options);
  }
  return fmt::format(
      "# bash completion for rowgate\n"
      "_rowgate() {{\n"
      "  local cur=\"${{COMP_WORDS[COMP_CWORD]}}\" prev=\"${{COMP_WORDS[COMP_CWORD-1]}}\" "
      "words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}--help --version\" -- \"$cur\")); return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case \"$cur\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"));;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$cur\"));;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _rowgate rowgate\n",
      names, cases);
}

// Inside single quotes of zsh and fish.
std::string in_quotes(std::string_view text) {
  std::string safe;
  for (char c : text) {
    if (c == '\'')
      safe += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      safe += ' ';  // structure in zsh's _arguments
    else
      safe += c;
  }
  return safe;
}

std::string zsh_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* sub : app.get_subcommands({})) {
    commands += fmt::format("    '{}:{}'\n", sub->get_name(), in_quotes(sub->get_description()));
    std::string arguments;
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : spellings(*option)) {
        arguments +=
            fmt::format(" \\\n        '{}[{}]", name, in_quotes(option->get_description()));
        const std::vector<std::string> allowed = choices(*option);
        if (!allowed.empty())
          arguments += fmt::format(":value:({})", base::join(allowed, " "));
        else if (takes_value(*option))
          arguments += ":value:_files";
        arguments += "'";
      }
    }
    cases += fmt::format("      {}) _arguments{} \\\n        '*:input:_files';;\n", sub->get_name(),
                         arguments);
  }
  return fmt::format(
      "#compdef rowgate\n"
      "_rowgate() {{\n"
      "  local -a commands\n  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n    _describe command commands\n  else\n"
      "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
      "    case $command in\n{}    esac\n  fi\n}}\n"
      "_rowgate \"$@\"\n",
      commands, cases);
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# fish completion for rowgate\n";
  for (const CLI::App* sub : app.get_subcommands({})) {
    text += fmt::format("complete -c rowgate -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        sub->get_name(), in_quotes(sub->get_description()));
    for (const CLI::Option* option : sub->get_options()) {
      std::string names;
      for (const std::string& name : option->get_snames()) names += " -s " + name;
      for (const std::string& name : option->get_lnames()) names += " -l " + name;
      if (names.empty()) continue;
      const std::vector<std::string> allowed = choices(*option);
      std::string value = takes_value(*option) ? " -r" : "";
      if (!allowed.empty()) value += fmt::format(" -f -a '{}'", base::join(allowed, " "));
      text += fmt::format("complete -c rowgate -n '__fish_seen_subcommand_from {}'{}{} -d '{}'\n",
                          sub->get_name(), names, value, in_quotes(option->get_description()));
    }
  }
  return text;
}

class Generate final : public Command {
 public:
  explicit Generate(CLI::App& app) {
    app.add_option("what", what_, "What to write")
        ->required()
        ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session&) override {
    const DeclaredProgram program = declare_program();
    const CLI::App& app = *program.app;
    std::string text;
    if (what_ == "man") text = man_page(app);
    if (what_ == "bash") text = bash_completion(app);
    if (what_ == "zsh") text = zsh_completion(app);
    if (what_ == "fish") text = fish_completion(app);
    ROWGATE_CHECK(write_stdout(text));
    return ExitStatus::clean;
  }

 private:
  CommonOptions common_;
  std::string what_;
};

}  // namespace

std::unique_ptr<Command> declare_generate(CLI::App& app) {
  return std::make_unique<Generate>(app);
}

}  // namespace rowgate::tools
