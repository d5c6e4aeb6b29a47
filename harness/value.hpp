// Typed SQL values, and the canonical comparison with which every result of every engine is judged.
//
// Canonical means: NULL is a value (it equals itself here) and is not the same as *absent* (a
// column that an event does not carry at all); a decimal carries its scale, so 1.5 and 1.50 differ;
// NaN equals NaN; -0.0 and 0.0 differ; a timestamp is a number of microseconds since 1970 in UTC.
// SQL's own `=` is another thing: see `same_key`.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace rowgate::harness {

__extension__ typedef __int128
    Int128;  // NOLINT: -Wpedantic wants the marker, `using` cannot carry it

enum class TypeKind : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  decimal,
  float64,
  string,
  timestamp,  // an instant, microseconds, UTC
  date,
};

struct Type {
  TypeKind kind = TypeKind::string;
  std::uint8_t precision = 0;  // decimal: 1..38
  std::uint8_t scale = 0;      // decimal: 0..precision

  friend bool operator==(const Type&, const Type&) = default;
};

// Spark's spelling: "BIGINT", "DECIMAL(10,2)", "TIMESTAMP".
std::string to_spark_sql(const Type& type);

// Accepts Spark's and the usual other spellings (INT, INTEGER, LONG, BIGINT, TEXT, VARCHAR(20), …),
// in any case. Errors: unsupported, with the list of those that are known.
Result<Type> parse_type(std::string_view text);

struct Absent {
  friend auto operator<=>(const Absent&, const Absent&) = default;
};
struct Null {
  friend auto operator<=>(const Null&, const Null&) = default;
};
struct Decimal {
  Int128 unscaled = 0;
  std::uint8_t scale = 0;

  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
};
struct Timestamp {
  std::int64_t micros = 0;
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};
struct Date {
  std::int32_t days = 0;
  friend auto operator<=>(const Date&, const Date&) = default;
};

// A value type. All integer widths are held as int64; the column's `Type` has the width.
class Value {
 public:
  using Data =
      std::variant<Absent, Null, bool, std::int64_t, Decimal, double, std::string, Timestamp, Date>;

  Value() : data_(Null{}) {}
  Value(Data data) : data_(std::move(data)) {}  // NOLINT: implicit on purpose
  static Value absent() { return Value(Data(Absent{})); }
  static Value null() { return Value(); }
  static Value integer(std::int64_t number) { return Value(Data(number)); }
  static Value text(std::string text) { return Value(Data(std::move(text))); }

  bool is_null() const { return std::holds_alternative<Null>(data_); }
  bool is_absent() const { return std::holds_alternative<Absent>(data_); }
  const Data& data() const { return data_; }

  // The canonical order: absent < NULL < false < true < numbers …; NaN is the largest double.
  friend std::strong_ordering operator<=>(const Value& a, const Value& b);
  friend bool operator==(const Value& a, const Value& b) { return (a <=> b) == 0; }

 private:
  Data data_;
};

using Row = std::vector<Value>;
// Rows are compared as a multiset: sorted canonically, duplicates kept.
using Rows = std::vector<Row>;
void sort_rows(Rows& rows);

// SQL's equality of keys as Spark and DuckDB have it: NULL equals nothing, NaN equals NaN,
// -0.0 equals 0.0. Values of unlike kinds are never equal.
bool same_key(const Row& a, const Row& b);

// The key with -0.0 as 0.0, so that keys which SQL holds equal are equal here too.
Row normal_key(Row key);

// Text that `parse_value` reads back to an equal value. Null gives "NULL", absent "absent";
// strings come as they are (quoting is the format's matter); doubles are the shortest that read
// back, with NaN, Infinity, -Infinity, -0.0; timestamps "2026-01-31T10:00:00.000001Z" (fraction
// only if not 0, always six digits); dates "2026-01-31"; decimals with all digits of their scale.
std::string to_text(const Value& value);

// Reads the text of a non-null value of this type. Decimals are brought to the type's scale; digits
// that would be lost are an error, as is a number beyond the type's range. A timestamp may have an
// offset (+02:00); without one it is UTC. Errors: malformed.
Result<Value> parse_value(std::string_view text, const Type& type);

}  // namespace rowgate::harness
