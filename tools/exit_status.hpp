// The exit statuses of every command; documented in README.md and the man page.
#pragma once

#include "base/result.hpp"

namespace rowgate::tools {

enum class ExitStatus : int {
  clean = 0,        // ran to the end, the gate passed
  gate_failed = 1,  // ran to the end, found what --fail-on asks about
  usage = 2,        // wrong arguments or configuration
  incomplete = 3,   // input, network or a child process kept it from an answer
  internal = 4,     // a bug of rowgate
  interrupted = 130,
};

// The status with which a run ends that this error stopped.
ExitStatus status_for(const Error& error);

}  // namespace rowgate::tools
