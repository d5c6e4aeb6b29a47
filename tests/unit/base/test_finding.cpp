#include <doctest/doctest.h>

#include "base/checks.hpp"
#include "base/finding.hpp"
#include "base/report.hpp"
#include "base/result.hpp"

using namespace rowgate::base;

TEST_CASE("report order puts the worst first and drops exact repeats") {
  Finding note = make_finding("RG1004", "b.jar", "duplicate");
  Finding error_b = make_finding("RG1001", "b.jar", "unreadable");
  Finding error_a = make_finding("RG1001", "a.jar", "unreadable");
  std::vector<Finding> findings = {note, error_b, error_a, error_b};
  normalise(findings);
  CHECK(findings == std::vector<Finding>{error_a, error_b, note});
  CHECK(count_by_severity(findings) == std::array<std::size_t, 4>{2, 0, 0, 1});
}

TEST_CASE("one finding on several Sparks is one, and one about all is about each") {
  const auto on = [](std::vector<std::string> sparks, const char* message = "gone") {
    Finding finding = make_finding("RG1201", "a.jar", message);
    finding.sparks = std::move(sparks);
    return finding;
  };
  std::vector<Finding> findings = {on({"4.2.0"}), on({"4.1.0"}), on({"4.2.0"}, "changed")};
  normalise(findings);
  CHECK(findings == std::vector<Finding>{on({"4.2.0"}, "changed"), on({"4.1.0", "4.2.0"})});
  findings = {on({"4.2.0"}), on({}), on({"4.1.0"})};
  normalise(findings);
  CHECK(findings == std::vector<Finding>{on({})});
}

TEST_CASE("severities have names both ways") {
  for (Severity severity :
       {Severity::error, Severity::warning, Severity::undecidable, Severity::note})
    CHECK(severity_from_string(to_string(severity)) == severity);
  CHECK_FALSE(severity_from_string("fatal").has_value());
}

TEST_CASE("an error reads as subject, message, place, remedy") {
  const Error error{ErrorCode::malformed, "bad magic number", "a.jar!/C.class", 0, "rebuild it"};
  CHECK(error.to_string() == "a.jar!/C.class: bad magic number (at byte 0); rebuild it");
  CHECK(Error{ErrorCode::io, "full", "", {}, ""}.to_string() == "full");
}
