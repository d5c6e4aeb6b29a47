#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>

#include "base/checks.hpp"
#include "base/files.hpp"
#include "tools/commands.hpp"
#include "tools/gate.hpp"
#include "tools/inputs.hpp"
#include "tools/jar_facts.hpp"
#include "tools/pom_section.hpp"
#include "tools/repositories.hpp"
#include "tools/resolution_section.hpp"
#include "tools/spark_option.hpp"

namespace rowgate::tools {
namespace {

bool was_read(const pomcheck::PomVerdict& verdict) {
  return verdict.built.state != pomcheck::PomState::absent &&
         verdict.built.state != pomcheck::PomState::undecided &&
         verdict.built.state != pomcheck::PomState::malformed;
}

class Pom final : public Command {
 public:
  explicit Pom(CLI::App& app) {
    app.add_option("connectors", arguments_,
                   "Coordinates g:a:v, a --packages string, jars, a folder of jars, a spark-submit "
                   "command line, spark-defaults.conf, a build file, or - for a list")
        ->required()
        ->type_name("G:A:V|JAR|DIR|FILE");
    app.add_option("-s,--spark", spark_,
                   "The Spark to upgrade to: a version or a folder of jars (default: the one that "
                   "a build file names; without one nothing is compared)")
        ->type_name("VERSION|DIR");
    app.add_flag("--tree", tree_, "Show what a build gets with them, as mvn dependency:tree does");
    app.add_option("--why", why_,
                   "Show every way to an artifact, and why it was not taken (repeatable)")
        ->type_name("G:A");
    app.add_option("--fetch", fetch_, "Put the connectors' jars and all they need into a folder")
        ->type_name("DIR");
    app.add_option("--jdk", assumptions_.jdk, "The JDK that POM profiles shall see (default: 17)");
    app.add_option("--os", assumptions_.os, "The operating system that POM profiles shall see")
        ->check(CLI::IsMember({"linux", "mac", "windows"}));
    add_gate_options(app, gate_);
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    const base::RunContext& context = session.context();
    ROWGATE_TRY(Inputs inputs, read_connectors(arguments_, std::cin));
    ROWGATE_TRY(Maven maven, open_maven(session, repositories_, inputs.repositories, assumptions_));
    ROWGATE_CHECK(add_projects(inputs, maven.builder, context));
    base::Report report;
    report.command = "pom";
    base::Coverage coverage{"connectors"};
    ROWGATE_TRY(const std::optional<pomcheck::SparkVersion> target, choose_target(inputs, report));
    report.title = target ? fmt::format("Built against what, for Spark {}", target->text)
                          : std::string("Built against what");
    report.inputs.emplace_back("repositories", maven.repositories->id());
    report.inputs.emplace_back("POM profiles assume", maven.assumptions);

    std::map<std::string, unsigned> java;
    ROWGATE_TRY(const std::vector<pomcheck::PomSubject> subjects,
                subjects_of(inputs, report, coverage, java));
    for (const std::string& problem : inputs.problems) {
      report.findings.push_back(base::make_finding("RG2003", problem, "left out"));
      ++coverage.skipped;
    }
    const std::vector<pomcheck::PomVerdict> verdicts =
        pomcheck::check_poms(maven.builder, subjects, target, context);
    add_verdicts(verdicts, target, java, report, coverage);
    if (tree_ || !why_.empty() || !fetch_.empty())
      ROWGATE_CHECK(add_graph(subjects, maven.builder, report, coverage, context));
    report.coverage.insert(report.coverage.begin(), coverage);
    ROWGATE_TRY(const ExitStatus status,
                apply_gate(session, report, gate_,
                           target ? std::vector{target->text} : std::vector<std::string>{}));
    bool complete = true;
    for (const base::Coverage& part : report.coverage) complete = complete && part.skipped == 0;
    ROWGATE_CHECK(session.deliver(std::move(report)));
    // What could not be had leaves its question open, which is no success.
    return complete ? status : ExitStatus::incomplete;
  }

 private:
  Result<std::optional<pomcheck::SparkVersion>> choose_target(const Inputs& inputs,
                                                              base::Report& report) const {
    if (spark_.empty() && !inputs.spark_version) return std::nullopt;
    ROWGATE_TRY(const SparkTarget target,
                parse_spark_target(spark_.empty() ? *inputs.spark_version : spark_));
    if (!target.version)
      return fail(ErrorCode::usage, "does not say which version of Spark it is", spark_, {},
                  "give the version: --spark 4.2.0");
    report.inputs.emplace_back(
        "target", spark_.empty()
                      ? fmt::format("{} (by {})", target.to_string(), inputs.spark_version_of)
                      : target.to_string());
    return target.version;
  }

  // Coordinates as they are; jars, alone or in folders, by what they say about themselves.
  static Result<std::vector<pomcheck::PomSubject>> subjects_of(
      const Inputs& inputs, base::Report& report, base::Coverage& coverage,
      std::map<std::string, unsigned>& java) {
    std::vector<pomcheck::PomSubject> subjects;
    for (const Input& input : inputs.items) {
      if (!input.is_path()) {
        subjects.push_back({input.coordinate().to_string(), input.coordinate(), std::nullopt});
        continue;
      }
      std::vector<std::filesystem::path> jars{input.path()};
      if (std::filesystem::is_directory(input.path())) {
        ROWGATE_TRY(jars, base::list_files(input.path(), ".jar"));
        if (jars.empty())
          return fail(ErrorCode::usage, "holds no jar", input.text, {},
                      "give the folder that the connectors' jars lie in");
      }
      for (const std::filesystem::path& jar : jars) {
        auto facts = read_jar_facts(jar);
        if (!facts) {
          base::Finding finding = base::make_finding("RG1001", jar.string(), facts.error().message);
          finding.location.file = jar.string();
          finding.location.offset = facts.error().offset;
          report.findings.push_back(std::move(finding));
          ++coverage.skipped;
          continue;
        }
        java[jar.string()] = facts->java;
        const pomcheck::Coordinate coordinate = facts->identity.coordinate;
        subjects.push_back({jar.string(), coordinate, std::move(facts->identity)});
      }
    }
    return subjects;
  }

  static void add_verdicts(const std::vector<pomcheck::PomVerdict>& verdicts,
                           const std::optional<pomcheck::SparkVersion>& target,
                           const std::map<std::string, unsigned>& java, base::Report& report,
                           base::Coverage& coverage) {
    for (const pomcheck::PomVerdict& verdict : verdicts) {
      ++(was_read(verdict) ? coverage.done : coverage.skipped);
      if (target)
        report.summary.push_back({verdict.label, pomcheck::to_string(verdict.tier), verdict.summary,
                                  tone_of(verdict.tier)});
      else
        report.summary.push_back(
            {verdict.label,
             verdict.built.line ? "Spark " + pomcheck::version_text(verdict.built)
                                : std::string("unknown"),
             verdict.summary, verdict.built.line ? base::Tone::plain : base::Tone::unknown});
      report.findings.insert(report.findings.end(), verdict.findings.begin(),
                             verdict.findings.end());
    }
    if (!verdicts.empty())
      report.tables.push_back(
          built_against_table(verdicts, target ? Compared::with_target : Compared::no, java));
    if (!target) return;
    if (base::Table siblings = sibling_table(verdicts, *target); !siblings.rows.empty())
      report.tables.push_back(std::move(siblings));
  }

  // All connectors are resolved together, as one build or one --packages would.
  Result<void> add_graph(const std::vector<pomcheck::PomSubject>& subjects,
                         pomcheck::ModelBuilder& builder, base::Report& report,
                         base::Coverage& coverage, const base::RunContext& context) const {
    std::vector<pomcheck::Coordinate> wanted;
    for (const pomcheck::PomSubject& subject : subjects) {
      if (!subject.connector.group.empty()) {
        wanted.push_back(subject.connector);
        continue;
      }
      report.findings.push_back(base::make_finding(
          "RG2003", subject.label, "its coordinate is unknown, so its dependencies are too"));
      ++coverage.skipped;
    }
    ROWGATE_TRY(const pomcheck::Resolution graph,
                pomcheck::resolve_dependencies(builder, wanted, context));
    base::Coverage poms{"artifacts"};
    std::vector<base::Finding> findings = graph_findings(graph);
    poms.skipped = findings.size();
    poms.done = graph.nodes.size() - 1 - std::min(graph.nodes.size() - 1, findings.size());
    report.coverage.push_back(poms);
    for (base::Finding& finding : findings)
      if (!is_known(report.findings, finding)) report.findings.push_back(std::move(finding));
    if (tree_) {
      report.tables.push_back(tree_table(graph));
      if (base::Table left_out = left_out_table(graph); !left_out.rows.empty())
        report.tables.push_back(std::move(left_out));
    }
    for (const std::string& artifact : why_) {
      ROWGATE_TRY(base::Table why, why_table(graph, artifact));
      report.tables.push_back(std::move(why));
    }
    if (fetch_.empty()) return {};
    ROWGATE_TRY(FetchedJars fetched, fetch_jars(builder, graph, fetch_, context));
    for (base::Finding& finding : fetched.findings)
      if (!is_known(report.findings, finding)) report.findings.push_back(std::move(finding));
    report.coverage.push_back({"jars", fetched.written, fetched.missing});
    report.tables.push_back(std::move(fetched.table));
    return {};
  }

  // A connector's own missing POM is said once.
  static bool is_known(const std::vector<base::Finding>& findings, const base::Finding& finding) {
    return std::any_of(findings.begin(), findings.end(), [&](const base::Finding& known) {
      return known.check_id == finding.check_id && known.subject == finding.subject;
    });
  }

  CommonOptions common_;
  GateOptions gate_;
  RepositoryOptions repositories_;
  ModelAssumptions assumptions_;
  std::vector<std::string> arguments_, why_;
  std::string spark_, fetch_;
  bool tree_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_pom(CLI::App& app) {
  return std::make_unique<Pom>(app);
}

}  // namespace rowgate::tools
