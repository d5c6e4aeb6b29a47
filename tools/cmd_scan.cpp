#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "tools/acquire.hpp"
#include "tools/commands.hpp"
#include "tools/gate.hpp"
#include "tools/inputs.hpp"
#include "tools/repositories.hpp"
#include "tools/scan_section.hpp"
#include "tools/spark_classpath.hpp"

namespace rowgate::tools {
namespace {

class Scan final : public Command {
 public:
  explicit Scan(CLI::App& app) {
    app.add_option("inputs", arguments_, "Jars, folders, globs, coordinates g:a:v, or - for a list")
        ->required()
        ->type_name("JAR|DIR|G:A:V");
    app.add_option("-s,--spark", spark_,
                   "The Spark whose jars hold the connectors' supertypes: a version or a folder")
        ->type_name("VERSION|DIR");
    app.add_option("--class-path", class_path_, "Further jars that hold supertypes (repeatable)")
        ->type_name("JAR|DIR");
    add_gate_options(app, gate_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    const base::RunContext& context = session.context();
    ROWGATE_TRY(const std::vector<Input> inputs, read_inputs(arguments_, std::cin));
    std::optional<SparkTarget> spark;
    if (!spark_.empty()) {
      ROWGATE_TRY(spark, parse_spark_target(spark_));
    }
    const bool needs_maven =
        (spark && !spark->jars) ||
        std::any_of(inputs.begin(), inputs.end(), [](const Input& i) { return !i.is_path(); });
    std::optional<Maven> maven;
    if (needs_maven) {
      ROWGATE_TRY(Maven opened, open_maven(session, repositories_));
      maven.emplace(std::move(opened));
    }

    base::Report report;
    report.command = "scan";
    report.title = "What these connectors can be to Spark";
    base::Coverage coverage{"inputs"};
    const std::vector<AcquiredInput> acquired =
        acquire(inputs, maven ? maven->repositories.get() : nullptr, context);
    for (const AcquiredInput& input : acquired) {
      ++(input.path ? coverage.done : coverage.skipped);
      if (input.finding) report.findings.push_back(*input.finding);
    }
    std::vector<std::filesystem::path> class_path;
    for (const std::string& entry : class_path_) {
      std::error_code ignored;
      if (!std::filesystem::is_directory(entry, ignored)) {
        class_path.emplace_back(entry);
        continue;
      }
      ROWGATE_TRY(const auto jars, base::list_files(entry, ".jar"));
      class_path.insert(class_path.end(), jars.begin(), jars.end());
    }
    if (spark) {
      ROWGATE_TRY(const SparkJars jars, spark_jars(*spark, SparkParts::own_modules,
                                                   maven ? &maven->builder : nullptr, context));
      class_path.insert(class_path.end(), jars.jars.begin(), jars.jars.end());
      report.findings.insert(report.findings.end(), jars.findings.begin(), jars.findings.end());
      report.inputs.emplace_back("supertypes from", spark->to_string());
    } else if (class_path.empty()) {
      report.inputs.emplace_back("supertypes from",
                                 "the connectors alone; --spark adds Spark's own jars");
    }
    ROWGATE_TRY(const jarscan::ScanResult scan, scan_acquired(acquired, context));
    const jarscan::ClassIndex index = index_jars(class_path, report.findings, context);
    const jarscan::CapabilityReport capabilities = jarscan::analyse_capabilities(scan, index);

    for (const jarscan::JarCapabilities& jar : capabilities.jars)
      report.summary.push_back(gate_summary(jar.jar, jar.gate));
    report.tables = {capability_table(capabilities), jar_table(scan),
                     implementor_table(capabilities)};
    for (const auto* findings : {&scan.findings, &capabilities.findings})
      report.findings.insert(report.findings.end(), findings->begin(), findings->end());
    report.coverage.push_back(coverage);
    for (base::Coverage& more : scan_coverage(scan)) report.coverage.push_back(std::move(more));

    std::erase_if(report.tables, [](const base::Table& table) { return table.rows.empty(); });

    ROWGATE_TRY(const ExitStatus status, apply_gate(session, report, gate_, {}));
    ROWGATE_CHECK(session.deliver(std::move(report)));
    // An input that could not be read leaves its question open, which is no success.
    const bool open = coverage.skipped > 0 || scan.jars_skipped > 0 || scan.jars.empty();
    return open ? ExitStatus::incomplete : status;
  }

 private:
  CommonOptions common_;
  GateOptions gate_;
  RepositoryOptions repositories_;
  std::vector<std::string> arguments_, class_path_;
  std::string spark_;
};

}  // namespace

std::unique_ptr<Command> declare_scan(CLI::App& app) {
  return std::make_unique<Scan>(app);
}

}  // namespace rowgate::tools
