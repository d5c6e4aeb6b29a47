// All of it as one gate: for each connector what it was built against, whether there is a build for
// the target, whether it links, what it can be to Spark, and one line that sums it up.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "tools/acquire.hpp"
#include "tools/commands.hpp"
#include "tools/gate.hpp"
#include "tools/inputs.hpp"
#include "tools/kept_report.hpp"
#include "tools/link_section.hpp"
#include "tools/locked.hpp"
#include "tools/pom_section.hpp"
#include "tools/repositories.hpp"
#include "tools/scan_section.hpp"
#include "tools/spark_classpath.hpp"

namespace rowgate::tools {
namespace {

constexpr const char* kConnectors = "connectors";  // of a coverage

// What is known about one connector when all parts have been asked.
struct Dossier {
  std::string label;
  const pomcheck::PomVerdict* pom = nullptr;      // nullptr: a file, which has no POM
  const jarscan::JarCapabilities* jar = nullptr;  // nullptr: the jar could not be had
  const LinkedConnector* linked = nullptr;        // nullptr: it was not asked, or could not be
};

// The builds for the target that a repository has, then those it lacks.
std::string build_for_target(const pomcheck::PomVerdict& pom, const SparkTarget& target) {
  std::vector<std::string> present, absent, unknown;
  for (const pomcheck::SiblingFact& fact : pom.siblings) {
    if (fact.presence == pomcheck::Presence::present)
      present.push_back(fact.artifact.to_string());
    else
      (fact.presence == pomcheck::Presence::absent ? absent : unknown).push_back(describe(fact));
  }
  const std::string line = target.version->line.to_string();
  if (!present.empty()) return fmt::format("for {}: {}", line, present.front());
  if (!unknown.empty()) return fmt::format("cannot tell: {}", unknown.front());
  if (!absent.empty()) return fmt::format("no build for {} ({})", line, absent.front());
  return "";
}

// What the POM alone lets one expect.
base::SummaryLine expect(const Dossier& dossier) {
  base::SummaryLine line{dossier.label, "undecidable", "", base::Tone::unknown};
  if (dossier.pom == nullptr) return line;
  line.tone = tone_of(dossier.pom->tier);
  switch (dossier.pom->tier) {
    case pomcheck::Tier::same_patch: line.verdict = "built for it"; break;
    case pomcheck::Tier::same_minor: line.verdict = "probably works"; break;
    case pomcheck::Tier::other_minor: line.verdict = "likely breaks"; break;
    case pomcheck::Tier::other_vendor: line.verdict = "another vendor's Spark"; break;
    case pomcheck::Tier::unknown: line.verdict = "undecidable"; break;
  }
  return line;
}

base::SummaryLine sum_up(const Dossier& dossier, const SparkTarget& target) {
  base::SummaryLine line = expect(dossier);
  std::vector<std::string> sentences;
  if (dossier.linked != nullptr) {
    // Class files know better than POMs.
    const jarscan::LinkResult& result = dossier.linked->results.front();
    line.verdict = jarscan::to_string(result.verdict);
    line.tone = tone_of(result.verdict);
    sentences.push_back(jarscan::verdict_text(result));
  }
  if (dossier.pom != nullptr) {
    sentences.push_back(dossier.pom->summary);
    if (const std::string build = build_for_target(*dossier.pom, target); !build.empty())
      sentences.push_back(build);
  } else {
    sentences.emplace_back("a jar does not say what it was built against");
  }
  sentences.push_back(
      dossier.jar == nullptr
          ? "its jar could not be read"
          : fmt::format("Auto CDC: {}", jarscan::to_string(dossier.jar->gate.outcome)));
  line.text = base::join(sentences, "; ");
  return line;
}

class Audit final : public Command {
 public:
  explicit Audit(CLI::App& app) {
    app.add_option("connectors", arguments_,
                   "Jars, folders, coordinates g:a:v, a --packages string, a spark-submit command "
                   "line, spark-defaults.conf, a build file, or - for a list "
                   "(default: rowgate.toml's)")
        ->type_name("JAR|DIR|G:A:V|FILE");
    app.add_option("-s,--spark", spark_,
                   "The Spark to upgrade to: a version or a folder of jars "
                   "(default: rowgate.toml's target)")
        ->type_name("VERSION|DIR");
    app.add_flag("--link,!--no-link", link_,
                 "Ask the class files too (fetches both Sparks once, about 400 MB each)");
    app.add_option(
           "--require", required_,
           "What the connectors must be able to do: auto-cdc (its refusal is an error then, "
           "else a warning)")
        ->check(CLI::IsMember({"auto-cdc"}));
    app.add_flag("--locked", locked_,
                 "Take exactly what rowgate.lock holds; anything else is an error");
    app.add_option("--lock-file", lock_file_,
                   "The lock file (default: rowgate.lock beside rowgate.toml)")
        ->type_name("FILE");
    add_recompute_option(app, recompute_);
    add_gate_options(app, gate_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    const base::RunContext& context = session.context();
    ROWGATE_CHECK(take_configuration());
    ROWGATE_TRY(Inputs connectors, given_connectors());
    ROWGATE_TRY(const SparkTarget target, parse_spark_target(spark_));
    if (!target.version)
      return fail(ErrorCode::usage, "does not say which version of Spark it is", spark_, {},
                  "name its spark-core jar as Spark does, or give the version");
    ROWGATE_TRY(Maven maven, open_maven(session, repositories_, connectors.repositories));
    // What a project's pom.xml says depends on files around it, which nobody lists.
    const bool may_keep = connectors.projects.empty() && !recompute_;
    ROWGATE_CHECK(add_projects(connectors, maven.builder, context));
    if (locked_) ROWGATE_CHECK(hold_to_lock(connectors));

    LinkSettings linking = default_link_settings(session, repositories_);
    linking.entry_classes = connectors.entry_classes;
    const KeptReport kept(cache_folder(session, repositories_),
                          key(connectors, target, maven, linking));
    std::optional<base::Report> report;
    if (may_keep) report = kept.find(*maven.repositories, context);
    if (!report) {
      ROWGATE_TRY(report, examine(connectors, target, maven, std::move(linking), context));
      if (may_keep && is_complete(*report)) kept.keep(*report, *maven.repositories, context);
    }
    ROWGATE_TRY(const ExitStatus status, apply_gate(session, *report, gate_, {target.version->text},
                                                    reports::UnusedIgnores::warned));
    const bool complete = is_complete(*report);
    ROWGATE_CHECK(session.deliver(std::move(*report)));
    return complete ? status : ExitStatus::incomplete;
  }

 private:
  // Everything that the report depends on, but for what the repositories answer.
  RunKey key(const Inputs& connectors, const SparkTarget& target, const Maven& maven,
             const LinkSettings& linking) const {
    RunKey key("audit");
    key.add("target", target.to_string());
    if (target.jars) key.add_path(*target.jars);
    key.add(connectors);
    key.add(maven);
    key.add("link", link_ ? "yes" : "no");
    if (link_) key.add(linking);
    key.add("require", required_);
    key.add("locked by", locked_ ? lock_.file : "");
    if (locked_) key.add_path(lock_.file);
    return key;
  }

  // Whether all that was asked for was looked at.
  static bool is_complete(const base::Report& report) {
    return std::all_of(report.coverage.begin(), report.coverage.end(), [](const auto& coverage) {
      return coverage.skipped == 0 || (coverage.what != kConnectors && coverage.what != "jars");
    });
  }

  Result<base::Report> examine(const Inputs& connectors, const SparkTarget& target, Maven& maven,
                               LinkSettings linking, const base::RunContext& context) const {
    pomcheck::ModelBuilder& builder = maven.builder;
    base::Report report;
    report.command = "audit";
    report.title = fmt::format("Connectors on {}", target.to_string());
    report.inputs = {{"target", target.to_string()},
                     {"repositories", maven.repositories->id()},
                     {"POM profiles assume", maven.assumptions}};

    const std::vector<AcquiredInput> acquired =
        acquire(connectors.items, maven.repositories.get(), context);
    if (locked_) {
      ROWGATE_CHECK(check_contents(acquired, maven.repositories.get(), lock_, context));
      report.inputs.emplace_back("locked by", lock_.file);
    }
    std::vector<pomcheck::Coordinate> coordinates;
    base::Coverage coverage{kConnectors};
    for (const AcquiredInput& input : acquired) {
      ++(input.path ? coverage.done : coverage.skipped);
      if (input.finding) report.findings.push_back(*input.finding);
      if (!input.input.is_path()) coordinates.push_back(input.input.coordinate());
    }
    const std::vector<pomcheck::PomVerdict> poms =
        pomcheck::check_poms(builder, coordinates, *target.version, context);
    ROWGATE_TRY(const SparkJars spark,
                spark_jars(target, SparkParts::own_modules, &builder, context));
    ROWGATE_TRY(const jarscan::ScanResult scan, scan_acquired(acquired, context));
    const jarscan::ClassIndex index = index_jars(spark.jars, report.findings, context);
    const jarscan::CapabilityReport capabilities = jarscan::analyse_capabilities(scan, index);

    std::vector<LinkedConnector> linked;
    if (link_) {
      Linker linker(std::move(linking), &builder, context);
      report.inputs.emplace_back("Java classes", linker.jdk_text());
      ROWGATE_TRY(linked, link_all(acquired, poms, target, linker));
      report.tables.push_back(link_matrix(linked, {target}));
      report.findings.insert(report.findings.end(), linker.findings().begin(),
                             linker.findings().end());
      for (const LinkedConnector& connector : linked)
        report.findings.insert(report.findings.end(), connector.findings.begin(),
                               connector.findings.end());
      if (auto saved = linker.save_indexes(); !saved) context.warn(saved.error().to_string());
    }
    for (const std::string& problem : connectors.problems) {
      report.findings.push_back(base::make_finding("RG2003", problem, "left out of the audit"));
      ++coverage.skipped;
    }
    for (const Dossier& dossier : dossiers(acquired, poms, capabilities, linked))
      report.summary.push_back(sum_up(dossier, target));
    for (base::Table& table :
         std::vector<base::Table>{built_against_table(poms), sibling_table(poms, *target.version),
                                  gate_table(capabilities), capability_table(capabilities)})
      report.tables.push_back(std::move(table));
    report.tables.back().detail = true;
    std::erase_if(report.tables, [](const base::Table& table) { return table.rows.empty(); });
    for (const auto* findings : {&spark.findings, &scan.findings, &capabilities.findings})
      report.findings.insert(report.findings.end(), findings->begin(), findings->end());
    for (const pomcheck::PomVerdict& pom : poms)
      report.findings.insert(report.findings.end(), pom.findings.begin(), pom.findings.end());
    if (required_.empty()) lower_gate_refusals(report.findings);
    report.coverage.push_back(coverage);
    for (base::Coverage& more : scan_coverage(scan)) report.coverage.push_back(std::move(more));
    return report;
  }

  // rowgate.toml stands in for what the command line leaves out.
  Result<void> take_configuration() {
    ROWGATE_TRY(const reports::Config config, load_config(gate_));
    from_configuration_ = arguments_.empty();
    if (from_configuration_) arguments_ = configured_connectors(config);
    if (spark_.empty() && config.target) spark_ = from_config_folder(config, *config.target);
    if (locked_) {
      ROWGATE_TRY(lock_, load_lock(lock_path(lock_file_, config)));
    }
    if (repositories_.repositories.empty())
      repositories_.repositories = configured_repositories(config);
    if (spark_.empty())
      return fail(ErrorCode::usage, "no target Spark is given", "rowgate audit", {},
                  "give --spark 4.2.0, or a target in rowgate.toml");
    return {};
  }

  // With --locked and nothing else the lock says what there is.
  Result<Inputs> given_connectors() const {
    if (!locked_ || !arguments_.empty()) return read_connectors(arguments_, std::cin);
    Inputs inputs;
    ROWGATE_TRY(inputs.items, locked_inputs(lock_));
    return inputs;
  }

  Result<void> hold_to_lock(Inputs& connectors) const {
    ROWGATE_TRY(connectors.items, without_folders(std::move(connectors.items)));
    return check_scope(connectors.items, lock_,
                       from_configuration_ ? LockScope::whole : LockScope::part);
  }

  static Result<std::vector<LinkedConnector>> link_all(
      const std::vector<AcquiredInput>& acquired, const std::vector<pomcheck::PomVerdict>& poms,
      const SparkTarget& target, Linker& linker) {
    std::vector<LinkedConnector> linked;
    std::size_t next_pom = 0;  // verdicts stand in the order of the coordinates
    for (const AcquiredInput& input : acquired) {
      const pomcheck::BuiltAgainst* built =
          input.input.is_path() ? nullptr : &poms[next_pom++].built;
      if (!input.path) continue;
      ROWGATE_TRY(LinkedConnector connector, linker.link(input, built, {target}));
      linked.push_back(std::move(connector));
    }
    return linked;
  }

  // Who upgrades Spark need not use Auto CDC: its refusal breaks nothing that works today.
  static void lower_gate_refusals(std::vector<base::Finding>& findings) {
    for (base::Finding& finding : findings) {
      if (finding.check_id != "RG1101") continue;
      finding.severity = base::Severity::warning;
      finding.evidence.emplace_back(
          "a warning, because pipelines without Auto CDC are not concerned; `--require auto-cdc` "
          "makes it an error");
    }
  }

  // One a connector; a folder gives one a jar in it.
  static std::vector<Dossier> dossiers(const std::vector<AcquiredInput>& acquired,
                                       const std::vector<pomcheck::PomVerdict>& poms,
                                       const jarscan::CapabilityReport& capabilities,
                                       const std::vector<LinkedConnector>& linked) {
    std::map<std::string, Dossier> by_label;
    std::vector<std::string> order;
    const auto at = [&](const std::string& label) -> Dossier& {
      const auto [found, added] = by_label.try_emplace(label);
      if (added) {
        order.push_back(label);
        found->second.label = label;
      }
      return found->second;
    };
    for (const AcquiredInput& input : acquired)
      if (!input.input.is_path() || !input.path) at(input.label());
    for (const pomcheck::PomVerdict& pom : poms) at(pom.connector.to_string()).pom = &pom;
    for (const jarscan::JarCapabilities& jar : capabilities.jars)
      if (jar.jar.find("!/") == std::string::npos) at(jar.jar).jar = &jar;  // not nested ones
    for (const LinkedConnector& connector : linked) at(connector.label).linked = &connector;
    std::vector<Dossier> all;
    for (const std::string& label : order) all.push_back(by_label.at(label));
    return all;
  }

  CommonOptions common_;
  GateOptions gate_;
  RepositoryOptions repositories_;
  std::vector<std::string> arguments_;
  std::string spark_, required_, lock_file_;
  reports::LockFile lock_;
  bool link_ = true, locked_ = false, recompute_ = false;
  bool from_configuration_ = false;  // the connectors are
};

}  // namespace

std::unique_ptr<Command> declare_audit(CLI::App& app) {
  return std::make_unique<Audit>(app);
}

}  // namespace rowgate::tools
