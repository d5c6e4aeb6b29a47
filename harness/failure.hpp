// Making the Failures that targets and benches report.
#pragma once

#include <string>
#include <utility>

#include "base/checks.hpp"
#include "base/result.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

inline Failure make_failure(FailureKind kind, std::string message, std::string error_name = {}) {
  Failure failure;
  failure.kind = kind;
  failure.message = std::move(message);
  failure.error_name = std::move(error_name);
  return failure;
}

// For what was in a session whose driver is another one now.
inline tl::unexpected<Failure> lost_session() {
  return tl::unexpected(
      make_failure(FailureKind::not_run, "the table was lost with its session", "driver-died"));
}

// Of an error that came before any engine was asked.
inline Failure failure_of(const Error& error) {
  return make_failure(
      error.code == ErrorCode::unsupported ? FailureKind::unsupported : FailureKind::not_run,
      error.to_string());
}

// That an engine cannot run a strategy, or a kind of fixture, at all (a linkage error, Auto CDC's
// gate): one finding, because every scenario meets the same.
inline base::Finding refusal_finding(std::string subject, const Failure& failure) {
  base::Finding finding = base::make_finding("RG3104", std::move(subject), failure.message);
  finding.symbol = failure.error_name;
  finding.evidence = failure.evidence;
  if (!failure.statement.empty()) finding.evidence.push_back("in: " + failure.statement);
  return finding;
}

}  // namespace rowgate::harness
