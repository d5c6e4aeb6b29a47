// Makes engines ready, so that replay and prove need no network later.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>

#include "harness/setup_spark.hpp"
#include "harness/spark_spec.hpp"
#include "tools/commands.hpp"
#include "tools/engines.hpp"

namespace rowgate::tools {
namespace {

class Setup final : public Command {
 public:
  explicit Setup(CLI::App& app) {
    app.add_option("targets", targets_,
                   "What to make ready: embedded, spark:VERSION[/CONNECTOR…] (a Python environment "
                   "of 0.9 GB, and the connectors' jars)")
        ->required()
        ->type_name("TARGET");
    app.add_option("--pyspark", requirement_,
                   "What pip installs instead of pyspark==VERSION: a wheel or an sdist")
        ->type_name("FILE");
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  // Prints where each thing is, one path a line, for scripts.
  Result<ExitStatus> run(Session& session) override {
    for (const std::string& target : targets_) {
      ROWGATE_TRY(const std::vector<std::filesystem::path> paths, make_ready(session, target));
      for (const std::filesystem::path& path : paths)
        ROWGATE_CHECK(write_stdout(path.string() + "\n"));
    }
    return ExitStatus::clean;
  }

 private:
  // The embedded engine's library; or a Spark's Python interpreter, and then its connectors' jars.
  Result<std::vector<std::filesystem::path>> make_ready(Session& session,
                                                        const std::string& target) {
    if (target == "embedded") {
      ROWGATE_TRY(std::filesystem::path library, embedded_library(session, repositories_, {}));
      return std::vector{std::move(library)};
    }
    if (!target.starts_with("spark:"))
      return fail(ErrorCode::usage, "there is no such target", target, {},
                  "give embedded or spark:VERSION[/CONNECTOR…], such as spark:4.1.3/delta:4.4.0");
    ROWGATE_TRY(const harness::SparkSpec spec, harness::parse_spark_spec(target));
    // Before pip works for minutes: a connector may be misspelt.
    ROWGATE_CHECK(fetch_connectors(session, repositories_, spec));
    harness::SetupOptions options;
    options.version = spec.version;
    options.cache = cache_folder(session, repositories_);
    options.host = session.environment().variables;
    options.requirement = requirement_;
    ROWGATE_TRY(const harness::SparkInstallation installation,
                harness::setup_spark(options, session.context()));
    ROWGATE_TRY(const auto jars, connector_jars(session, repositories_, spec, installation));
    std::vector<std::filesystem::path> paths{installation.python};
    paths.insert(paths.end(), jars.begin(), jars.end());
    return paths;
  }

  CommonOptions common_;
  RepositoryOptions repositories_;
  std::vector<std::string> targets_;
  std::string requirement_;
};

}  // namespace

std::unique_ptr<Command> declare_setup(CLI::App& app) {
  return std::make_unique<Setup>(app);
}

}  // namespace rowgate::tools
