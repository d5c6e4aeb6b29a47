#include "reports/compare.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "reports/fingerprint.hpp"

namespace rowgate::reports {
namespace {

using base::Finding;
using base::Report;

// Several findings may share a fingerprint; they are paired in report order.
using ByPrint = std::map<std::string, std::vector<const Finding*>>;

std::set<std::string> subjects_of(const Report& report) {
  std::set<std::string> subjects;
  for (const base::SummaryLine& line : report.summary) subjects.insert(line.subject);
  for (const Finding& finding : report.findings) subjects.insert(finding.subject);
  for (const base::Suppressed& entry : report.suppressed) subjects.insert(entry.finding.subject);
  return subjects;
}

base::Table table_of(const char* id, const char* title, const std::vector<Finding>& findings,
                     base::Tone tone) {
  base::Table table;
  table.id = id;
  table.title = title;
  table.columns = {{"severity"}, {"check"}, {"subject"}, {"message"}, {"symbol"}};
  for (const Finding& finding : findings)
    table.rows.push_back({{base::to_string(finding.severity), tone},
                          {finding.check_id},
                          {finding.subject},
                          {finding.message},
                          {finding.symbol}});
  return table;
}

}  // namespace

Comparison compare(const Report& now, const Report& before) {
  ByPrint known;
  for (const Finding& finding : before.findings) known[fingerprint(finding)].push_back(&finding);
  std::map<std::string, std::size_t> used;
  Comparison result;
  for (const Finding& finding : now.findings) {
    const std::string print = fingerprint(finding);
    const auto old = known.find(print);
    const std::size_t index = used[print]++;
    if (old == known.end() || index >= old->second.size())
      result.added.push_back(finding);
    else if (finding.severity < old->second[index]->severity)
      result.worse.push_back(finding);
    else
      result.unchanged.push_back(finding);
  }
  std::map<std::string, std::size_t> aside;
  for (const base::Suppressed& entry : now.suppressed) ++aside[fingerprint(entry.finding)];
  const std::set<std::string> subjects = subjects_of(now);
  for (const Finding& finding : before.findings) {
    const std::string print = fingerprint(finding);
    if (auto& left = used[print]; left > 0)
      --left;
    else if (auto& hidden = aside[print]; hidden > 0) {
      --hidden;
      result.set_aside.push_back(finding);
    } else if (!subjects.contains(finding.subject) && !subjects.empty())
      result.not_looked_at.push_back(finding);
    else
      result.fixed.push_back(finding);
  }
  return result;
}

Report compare_report(const Report& now, const Report& before, const std::string& before_name) {
  const Comparison comparison = compare(now, before);
  Report report;
  report.command = now.command;
  report.title = fmt::format("compared with {}", before_name);
  report.inputs = now.inputs;
  report.coverage = now.coverage;
  report.provenance = now.provenance;
  using base::Tone;
  const auto line = [&](const char* what, std::size_t count, const char* meaning, Tone tone) {
    report.summary.push_back(
        {what, std::to_string(count), meaning, count == 0 ? Tone::muted : tone});
  };
  line("new", comparison.added.size(), "not counted before", Tone::bad);
  line("worse", comparison.worse.size(), "the same finding, more severe now", Tone::bad);
  std::string fixed = "counted before, gone now";
  std::uint64_t skipped = 0;
  for (const base::Coverage& entry : now.coverage) skipped += entry.skipped;
  if (skipped > 0)
    fixed +=
        fmt::format("; {} inputs could not be looked at, so some may merely be unseen", skipped);
  line("fixed", comparison.fixed.size(), fixed.c_str(), skipped > 0 ? Tone::caution : Tone::good);
  line("unchanged", comparison.unchanged.size(), "in both", Tone::plain);
  line("set aside", comparison.set_aside.size(), "counted before, ignored or in the baseline now",
       Tone::caution);
  line("not looked at", comparison.not_looked_at.size(),
       "counted before, but their subject was not part of this run", Tone::unknown);
  report.findings = comparison.added;
  report.findings.insert(report.findings.end(), comparison.worse.begin(), comparison.worse.end());
  base::normalise(report.findings);
  const auto table = [&](const char* id, const char* title, const std::vector<Finding>& findings,
                         Tone tone) {
    if (!findings.empty()) report.tables.push_back(table_of(id, title, findings, tone));
  };
  table("fixed", "Fixed", comparison.fixed, Tone::good);
  table("set-aside", "Set aside", comparison.set_aside, Tone::caution);
  table("not-looked-at", "Not looked at", comparison.not_looked_at, Tone::unknown);
  if (!comparison.unchanged.empty()) {
    report.tables.push_back(table_of("unchanged", "Unchanged", comparison.unchanged, Tone::plain));
    report.tables.back().detail = true;
  }
  return report;
}

}  // namespace rowgate::reports
