#include "harness/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"

namespace rowgate::harness {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

// Proleptic Gregorian calendar <-> days since 1970-01-01 (the era algorithm of 400-year cycles).
struct Civil {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<std::int64_t>(year - era * 400);
  const std::int64_t shifted = month > 2 ? month - 3 : month + 9;
  const std::int64_t day_of_year = (153 * shifted + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

Civil civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<unsigned>(day_of_year - (153 * shifted + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

unsigned days_in_month(std::int64_t year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

std::string date_text(std::int64_t days) {
  const Civil civil = civil_from_days(days);
  return fmt::format("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
}

std::string timestamp_text(std::int64_t micros) {
  std::int64_t seconds = micros / kMicrosPerSecond;
  std::int64_t fraction = micros % kMicrosPerSecond;
  if (fraction < 0) {
    fraction += kMicrosPerSecond;
    --seconds;
  }
  std::int64_t days = seconds / kSecondsPerDay;
  std::int64_t second_of_day = seconds % kSecondsPerDay;
  if (second_of_day < 0) {
    second_of_day += kSecondsPerDay;
    --days;
  }
  std::string text = fmt::format("{}T{:02}:{:02}:{:02}", date_text(days), second_of_day / 3'600,
                                 second_of_day / 60 % 60, second_of_day % 60);
  if (fraction != 0) text += fmt::format(".{:06}", fraction);
  return text + "Z";
}

std::string decimal_text(const Decimal& decimal) {
  const bool negative = decimal.unscaled < 0;
  // Negating the smallest Int128 is undefined; unsigned arithmetic is not.
  __extension__ typedef unsigned __int128 Wide;
  Wide rest = negative ? Wide{0} - static_cast<Wide>(decimal.unscaled)
                       : static_cast<Wide>(decimal.unscaled);
  std::string digits;
  while (rest != 0) {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  }
  while (digits.size() <= decimal.scale) digits.push_back('0');
  std::reverse(digits.begin(), digits.end());
  if (decimal.scale > 0) digits.insert(digits.size() - decimal.scale, 1, '.');
  return negative ? "-" + digits : digits;
}

std::string double_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Reads digits from the front of `text` as a number; false when there are not `minimum`.
bool take_digits(std::string_view& text, std::size_t minimum, std::size_t maximum,
                 std::int64_t& number) {
  number = 0;
  std::size_t count = 0;
  while (count < maximum && count < text.size() && text[count] >= '0' && text[count] <= '9')
    number = number * 10 + (text[count++] - '0');
  text.remove_prefix(count);
  return count >= minimum;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text, std::int64_t& days) {
  std::int64_t year = 0, month = 0, day = 0;
  if (!take_digits(text, 4, 4, year) || !take(text, '-') || !take_digits(text, 2, 2, month) ||
      !take(text, '-') || !take_digits(text, 2, 2, day))
    return false;
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, static_cast<unsigned>(month)))
    return false;
  days = days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
  return true;
}

// The fraction of a second behind a '.', in microseconds; digits beyond the sixth must be zeros.
bool take_fraction(std::string_view& text, std::int64_t& micros) {
  std::size_t digits = 0;
  micros = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (digits < 6)
      micros = micros * 10 + (text.front() - '0');
    else if (text.front() != '0')
      return false;
    ++digits;
    text.remove_prefix(1);
  }
  for (std::size_t i = digits; i < 6; ++i) micros *= 10;
  return digits > 0;
}

// "Z", "+02", "+02:00", "-0530"; in seconds.
bool take_offset(std::string_view& text, std::int64_t& seconds) {
  seconds = 0;
  if (take(text, 'Z')) return true;
  const bool negative = !text.empty() && text.front() == '-';
  if (!take(text, '+') && !take(text, '-')) return false;
  std::int64_t hours = 0, minutes = 0;
  if (!take_digits(text, 2, 2, hours)) return false;
  const bool colon = take(text, ':');
  if ((colon || !text.empty()) && !take_digits(text, 2, 2, minutes)) return false;
  if (hours > 18 || minutes > 59) return false;
  seconds = (hours * 60 + minutes) * 60 * (negative ? -1 : 1);
  return true;
}

bool parse_timestamp(std::string_view text, std::int64_t& micros) {
  std::int64_t days = 0, hours = 0, minutes = 0, seconds = 0, fraction = 0, offset = 0;
  if (!take_date(text, days)) return false;
  if (!text.empty()) {
    if (!take(text, 'T') && !take(text, ' ')) return false;
    if (!take_digits(text, 2, 2, hours) || !take(text, ':') || !take_digits(text, 2, 2, minutes))
      return false;
    if (take(text, ':')) {
      if (!take_digits(text, 2, 2, seconds)) return false;
      if (take(text, '.') && !take_fraction(text, fraction)) return false;
    }
    if (!text.empty() && !take_offset(text, offset)) return false;
  }
  if (!text.empty() || hours > 23 || minutes > 59 || seconds > 59) return false;
  // Years have four digits, so this cannot overflow.
  micros = ((days * kSecondsPerDay + hours * 3'600 + minutes * 60 + seconds) - offset) *
               kMicrosPerSecond +
           fraction;
  return true;
}

enum class DecimalRead : std::uint8_t { good, malformed, out_of_range };

DecimalRead parse_decimal(std::string_view text, const Type& type, Decimal& decimal) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!take(text, '-')) take(text, '+');
  decimal = {0, type.scale};
  std::size_t digits = 0, fraction = 0, significant = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return DecimalRead::malformed;
    ++digits;
    if (point && fraction == type.scale) {
      if (c != '0') return DecimalRead::out_of_range;
      continue;
    }
    if (point) ++fraction;
    if (significant > 0 || c != '0') ++significant;
    if (significant > type.precision) return DecimalRead::out_of_range;
    decimal.unscaled = decimal.unscaled * 10 + (c - '0');
  }
  if (digits == 0) return DecimalRead::malformed;
  for (; fraction < type.scale; ++fraction) {
    if (significant > 0 && ++significant > type.precision) return DecimalRead::out_of_range;
    decimal.unscaled *= 10;
  }
  if (negative) decimal.unscaled = -decimal.unscaled;
  return DecimalRead::good;
}

bool parse_double(std::string_view text, double& number) {
  if (text == "NaN") {
    number = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (text == "Infinity" || text == "-Infinity") {
    number = std::numeric_limits<double>::infinity() * (text.front() == '-' ? -1 : 1);
    return true;
  }
  if (text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return false;
  take(text, '+');
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

std::pair<std::int64_t, std::int64_t> integer_range(TypeKind kind) {
  switch (kind) {
    case TypeKind::int8: return {-128, 127};
    case TypeKind::int16: return {-32'768, 32'767};
    case TypeKind::int32:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    default:
      return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
}

Error bad_value(std::string_view text, const Type& type, std::string_view why) {
  std::string shown = base::printable(text.substr(0, 60));
  return Error{ErrorCode::malformed,
               fmt::format("'{}' is not a value of type {}{}{}", shown, to_spark_sql(type),
                           why.empty() ? "" : ": ", why),
               {},
               std::nullopt,
               {}};
}

// NaNs are one value and the largest; -0.0 comes before 0.0.
std::strong_ordering compare_doubles(double a, double b) {
  const bool a_nan = std::isnan(a), b_nan = std::isnan(b);
  if (a_nan || b_nan) return static_cast<int>(a_nan) <=> static_cast<int>(b_nan);
  if (a < b) return std::strong_ordering::less;
  if (a > b) return std::strong_ordering::greater;
  return static_cast<int>(std::signbit(b)) <=> static_cast<int>(std::signbit(a));
}

}  // namespace

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (const auto order = a.scale <=> b.scale; order != 0) return order;
  if (a.unscaled < b.unscaled) return std::strong_ordering::less;
  return a.unscaled > b.unscaled ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering operator<=>(const Value& a, const Value& b) {
  if (const auto order = a.data_.index() <=> b.data_.index(); order != 0) return order;
  return std::visit(
      [&b](const auto& left) -> std::strong_ordering {
        using Held = std::decay_t<decltype(left)>;
        const auto& right = std::get<Held>(b.data_);
        if constexpr (std::is_same_v<Held, double>)
          return compare_doubles(left, right);
        else if constexpr (std::is_same_v<Held, std::string>)
          return left.compare(right) <=> 0;
        else
          return left <=> right;
      },
      a.data_);
}

void sort_rows(Rows& rows) {
  std::sort(rows.begin(), rows.end());
}

bool same_key(const Row& a, const Row& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_null() || b[i].is_null() || a[i].is_absent() || b[i].is_absent()) return false;
    const auto* left = std::get_if<double>(&a[i].data());
    const auto* right = std::get_if<double>(&b[i].data());
    if (left != nullptr && right != nullptr && *left == *right) continue;  // -0.0 = 0.0
    if (a[i] != b[i]) return false;
  }
  return true;
}

Row normal_key(Row key) {
  for (Value& value : key)
    if (const auto* number = std::get_if<double>(&value.data()); number != nullptr && *number == 0)
      value = Value(Value::Data(0.0));
  return key;
}

std::string to_spark_sql(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean: return "BOOLEAN";
    case TypeKind::int8: return "TINYINT";
    case TypeKind::int16: return "SMALLINT";
    case TypeKind::int32: return "INT";
    case TypeKind::int64: return "BIGINT";
    case TypeKind::decimal: return fmt::format("DECIMAL({},{})", type.precision, type.scale);
    case TypeKind::float64: return "DOUBLE";
    case TypeKind::string: return "STRING";
    case TypeKind::timestamp: return "TIMESTAMP";
    case TypeKind::date: return "DATE";
  }
  return "";
}

Result<Type> parse_type(std::string_view text) {
  const auto unknown = [&](std::string_view why) {
    return fail(ErrorCode::unsupported,
                fmt::format("type '{}' {}", base::printable(text.substr(0, 60)), why), {},
                std::nullopt,
                "use BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, DECIMAL(p,s), DOUBLE, STRING, "
                "TIMESTAMP or DATE");
  };
  std::string name = base::to_lower(base::trim(text));
  std::string_view arguments;
  const std::size_t open = name.find('(');
  if (open != std::string::npos) {
    if (name.back() != ')') return unknown("lacks its closing parenthesis");
    arguments = std::string_view(name).substr(open + 1, name.size() - open - 2);
  }
  const std::string_view head = base::trim(std::string_view(name).substr(0, open));
  struct Spelling {
    std::string_view name;
    TypeKind kind;
  };
  constexpr Spelling kSpellings[] = {
      {"boolean", TypeKind::boolean},
      {"bool", TypeKind::boolean},
      {"tinyint", TypeKind::int8},
      {"byte", TypeKind::int8},
      {"smallint", TypeKind::int16},
      {"short", TypeKind::int16},
      {"int", TypeKind::int32},
      {"integer", TypeKind::int32},
      {"bigint", TypeKind::int64},
      {"long", TypeKind::int64},
      {"int64", TypeKind::int64},
      {"decimal", TypeKind::decimal},
      {"numeric", TypeKind::decimal},
      {"dec", TypeKind::decimal},
      {"double", TypeKind::float64},
      {"float64", TypeKind::float64},
      {"string", TypeKind::string},
      {"text", TypeKind::string},
      {"varchar", TypeKind::string},
      {"timestamp", TypeKind::timestamp},
      {"timestamp_ltz", TypeKind::timestamp},
      {"timestamptz", TypeKind::timestamp},
      {"date", TypeKind::date},
  };
  const auto* found = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                   [&](const Spelling& row) { return row.name == head; });
  if (found == std::end(kSpellings)) return unknown("is not known");
  Type type{found->kind, 0, 0};
  if (type.kind == TypeKind::decimal) {
    type.precision = 10;
    if (!arguments.empty()) {
      const auto pieces = base::split(arguments, ',');
      std::int64_t precision = 0, scale = 0;
      std::string_view first = base::trim(pieces[0]);
      std::string_view second = pieces.size() > 1 ? base::trim(pieces[1]) : std::string_view("0");
      if (pieces.size() > 2 || !take_digits(first, 1, 2, precision) || !first.empty() ||
          !take_digits(second, 1, 2, scale) || !second.empty() || precision < 1 || precision > 38 ||
          scale > precision)
        return unknown("has a precision or scale that no engine takes");
      type.precision = static_cast<std::uint8_t>(precision);
      type.scale = static_cast<std::uint8_t>(scale);
    }
  } else if (open != std::string::npos && type.kind != TypeKind::string) {
    return unknown("takes no arguments");
  }
  return type;
}

std::string to_text(const Value& value) {
  struct Writer {
    std::string operator()(Absent) const { return "absent"; }
    std::string operator()(Null) const { return "NULL"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(const Decimal& decimal) const { return decimal_text(decimal); }
    std::string operator()(double number) const { return double_text(number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(Timestamp time) const { return timestamp_text(time.micros); }
    std::string operator()(Date date) const { return date_text(date.days); }
  };
  return std::visit(Writer{}, value.data());
}

Result<Value> parse_value(std::string_view text, const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean:
      if (base::equals_ignoring_case(text, "true")) return Value(Value::Data(true));
      if (base::equals_ignoring_case(text, "false")) return Value(Value::Data(false));
      break;
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64: {
      std::int64_t number = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
      if (read.ptr != text.data() + text.size() || text.empty()) break;
      const auto [low, high] = integer_range(type.kind);
      if (read.ec != std::errc() || number < low || number > high)
        return tl::unexpected(bad_value(text, type, "out of range"));
      return Value::integer(number);
    }
    case TypeKind::decimal: {
      Decimal decimal;
      const DecimalRead read = parse_decimal(text, type, decimal);
      if (read == DecimalRead::good) return Value(Value::Data(decimal));
      if (read == DecimalRead::out_of_range)
        return tl::unexpected(bad_value(text, type, "digits would be lost"));
      break;
    }
    case TypeKind::float64: {
      double number = 0;
      if (parse_double(text, number)) return Value(Value::Data(number));
      break;
    }
    case TypeKind::string:
      if (!base::is_utf8(text)) return tl::unexpected(bad_value(text, type, "not UTF-8"));
      return Value::text(std::string(text));
    case TypeKind::timestamp: {
      std::int64_t micros = 0;
      if (parse_timestamp(text, micros)) return Value(Value::Data(Timestamp{micros}));
      return tl::unexpected(bad_value(text, type, "write 2026-01-31T10:00:00.000001Z"));
    }
    case TypeKind::date: {
      std::int64_t days = 0;
      if (take_date(text, days) && text.empty())
        return Value(Value::Data(Date{static_cast<std::int32_t>(days)}));
      break;
    }
  }
  return tl::unexpected(bad_value(text, type, ""));
}

}  // namespace rowgate::harness
