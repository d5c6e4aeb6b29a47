// What each scanned jar can be to Spark: for each row of the catalogue the classes that name it,
// implement it themselves, or inherit it, three facts that differ (Spark's own jars name
// SupportsRowLevelOperations and implement nothing); and whether Auto CDC would take the connector.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "jarscan/capability_catalogue.hpp"
#include "jarscan/class_index.hpp"
#include "jarscan/scan.hpp"

namespace rowgate::jarscan {

// Class names are internal ("p/C"), sorted, each once. A type does not implement itself.
struct CapabilityUse {
  std::vector<std::string> naming;  // a Class constant names it; the type itself is not counted
  std::vector<std::string> direct;  // names it as superclass or interface
  std::vector<std::string>
      implementors;                   // the same through any number of ancestors; holds `direct`
  std::vector<std::string> concrete;  // those of `implementors` that can be instantiated
};

struct MissingType {
  std::string name;                    // a supertype that is in nothing that was given
  std::vector<std::string> needed_by;  // classes of the jar that have it as an ancestor
};

enum class GateOutcome : std::uint8_t {
  passes,          // a table class implements SupportsRowLevelOperations
  refused,         // all table classes are known, and none does
  undecidable,     // a missing type could hold the answer
  not_applicable,  // no data source at all: a library
};

enum class GateReason : std::uint8_t {
  implemented,     // passes
  v2_without_it,   // it has data source v2 tables, which do not implement it
  v1_only,         // it is a data source, but has no v2 table
  missing_types,   // undecidable
  unread_classes,  // undecidable: class files of the jar itself could not be read
  no_source,       // not applicable
};

const char* to_string(GateOutcome outcome);

struct GateVerdict {
  GateOutcome outcome = GateOutcome::not_applicable;
  GateReason reason = GateReason::no_source;
  std::string sentence;                  // the verdict for people
  std::vector<std::string> because;      // passes: the table classes that implement it;
                                         // undecidable: the missing types
  std::vector<std::string> tables;       // concrete classes that are a v2 table
  std::vector<std::string> v1_fallback;  // of these, those that hand over to data source v1
  std::vector<std::string> extensions;   // functions of SparkSessionExtensions
  std::vector<std::string> merge_rules;  // classes that name Spark's MergeIntoTable, when the jar
                                         // has extensions: it runs MERGE by rules of its own
};

struct JarCapabilities {
  std::string jar;                   // JarScan::name
  std::vector<CapabilityUse> uses;   // one for each row of the catalogue, in its order
  std::vector<MissingType> missing;  // sorted by name; Spark's own types that the catalogue knows
                                     // and the JDK's and Scala's types are never missing
  // Classes that a jar of the class path has under the same name: with --jars the parent loader's
  // copy is used, never this jar's, so they count for nothing above.
  std::uint64_t shadowed = 0;
  std::uint64_t unread = 0;  // JarScan::classes_skipped
  GateVerdict gate;

  const CapabilityUse& use(std::string_view id) const { return uses[capability_index(id)]; }
};

struct CapabilityReport {
  std::vector<JarCapabilities> jars;    // in the order of the scan
  std::vector<base::Finding> findings;  // RG1008, RG1101 to RG1104, in report order
};

// Supertypes are looked for in the class's own jar, on the class path, and in the other scanned
// jars, in this order. `class_path` may be empty: then what the catalogue knows of Spark 4.2's
// interfaces is used, and classes that extend others of Spark's types can be undecidable.
CapabilityReport analyse_capabilities(const ScanResult& scan, const ClassIndex& class_path);

// The verdict from the uses and missing types of one jar.
GateVerdict judge_gate(const JarCapabilities& jar,
                       const std::vector<std::string>& undecided_tables);

}  // namespace rowgate::jarscan
