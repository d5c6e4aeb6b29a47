#include "tools/scan_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "jarscan/class_file.hpp"

namespace rowgate::tools {
namespace {

using base::Align;
using base::Cell;
using base::Tone;

Cell count_cell(std::size_t count) {
  return {std::to_string(count), count == 0 ? Tone::muted : Tone::plain};
}

std::string java_levels(const jarscan::JarScan& jar) {
  if (jar.min_major == 0) return "";
  const unsigned low = jarscan::java_release_of(jar.min_major);
  const unsigned high = jarscan::java_release_of(jar.max_major);
  return low == high ? std::to_string(low) : fmt::format("{} to {}", low, high);
}

std::string identity(const jarscan::JarScan& jar) {
  if (jar.poms.size() == 1)
    return fmt::format("{}:{}:{}", jar.poms[0].group_id, jar.poms[0].artifact_id,
                       jar.poms[0].version);
  for (const auto& [name, value] : jar.manifest)
    if (base::equals_ignoring_case(name, "Implementation-Version")) return value;
  return jar.poms.empty() ? "" : fmt::format("{} artifacts inside", jar.poms.size());
}

// "<cache>/a.jar!/p/C.class" -> "g:a:v!/p/C.class"
void relabel(std::string& text, const std::vector<std::pair<std::string, std::string>>& labels) {
  for (const auto& [path, label] : labels)
    if (text.starts_with(path)) {
      text.replace(0, path.size(), label);
      return;
    }
}

}  // namespace

Result<jarscan::ScanResult> scan_acquired(const std::vector<AcquiredInput>& inputs,
                                          const base::RunContext& context) {
  std::vector<std::filesystem::path> paths;
  std::vector<std::pair<std::string, std::string>> labels;
  for (const AcquiredInput& input : inputs) {
    if (!input.path) continue;
    paths.push_back(*input.path);
    if (!input.input.is_path()) labels.emplace_back(input.path->string(), input.label());
  }
  ROWGATE_TRY(jarscan::ScanResult scan, jarscan::scan(paths, {}, context));
  for (jarscan::JarScan& jar : scan.jars) relabel(jar.name, labels);
  for (base::Finding& finding : scan.findings)
    for (std::string* text : {&finding.subject, &finding.location.file, &finding.symbol})
      relabel(*text, labels);
  return scan;
}

std::vector<base::Coverage> scan_coverage(const jarscan::ScanResult& scan) {
  base::Coverage jars{"jars", scan.jars.size(), scan.jars_skipped}, classes{"classes"};
  for (const jarscan::JarScan& jar : scan.jars) {
    classes.done += jar.classes_read;
    classes.skipped += jar.classes_skipped;
  }
  return {jars, classes};
}

base::Tone tone_of(jarscan::GateOutcome outcome) {
  switch (outcome) {
    case jarscan::GateOutcome::passes: return Tone::good;
    case jarscan::GateOutcome::refused: return Tone::bad;
    case jarscan::GateOutcome::undecidable: return Tone::unknown;
    case jarscan::GateOutcome::not_applicable: return Tone::muted;
  }
  return Tone::unknown;
}

base::SummaryLine gate_summary(const std::string& subject, const jarscan::GateVerdict& gate) {
  return {subject, fmt::format("Auto CDC: {}", jarscan::to_string(gate.outcome)), gate.sentence,
          tone_of(gate.outcome)};
}

base::Table capability_table(const jarscan::CapabilityReport& report) {
  base::Table table;
  table.id = "capabilities";
  table.title = "Capabilities";
  table.columns = {{"jar"},
                   {"capability"},
                   {"named", Align::right},
                   {"direct", Align::right},
                   {"with ancestors", Align::right},
                   {"concrete", Align::right},
                   {"what Spark needs it for"}};
  table.notes = {
      "classes that name it / have it as superclass or interface / inherit it too / can be "
      "instantiated; capabilities that a jar does not name are left out"};
  const auto catalogue = jarscan::capability_catalogue();
  for (const jarscan::JarCapabilities& jar : report.jars) {
    for (std::size_t i = 0; i < catalogue.size(); ++i) {
      const jarscan::CapabilityUse& use = jar.uses[i];
      if (use.naming.empty() && use.implementors.empty()) continue;
      table.rows.push_back({{jar.jar},
                            {std::string(catalogue[i].id)},
                            count_cell(use.naming.size()),
                            count_cell(use.direct.size()),
                            count_cell(use.implementors.size()),
                            count_cell(use.concrete.size()),
                            {std::string(catalogue[i].purpose), Tone::muted}});
    }
  }
  return table;
}

base::Table gate_table(const jarscan::CapabilityReport& report) {
  base::Table table;
  table.id = "auto-cdc-gate";
  table.title = "Auto CDC gate";
  table.columns = {{"connector"}, {"verdict"}, {"why"}};
  for (const jarscan::JarCapabilities& jar : report.jars)
    table.rows.push_back({{jar.jar},
                          {jarscan::to_string(jar.gate.outcome), tone_of(jar.gate.outcome)},
                          {jar.gate.sentence}});
  return table;
}

base::Table implementor_table(const jarscan::CapabilityReport& report) {
  base::Table table;
  table.id = "implementors";
  table.title = "Classes behind the capabilities";
  table.detail = true;
  table.columns = {{"jar"}, {"capability"}, {"class"}, {"how"}};
  const auto catalogue = jarscan::capability_catalogue();
  for (const jarscan::JarCapabilities& jar : report.jars) {
    for (std::size_t i = 0; i < catalogue.size(); ++i) {
      const jarscan::CapabilityUse& use = jar.uses[i];
      for (const std::string& name : use.implementors) {
        const bool direct = std::binary_search(use.direct.begin(), use.direct.end(), name);
        const bool concrete = std::binary_search(use.concrete.begin(), use.concrete.end(), name);
        table.rows.push_back({{jar.jar},
                              {std::string(catalogue[i].id)},
                              {jarscan::dotted(name)},
                              {fmt::format("{}{}", direct ? "directly" : "through ancestors",
                                           concrete ? "" : ", abstract")}});
      }
    }
  }
  return table;
}

base::Table jar_table(const jarscan::ScanResult& scan) {
  base::Table table;
  table.id = "jars";
  table.title = "Jars";
  table.columns = {{"jar"},        {"size", Align::right}, {"classes", Align::right},
                   {"Java level"}, {"what it says it is"}, {"sha1"}};
  for (const jarscan::JarScan& jar : scan.jars) {
    const std::string skipped =
        jar.classes_skipped == 0 ? "" : fmt::format(" ({} skipped)", jar.classes_skipped);
    table.rows.push_back({{jar.name},
                          {base::human_bytes(jar.size_bytes)},
                          {base::with_thousands(jar.classes_read) + skipped,
                           jar.classes_skipped == 0 ? Tone::plain : Tone::caution},
                          {java_levels(jar)},
                          {identity(jar)},
                          {jar.sha1, Tone::muted}});
  }
  return table;
}

}  // namespace rowgate::tools
