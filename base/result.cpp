#include "base/result.hpp"

#include <fmt/format.h>

namespace rowgate::base {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "usage";
    case ErrorCode::not_found: return "not-found";
    case ErrorCode::io: return "io";
    case ErrorCode::network: return "network";
    case ErrorCode::malformed: return "malformed";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::limit: return "limit";
    case ErrorCode::checksum: return "checksum";
    case ErrorCode::child_process: return "child-process";
    case ErrorCode::interrupted: return "interrupted";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

std::string Error::to_string() const {
  std::string text = subject.empty() ? message : fmt::format("{}: {}", subject, message);
  if (offset) text += fmt::format(" (at byte {})", *offset);
  if (!remedy.empty()) text += fmt::format("; {}", remedy);
  return text;
}

}  // namespace rowgate::base
