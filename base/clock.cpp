#include "base/clock.hpp"

#include <fmt/format.h>

#include <array>
#include <thread>

namespace rowgate::base {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct CivilTime {
  int year, month, day, hour, minute, second, weekday;
};

CivilTime civil(WallTime time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{days};
  const std::chrono::hh_mm_ss clock{time - days};
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count()),
          static_cast<int>(std::chrono::weekday{days}.c_encoding())};
}

std::optional<WallTime> from_civil(int year, int month, int day, int hour, int minute, int second) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
}

// The decimal number in text[at, at + width), or nullopt when any of it is not a digit.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t width) {
  if (at + width > text.size()) return std::nullopt;
  int value = 0;
  for (char c : text.substr(at, width)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

WallTime SystemClock::now() const {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::chrono::steady_clock::time_point SystemClock::tick() const {
  return std::chrono::steady_clock::now();
}

void SystemClock::sleep_for(std::chrono::milliseconds duration) const {
  std::this_thread::sleep_for(duration);
}

std::string to_rfc3339(WallTime time) {
  const CivilTime t = civil(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", t.year, t.month, t.day, t.hour,
                     t.minute, t.second);
}

std::optional<WallTime> from_rfc3339(std::string_view text) {
  if (text.size() != 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || text[19] != 'Z')
    return std::nullopt;
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  return from_civil(*year, *month, *day, *hour, *minute, *second);
}

std::string to_http_date(WallTime time) {
  const CivilTime t = civil(time);
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(t.weekday)], t.day,
      kMonths[static_cast<std::size_t>(t.month - 1)], t.year, t.hour, t.minute, t.second);
}

std::optional<WallTime> from_http_date(std::string_view text) {
  // "Mon, 30 Nov 2026 07:37:24 GMT": the obsolete forms of RFC 9110 are not sent by repositories.
  if (text.size() != 29 || text.substr(25) != " GMT") return std::nullopt;
  const auto day = digits(text, 5, 2), year = digits(text, 12, 4);
  const auto hour = digits(text, 17, 2), minute = digits(text, 20, 2), second = digits(text, 23, 2);
  int month = 0;
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (text.substr(8, 3) == kMonths[i]) month = static_cast<int>(i) + 1;
  if (!day || !year || !hour || !minute || !second || month == 0) return std::nullopt;
  return from_civil(*year, month, *day, *hour, *minute, *second);
}

}  // namespace rowgate::base
