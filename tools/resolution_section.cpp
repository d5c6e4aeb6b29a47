#include "tools/resolution_section.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/checks.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tools/acquire.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

std::string name_in_folder(const pomcheck::Coordinate& artifact, std::set<std::string>& taken) {
  std::string name = fs::path(artifact.path()).filename().string();
  if (!taken.insert(name).second) {
    name = fmt::format("{}-{}", artifact.group, name);
    taken.insert(name);
  }
  return name;
}

// Copies beside the target and renames, so that nobody ever sees half a jar.
Result<void> copy_whole(const fs::path& from, const fs::path& to) {
  ROWGATE_TRY(const base::MappedFile file, base::MappedFile::open(from));
  return base::write_file_atomically(to, base::as_text(file.bytes()));
}

const char* verification_text(pomcheck::Verification verification) {
  switch (verification) {
    case pomcheck::Verification::verified: return "checksum verified";
    case pomcheck::Verification::no_checksum_published: return "no checksum published";
    case pomcheck::Verification::local: return "local file";
  }
  return "";
}

}  // namespace

base::Table tree_table(const pomcheck::Resolution& resolution) {
  base::Table table;
  table.id = "dependencies";
  table.title = "Dependencies, as `mvn dependency:tree` prints them";
  table.columns = {{"dependency"}};
  for (std::string& line : pomcheck::tree_lines(resolution))
    table.rows.push_back({{std::move(line)}});
  table.notes = {
      "Maven takes the nearest version of an artifact; spark-submit --packages resolves with Ivy, "
      "which takes the newest"};
  return table;
}

base::Table left_out_table(const pomcheck::Resolution& resolution) {
  base::Table table;
  table.id = "left-out";
  table.title = "Asked for and left out";
  table.columns = {{"asked for"}, {"by"}, {"because"}};
  for (const pomcheck::OmittedDependency& omitted : resolution.omitted) {
    std::string reason;
    if (omitted.reason == pomcheck::Omission::conflict)
      reason = fmt::format("{} is nearer", resolution.nodes[omitted.winner].artifact.version);
    else if (omitted.reason == pomcheck::Omission::excluded)
      reason = fmt::format("excluded by {}", resolution.nodes[omitted.by].artifact.to_string());
    else
      continue;
    table.rows.push_back({{omitted.artifact.to_string()},
                          {resolution.nodes[omitted.parent].artifact.to_string()},
                          {std::move(reason)}});
  }
  return table;
}

Result<base::Table> why_table(const pomcheck::Resolution& resolution, const std::string& wanted) {
  const std::size_t colon = wanted.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == wanted.size() ||
      wanted.find(':', colon + 1) != std::string::npos)
    return fail(ErrorCode::usage, "--why wants group:artifact", wanted, {},
                "give it without a version, such as org.apache.spark:spark-sql_2.13");
  base::Table table;
  table.id = "why";
  table.title = fmt::format("Ways to {}", base::printable(wanted));
  table.columns = {{"way"}};
  for (std::string& line :
       pomcheck::why_lines(resolution, wanted.substr(0, colon), wanted.substr(colon + 1)))
    table.rows.push_back({{std::move(line)}});
  if (table.rows.empty())
    table.notes = {
        "no compile or runtime dependency leads to it; provided and test dependencies of "
        "a connector are not part of what a build gets with it"};
  return table;
}

std::vector<base::Finding> graph_findings(const pomcheck::Resolution& resolution) {
  std::vector<base::Finding> findings;
  for (const pomcheck::ResolvedNode& node : resolution.nodes) {
    if (!node.pom_problem) continue;
    const Error& error = *node.pom_problem;
    base::Finding finding = fetch_finding(error, node.artifact.to_string());
    const bool broken = error.code == ErrorCode::malformed || error.code == ErrorCode::limit;
    if (broken)
      finding = base::make_finding("RG2109", node.artifact.to_string(), error.to_string());
    finding.evidence.emplace_back("its own dependencies are unknown");
    findings.push_back(std::move(finding));
  }
  for (const Error& problem : resolution.problems)
    findings.push_back(
        fetch_finding(problem, problem.subject.empty() ? "the dependency graph" : problem.subject));
  return findings;
}

Result<FetchedJars> fetch_jars(pomcheck::ModelBuilder& builder,
                               const pomcheck::Resolution& resolution, const fs::path& folder,
                               const base::RunContext& context) {
  FetchedJars fetched;
  fetched.table.id = "fetched";
  fetched.table.title = fmt::format("Fetched into {}", folder.string());
  fetched.table.columns = {{"file"}, {"artifact"}, {"from"}, {"checksum"}};
  const std::vector<pomcheck::Coordinate> wanted = pomcheck::runtime_artifacts(resolution);
  std::set<std::string> taken;
  for (const pomcheck::DownloadedArtifact& artifact : download(builder, wanted, context)) {
    if (context.stopped()) return fail(ErrorCode::interrupted, "interrupted");
    const std::string name = name_in_folder(artifact.artifact, taken);
    if (!artifact.file) {
      ++fetched.missing;
      fetched.findings.push_back(
          fetch_finding(artifact.file.error(), artifact.artifact.to_string()));
      continue;
    }
    ROWGATE_CHECK(copy_whole(artifact.file->path, folder / name));
    ++fetched.written;
    fetched.table.rows.push_back({{name},
                                  {artifact.artifact.to_string()},
                                  {artifact.file->repository},
                                  {verification_text(artifact.file->verification)}});
  }
  return fetched;
}

}  // namespace rowgate::tools
