// Linkage for commands: from connectors and Sparks as the user names them to verdicts.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/report.hpp"
#include "jarscan/link.hpp"
#include "jarscan/link_index.hpp"
#include "pomcheck/compatibility.hpp"
#include "tools/acquire.hpp"
#include "tools/environment.hpp"
#include "tools/repositories.hpp"
#include "tools/spark_classpath.hpp"

namespace rowgate::tools {

struct LinkSettings {
  std::filesystem::path index_folder;  // of class indexes; empty: none are kept
  std::filesystem::path jdk;           // empty: none was found
  jarscan::LoadingOrder order = jarscan::LoadingOrder::parent_first;
  std::vector<std::string> entry_classes;  // of the configuration: extensions, catalogs
  unsigned java_release = 17;
  std::string baseline;  // "", "none" or a version: what every connector is compared with
};

// The verdicts about one connector, a result a target.
struct LinkedConnector {
  std::string label;
  std::vector<jarscan::LinkResult> results;
  std::vector<base::Finding> findings;  // of all targets
  std::string baseline;                 // how the baseline was chosen, for people
  std::shared_ptr<const jarscan::LinkUnit> unit;
  std::vector<std::filesystem::path> jars;  // its class path
};

// The settings that every command starts from: indexes in the cache, the JDK that is found.
LinkSettings default_link_settings(const Session& session, const RepositoryOptions& repositories);

// Apache's releases (no previews or candidates) that the repositories list for a Scala binary
// version, oldest first.
std::vector<pomcheck::SparkVersion> spark_releases(pomcheck::ModelBuilder& builder,
                                                   const std::string& scala,
                                                   const base::RunContext& context);

// Opens each Spark once and keeps it, because connectors share targets and baselines.
class Linker {
 public:
  Linker(LinkSettings settings, pomcheck::ModelBuilder* builder, const base::RunContext& context);

  // The target's or baseline's class path. Errors: those of spark_jars and of its jars.
  Result<jarscan::LinkTarget> spark(const SparkTarget& target);

  // `built` is what is known of how the connector was built, or nullptr for a file. Errors:
  // interrupted, and those of the targets; a connector's jar that cannot be opened is an error too,
  // with its name.
  Result<LinkedConnector> link(const AcquiredInput& connector, const pomcheck::BuiltAgainst* built,
                               const std::vector<SparkTarget>& targets);

  // The connectors on one class path in their order, where the first copy of a class is
  // everybody's: what breaks there and does not break in each by itself. nullopt: no two of them
  // hold different classes of one name, so nothing is new. Errors: as link().
  Result<std::optional<LinkedConnector>> link_together(const std::vector<AcquiredInput>& connectors,
                                                       const std::vector<LinkedConnector>& alone,
                                                       const std::vector<SparkTarget>& targets);

  // What the class paths lack, and what could not be kept (the index).
  const std::vector<base::Finding>& findings() const { return findings_; }
  Result<void> save_indexes();
  std::string jdk_text() const;

 private:
  Result<std::vector<std::filesystem::path>> class_path_of(const AcquiredInput& connector);
  // What --packages would bring along for all of these, but for what Spark has itself.
  Result<std::vector<std::filesystem::path>> companions_of(
      const std::vector<pomcheck::Coordinate>& connectors);
  Result<jarscan::LinkRequest> request(const std::vector<SparkTarget>& targets);
  Result<std::optional<SparkTarget>> baseline_of(const pomcheck::BuiltAgainst* built,
                                                 const std::vector<SparkTarget>& targets,
                                                 std::string& how);

  LinkSettings settings_;
  pomcheck::ModelBuilder* builder_;
  const base::RunContext& context_;
  std::shared_ptr<const jarscan::JdkImage> jdk_;
  struct Spark {
    std::shared_ptr<jarscan::IndexedSource> source;
    std::vector<std::string> missing;
  };
  std::map<std::string, Spark> sparks_;             // by to_string()
  std::vector<std::filesystem::path> sparks_jars_;  // of all that were opened
  std::vector<base::Finding> findings_;
};

// Connectors x Sparks, with the first and last that works.
base::Table link_matrix(const std::vector<LinkedConnector>& connectors,
                        const std::vector<SparkTarget>& targets);

base::Tone tone_of(jarscan::LinkVerdict verdict);

// Where a JDK may be: $JAVA_HOME, `java` on the PATH, /usr/lib/jvm/*.
std::vector<std::filesystem::path> jdk_candidates(const Environment& environment);

}  // namespace rowgate::tools
