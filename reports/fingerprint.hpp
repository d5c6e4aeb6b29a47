// The identity of a finding across runs, machines and edits of the file it is in.
#pragma once

#include <string>

#include "base/finding.hpp"

namespace rowgate::reports {

// 32 lower-case hexadecimal characters over check, subject, symbol, the location's file (without
// the folders above it) and member; over the message too when there is neither symbol nor member.
// Not part of it: severity, line, byte offset, evidence, help. So a finding keeps its fingerprint
// when lines move or the checkout does, and gets another one when the connector's version changes.
std::string fingerprint(const base::Finding& finding);

}  // namespace rowgate::reports
