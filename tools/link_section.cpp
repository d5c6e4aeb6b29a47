#include "tools/link_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/files.hpp"
#include "jarscan/link_path.hpp"
#include "pomcheck/naming.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

// The releases of a line in the repositories' metadata, oldest first.
std::vector<std::string> releases_of(pomcheck::ModelBuilder& builder, pomcheck::SparkMinor line,
                                     const base::RunContext& context) {
  std::vector<std::string> releases;
  for (const pomcheck::SparkVersion& version :
       spark_releases(builder, pomcheck::scala_of_spark(line).front(), context))
    if (version.line == line) releases.push_back(version.text);
  return releases;
}

// Whether one of the jars is this artifact in whatever version: "hadoop-client-api-3.4.2.jar".
bool holds_artifact(const std::vector<fs::path>& jars, const std::string& artifact) {
  return std::any_of(jars.begin(), jars.end(), [&](const fs::path& jar) {
    const std::string name = jar.filename().string();
    return name.size() > artifact.size() + 1 && name.starts_with(artifact) &&
           name[artifact.size()] == '-' && name[artifact.size() + 1] >= '0' &&
           name[artifact.size() + 1] <= '9';
  });
}

// Those of all results that are no less than `least`.
void add_findings(LinkedConnector& linked, const std::vector<SparkTarget>& targets,
                  base::Severity least) {
  for (std::size_t i = 0; i < targets.size(); ++i)
    for (base::Finding& finding : jarscan::link_findings(linked.results[i], linked.label))
      if (finding.severity <= least) {
        if (targets[i].version) finding.sparks = {targets[i].version->text};
        linked.findings.push_back(std::move(finding));
      }
}

bool is_sparks_own(const pomcheck::Coordinate& artifact) {
  return artifact.group == "org.apache.spark" || artifact.group == "org.scala-lang";
}

}  // namespace

LinkSettings default_link_settings(const Session& session, const RepositoryOptions& repositories) {
  LinkSettings settings;
  settings.index_folder = cache_folder(session, repositories) / "class-index";
  settings.jdk = jarscan::find_jdk(jdk_candidates(session.environment())).value_or("");
  return settings;
}

std::vector<pomcheck::SparkVersion> spark_releases(pomcheck::ModelBuilder& builder,
                                                   const std::string& scala,
                                                   const base::RunContext& context) {
  std::vector<pomcheck::SparkVersion> releases;
  const auto& metadata = builder.metadata("org.apache.spark", "spark-sql_" + scala, context);
  for (const std::string& text : metadata.metadata.versions) {
    auto version = pomcheck::parse_spark_version(text);
    if (version && version->is_apache() && version->stage == pomcheck::SparkStage::release)
      releases.push_back(std::move(*version));
  }
  std::sort(releases.begin(), releases.end(), [](const auto& a, const auto& b) { return a < b; });
  return releases;
}

Linker::Linker(LinkSettings settings, pomcheck::ModelBuilder* builder,
               const base::RunContext& context)
    : settings_(std::move(settings)), builder_(builder), context_(context) {
  if (settings_.jdk.empty()) return;
  auto image = jarscan::JdkImage::open(settings_.jdk);
  if (image)
    jdk_ = std::move(*image);
  else
    context_.warn(image.error().to_string());
}

std::string Linker::jdk_text() const {
  if (jdk_ == nullptr) return "none found: the JDK's classes count as given";
  return jdk_->release() == 0 ? jdk_->name()
                              : fmt::format("JDK {} ({})", jdk_->release(), jdk_->name());
}

Result<jarscan::LinkTarget> Linker::spark(const SparkTarget& target) {
  const auto as_target = [&](const Spark& spark) {
    return jarscan::LinkTarget{target.version ? target.version->text : target.text, spark.source,
                               spark.missing};
  };
  const auto known = sparks_.find(target.to_string());
  if (known != sparks_.end()) return as_target(known->second);
  ROWGATE_TRY(const SparkJars jars, spark_jars(target, SparkParts::everything, builder_, context_));
  findings_.insert(findings_.end(), jars.findings.begin(), jars.findings.end());
  jarscan::LinkIndexOptions options;
  options.cache_folder = settings_.index_folder;
  options.java_release = settings_.java_release;
  ROWGATE_TRY(auto source, jarscan::IndexedSource::open(jars.jars, options, context_));
  sparks_jars_.insert(sparks_jars_.end(), jars.jars.begin(), jars.jars.end());
  Spark& spark = sparks_[target.to_string()];
  spark.source = std::move(source);
  for (const base::Finding& hole : jars.findings)
    spark.missing.push_back(hole.symbol.find(':') == std::string::npos ? hole.location.file
                                                                       : hole.symbol);
  return as_target(spark);
}

Result<std::vector<fs::path>> Linker::class_path_of(const AcquiredInput& connector) {
  if (!connector.path)
    return fail(ErrorCode::not_found, "its jar could not be had", connector.label());
  std::error_code ignored;
  if (fs::is_directory(*connector.path, ignored)) return base::list_files(*connector.path, ".jar");
  std::vector<fs::path> jars = {*connector.path};
  if (connector.input.is_path() || builder_ == nullptr) return jars;
  ROWGATE_TRY(const std::vector<fs::path> companions,
              companions_of({connector.input.coordinate()}));
  jars.insert(jars.end(), companions.begin(), companions.end());
  return jars;
}

Result<std::vector<fs::path>> Linker::companions_of(
    const std::vector<pomcheck::Coordinate>& connectors) {
  // Not what Spark has itself: the parent loader's copy wins, and what another version holds
  // besides would only be half a library.
  ROWGATE_TRY(const pomcheck::Resolution resolution,
              pomcheck::resolve_dependencies(*builder_, connectors, context_));
  std::vector<pomcheck::Coordinate> companions;
  for (pomcheck::Coordinate& artifact : pomcheck::runtime_artifacts(resolution))
    if (std::find(connectors.begin(), connectors.end(), artifact) == connectors.end() &&
        !is_sparks_own(artifact) && !holds_artifact(sparks_jars_, artifact.artifact))
      companions.push_back(artifact);
  std::vector<fs::path> jars;
  for (const auto& companion : pomcheck::download(*builder_, companions, context_)) {
    if (companion.file) {
      jars.push_back(companion.file->path);
      continue;
    }
    base::Finding finding = fetch_finding(companion.file.error(), companion.artifact.to_string());
    finding.severity = base::Severity::undecidable;
    for (const pomcheck::Coordinate& connector : connectors)
      finding.evidence.push_back(fmt::format("{} needs it at run time", connector.to_string()));
    findings_.push_back(std::move(finding));
  }
  return jars;
}

Result<std::optional<SparkTarget>> Linker::baseline_of(const pomcheck::BuiltAgainst* built,
                                                       const std::vector<SparkTarget>& targets,
                                                       std::string& how) {
  if (settings_.baseline == "none") {
    how = "none: --baseline none";
    return std::optional<SparkTarget>();
  }
  if (!settings_.baseline.empty()) {
    ROWGATE_TRY(SparkTarget target, parse_spark_target(settings_.baseline));
    how = target.to_string() + ": --baseline";
    return std::optional(std::move(target));
  }
  if (built == nullptr || !built->line) {
    how = "none: nothing says which Spark it was built against";
    return std::optional<SparkTarget>();
  }
  std::string version;
  if (built->version && built->version->patch && built->version->is_apache()) {
    version = built->version->text;
    how = fmt::format("Spark {}: its POM", version);
  } else {
    // Which release of the line is not known. A target of the same line must not be compared with
    // itself, or nothing could be new there: then the first one.
    const std::vector<std::string> releases = releases_of(*builder_, *built->line, context_);
    const bool same_line = std::any_of(targets.begin(), targets.end(), [&](const SparkTarget& t) {
      return t.version && t.version->line == *built->line;
    });
    if (!releases.empty()) version = same_line ? releases.front() : releases.back();
    how = fmt::format("Spark {}: the {} of the line that it is for", version,
                      same_line ? "first" : "newest");
  }
  if (version.empty()) {
    how = fmt::format("none: no release of Spark {} is in the repositories",
                      built->line->to_string());
    return std::optional<SparkTarget>();
  }
  ROWGATE_TRY(SparkTarget target, parse_spark_target(version));
  return std::optional(std::move(target));
}

Result<jarscan::LinkRequest> Linker::request(const std::vector<SparkTarget>& targets) {
  jarscan::LinkRequest request;
  request.options.jdk = jdk_;
  request.options.order = settings_.order;
  request.options.entry_classes = settings_.entry_classes;
  request.options.java_release = settings_.java_release;
  request.cache_folder = settings_.index_folder;
  for (const SparkTarget& target : targets) {
    ROWGATE_TRY(auto opened, spark(target));
    request.targets.push_back(std::move(opened));
  }
  return request;
}

Result<LinkedConnector> Linker::link(const AcquiredInput& connector,
                                     const pomcheck::BuiltAgainst* built,
                                     const std::vector<SparkTarget>& targets) {
  LinkedConnector linked;
  linked.label = connector.label();
  ROWGATE_TRY(jarscan::LinkRequest asked, request(targets));
  ROWGATE_TRY(const std::optional<SparkTarget> baseline,
              baseline_of(built, targets, linked.baseline));
  if (baseline) {
    auto opened = spark(*baseline);
    if (opened)
      asked.baseline = std::move(*opened);
    else
      linked.baseline = fmt::format("none: {}", opened.error().to_string());
  }
  ROWGATE_TRY(linked.jars, class_path_of(connector));
  std::vector<base::Finding> unreadable;
  auto index = std::make_shared<jarscan::ClassIndex>(index_jars(linked.jars, unreadable, context_));
  if (!unreadable.empty() && index->jar_count() == 0)
    return fail(ErrorCode::malformed, unreadable.front().message, connector.label());
  for (base::Finding& finding : unreadable) linked.findings.push_back(std::move(finding));
  asked.unit = jarscan::cached_link_unit(std::move(index), settings_.index_folder, context_);
  linked.unit = asked.unit;
  linked.results = jarscan::check_link(asked, context_);
  add_findings(linked, targets, base::Severity::note);
  return linked;
}

Result<std::optional<LinkedConnector>> Linker::link_together(
    const std::vector<AcquiredInput>& connectors, const std::vector<LinkedConnector>& alone,
    const std::vector<SparkTarget>& targets) {
  LinkedConnector linked;
  linked.baseline = "each by itself";
  std::vector<pomcheck::Coordinate> coordinates;
  for (const AcquiredInput& connector : connectors)
    if (connector.path && !connector.input.is_path())
      coordinates.push_back(connector.input.coordinate());
  // The connectors' own jars first, then what they bring: of coordinates one version of each.
  const bool packages = coordinates.size() == alone.size() && builder_ != nullptr;
  const auto add = [&](const fs::path& jar) {
    if (std::find(linked.jars.begin(), linked.jars.end(), jar) == linked.jars.end())
      linked.jars.push_back(jar);
  };
  for (const LinkedConnector& connector : alone) {
    linked.label += linked.label.empty() ? connector.label : " with " + connector.label;
    for (std::size_t i = 0; i < connector.jars.size() && (i == 0 || !packages); ++i)
      add(connector.jars[i]);
  }
  if (packages) {
    ROWGATE_TRY(const std::vector<fs::path> companions, companions_of(coordinates));
    for (const fs::path& jar : companions) add(jar);
  }
  auto index = std::make_shared<jarscan::ClassIndex>(index_jars(linked.jars, findings_, context_));
  if (!jarscan::has_conflicting_classes(*index)) return std::optional<LinkedConnector>();
  ROWGATE_TRY(jarscan::LinkRequest asked, request(targets));
  for (const LinkedConnector& connector : alone) asked.alone.push_back(connector.unit);
  asked.unit = jarscan::cached_link_unit(std::move(index), settings_.index_folder, context_);
  linked.results = jarscan::check_link(asked, context_);
  // The notes are those of each by itself.
  add_findings(linked, targets, base::Severity::undecidable);
  return std::optional(std::move(linked));
}

Result<void> Linker::save_indexes() {
  for (const auto& [label, spark] : sparks_) ROWGATE_CHECK(spark.source->save(context_));
  return {};
}

base::Tone tone_of(jarscan::LinkVerdict verdict) {
  switch (verdict) {
    case jarscan::LinkVerdict::works: return base::Tone::good;
    case jarscan::LinkVerdict::breaks: return base::Tone::bad;
    case jarscan::LinkVerdict::undecidable: return base::Tone::unknown;
  }
  return base::Tone::unknown;
}

base::Table link_matrix(const std::vector<LinkedConnector>& connectors,
                        const std::vector<SparkTarget>& targets) {
  base::Table table;
  table.id = "linkage";
  table.title = "Linkage";
  table.matrix = true;
  table.columns = {{"connector"}};
  const auto name = [&](std::size_t i) {
    return targets[i].version ? targets[i].version->text : targets[i].text;
  };
  for (std::size_t i = 0; i < targets.size(); ++i) table.columns.push_back({"Spark " + name(i)});
  if (targets.size() > 1) {
    table.columns.push_back({"first good"});
    table.columns.push_back({"last good"});
  }
  table.columns.push_back({"compared with"});
  for (const LinkedConnector& connector : connectors) {
    std::vector<base::Cell> row = {{connector.label}};
    for (const jarscan::LinkResult& result : connector.results)
      row.push_back({jarscan::verdict_text(result), tone_of(result.verdict)});
    if (targets.size() > 1) {
      const jarscan::GoodRange good = jarscan::good_range(connector.results);
      row.push_back({good.first ? name(*good.first) : "none"});
      row.push_back({good.last ? name(*good.last) : "none"});
    }
    row.push_back({connector.baseline, base::Tone::muted});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<fs::path> jdk_candidates(const Environment& environment) {
  std::vector<fs::path> candidates;
  if (const auto home = environment.get("JAVA_HOME")) candidates.emplace_back(*home);
  for (const fs::path& folder : environment.path()) {
    std::error_code error;
    const fs::path java = fs::canonical(folder / "java", error);
    if (!error) candidates.push_back(java.parent_path().parent_path());
  }
  std::vector<fs::path> installed;
  std::error_code error;
  for (fs::directory_iterator it("/usr/lib/jvm", error), end; !error && it != end;
       it.increment(error))
    installed.push_back(it->path());
  std::sort(installed.begin(), installed.end());
  candidates.insert(candidates.end(), installed.begin(), installed.end());
  return candidates;
}

}  // namespace rowgate::tools
