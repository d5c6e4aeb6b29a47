#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "tools/commands.hpp"

namespace rowgate::tools {
namespace {

std::string explain(const base::Check& check) {
  std::string text = fmt::format("{}  {}  ({})\n\n{}\n\nWhat to do: {}\n", check.id, check.title,
                                 base::to_string(check.severity), check.meaning, check.remedy);
  if (!check.reference.empty()) text += fmt::format("Rests on: {}\n", check.reference);
  return text;
}

class Explain final : public Command {
 public:
  explicit Explain(CLI::App& app) {
    app.add_option("check", ids_, "Check ids, e.g. RG1101")->type_name("ID");
    app.add_flag("--list", list_, "List every check");
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session&) override {
    if (list_ == ids_.empty()) {
      std::string text;
      if (list_)
        for (const base::Check& check : base::check_catalogue())
          text += fmt::format("{}  {:<11}  {}\n", check.id, base::to_string(check.severity),
                              check.title);
      for (const std::string& id : ids_) {
        ROWGATE_TRY(const base::Check* check, find(id));
        if (!text.empty()) text += "\n";
        text += explain(*check);
      }
      ROWGATE_CHECK(write_stdout(text));
      return ExitStatus::clean;
    }
    return fail(ErrorCode::usage, "takes either check ids or --list", "rowgate explain", {},
                "try `rowgate explain RG1101` or `rowgate explain --list`");
  }

 private:
  static Result<const base::Check*> find(const std::string& id) {
    for (const base::Check& check : base::check_catalogue())
      if (base::equals_ignoring_case(check.id, id)) return &check;
    return fail(ErrorCode::usage, "there is no such check", id, {},
                "`rowgate explain --list` shows all of them");
  }

  CommonOptions common_;
  std::vector<std::string> ids_;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_explain(CLI::App& app) {
  return std::make_unique<Explain>(app);
}

}  // namespace rowgate::tools
