#include "tools/exit_status.hpp"

namespace rowgate::tools {

ExitStatus status_for(const Error& error) {
  switch (error.code) {
    case ErrorCode::usage: return ExitStatus::usage;
    case ErrorCode::internal: return ExitStatus::internal;
    case ErrorCode::interrupted: return ExitStatus::interrupted;
    default: return ExitStatus::incomplete;
  }
}

}  // namespace rowgate::tools
