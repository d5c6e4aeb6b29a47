#include <doctest/doctest.h>

#include "base/clock.hpp"

using namespace rowgate::base;

TEST_CASE("RFC 3339 both ways") {
  // Expected text from `date -u -d @1796024244 +%FT%TZ`.
  const WallTime time{std::chrono::seconds{1796024244}};
  CHECK(to_rfc3339(time) == "2026-11-30T07:37:24Z");
  CHECK(from_rfc3339("2026-11-30T07:37:24Z") == time);
  CHECK(from_rfc3339("2024-02-29T00:00:00Z").has_value());
  for (const char* bad : {"", "2026-11-30", "2026-13-01T00:00:00Z", "2023-02-29T00:00:00Z",
                          "2026-11-30T24:00:00Z", "2026-11-30 07:37:24Z", "2026-11-30T07:3x:24Z"})
    CHECK_FALSE(from_rfc3339(bad).has_value());
}

TEST_CASE("HTTP dates both ways") {
  // The example of RFC 9110, 5.6.7, and `date -u -d @784111777`.
  const WallTime time{std::chrono::seconds{784111777}};
  CHECK(to_http_date(time) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(from_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == time);
  CHECK_FALSE(from_http_date("Sunday, 06-Nov-94 08:49:37 GMT").has_value());
  CHECK_FALSE(from_http_date("Sun, 06 Nox 1994 08:49:37 GMT").has_value());
}
