#include "tools/spark_classpath.hpp"

#include <fmt/format.h>

#include "base/checks.hpp"
#include "base/files.hpp"
#include "base/parallel.hpp"
#include "pomcheck/naming.hpp"
#include "tools/acquire.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

// A jar that the class path lacks. Whether that matters is for those to say who look a type up and
// do not find it, so by itself it is a note.
base::Finding hole(const Error& error, const std::string& subject) {
  base::Finding finding = fetch_finding(error, subject);
  finding.severity = base::Severity::note;
  finding.evidence.emplace_back("a note, because it only leaves a hole in Spark's class path");
  return finding;
}

Result<SparkJars> from_maven(const SparkTarget& target, SparkParts parts,
                             pomcheck::ModelBuilder& builder, const base::RunContext& context) {
  const pomcheck::SparkVersion& version = *target.version;
  if (!version.patch)
    return fail(ErrorCode::usage, "names a line of Spark, not a release", target.text, {},
                fmt::format("give the release, such as {}.0", target.text));
  const std::vector<std::string> scala = pomcheck::scala_of_spark(version.line);
  const std::string remedy =
      "give the folder of its jars: --spark DIR (SPARK_HOME, or the jars of a PySpark)";
  auto resolved = pomcheck::resolve_spark(
      builder, version.text, pomcheck::spark_modules(version.line), scala.front(), context);
  if (!resolved && resolved.error().code == ErrorCode::not_found)
    return fail(ErrorCode::not_found,
                fmt::format("is not in the repositories: {}", resolved.error().message),
                target.to_string(), {}, remedy);
  ROWGATE_TRY(const pomcheck::Resolution resolution, std::move(resolved));
  SparkJars result;
  for (const Error& problem : resolution.problems)
    result.findings.push_back(hole(problem, target.to_string()));
  std::vector<pomcheck::Coordinate> wanted;
  for (pomcheck::Coordinate& artifact : pomcheck::runtime_artifacts(resolution))
    if (parts == SparkParts::everything || artifact.group == "org.apache.spark")
      wanted.push_back(std::move(artifact));
  if (wanted.empty())
    return fail(ErrorCode::not_found, "its modules are in none of the repositories",
                target.to_string(), {}, remedy);
  for (const pomcheck::DownloadedArtifact& artifact :
       pomcheck::download(builder, wanted, context)) {
    if (artifact.file)
      result.jars.push_back(artifact.file->path);
    else
      result.findings.push_back(hole(artifact.file.error(), artifact.artifact.to_string()));
  }
  if (result.jars.empty())
    return fail(ErrorCode::not_found, "none of its modules could be had from the repositories",
                target.to_string(), {}, remedy);
  return result;
}

}  // namespace

Result<SparkJars> spark_jars(const SparkTarget& target, SparkParts parts,
                             pomcheck::ModelBuilder* builder, const base::RunContext& context) {
  if (!target.jars) return from_maven(target, parts, *builder, context);
  ROWGATE_TRY(std::vector<fs::path> jars, base::list_files(*target.jars, ".jar"));
  // Spark's launcher puts jars/* on the class path, and not what lies in folders below.
  std::erase_if(jars, [&](const fs::path& jar) {
    return jar.lexically_relative(*target.jars).has_parent_path();
  });
  return SparkJars{std::move(jars), {}};
}

jarscan::ClassIndex index_jars(const std::vector<fs::path>& jars,
                               std::vector<base::Finding>& findings,
                               const base::RunContext& context) {
  auto opened = base::parallel_map(jars, context.jobs,
                                   [](const fs::path& jar) { return jarscan::JarFile::open(jar); });
  std::vector<jarscan::ClassPathJar> class_path;
  for (std::size_t i = 0; i < jars.size(); ++i) {
    if (opened[i]) {
      class_path.push_back({*opened[i], {}});
      continue;
    }
    base::Finding finding =
        base::make_finding("RG1001", jars[i].string(), opened[i].error().message);
    finding.location.file = jars[i].string();
    finding.location.offset = opened[i].error().offset;
    findings.push_back(std::move(finding));
  }
  return jarscan::ClassIndex::build(std::move(class_path), {}, context);
}

}  // namespace rowgate::tools
