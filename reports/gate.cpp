// One pass over the findings. For each, the first entry that matches and has not expired suppresses
// it; otherwise a baseline that knows it does. An entry is used when it matched anything, expired
// or not. The cost is findings times entries times the length of a glob.
#include "reports/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/fingerprint.hpp"
#include "reports/layout.hpp"

namespace rowgate::reports {
namespace {

using base::Finding;
using base::Report;
using base::Severity;

constexpr int kSoonDays = 14;
constexpr const char* kUnusedIgnore = "RG4002";
constexpr const char* kUnusedWord = "unused-ignores";  // in GateOutcome::fail_on

enum class Age : std::uint8_t { holds, holds_but_ends_soon, expired };

// What an entry did in this run.
struct Use {
  bool applies = true;  // to this run's Spark
  Age age = Age::holds;
  int days_left = 0;
  std::size_t matched = 0;
};

// A vendor's folder of jars has no version: no entry with a range applies to it.
bool applies_to_all(const Ignore& ignore, const std::vector<std::string>& versions) {
  return !versions.empty() &&
         std::all_of(versions.begin(), versions.end(),
                     [&](const std::string& version) { return ignore.spark.contains(version); });
}

// Whether the entry's range holds the Sparks that the finding is about.
bool applies_to(const Ignore& ignore, const Finding& finding, const GateInputs& inputs) {
  return ignore.spark.everything() ||
         (finding.sparks.empty() ? applies_to_all(ignore, inputs.spark_versions)
                                 : applies_to_all(ignore, finding.sparks));
}

std::vector<Use> prepare(const std::vector<Ignore>& ignores, const GateInputs& inputs) {
  const auto today = std::chrono::floor<std::chrono::days>(inputs.now);
  std::vector<Use> uses(ignores.size());
  for (std::size_t i = 0; i < ignores.size(); ++i) {
    Use& use = uses[i];
    use.days_left = static_cast<int>((std::chrono::sys_days(ignores[i].expires) - today).count());
    use.age = use.days_left < 0            ? Age::expired
              : use.days_left <= kSoonDays ? Age::holds_but_ends_soon
                                           : Age::holds;
    const auto holds = [&](const std::string& version) {
      return ignores[i].spark.contains(version);
    };
    use.applies = ignores[i].spark.everything() ||
                  std::any_of(inputs.spark_versions.begin(), inputs.spark_versions.end(), holds);
  }
  return uses;
}

bool matches(const Ignore& ignore, const Finding& finding) {
  return ignore.check == finding.check_id &&
         base::matches_glob(ignore.connector, finding.subject) &&
         base::matches_glob(ignore.symbol, finding.symbol);
}

// How many findings of a fingerprint the baselines still cover.
class KnownFindings {
 public:
  explicit KnownFindings(const std::vector<Baseline>* baselines) {
    if (baselines == nullptr) return;
    for (const Baseline& baseline : *baselines)
      for (const auto& [print, entry] : baseline.entries)
        left_[print].push_back({&baseline, &entry, entry.count});
  }

  // The baseline that covers the finding, once.
  const Baseline* take(const Finding& finding) {
    const auto at = left_.find(fingerprint(finding));
    if (at == left_.end()) return nullptr;
    for (Left& left : at->second) {
      if (left.count == 0 || finding.severity < left.entry->severity) continue;
      --left.count;
      return left.baseline;
    }
    return nullptr;
  }

  // Findings that were not taken, by baseline.
  std::map<const Baseline*, std::size_t> gone() const {
    std::map<const Baseline*, std::size_t> counts;
    for (const auto& [print, lefts] : left_)
      for (const Left& left : lefts)
        if (left.count > 0) counts[left.baseline] += left.count;
    return counts;
  }

 private:
  struct Left {
    const Baseline* baseline;
    const BaselineEntry* entry;
    std::size_t count;
  };
  std::map<std::string, std::vector<Left>> left_;
};

std::string describe(const Ignore& ignore) {
  std::string text = fmt::format("check {}", printable_start(ignore.check, 60));
  if (ignore.symbol != "*") text += fmt::format(", symbol {}", printable_start(ignore.symbol, 200));
  if (ignore.connector != "*")
    text += fmt::format(", connector {}", printable_start(ignore.connector, 200));
  return text;
}

Finding about(const char* check, const Ignore& ignore, const GateInputs& inputs,
              std::string message) {
  Finding finding = base::make_finding(check, inputs.ignores_file, std::move(message));
  finding.symbol = describe(ignore);
  finding.location.file = inputs.ignores_file;
  if (ignore.line > 0) finding.location.line = ignore.line;
  finding.evidence = {fmt::format("reason: {}", ignore.reason)};
  return finding;
}

void report_uses(Report& report, const std::vector<Ignore>& ignores, const std::vector<Use>& uses,
                 const GatePolicy& policy, const GateInputs& inputs) {
  for (std::size_t i = 0; i < ignores.size(); ++i) {
    const Ignore& ignore = ignores[i];
    const Use& use = uses[i];
    const std::string what = describe(ignore), until = to_string(ignore.expires);
    if (!use.applies) continue;  // another Spark's: this run says nothing about it
    if (use.matched == 0 && policy.unused_ignores != UnusedIgnores::unsaid)
      report.findings.push_back(about(kUnusedIgnore, ignore, inputs,
                                      fmt::format("no finding matches the entry for {}", what)));
    else if (use.matched > 0 && use.age == Age::expired)
      report.findings.push_back(
          about("RG4001", ignore, inputs,
                fmt::format("the entry for {} expired on {}; {} finding{} count again", what, until,
                            use.matched, use.matched == 1 ? "" : "s")));
    else if (use.matched > 0 && use.age == Age::holds_but_ends_soon)
      report.findings.push_back(
          about("RG4003", ignore, inputs,
                fmt::format("the entry for {} holds until {}, {} more day{}", what, until,
                            use.days_left, use.days_left == 1 ? "" : "s")));
  }
}

void report_gone(Report& report, const KnownFindings& known) {
  for (const auto& [baseline, count] : known.gone()) {
    Finding finding = base::make_finding(
        "RG4004", baseline->file,
        fmt::format("{} finding{} of the baseline did not occur", count, count == 1 ? "" : "s"));
    finding.location.file = baseline->file;
    report.findings.push_back(std::move(finding));
  }
}

std::string counted(std::size_t count, Severity severity) {
  return fmt::format("{} {}{}", base::with_thousands(count), base::to_string(severity),
                     count == 1 || severity == Severity::undecidable ? "" : "s");
}

void decide(Report& report, const GatePolicy& policy) {
  base::GateOutcome outcome;
  for (FailOn fail_on : policy.fail_on) outcome.fail_on.emplace_back(to_string(fail_on));
  if (policy.unused_ignores == UnusedIgnores::failed) outcome.fail_on.emplace_back(kUnusedWord);
  std::array<std::size_t, 4> failing{};
  std::size_t unused = 0;
  for (const Finding& finding : report.findings)
    if (fails_gate(finding, outcome.fail_on)) {
      ++failing[static_cast<std::size_t>(finding.severity)];
      unused += finding.check_id == kUnusedIgnore ? 1 : 0;
    }
  std::vector<std::string> why, passed;
  const auto all = base::count_by_severity(report.findings);
  for (std::size_t i = 0; i < failing.size(); ++i) {
    const auto severity = static_cast<Severity>(i);
    if (failing[i] > 0) why.push_back(counted(failing[i], severity));
    if (all[i] > failing[i] && severity != Severity::note)
      passed.push_back(counted(all[i] - failing[i], severity));
  }
  outcome.failed = !why.empty();
  outcome.text = outcome.failed ? base::join(why, ", ") : "nothing that it fails on";
  if (unused > 0) outcome.text += fmt::format(" ({} of them unused ignores)", unused);
  outcome.text += fmt::format(" (fails on: {})", base::join(outcome.fail_on, ", "));
  // What is let through is said, too: a gate that passes is no proof that all is fine.
  if (!passed.empty()) outcome.text += fmt::format("; let through: {}", base::join(passed, ", "));
  if (!report.suppressed.empty())
    outcome.text +=
        fmt::format("; not counted: {}", base::with_thousands(report.suppressed.size()));
  report.gate = std::move(outcome);
}

}  // namespace

bool fails_gate(const Finding& finding, const std::vector<std::string>& fail_on) {
  const bool of_the_gate = finding.check_id == kUnusedIgnore;
  return std::any_of(fail_on.begin(), fail_on.end(), [&](const std::string& word) {
    if (word == kUnusedWord) return of_the_gate;
    const auto parsed = parse_fail_on(word);
    if (!parsed) return false;
    switch (*parsed) {
      case FailOn::new_findings: return finding.severity != Severity::note && !of_the_gate;
      case FailOn::error: return finding.severity == Severity::error;
      case FailOn::warning:
        return finding.severity == Severity::error || finding.severity == Severity::warning;
      case FailOn::undecidable:
        return finding.severity == Severity::error || finding.severity == Severity::undecidable;
      case FailOn::never: return false;
    }
    return true;
  });
}

void apply_gate(Report& report, const GatePolicy& policy, const GateInputs& inputs) {
  static const std::vector<Ignore> kNone;
  const std::vector<Ignore>& ignores = inputs.ignores == nullptr ? kNone : *inputs.ignores;
  std::vector<Use> uses = prepare(ignores, inputs);
  KnownFindings known(inputs.baselines);
  std::vector<Finding> counting;
  for (Finding& finding : report.findings) {
    const Ignore* ignored_by = nullptr;
    std::vector<std::string> expired;
    for (std::size_t i = 0; i < ignores.size(); ++i) {
      if (!uses[i].applies || !matches(ignores[i], finding) ||
          !applies_to(ignores[i], finding, inputs))
        continue;
      ++uses[i].matched;
      if (uses[i].age == Age::expired)
        expired.push_back(fmt::format("the ignore entry at {}:{} expired on {}",
                                      inputs.ignores_file, ignores[i].line,
                                      to_string(ignores[i].expires)));
      else if (ignored_by == nullptr)
        ignored_by = &ignores[i];
    }
    const Baseline* baseline = known.take(finding);
    if (ignored_by != nullptr) {
      report.suppressed.push_back({std::move(finding), base::SuppressionKind::ignore,
                                   ignored_by->reason, to_string(ignored_by->expires)});
    } else if (baseline != nullptr) {
      report.suppressed.push_back(
          {std::move(finding), base::SuppressionKind::baseline, baseline->file, ""});
    } else {
      finding.evidence.insert(finding.evidence.end(), expired.begin(), expired.end());
      counting.push_back(std::move(finding));
    }
  }
  report.findings = std::move(counting);
  report_uses(report, ignores, uses, policy, inputs);
  report_gone(report, known);
  base::normalise(report.findings);
  std::stable_sort(report.suppressed.begin(), report.suppressed.end(),
                   [](const base::Suppressed& a, const base::Suppressed& b) {
                     return base::report_order(a.finding, b.finding);
                   });
  decide(report, policy);
}

}  // namespace rowgate::reports
