#include "reports/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "reports/escape.hpp"
#include "reports/gate.hpp"
#include "reports/layout.hpp"

namespace rowgate::reports {
namespace {

using base::Finding;
using base::Report;
using base::Severity;

constexpr std::size_t kMaxValueBytes = 8 << 10;

enum class Outcome { passed, failure, error, skipped };

struct Case {
  std::string name;
  Outcome outcome = Outcome::passed;
  std::string type;     // of a failure: the check
  std::string message;  // one line
  std::string body;
};

struct Suite {
  std::string name;
  std::vector<Case> cases;
};

std::string escaped(std::string_view text) {
  return html_escape(text.size() <= kMaxValueBytes ? text : printable_start(text, kMaxValueBytes));
}

// Several lines: each is escaped, the line ends are ours.
std::string escaped_lines(std::string_view text) {
  std::string out;
  for (std::string_view line : base::split(text, '\n'))
    out += (out.empty() ? "" : "\n") + html_escape(line);
  return out;
}

Outcome outcome_of(const Report& report, const Finding& finding) {
  const bool fails = report.gate ? fails_gate(finding, report.gate->fail_on)
                                 : finding.severity == Severity::error ||
                                       finding.severity == Severity::undecidable;
  switch (finding.severity) {
    case Severity::error: return fails ? Outcome::failure : Outcome::skipped;
    case Severity::undecidable: return fails ? Outcome::error : Outcome::skipped;
    case Severity::warning:
    case Severity::note: return fails ? Outcome::failure : Outcome::passed;
  }
  return Outcome::failure;
}

Case case_of(const Finding& finding, Outcome outcome) {
  Case result;
  result.name = printable_start(finding.check_id, 100);
  const std::string& what = finding.symbol.empty() ? finding.message : finding.symbol;
  if (!what.empty()) result.name += ' ' + printable_start(what, kMaxValueBytes);
  result.outcome = outcome;
  result.type = finding.check_id;
  result.message = printable_start(finding.message, kMaxValueBytes);
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty())
      result.body += fmt::format("{}: {}\n", name, printable_start(value, kMaxValueBytes));
  };
  line(base::to_string(finding.severity), finding.message);
  line("at", finding.location.to_string());
  for (const std::string& evidence : finding.evidence) line("evidence", evidence);
  const base::Check* check = base::find_check(finding.check_id);
  line("help", !finding.help.empty() ? std::string_view(finding.help)
               : check != nullptr    ? check->remedy
                                     : std::string_view());
  return result;
}

// Suites in the order in which their subjects come in the summary, then in the findings.
class Suites {
 public:
  Suite& of(const std::string& subject) {
    const auto [at, inserted] = index_.emplace(subject, suites_.size());
    if (inserted) suites_.push_back({subject, {}});
    return suites_[at->second];
  }
  std::vector<Suite> take() { return std::move(suites_); }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Suite> suites_;
};

std::vector<Suite> suites_of(const Report& report) {
  Suites suites;
  for (const base::SummaryLine& line : report.summary) suites.of(line.subject);
  for (const Finding& finding : report.findings)
    suites.of(finding.subject).cases.push_back(case_of(finding, outcome_of(report, finding)));
  for (const base::Suppressed& entry : report.suppressed) {
    Case skipped = case_of(entry.finding, Outcome::skipped);
    skipped.message = fmt::format("{}: {}", base::to_string(entry.kind),
                                  printable_start(entry.reason, kMaxValueBytes));
    if (!entry.expires.empty()) skipped.message += ", until " + printable_start(entry.expires, 100);
    suites.of(entry.finding.subject).cases.push_back(std::move(skipped));
  }
  std::vector<Suite> all = suites.take();
  for (Suite& suite : all)
    if (suite.cases.empty()) suite.cases.push_back({"no findings", Outcome::passed, "", "", ""});
  if (!report.coverage.empty()) {
    Suite coverage{"coverage", {}};
    for (const base::Coverage& entry : report.coverage) {
      Case looked_at{fmt::format("all {} were looked at", printable_start(entry.what, 200)),
                     entry.skipped == 0 ? Outcome::passed : Outcome::skipped, "", "", ""};
      looked_at.message = fmt::format("{} looked at, {} could not be", entry.done, entry.skipped);
      coverage.cases.push_back(std::move(looked_at));
    }
    all.push_back(std::move(coverage));
  }
  return all;
}

std::size_t count(const Suite& suite, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(suite.cases.begin(), suite.cases.end(),
                    [&](const Case& entry) { return entry.outcome == outcome; }));
}

std::string counts(const std::vector<const Suite*>& suites) {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  for (const Suite* suite : suites) {
    tests += suite->cases.size();
    failures += count(*suite, Outcome::failure);
    errors += count(*suite, Outcome::error);
    skipped += count(*suite, Outcome::skipped);
  }
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures,
                     errors, skipped);
}

std::string write_case(const Suite& suite, const Case& entry) {
  std::string xml = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped(suite.name),
                                escaped(entry.name));
  switch (entry.outcome) {
    case Outcome::passed:
      if (entry.body.empty()) return xml + "/>\n";
      return xml + fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n",
                               escaped_lines(entry.body));
    case Outcome::skipped:
      return xml + fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                               escaped(entry.message));
    case Outcome::failure:
    case Outcome::error: break;
  }
  const char* element = entry.outcome == Outcome::failure ? "failure" : "error";
  return xml + fmt::format(
                   ">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n",
                   element, escaped(entry.type), escaped(entry.message), escaped_lines(entry.body));
}

}  // namespace

std::string render_junit(const Report& report) {
  const std::vector<Suite> suites = suites_of(report);
  std::vector<const Suite*> all;
  for (const Suite& suite : suites) all.push_back(&suite);
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += fmt::format("<testsuites name=\"rowgate {}\" {}>\n", escaped(report.command), counts(all));
  for (const Suite& suite : suites) {
    xml += fmt::format("  <testsuite name=\"{}\" {}>\n", escaped(suite.name), counts({&suite}));
    for (const Case& entry : suite.cases) xml += write_case(suite, entry);
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

}  // namespace rowgate::reports
