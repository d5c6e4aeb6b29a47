// Time as a dependency, so that everything that ages (caches, ignores, deadlines) can be tested.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace rowgate::base {

using WallTime = std::chrono::sys_seconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;                                // UTC
  virtual std::chrono::steady_clock::time_point tick() const = 0;  // monotonic, for durations
  virtual void sleep_for(std::chrono::milliseconds duration) const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime now() const override;
  std::chrono::steady_clock::time_point tick() const override;
  void sleep_for(std::chrono::milliseconds duration) const override;
};

// "2026-11-30T07:37:24Z"
std::string to_rfc3339(WallTime time);
std::optional<WallTime> from_rfc3339(std::string_view text);

// "Mon, 30 Nov 2026 07:37:24 GMT" (RFC 9110 IMF-fixdate), as in HTTP headers.
std::string to_http_date(WallTime time);
std::optional<WallTime> from_http_date(std::string_view text);

}  // namespace rowgate::base
