// Findings out of a link result: one a root cause, with its uses, what is nearest, when it strikes
// and which rules lowered it; one a class that cannot be linked for another class's sake.
#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "jarscan/link.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::size_t kUsesShown = 5;

base::Finding cause_finding(const LinkCause& cause, const std::string& subject,
                            const LinkResult& result) {
  const char* error = jvm_error(cause.problem);
  std::string message = cause.severity == base::Severity::undecidable
                            ? cause.message
                            : fmt::format("{}: {}", error, cause.message);
  message += fmt::format("; {} use{}", base::with_thousands(cause.uses.size()),
                         cause.uses.size() == 1 ? "" : "s");
  base::Finding finding = base::make_finding(cause.check_id, subject, std::move(message));
  finding.severity = cause.severity;
  finding.symbol = cause.symbol;
  if (cause.needs_artifact)
    finding.help = "Give a Spark that has all of its jars: --spark SPARK_HOME, or their folder.";
  if (!cause.uses.empty()) finding.location.member = cause.uses.front().place;
  if (!cause.nearest.empty()) finding.evidence.push_back("nearest: " + cause.nearest);
  if (!cause.when.empty()) finding.evidence.push_back(cause.when);
  for (std::size_t i = 0; i < cause.uses.size() && i < kUsesShown; ++i)
    finding.evidence.push_back("used in " + cause.uses[i].place);
  if (cause.uses.size() > kUsesShown)
    finding.evidence.push_back(
        fmt::format("and in {} more places", base::with_thousands(cause.uses.size() - kUsesShown)));
  if (cause.path.size() > 1)
    finding.evidence.push_back("reached by " + base::join(cause.path, " -> "));
  for (const LinkRule rule : cause.rules)
    finding.evidence.push_back(fmt::format("lowered: {}", to_string(rule)));
  std::string compared = "without a baseline";
  if (result.together)
    compared = "compared with each connector by itself";
  else if (!result.baseline.empty())
    compared = fmt::format("compared with {}", result.baseline);
  finding.evidence.push_back(fmt::format("on Spark {}, {}", result.target, compared));
  return finding;
}

}  // namespace

std::vector<base::Finding> link_findings(const LinkResult& result, const std::string& subject) {
  std::vector<base::Finding> findings = result.path_findings;
  for (const LinkCause& cause : result.causes) {
    findings.push_back(cause_finding(cause, subject, result));
    for (const std::string& name : cause.unloadable) {
      const auto use = std::find_if(cause.uses.begin(), cause.uses.end(), [&](const LinkUse& u) {
        return u.place == name && (u.kind == BreakPlace::loading || u.kind == BreakPlace::linking);
      });
      if (use == cause.uses.end()) continue;
      const char* how = use->kind == BreakPlace::loading ? "loaded" : "linked";
      base::Finding finding = base::make_finding(
          "RG1216", subject,
          use->severity == base::Severity::undecidable
              ? fmt::format("whether {} can be {} is {}", name, how, cause.message)
              : fmt::format("{} cannot be {}: {}", name, how, cause.message));
      finding.severity = use->severity;
      finding.symbol = name;
      finding.evidence.push_back(fmt::format("root cause: {}", cause.symbol));
      findings.push_back(std::move(finding));
    }
  }
  base::normalise(findings);
  return findings;
}

}  // namespace rowgate::jarscan
