#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>

#include "base/files.hpp"
#include "tools/commands.hpp"
#include "tools/gate.hpp"
#include "tools/locked.hpp"
#include "tools/repositories.hpp"

namespace rowgate::tools {
namespace {

class Lock final : public Command {
 public:
  explicit Lock(CLI::App& app) {
    app.add_option("connectors", arguments_,
                   "What `rowgate audit` takes (default: rowgate.toml's connectors)")
        ->type_name("JAR|DIR|G:A:V|FILE");
    app.add_option("--lock-file", lock_file_,
                   "The file to write (default: rowgate.lock beside rowgate.toml)")
        ->type_name("FILE");
    app.add_flag("--check", check_, "Write nothing; status 1 when the file would change");
    app.add_option("--config", gate_.config, "Configuration instead of the nearest rowgate.toml")
        ->type_name("FILE");
    app.add_flag("--no-config", gate_.no_config, "Read no rowgate.toml");
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    const base::RunContext& context = session.context();
    ROWGATE_TRY(const reports::Config config, load_config(gate_));
    if (repositories_.repositories.empty())
      repositories_.repositories = configured_repositories(config);
    const std::filesystem::path file = lock_path(lock_file_, config);
    ROWGATE_TRY(
        Inputs connectors,
        read_connectors(arguments_.empty() ? configured_connectors(config) : arguments_, std::cin));
    ROWGATE_TRY(Maven maven, open_maven(session, repositories_, connectors.repositories));
    ROWGATE_CHECK(add_projects(connectors, maven.builder, context));
    if (!connectors.problems.empty())
      return fail(ErrorCode::malformed, "cannot be locked", connectors.problems.front(), {},
                  "name the connector's version where it is said, or give it as g:a:v");
    ROWGATE_TRY(const std::vector<Input> inputs, without_folders(std::move(connectors.items)));
    const std::vector<AcquiredInput> acquired = acquire(inputs, maven.repositories.get(), context);
    for (const AcquiredInput& input : acquired)
      if (input.finding)
        return fail(input.finding->check_id == "RG2001" ? ErrorCode::not_found : ErrorCode::network,
                    input.finding->message, input.label(), {}, input.finding->help);
    ROWGATE_TRY(const std::vector<reports::LockEntry> entries,
                lock_entries(acquired, maven.repositories.get(), file, context));
    return settle(session, file, entries, acquired);
  }

 private:
  Result<ExitStatus> settle(Session& session, const std::filesystem::path& file,
                            const std::vector<reports::LockEntry>& entries,
                            const std::vector<AcquiredInput>& acquired) const {
    const std::string text = reports::write_lock(entries);
    const Result<std::string> before = base::read_file(file);
    const bool current = before && *before == text;
    if (!check_ && !current) ROWGATE_CHECK(base::write_file_atomically(file, text));

    base::Report report;
    report.command = "lock";
    report.title = "Connectors and their checksums";
    report.inputs = {{"lock file", file.string()}};
    report.summary.push_back(
        {file.string(),
         current  ? "is current"
         : check_ ? "would change"
         : before ? "changed"
                  : "written",
         fmt::format("{} connector{}", entries.size(), entries.size() == 1 ? "" : "s"),
         current || !check_ ? base::Tone::good : base::Tone::bad});
    base::Table table{"locked", "Locked", {{"connector"}, {"sha256"}, {"from"}}, {}, {}};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::string origin = "file";
      for (const AcquiredInput& input : acquired)
        if (!input.input.is_path() && input.input.coordinate().to_string() == entries[i].artifact)
          origin = input.origin;
      table.rows.push_back(
          {{entries[i].name()}, {entries[i].sha256.substr(0, 16) + "…"}, {origin}});
    }
    report.tables.push_back(std::move(table));
    ROWGATE_CHECK(session.deliver(std::move(report)));
    return check_ && !current ? ExitStatus::gate_failed : ExitStatus::clean;
  }

  CommonOptions common_;
  GateOptions gate_;
  RepositoryOptions repositories_;
  std::vector<std::string> arguments_;
  std::string lock_file_;
  bool check_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_lock(CLI::App& app) {
  return std::make_unique<Lock>(app);
}

}  // namespace rowgate::tools
