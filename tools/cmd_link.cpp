#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "tools/acquire.hpp"
#include "tools/commands.hpp"
#include "tools/gate.hpp"
#include "tools/inputs.hpp"
#include "tools/kept_report.hpp"
#include "tools/link_section.hpp"
#include "tools/repositories.hpp"

namespace rowgate::tools {
namespace {

// The Sparks that the user asks about: versions, ranges (their releases in the repositories), and
// folders.
Result<std::vector<SparkTarget>> parse_targets(const std::vector<std::string>& texts,
                                               pomcheck::ModelBuilder& builder,
                                               const base::RunContext& context) {
  std::vector<SparkTarget> targets;
  for (const std::string& text : texts) {
    if (text.find("..") == std::string::npos || std::filesystem::exists(text)) {
      ROWGATE_TRY(SparkTarget target, parse_spark_target(text));
      targets.push_back(std::move(target));
      continue;
    }
    ROWGATE_TRY(const pomcheck::SparkRange range, pomcheck::parse_spark_range(text));
    const std::size_t before = targets.size();
    for (pomcheck::SparkVersion& version : spark_releases(builder, "2.13", context))
      if (version >= range.first && version <= range.last)
        targets.push_back({version.text, version, std::nullopt});
    if (targets.size() == before)
      return fail(ErrorCode::not_found, "no release in this range is in the repositories", text, {},
                  "give single versions, or folders of jars: --spark DIR");
  }
  return targets;
}

class Link final : public Command {
 public:
  explicit Link(CLI::App& app) {
    app.add_option("connectors", arguments_,
                   "Jars, folders of jars that go together, coordinates g:a:v, or - for a list")
        ->required()
        ->type_name("JAR|DIR|G:A:V");
    app.add_option("-s,--spark", spark_,
                   "The Spark to link against (repeatable): a version, a range 4.1.0..4.2.0, "
                   "SPARK_HOME or the folder of its jars")
        ->required()
        ->type_name("VERSION|RANGE|DIR");
    app.add_option("--baseline", baseline_,
                   "The Spark that it was built against (default: as its POM says), or none")
        ->type_name("VERSION|DIR|none");
    app.add_option("--class-loading", loading_,
                   "parent-first (--jars), child-first (userClassPathFirst) or one-loader "
                   "(extraClassPath)")
        ->check(CLI::IsMember({"parent-first", "child-first", "one-loader"}));
    app.add_option("--entry", entries_,
                   "A class that the configuration names: spark.sql.extensions, "
                   "spark.sql.catalog.* (repeatable)")
        ->delimiter(',')
        ->type_name("CLASS");
    app.add_option("--java", java_, "The Java that Spark will run on (default: 17)")
        ->check(CLI::Range(8U, 99U));
    app.add_option("--jdk-home", jdk_, "The JDK whose classes to use (default: the one found)")
        ->type_name("DIR");
    app.add_option("--why", why_, "Show how a symbol is reached: each step from an entry point")
        ->type_name("SYMBOL");
    add_recompute_option(app, recompute_);
    add_gate_options(app, gate_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    const base::RunContext& context = session.context();
    ROWGATE_TRY(Inputs given, read_connectors(arguments_, std::cin));
    ROWGATE_TRY(Maven maven,
                open_maven(session, repositories_, given.repositories, {std::to_string(java_)}));
    ROWGATE_CHECK(add_projects(given, maven.builder, context));
    for (const std::string& problem : given.problems) context.warn(problem);
    ROWGATE_TRY(const std::vector<SparkTarget> targets,
                parse_targets(spark_, maven.builder, context));
    LinkSettings linking = settings(session);
    linking.entry_classes.insert(linking.entry_classes.end(), given.entry_classes.begin(),
                                 given.entry_classes.end());
    const KeptReport kept(cache_folder(session, repositories_),
                          key(given, targets, maven, linking));
    // What a project's pom.xml says depends on files around it, which nobody lists.
    const bool may_keep = given.projects.empty() && !recompute_;
    std::optional<base::Report> report;
    if (may_keep) report = kept.find(*maven.repositories, context);
    if (!report) {
      ROWGATE_TRY(report, examine(given, targets, maven, std::move(linking), context));
      if (may_keep && is_complete(*report)) kept.keep(*report, *maven.repositories, context);
    }
    std::vector<std::string> versions;
    for (const SparkTarget& target : targets)
      if (target.version) versions.push_back(target.version->text);
    ROWGATE_TRY(const ExitStatus status, apply_gate(session, *report, gate_, versions));
    const bool complete = is_complete(*report);
    ROWGATE_CHECK(session.deliver(std::move(*report)));
    return complete ? status : ExitStatus::incomplete;
  }

 private:
  // Everything that the report depends on, but for what the repositories answer.
  RunKey key(const Inputs& connectors, const std::vector<SparkTarget>& targets, const Maven& maven,
             const LinkSettings& linking) const {
    RunKey key("link");
    for (const SparkTarget& target : targets) {
      key.add("target", target.to_string());
      if (target.jars) key.add_path(*target.jars);
    }
    key.add(connectors);
    key.add(maven);
    key.add(linking);
    // The baseline may be a folder.
    if (!linking.baseline.empty()) key.add_path(linking.baseline);
    key.add("why", why_);
    return key;
  }

  // Whether all that was asked for was looked at.
  static bool is_complete(const base::Report& report) {
    return std::all_of(report.coverage.begin(), report.coverage.end(),
                       [](const auto& coverage) { return coverage.skipped == 0; });
  }

  Result<base::Report> examine(const Inputs& given, const std::vector<SparkTarget>& targets,
                               Maven& maven, LinkSettings linking,
                               const base::RunContext& context) const {
    const std::vector<AcquiredInput> acquired =
        acquire(given.items, maven.repositories.get(), context);
    Linker linker(std::move(linking), &maven.builder, context);
    base::Report report;
    report.command = "link";
    report.title = "Will these connectors link?";
    report.inputs = {{"repositories", maven.repositories->id()},
                     {"Java classes", linker.jdk_text()}};
    base::Coverage coverage{"connectors"};
    std::vector<LinkedConnector> connectors;
    const auto add = [&](LinkedConnector linked) {
      for (std::size_t i = 0; i < targets.size(); ++i)
        report.summary.push_back(summary_of(linked, i, targets.size()));
      report.findings.insert(report.findings.end(), linked.findings.begin(), linked.findings.end());
      connectors.push_back(std::move(linked));
    };
    for (const AcquiredInput& input : acquired) {
      ++(input.path ? coverage.done : coverage.skipped);
      if (input.finding) report.findings.push_back(*input.finding);
      if (!input.path) continue;
      std::optional<pomcheck::BuiltAgainst> built;
      if (!input.input.is_path() && targets.front().version) {
        const pomcheck::Coordinate& coordinate = input.input.coordinate();
        built = pomcheck::built_against(coordinate, maven.builder.build(coordinate, context));
      }
      ROWGATE_TRY(LinkedConnector linked, linker.link(input, built ? &*built : nullptr, targets));
      add(std::move(linked));
    }
    if (connectors.size() > 1) {
      ROWGATE_TRY(auto together, linker.link_together(acquired, connectors, targets));
      if (together) add(std::move(*together));
    }
    report.findings.insert(report.findings.end(), linker.findings().begin(),
                           linker.findings().end());
    report.tables.push_back(link_matrix(connectors, targets));
    if (!why_.empty()) report.tables.push_back(paths_to(connectors));
    report.coverage.push_back(coverage);
    if (auto saved = linker.save_indexes(); !saved) context.warn(saved.error().to_string());
    return report;
  }

  LinkSettings settings(const Session& session) const {
    LinkSettings settings = default_link_settings(session, repositories_);
    if (!jdk_.empty()) settings.jdk = jdk_;
    if (loading_ == "child-first") settings.order = jarscan::LoadingOrder::child_first;
    if (loading_ == "one-loader") settings.order = jarscan::LoadingOrder::one_loader;
    settings.entry_classes = entries_;
    settings.java_release = java_;
    settings.baseline = baseline_;
    return settings;
  }

  static base::SummaryLine summary_of(const LinkedConnector& linked, std::size_t i,
                                      std::size_t targets) {
    const jarscan::LinkResult& result = linked.results[i];
    std::string text = fmt::format("{} on Spark {}", jarscan::verdict_text(result), result.target);
    if (targets == 1) text += fmt::format("; compared with {}", linked.baseline);
    return {linked.label, jarscan::to_string(result.verdict), std::move(text),
            tone_of(result.verdict)};
  }

  base::Table paths_to(const std::vector<LinkedConnector>& connectors) const {
    base::Table table;
    table.id = "why";
    table.title = fmt::format("How {} is reached", why_);
    table.columns = {{"connector"}, {"Spark"}, {"symbol"}, {"step"}};
    for (const LinkedConnector& connector : connectors)
      for (const jarscan::LinkResult& result : connector.results)
        for (const jarscan::LinkCause& cause : result.causes)
          if (cause.symbol.find(why_) != std::string::npos ||
              base::matches_glob(why_, cause.symbol))
            for (const std::string& step : cause.path)
              table.rows.push_back({{connector.label}, {result.target}, {cause.symbol}, {step}});
    if (table.rows.empty())
      table.notes.push_back("no break of that name is reached from an entry point");
    return table;
  }

  CommonOptions common_;
  GateOptions gate_;
  RepositoryOptions repositories_;
  std::vector<std::string> arguments_, spark_, entries_;
  std::string baseline_, loading_ = "parent-first", jdk_, why_;
  unsigned java_ = 17;
  bool recompute_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_link(CLI::App& app) {
  return std::make_unique<Link>(app);
}

}  // namespace rowgate::tools
