#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "base/checks.hpp"

using namespace rowgate::base;

TEST_CASE("every check says what it means and what to do") {
  for (const Check& check : check_catalogue()) {
    CAPTURE(check.id);
    CHECK(check.id.size() == 6);
    CHECK(check.id.substr(0, 2) == "RG");
    CHECK(find_check(check.id) == &check);
    CHECK_FALSE(check.title.empty());
    CHECK(check.title.find_first_of("\n.") == std::string_view::npos);
    CHECK(check.meaning.ends_with('.'));
    CHECK(check.remedy.ends_with('.'));
  }
}

TEST_CASE("titles are unique, so that a table of titles is a table of checks") {
  std::set<std::string_view> titles;
  for (const Check& check : check_catalogue()) CHECK(titles.insert(check.title).second);
}

TEST_CASE("unknown ids are found by nobody") {
  CHECK(find_check("RG9999") == nullptr);
  CHECK(find_check("") == nullptr);
  CHECK_THROWS_AS(make_finding("RG9999", "a.jar", "x"), std::logic_error);
}
