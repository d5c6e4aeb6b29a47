// A finding: one thing a user should know about their input, with the evidence for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::base {

// Ordered from the most to the least severe, so that sorting puts the worst first.
// `undecidable` is a verdict of its own: something that could hold the answer was not given, and
// the finding names it. It is never folded into "fine".
enum class Severity : std::uint8_t { error, warning, undecidable, note };

const char* to_string(Severity severity);
std::optional<Severity> severity_from_string(std::string_view text);

struct Location {
  std::string file;                     // a path, a coordinate, or `a.jar!/p/C.class`
  std::optional<std::uint32_t> line;    // 1-based, for text files
  std::optional<std::uint64_t> offset;  // bytes, for binary files
  std::string member;                   // `p.C.method(I)V`, where the place is inside a class

  std::string to_string() const;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Finding {
  std::string check_id;  // a row of the check catalogue, e.g. "RG1101"
  Severity severity = Severity::error;
  std::string subject;  // what it is about: a connector's coordinate, a jar, a strategy
  std::string message;  // one line, says what is wrong and with which symbol
  // The symbol that an ignore entry matches: a class, a member, a dependency, a scenario.
  std::string symbol;
  Location location;
  std::vector<std::string> evidence;  // one line each
  std::string help;  // what to do, when the catalogue's remedy is not specific enough
  // In a run over several Sparks, those that it is about; empty: the run as a whole.
  std::vector<std::string> sparks = {};

  friend bool operator==(const Finding&, const Finding&) = default;
};

// By severity, check, subject, symbol, location, message, then the rest: the order in every report.
bool report_order(const Finding& a, const Finding& b);

// Sorts into report order and drops exact repeats; what differs in its Sparks alone becomes one
// finding about all of them.
void normalise(std::vector<Finding>& findings);

}  // namespace rowgate::base
