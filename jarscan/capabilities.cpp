// For each class of each jar the set of all ancestors is walked once, breadth first, and the
// catalogue's rows among them are collected. The work is the number of classes times the number of
// their ancestors, which is bounded (kMaxAncestors).
#include "jarscan/capabilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/checks.hpp"

namespace rowgate::jarscan {
namespace {

// The catalogue's rows as types, for when no Spark jar was given.
class CatalogueTypes {
 public:
  CatalogueTypes() {
    const auto rows = capability_catalogue();
    supertypes_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::string_view rest = rows[i].extends;
      while (!rest.empty()) {
        const std::size_t space = std::min(rest.find(' '), rest.size());
        supertypes_[i].push_back(rows[capability_index(rest.substr(0, space))].internal_name);
        rest.remove_prefix(std::min(space + 1, rest.size()));
      }
      facts_.push_back({rows[i].internal_name, "java/lang/Object", supertypes_[i],
                        access::kPublic | access::kInterface | access::kAbstract});
    }
  }
  const TypeFacts* find(std::string_view name) const {
    const auto row = find_capability(name);
    return row ? &facts_[*row] : nullptr;
  }

 private:
  std::vector<std::vector<std::string_view>> supertypes_;
  std::vector<TypeFacts> facts_;
};

// The types of several jars by name: each jar sees its own first.
class ScannedTypes {
 public:
  explicit ScannedTypes(const std::vector<JarScan>& jars) {
    std::size_t count = 0;
    for (const JarScan& jar : jars) count += jar.classes.size();
    first_.reserve(count);
    for (std::uint32_t j = 0; j < jars.size(); ++j)
      for (const ClassFacts& facts : jars[j].classes)
        if (!first_.try_emplace(facts.type.name, Place{j, &facts.type}).second)
          again_.try_emplace({facts.type.name, j}, &facts.type);
  }
  const TypeFacts* find_in(std::uint32_t jar, std::string_view name) const {
    const auto found = first_.find(name);
    if (found == first_.end()) return nullptr;
    if (found->second.jar == jar) return found->second.type;
    const auto own = again_.find({name, jar});
    return own == again_.end() ? nullptr : own->second;
  }
  const TypeFacts* find(std::string_view name) const {
    const auto found = first_.find(name);
    return found == first_.end() ? nullptr : found->second.type;
  }

 private:
  struct Place {
    std::uint32_t jar;
    const TypeFacts* type;
  };
  std::unordered_map<std::string_view, Place> first_;
  std::map<std::pair<std::string_view, std::uint32_t>, const TypeFacts*> again_;
};

void sort_and_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

class JarAnalysis {
 public:
  JarAnalysis(const JarScan& jar, const TypeLookup& lookup, const ClassIndex& class_path,
              std::vector<base::Finding>& findings)
      : jar_(jar), lookup_(lookup), class_path_(class_path), findings_(findings) {
    result_.jar = jar.name;
    result_.unread = jar.classes_skipped;
    result_.uses.resize(capability_catalogue().size());
  }

  JarCapabilities run() {
    for (const ClassFacts& facts : jar_.classes) {
      if (is_shadowed(facts.type.name))
        ++result_.shadowed;
      else
        add(facts);
    }
    for (CapabilityUse& use : result_.uses)
      for (auto* names : {&use.naming, &use.direct, &use.implementors, &use.concrete})
        sort_and_unique(*names);
    for (auto& [name, needed_by] : missing_) {
      sort_and_unique(needed_by);
      result_.missing.push_back({std::string(name), std::move(needed_by)});
    }
    sort_and_unique(undecided_tables_);
    result_.gate = judge_gate(result_, undecided_tables_);
    return std::move(result_);
  }

 private:
  // Whether the class path has this class in another jar. A jar that stands on the class path
  // itself (one of Spark's own, scanned with --spark) does not shadow itself.
  bool is_shadowed(std::string_view name) const {
    const std::optional<ClassLocation> location = class_path_.find(name);
    return location && file_name(class_path_.jar(location->jar).name()) != file_name(jar_.name);
  }
  static std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
  }

  void add(const ClassFacts& facts) {
    const TypeFacts& type = facts.type;
    const std::string name(type.name);
    const Ancestry ancestry = ancestry_of(type, lookup_);
    if (ancestry.is_circular) {
      base::Finding finding = base::make_finding(
          "RG1008", jar_.name, fmt::format("{} is its own supertype", dotted(name)));
      finding.symbol = dotted(name);
      finding.location.file =
          fmt::format("{}!/{}", jar_.name, jar_.jar->entries()[facts.entry].name);
      findings_.push_back(std::move(finding));
    }
    CapabilitySet direct = facts.is_extension ? capability_bit(kExtensions) : 0;
    CapabilitySet inherited = direct;
    for (const std::string_view ancestor : ancestry.ancestors)
      if (const auto row = find_capability(ancestor)) inherited |= capability_bit(*row);
    const auto add_direct = [&](std::string_view supertype) {
      if (const auto row = find_capability(supertype)) direct |= capability_bit(*row);
    };
    add_direct(type.super);
    for (const std::string_view interface : type.interfaces) add_direct(interface);
    // Every class file names itself.
    CapabilitySet named = facts.named;
    if (const auto row = find_capability(type.name)) named &= ~capability_bit(*row);

    if ((named | direct | inherited) != 0)
      for (std::uint32_t row = 0; row < result_.uses.size(); ++row) {
        CapabilityUse& use = result_.uses[row];
        const CapabilitySet bit = capability_bit(row);
        if ((named & bit) != 0) use.naming.push_back(name);
        if ((direct & bit) != 0) use.direct.push_back(name);
        if ((inherited & bit) == 0) continue;
        use.implementors.push_back(name);
        if (type.is_concrete()) use.concrete.push_back(name);
      }
    for (const std::string_view unknown : ancestry.unknown)
      missing_[std::string(unknown)].push_back(name);
    if (could_be_table(facts, ancestry, inherited))
      for (const std::string_view unknown : ancestry.unknown)
        undecided_tables_.emplace_back(unknown);
  }

  // A class whose unknown ancestors could make it a table with row-level operations: it is a table
  // already, or an ancestor is one of Spark's SQL types, or it uses the connector API.
  static bool could_be_table(const ClassFacts& facts, const Ancestry& ancestry,
                             CapabilitySet inherited) {
    if (ancestry.unknown.empty() || facts.type.is_interface()) return false;
    if ((inherited & capability_bit(kTable)) != 0) return true;
    for (const std::string_view unknown : ancestry.unknown)
      if (unknown.starts_with("org/apache/spark/sql/connector/") ||
          unknown.starts_with("org/apache/spark/sql/execution/datasources/v2/"))
        return true;
    return (facts.named & table_rows()) != 0;
  }

  static CapabilitySet table_rows() {
    CapabilitySet rows = 0;
    for (std::uint32_t i = 0; i < capability_catalogue().size(); ++i)
      if (capability_catalogue()[i].group == CapabilityGroup::table) rows |= capability_bit(i);
    return rows;
  }

  static inline const std::uint32_t kTable = capability_index("Table");
  static inline const std::uint32_t kExtensions = capability_index("SparkSessionExtensions");
  const JarScan& jar_;
  const TypeLookup& lookup_;
  const ClassIndex& class_path_;
  std::vector<base::Finding>& findings_;
  JarCapabilities result_;
  std::map<std::string, std::vector<std::string>> missing_;
  std::vector<std::string> undecided_tables_;
};

void add_gate_findings(const JarCapabilities& jar, std::vector<base::Finding>& findings) {
  const GateVerdict& gate = jar.gate;
  const auto add = [&](const char* check, std::string message, std::string symbol,
                       const std::vector<std::string>& classes) {
    base::Finding finding = base::make_finding(check, jar.jar, std::move(message));
    finding.symbol = std::move(symbol);
    finding.location.file = jar.jar;
    for (const std::string& name : classes) finding.evidence.push_back(dotted(name));
    if (gate.reason == GateReason::unread_classes)
      finding.help = "See the findings about these class files; fetch the jar again.";
    findings.push_back(std::move(finding));
  };
  const std::string interface =
      dotted(capability_catalogue()[capability_index("SupportsRowLevelOperations")].internal_name);
  if (gate.outcome == GateOutcome::refused) add("RG1101", gate.sentence, interface, gate.tables);
  if (gate.outcome == GateOutcome::undecidable)
    add("RG1102", gate.sentence, interface, gate.because);
  if (gate.outcome != GateOutcome::refused) return;
  if (!gate.v1_fallback.empty())
    add("RG1103",
        fmt::format("{} hands commands over to a data source v1 plan",
                    dotted(gate.v1_fallback.front())),
        dotted(gate.v1_fallback.front()), gate.v1_fallback);
  if (!gate.merge_rules.empty())
    add("RG1104",
        fmt::format("{} classes take Spark's MergeIntoTable plan over", gate.merge_rules.size()),
        dotted(gate.extensions.front()), gate.merge_rules);
}

}  // namespace

CapabilityReport analyse_capabilities(const ScanResult& scan, const ClassIndex& class_path) {
  CapabilityReport report;
  const CatalogueTypes catalogue;
  ClassPathTypes path_types(class_path);
  const ScannedTypes types(scan.jars);
  for (std::uint32_t i = 0; i < scan.jars.size(); ++i) {
    const TypeLookup lookup = [&](std::string_view name) -> const TypeFacts* {
      if (const TypeFacts* const own = types.find_in(i, name)) return own;
      if (const TypeFacts* const on_path = path_types.find(name)) return on_path;
      if (const TypeFacts* const other = types.find(name)) return other;
      return catalogue.find(name);
    };
    report.jars.push_back(JarAnalysis(scan.jars[i], lookup, class_path, report.findings).run());
    add_gate_findings(report.jars.back(), report.findings);
  }
  base::normalise(report.findings);
  return report;
}

}  // namespace rowgate::jarscan
