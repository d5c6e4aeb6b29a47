#include "tools/engines.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "base/files.hpp"
#include "base/text.hpp"
#include "jarscan/jar_file.hpp"
#include "pomcheck/resolution.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

Result<void> extract(const fs::path& jar_path, const std::string& entry_name, const fs::path& to) {
  ROWGATE_TRY(const auto jar, jarscan::JarFile::open(jar_path));
  const std::optional<std::uint32_t> index = jar->find(entry_name);
  if (!index)
    return fail(ErrorCode::unsupported, fmt::format("holds no {}", entry_name), jar_path.string(),
                {}, "give the engine's library with --duckdb");
  const jarscan::JarEntry& entry = jar->entries()[*index];
  std::error_code ignored;
  // Written atomically, so a file of the right size is a whole one.
  if (fs::file_size(to, ignored) == entry.size_bytes && !ignored) return {};
  jarscan::EntryReader reader;
  ROWGATE_TRY(const base::Bytes contents, reader.read(*jar, entry));
  return base::write_file_atomically(to, base::as_text(contents));
}

// The names of the jars in Spark's folder.
Result<std::vector<std::string>> jar_names(const fs::path& folder) {
  std::vector<std::string> names;
  ROWGATE_TRY(const std::vector<fs::path> jars, base::list_files(folder, ".jar"));
  for (const fs::path& jar : jars) names.push_back(jar.filename().string());
  return names;
}

// "<artifact>-<version>.jar" is among the names, in whatever version: the session's class loader
// asks Spark's own jars first.
bool spark_has(const std::vector<std::string>& names, const pomcheck::Coordinate& artifact) {
  const std::string start = artifact.artifact + "-";
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.starts_with(start) && name.size() > start.size() && name[start.size()] >= '0' &&
           name[start.size()] <= '9';
  });
}

Error connector_error(const pomcheck::DownloadedArtifact& artifact,
                      const harness::SparkSpec& spec) {
  Error error = artifact.file.error();
  if (error.code == ErrorCode::not_found) {
    error.subject = artifact.artifact.to_string();
    error.remedy = fmt::format(
        "`rowgate advise` shows which builds there are for Spark {}; a connector is written "
        "g:a:v, delta:V, iceberg:V or test-catalog[:V] (the tests jar of Spark V)",
        spec.version);
  }
  return error;
}

// "k=v" settings. An error names the key alone, because values may hold credentials.
Result<std::map<std::string, std::string>> parse_conf(const std::vector<std::string>& settings) {
  std::map<std::string, std::string> conf;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    if (equals == std::string::npos || !key.starts_with("spark."))
      return fail(ErrorCode::usage, "is no Spark setting", key, {},
                  "write --conf spark.some.setting=value");
    conf[key] = setting.substr(equals + 1);
  }
  return conf;
}

Result<harness::SparkInstallation> installation_of(const Session& session,
                                                   const RepositoryOptions& repositories,
                                                   const EngineOptions& options,
                                                   const harness::SparkSpec& spec) {
  const fs::path cache = cache_folder(session, repositories);
  const auto& host = session.environment().variables;
  if (!options.spark_home.empty()) return harness::use_spark_home(options.spark_home, cache, host);
  auto found = harness::find_spark(cache, spec.version);
  const auto home = session.environment().get("SPARK_HOME");
  if (found || !home) return found;
  auto installed = harness::use_spark_home(*home, cache, host);
  if (installed && installed->version == spec.version) return installed;
  const std::string why = installed ? fmt::format("it holds Spark {}", installed->version)
                                    : installed.error().to_string();
  found.error().remedy += fmt::format(" (SPARK_HOME does not help: {})", why);
  return found;
}

}  // namespace

Result<const harness::Strategy*> strategy_named(const std::string& name) {
  if (const harness::Strategy* const known = harness::find_strategy(name)) return known;
  std::vector<std::string_view> names;
  for (const harness::Strategy& strategy : harness::builtin_strategies())
    names.push_back(strategy.name);
  const std::string_view near = base::nearest(name, names);
  return fail(ErrorCode::usage, "there is no such strategy", name, {},
              near.empty() ? "`rowgate replay --list` shows what there is"
                           : fmt::format("did you mean {}?", near));
}

void add_engine_options(CLI::App& app, EngineOptions& options) {
  app.add_option("--duckdb", options.library, "The embedded engine's library instead of Maven's")
      ->type_name("FILE");
  app.add_option("--spark-home", options.spark_home,
                 "An installed Spark instead of the one that `rowgate setup` made (default: that "
                 "one, else SPARK_HOME)")
      ->type_name("DIR");
  app.add_option("--master", options.master,
                 "Spark's master, such as spark://host:7077 (default: local[2])")
      ->type_name("URL");
  app.add_option("--conf", options.conf, "A Spark setting (repeatable)")->type_name("KEY=VALUE");
  app.add_option("--work-dir", options.work_folder,
                 "Where Spark's temporary folders go (default: TMPDIR, else /tmp); on a cluster a "
                 "folder that all nodes share")
      ->type_name("DIR");
  app.add_option("--statement-deadline", options.deadline_seconds,
                 "Seconds after which a Spark statement counts as hung (default: 600)")
      ->check(CLI::Range(1U, 86'400U))
      ->type_name("SECONDS");
  app.add_flag("--stream", options.real_stream,
               "On Spark, give each micro-batch through foreachBatch of a real stream (slower)");
}

Result<fs::path> embedded_library(const Session& session, const RepositoryOptions& options,
                                  const fs::path& explicit_library) {
  if (!explicit_library.empty()) return explicit_library;
  ROWGATE_TRY(const std::string entry_name, harness::duckdb_jar_entry());
  ROWGATE_TRY(const pomcheck::Coordinate coordinate,
              pomcheck::parse_coordinate(harness::kDuckDbCoordinate));
  ROWGATE_TRY(const auto repositories, open_repositories(session, options));
  ROWGATE_TRY(const pomcheck::FetchedFile jar,
              repositories->fetch(coordinate.path(), session.context()));
  const fs::path library = cache_folder(session, options) / "engines" /
                           fmt::format("duckdb-{}", coordinate.version) / entry_name;
  ROWGATE_CHECK(extract(jar.path, entry_name, library));
  return library;
}

Result<void> fetch_connectors(const Session& session, const RepositoryOptions& options,
                              const harness::SparkSpec& spec) {
  if (spec.coordinates.empty()) return {};
  ROWGATE_TRY(const auto repositories, open_repositories(session, options));
  for (const std::string& text : spec.coordinates) {
    ROWGATE_TRY(const pomcheck::Coordinate coordinate, pomcheck::parse_coordinate(text));
    auto fetched = repositories->fetch(coordinate.path(), session.context());
    if (!fetched)
      return tl::unexpected<Error>(connector_error({coordinate, std::move(fetched)}, spec));
  }
  return {};
}

Result<std::vector<fs::path>> connector_jars(const Session& session,
                                             const RepositoryOptions& options,
                                             const harness::SparkSpec& spec,
                                             const harness::SparkInstallation& installation) {
  if (spec.coordinates.empty()) return std::vector<fs::path>{};
  std::vector<pomcheck::Coordinate> wanted, with_dependencies;
  for (const std::string& text : spec.coordinates) {
    ROWGATE_TRY(pomcheck::Coordinate coordinate, pomcheck::parse_coordinate(text));
    // What tests need beside the module's own dependencies is not what a session needs.
    if (coordinate.file_classifier() != "tests") with_dependencies.push_back(coordinate);
    wanted.push_back(std::move(coordinate));
  }
  ROWGATE_TRY(Maven maven, open_maven(session, options));
  pomcheck::ModelBuilder& builder = maven.builder;
  if (!with_dependencies.empty()) {
    ROWGATE_TRY(const pomcheck::Resolution resolution,
                pomcheck::resolve_dependencies(builder, with_dependencies, session.context()));
    if (!resolution.problems.empty()) return tl::unexpected<Error>(resolution.problems.front());
    ROWGATE_TRY(const std::vector<std::string> present, jar_names(installation.jars));
    for (pomcheck::Coordinate& artifact : pomcheck::runtime_artifacts(resolution))
      if (std::find(wanted.begin(), wanted.end(), artifact) == wanted.end() &&
          !spark_has(present, artifact))
        wanted.push_back(std::move(artifact));
  }
  std::vector<fs::path> jars;
  for (const pomcheck::DownloadedArtifact& artifact :
       pomcheck::download(builder, wanted, session.context())) {
    if (!artifact.file) return tl::unexpected<Error>(connector_error(artifact, spec));
    jars.push_back(artifact.file->path);
  }
  return jars;
}

Result<std::unique_ptr<harness::SparkTarget>> open_spark(const Session& session,
                                                         const RepositoryOptions& repositories,
                                                         const EngineOptions& options,
                                                         const harness::SparkSpec& spec) {
  harness::SparkTargetOptions target;
  ROWGATE_TRY(target.conf, parse_conf(options.conf));
  ROWGATE_TRY(target.installation, installation_of(session, repositories, options, spec));
  ROWGATE_TRY(target.jars, connector_jars(session, repositories, spec, target.installation));
  target.spec = spec;
  target.host = session.environment().variables;
  target.master = options.master;
  target.work_parent = options.work_folder.empty()
                           ? session.environment().get("TMPDIR").value_or("/tmp")
                           : options.work_folder;
  target.real_stream = options.real_stream;
  target.all_in_connect = options.all_in_connect;
  target.statement_deadline = std::chrono::seconds(options.deadline_seconds);
  target.start_deadline =
      std::max<std::chrono::milliseconds>(target.start_deadline, target.statement_deadline);
  return harness::SparkTarget::create(std::move(target), session.context());
}

Result<std::unique_ptr<harness::Target>> open_target(const Session& session,
                                                     const RepositoryOptions& repositories,
                                                     const EngineOptions& options,
                                                     const std::string& target) {
  if (target == "embedded") {
    ROWGATE_TRY(const fs::path library, embedded_library(session, repositories, options.library));
    ROWGATE_TRY(auto embedded, harness::EmbeddedTarget::open_library(library));
    return std::unique_ptr<harness::Target>(std::move(embedded));
  }
  if (!target.starts_with("spark:"))
    return fail(ErrorCode::usage, "there is no such target", target, {},
                "give embedded or spark:<version>[/<connector>…], such as "
                "spark:4.1.3/delta:4.4.0");
  ROWGATE_TRY(const harness::SparkSpec spec, harness::parse_spark_spec(target));
  ROWGATE_TRY(auto spark, open_spark(session, repositories, options, spec));
  return std::unique_ptr<harness::Target>(std::move(spark));
}

}  // namespace rowgate::tools
