#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "pomcheck/advice.hpp"
#include "tools/commands.hpp"
#include "tools/repositories.hpp"

namespace rowgate::tools {
namespace {

base::Tone tone_of(pomcheck::Presence presence) {
  switch (presence) {
    case pomcheck::Presence::present: return base::Tone::good;
    case pomcheck::Presence::absent: return base::Tone::bad;
    case pomcheck::Presence::undecided: return base::Tone::unknown;
  }
  return base::Tone::unknown;
}

std::string verdict_of(pomcheck::Presence presence) {
  switch (presence) {
    case pomcheck::Presence::present: return "there is a build";
    case pomcheck::Presence::absent: return "no build found";
    case pomcheck::Presence::undecided: return "cannot tell";
  }
  return "cannot tell";
}

// The sentence behind the verdict, which need not be said twice.
std::string summary_text(const pomcheck::Advice& advice) {
  const std::string text = advice.summary();
  const std::string start = verdict_of(advice.presence()) + ": ";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

// What stands in a cell of the matrix: the version, which is all that differs down a column.
base::Cell matrix_cell(const pomcheck::Advice& advice) {
  const pomcheck::SiblingFact* best = advice.best();
  if (best != nullptr)
    return {fmt::format("{}:{}", best->artifact.artifact, best->artifact.version),
            base::Tone::good};
  return {advice.presence() == pomcheck::Presence::absent ? "–" : "cannot tell",
          tone_of(advice.presence())};
}

Result<pomcheck::SparkMinor> parse_line(const std::string& text) {
  ROWGATE_TRY(const pomcheck::SparkVersion version, pomcheck::parse_spark_version(text));
  return version.line;
}

class Advise final : public Command {
 public:
  explicit Advise(CLI::App& app) {
    app.add_option(
           "connectors", connectors_,
           "Connectors: delta, iceberg, hudi, … or coordinates (default: all that are known)")
        ->type_name("NAME|G:A[:V]");
    app.add_option("-s,--spark", spark_,
                   "The Spark to have builds for (repeatable; default: 3.5, 4.0, 4.1, 4.2)")
        ->delimiter(',')
        ->type_name("VERSION");
    app.add_option("--to", to_, "Plan the move from --spark to this Spark")->type_name("VERSION");
    app.add_flag("--pre", pre_, "Take previews and release candidates too");
    add_repository_options(app, repositories_);
    add_common_options(app, common_);
  }

  const CommonOptions& common() const override { return common_; }

  Result<ExitStatus> run(Session& session) override {
    std::vector<pomcheck::AdviceSubject> subjects;
    for (const std::string& text : connectors_) {
      ROWGATE_TRY(pomcheck::AdviceSubject subject, pomcheck::AdviceSubject::parse(text));
      subjects.push_back(std::move(subject));
    }
    if (subjects.empty()) subjects = pomcheck::listed_subjects();
    std::vector<pomcheck::SparkMinor> lines;
    for (const std::string& text : spark_) {
      ROWGATE_TRY(const pomcheck::SparkMinor line, parse_line(text));
      lines.push_back(line);
    }
    if (lines.empty()) lines = {{3, 5}, {4, 0}, {4, 1}, {4, 2}};
    if (!to_.empty() && lines.size() != 1)
      return fail(ErrorCode::usage, "--to wants one --spark to come from", "rowgate advise", {},
                  "give --spark 3.5 --to 4.2");

    ROWGATE_TRY(Maven maven, open_maven(session, repositories_));
    pomcheck::ModelBuilder& builder = maven.builder;
    base::Report report;
    report.command = "advise";
    report.inputs = {{"repositories", maven.repositories->id()}};
    bool undecided = false;
    if (to_.empty()) {
      undecided = add_builds(report, builder, subjects, lines, session.context());
    } else {
      ROWGATE_TRY(const pomcheck::SparkMinor to, parse_line(to_));
      undecided = add_moves(report, builder, subjects, lines.front(), to, session.context());
    }
    ROWGATE_CHECK(session.deliver(std::move(report)));
    return undecided ? ExitStatus::incomplete : ExitStatus::clean;
  }

 private:
  pomcheck::Prereleases prereleases() const {
    return pre_ ? pomcheck::Prereleases::take : pomcheck::Prereleases::skip;
  }

  bool add_builds(base::Report& report, pomcheck::ModelBuilder& builder,
                  const std::vector<pomcheck::AdviceSubject>& subjects,
                  const std::vector<pomcheck::SparkMinor>& lines,
                  const base::RunContext& context) const {
    report.title = "Which version of a connector for which Spark";
    const auto table = pomcheck::advise_table(builder, subjects, lines, prereleases(), context);
    base::Table matrix;
    matrix.id = "builds";
    matrix.title = "Newest builds";
    matrix.matrix = true;
    matrix.columns = {{"connector"}};
    for (const pomcheck::SparkMinor& line : lines)
      matrix.columns.push_back({"Spark " + line.to_string()});
    matrix.notes = {"–: in none of the repositories asked, which is not the same as nowhere"};
    bool undecided = false;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      std::vector<base::Cell> row = {{subjects[i].title}};
      for (const pomcheck::Advice& advice : table[i]) {
        row.push_back(matrix_cell(advice));
        undecided |= advice.presence() == pomcheck::Presence::undecided;
        if (lines.size() == 1)
          report.summary.push_back({subjects[i].title, verdict_of(advice.presence()),
                                    summary_text(advice), tone_of(advice.presence())});
      }
      matrix.rows.push_back(std::move(row));
    }
    report.tables.push_back(std::move(matrix));
    return undecided;
  }

  bool add_moves(base::Report& report, pomcheck::ModelBuilder& builder,
                 const std::vector<pomcheck::AdviceSubject>& subjects, pomcheck::SparkMinor from,
                 pomcheck::SparkMinor to, const base::RunContext& context) const {
    report.title = fmt::format("From Spark {} to Spark {}", from.to_string(), to.to_string());
    base::Table table;
    table.id = "migration";
    table.title = "What changes";
    table.columns = {{"connector"}, {"from"}, {"to"}, {"changes"}};
    bool undecided = false;
    for (const pomcheck::AdviceSubject& subject : subjects) {
      const pomcheck::Migration move =
          pomcheck::plan_migration(builder, subject, from, to, prereleases(), context);
      undecided |= move.to.presence() == pomcheck::Presence::undecided;
      const pomcheck::SiblingFact* best = move.to.best();
      report.summary.push_back(
          {subject.title, verdict_of(move.to.presence()),
           best == nullptr ? summary_text(move.to)
                           : fmt::format("{} -> {}", move.from.empty() ? "(none found)" : move.from,
                                         best->artifact.to_string()),
           tone_of(move.to.presence())});
      table.rows.push_back({{subject.title},
                            {move.from.empty() ? "none found" : move.from},
                            {move.to.summary(), tone_of(move.to.presence())},
                            {base::join(move.changes, "; ")}});
    }
    report.tables.push_back(std::move(table));
    return undecided;
  }

  CommonOptions common_;
  RepositoryOptions repositories_;
  std::vector<std::string> connectors_, spark_;
  std::string to_;
  bool pre_ = false;
};

}  // namespace

std::unique_ptr<Command> declare_advise(CLI::App& app) {
  return std::make_unique<Advise>(app);
}

}  // namespace rowgate::tools
