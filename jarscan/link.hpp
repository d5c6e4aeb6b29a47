// Will a connector link against a Spark? The JVM's answer, without a JVM: what throws which
// LinkageError where, compared with the Spark that the connector was built against, ranked by
// whether Spark gets there, and said once a root cause.
//
//   auto unit = read_link_unit(connectors, context);           once a connector
//   auto results = check_link({unit, {{"4.2.0", spark}}, baseline, options}, context);
//   auto findings = link_findings(results[0], "io.delta:delta-spark_2.13:4.3.1");
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "base/run_context.hpp"
#include "jarscan/jdk_image.hpp"
#include "jarscan/link_judge.hpp"
#include "jarscan/link_reach.hpp"
#include "jarscan/link_unit.hpp"

namespace rowgate::jarscan {

// One Spark's class path. Shared between threads; each world takes a provider of its own.
class ClassSource {
 public:
  virtual ~ClassSource() = default;
  virtual std::unique_ptr<ClassProvider> provider() const = 0;
  // File names, in class path order.
  virtual std::vector<std::string> jars() const = 0;
  // The file name of the jar that has the class, "" when none has.
  virtual std::string jar_of(std::string_view internal_name) const = 0;
  // Two hashes of the contents of all jars in their order; nullopt: nobody computed any.
  using Contents = std::pair<std::uint64_t, std::uint64_t>;
  virtual std::optional<Contents> contents() const { return std::nullopt; }
};

class JarSource final : public ClassSource {
 public:
  explicit JarSource(std::shared_ptr<const ClassIndex> index) : index_(std::move(index)) {}
  std::unique_ptr<ClassProvider> provider() const override {
    return std::make_unique<JarProvider>(index_);
  }
  std::vector<std::string> jars() const override;
  std::string jar_of(std::string_view internal_name) const override;

 private:
  std::shared_ptr<const ClassIndex> index_;
};

struct LinkTarget {
  std::string label;  // "4.2.0", or how the user calls the cluster
  std::shared_ptr<const ClassSource> spark;
  // Artifacts that belong on its class path and could not be had: what depends on them alone is
  // undecidable. Their own dependencies may be lacking too.
  std::vector<std::string> missing = {};
};

struct LinkOptions {
  std::shared_ptr<const JdkImage> jdk;  // nullptr: the JDK's classes count as given
  LoadingOrder order = LoadingOrder::parent_first;
  std::vector<std::string> entry_classes;  // spark.sql.extensions, spark.sql.catalog.*: dotted
  unsigned java_release = 17;              // that Spark will run on
};

struct LinkRequest {
  std::shared_ptr<const LinkUnit> unit;
  std::vector<LinkTarget> targets;
  std::optional<LinkTarget> baseline;  // the exact Spark that the connector was compiled against
  LinkOptions options;
  // Where what breaks on the baseline is kept, so that it is judged once; empty: nowhere.
  std::filesystem::path cache_folder;
  // For connectors on one class path, which `unit` then is: the units of each by itself. What
  // breaks in one of them alone on the same target is no news.
  std::vector<std::shared_ptr<const LinkUnit>> alone;
};

// Why a use counts less than an error. A finding names each rule that lowered it.
enum class LinkRule : std::uint8_t {
  on_baseline,        // broken on the baseline too, and that is supported
  unreached,          // no path from an entry point was found
  optional_package,   // the class's exact package is nowhere on the class path
  shaded_descriptor,  // the descriptor names a relocated class: cannot have been callable
  latent,             // scalac's glue that a class compiled by javac lacks
  version_shim,       // the using class serves another Spark version
  guarded,            // a handler around it catches this very error
  split_package,      // depends on how the jars are deployed
  alone,              // breaks without the other connectors too
};
const char* to_string(LinkRule rule);
std::vector<LinkRule> all_link_rules();

struct LinkUse {
  std::string place;  // "io.delta.DeltaCatalog.createTable:260", or the class
  std::uint32_t type = 0, method = UINT32_MAX;  // in the unit; UINT32_MAX: the class as a whole
  BreakPlace kind = BreakPlace::reference;
  base::Severity severity = base::Severity::error;
  bool reached = true;
  std::uint16_t rules = 0;  // bit 1 << LinkRule
};

// One symbol that is gone or changed, with everything that trips over it.
struct LinkCause {
  LinkProblem problem = LinkProblem::none;
  std::string check_id;
  std::string symbol;   // "org.apache.spark.C", "org.apache.spark.C.m(I)V": what an ignore names
  std::string message;  // "CatalogManager: class in 4.1.0, interface in 4.2.0"
  base::Severity severity = base::Severity::error;
  std::vector<LinkRule> rules;
  std::vector<LinkUse> uses;            // the worst first, then by place
  std::vector<std::string> unloadable;  // connector's classes that cannot be loaded or linked
  std::string nearest;  // the overload, or the class's new place; empty when there is none
  std::string when;     // "at once: …" or "when … runs"
  std::vector<std::string> path;  // from an entry point to the worst use
  bool eager = false;
  bool needs_artifact = false;  // undecidable for a hole in Spark's class path; symbol names it
};

enum class LinkVerdict : std::uint8_t { works, breaks, undecidable };
const char* to_string(LinkVerdict verdict);

struct LinkResult {
  std::string target, baseline;  // labels; baseline empty: none
  bool together = false;         // of several connectors, compared with each by itself
  LinkVerdict verdict = LinkVerdict::works;
  std::vector<LinkCause> causes;             // by severity, then symbol
  std::vector<base::Finding> path_findings;  // shadowing, duplicates, class-file level, JDK
  std::uint64_t classes = 0, shadowed = 0, references = 0, sites = 0, assumed = 0;
  std::uint64_t methods = 0, reached_methods = 0;
  std::vector<EntryPoint> entries;

  std::size_t count(base::Severity severity) const;
};

// One result for each target, in their order. Targets are judged in parallel on context.jobs
// threads. A class that cannot be read is a finding, not an error.
std::vector<LinkResult> check_link(const LinkRequest& request, const RunContext& context);

// The findings of a result, notes included; `subject` names the connector.
std::vector<base::Finding> link_findings(const LinkResult& result, const std::string& subject);

// "works", "breaks: 31 root causes", "undecidable: needs …": one line for a matrix.
std::string verdict_text(const LinkResult& result);

// For a sweep: the first and last target (in the given order) that works; nullopt: none.
struct GoodRange {
  std::optional<std::size_t> first, last;
};
GoodRange good_range(const std::vector<LinkResult>& results);

}  // namespace rowgate::jarscan
