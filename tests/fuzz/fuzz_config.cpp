// Any bytes as rowgate.toml, as a date and as a range of Spark versions. What is read goes through
// a gate; an error has a message of one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/checks.hpp"
#include "reports/config.hpp"
#include "reports/gate.hpp"

using namespace rowgate;
using namespace rowgate::reports;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

base::Report some_report(std::string_view text) {
  base::Report report;
  report.findings = {base::make_finding("RG1101", "io.delta:delta:1", "m"),
                     base::make_finding("RG1102", std::string(text.substr(0, 20)), "m")};
  return report;
}

void use(const Config& config, std::string_view text) {
  GatePolicy policy;
  if (config.fail_on) policy.fail_on = *config.fail_on;
  GateInputs inputs;
  inputs.ignores = &config.ignores;
  inputs.ignores_file = config.file;
  inputs.spark_versions = {"4.2.0"};
  base::Report report = some_report(text);
  apply_gate(report, policy, inputs);
  require(report.gate.has_value());
  // No finding is lost: each counts or is set aside.
  std::size_t own = 0;
  for (const base::Finding& finding : report.findings) own += finding.check_id.starts_with("RG40");
  require(report.findings.size() - own + report.suppressed.size() == 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto config = parse_config(text, "rowgate.toml"))
    use(*config, text);
  else
    require(!config.error().message.empty() &&
            config.error().message.find('\n') == std::string::npos);
  if (const auto range = SparkRange::parse(text)) range->contains("4.2.0");
  if (const auto date = parse_date(text)) require(to_string(*date) == text);
  // Whatever a finding is called, its ignore entry is TOML whose only mistake is the empty reason.
  if (size < 4096 && size > 0) {
    base::Finding finding = base::make_finding("RG1101", std::string(text), "m");
    finding.symbol = text;
    const auto entry = parse_config(ignore_entry(finding, "2027-01-31"), "entry");
    require(!entry && entry.error().message == "'reason' is empty");
  }
  return 0;
}
