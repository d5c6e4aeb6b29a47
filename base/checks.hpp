// The check catalogue: every finding that rowgate can make is a row of one table.
#pragma once

#include <span>
#include <string_view>

#include "base/finding.hpp"

namespace rowgate::base {

struct Check {
  std::string_view
      id;             // RG1xxx jarscan, RG2xxx pomcheck, RG3xxx harness, RG4xxx gate; never reused
  Severity severity;  // the severity it has unless a rule lowers it
  std::string_view title;      // a few words, for tables and SARIF
  std::string_view meaning;    // what it means for the user's job
  std::string_view remedy;     // what to do
  std::string_view reference;  // the specification, rule or source file it rests on; may be empty
};

// Sorted by id.
std::span<const Check> check_catalogue();

// nullptr when there is no such check.
const Check* find_check(std::string_view id);

// A finding with the catalogue's severity. A programming error (std::logic_error) when the id is
// not in the catalogue.
Finding make_finding(std::string_view check_id, std::string subject, std::string message);

}  // namespace rowgate::base
