// Making the Failures that targets and benches report.
#pragma once

#include <string>
#include <utility>

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

}  // namespace rowgate::harness
