// A report as JUnit XML, for the test view of CI servers.
#pragma once

#include <string>

#include "base/report.hpp"

namespace rowgate::reports {

// A suite a subject, a test case a finding:
//   error        <failure>; <skipped> where a gate was applied that does not fail on it
//   undecidable  <error> (the check could not be completed), or <skipped> likewise
//   warning      passes, with the message in <system-out>; <failure> where the gate fails on it
//   note         passes, with the message in <system-out>
//   ignored, baseline                       <skipped>
// A subject of the summary without findings is one passing case; inputs that could not be looked at
// are a <skipped> case of the suite "coverage". No clock is in it: there are no times.
std::string render_junit(const base::Report& report);

}  // namespace rowgate::reports
