#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "harness/value.hpp"

namespace rowgate::harness {
namespace {

Type type(const char* text) {
  const Result<Type> parsed = parse_type(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

std::string round_trip(const char* text, const char* type_name) {
  const Result<Value> value = parse_value(text, type(type_name));
  REQUIRE_MESSAGE(value.has_value(), text);
  return to_text(*value);
}

Value real(double number) {
  return Value(Value::Data(number));
}

}  // namespace

TEST_CASE("types are read in the usual spellings and written in Spark's") {
  CHECK(to_spark_sql(type("integer")) == "INT");
  CHECK(to_spark_sql(type(" BigInt ")) == "BIGINT");
  CHECK(to_spark_sql(type("varchar(20)")) == "STRING");
  CHECK(to_spark_sql(type("numeric(12, 2)")) == "DECIMAL(12,2)");
  CHECK(to_spark_sql(type("decimal")) == "DECIMAL(10,0)");
  CHECK(to_spark_sql(type("timestamptz")) == "TIMESTAMP");
  for (const char* wrong :
       {"", "GEOMETRY", "DECIMAL(39,0)", "DECIMAL(4,5)", "DECIMAL(4", "INT(3)", "INT)"})
    CHECK_MESSAGE(!parse_type(wrong).has_value(), wrong);
}

TEST_CASE("values read back from their text") {
  CHECK(round_trip("TRUE", "BOOLEAN") == "true");
  CHECK(round_trip("-128", "TINYINT") == "-128");
  CHECK(round_trip("-9223372036854775808", "BIGINT") == "-9223372036854775808");
  CHECK(round_trip("1.5", "DECIMAL(4,2)") == "1.50");
  CHECK(round_trip("-0.01", "DECIMAL(4,2)") == "-0.01");
  CHECK(round_trip("1.500", "DECIMAL(4,2)") == "1.50");
  CHECK(round_trip("99999999999999999999999999999999999999", "DECIMAL(38,0)") ==
        "99999999999999999999999999999999999999");
  CHECK(round_trip("-0.0", "DOUBLE") == "-0.0");
  CHECK(round_trip("1", "DOUBLE") == "1.0");
  CHECK(round_trip("1e300", "DOUBLE") == "1e+300");
  CHECK(round_trip("NaN", "DOUBLE") == "NaN");
  CHECK(round_trip("-Infinity", "DOUBLE") == "-Infinity");
  CHECK(round_trip("2024-02-29", "DATE") == "2024-02-29");
  CHECK(round_trip("0001-01-01", "DATE") == "0001-01-01");
  // 2026-01-31 10:00 at +02:00 is 08:00 UTC.
  CHECK(round_trip("2026-01-31T10:00:00.000001+02:00", "TIMESTAMP") ==
        "2026-01-31T08:00:00.000001Z");
  CHECK(round_trip("1969-12-31 23:59:59.9", "TIMESTAMP") == "1969-12-31T23:59:59.900000Z");
  CHECK(round_trip("2026-01-31", "TIMESTAMP") == "2026-01-31T00:00:00Z");
}

TEST_CASE("what a type cannot hold is an error") {
  const std::pair<const char*, const char*> wrong[] = {
      {"128", "TINYINT"},
      {"9223372036854775808", "BIGINT"},
      {"1x", "INT"},
      {"", "INT"},
      {"1.555", "DECIMAL(4,2)"},
      {"123.45", "DECIMAL(4,2)"},
      {".", "DECIMAL(4,2)"},
      {"1e2", "DECIMAL(4,2)"},
      {"2023-02-29", "DATE"},
      {"2026-13-01", "DATE"},
      {"2026-01-31T25:00:00Z", "TIMESTAMP"},
      {"2026-01-31T10:00:00.0000001Z", "TIMESTAMP"},
      {"2026-01-31T10:00:00+99:00", "TIMESTAMP"},
      {"yes", "BOOLEAN"},
      {"inf", "DOUBLE"},
      {"\xff", "STRING"}};
  for (const auto& entry : wrong)
    CHECK_MESSAGE(!parse_value(entry.first, type(entry.second)).has_value(), entry.first, " as ",
                  entry.second);
}

TEST_CASE("the canonical order tells apart what SQL does not") {
  CHECK(Value::absent() != Value::null());
  CHECK(Value::absent() < Value::null());
  CHECK(Value::null() == Value::null());
  CHECK(real(-0.0) < real(0.0));
  CHECK(real(std::nan("")) == real(-std::nan("")));
  CHECK(real(std::numeric_limits<double>::infinity()) < real(std::nan("")));
  CHECK(*parse_value("1.5", type("DECIMAL(4,1)")) != *parse_value("1.5", type("DECIMAL(4,2)")));
  CHECK(Value::text("10") < Value::text("9"));
}

TEST_CASE("keys are equal as SQL has it") {
  CHECK(!same_key({Value::null()}, {Value::null()}));
  CHECK(same_key({real(-0.0)}, {real(0.0)}));
  CHECK(same_key({real(std::nan(""))}, {real(std::nan(""))}));
  CHECK(!same_key({Value::integer(1)}, {Value::text("1")}));
  CHECK(normal_key({real(-0.0)}) == Row{real(0.0)});
}

}  // namespace rowgate::harness
