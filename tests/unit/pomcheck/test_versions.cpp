// Expected values: Maven 3.9.16's ComparableVersion and the resolver 1.9.27's GenericVersion, run
// over every pair (data/*.tsv; the columns are named in each file's first line).
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/generic_version.hpp"
#include "pomcheck/maven_version.hpp"
#include "pomcheck/spark_version.hpp"
#include "pomcheck/version_range.hpp"
#include "tsv.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

template <class Version>
std::string sign(std::string_view a, std::string_view b) {
  const auto order = Version(a) <=> Version(b);
  return order < 0 ? "<" : order > 0 ? ">" : "=";
}

// Texts made of the pieces that decide comparisons.
rc::Gen<std::string> version_texts() {
  const auto piece = rc::gen::element<std::string>(
      "0", "1", "2", "10", "007", "12345678901234567890", ".", "-", "_", ".", "-", "a", "b", "m",
      "alpha", "beta", "rc", "cr", "snapshot", "SNAPSHOT", "ga", "final", "sp", "preview", "amzn",
      "min", "max", "x", "+", "é");
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(piece),
      [](const std::vector<std::string>& pieces) { return base::join(pieces, ""); });
}

}  // namespace

TEST_CASE("both orders equal Maven's on every measured pair") {
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv("tests/unit/pomcheck/data/version_vectors.tsv")) {
    INFO(row[0], " ", row[1]);
    CHECK(sign<MavenVersion>(row[0], row[1]) == row[3]);
    CHECK(sign<GenericVersion>(row[0], row[1]) == row[5]);
    ++rows;
  }
  CHECK(rows == 1958);
}

// Measured with the resolver 1.9.27: one version has words where the other has numbers.
TEST_CASE("words against numbers, as the resolver has it") {
  const std::array<std::array<const char*, 3>, 16> rows = {{{"x", "=", ""},
                                                            {"x", "=", "0"},
                                                            {"x", "<", "1"},
                                                            {"x1", "=", "0"},
                                                            {"x.1", "<", "1"},
                                                            {"x", "<", "0.0.1"},
                                                            {"max", ">", "0"},
                                                            {"sp", "=", ""},
                                                            {"0x", "=", "+"},
                                                            {"-b", "=", "cr-b"},
                                                            {"0min", "<", "minmin"},
                                                            {"mfinal", ">", "0.min"},
                                                            {".min", "<", "a"},
                                                            {"b", ">", "0preview-min"},
                                                            {"gagamax", ">", "0min."},
                                                            {"amzn0", ">", "0_min"}}};
  for (const auto& row : rows) {
    INFO(row[0], " ", row[1], " ", row[2]);
    CHECK(sign<GenericVersion>(row[0], row[2]) == row[1]);
  }
}

TEST_CASE("canonical forms equal Maven's") {
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv("tests/unit/pomcheck/data/version_canonical.tsv")) {
    INFO(row[0]);
    CHECK(MavenVersion(row[0]).canonical() == row[2]);
    ++rows;
  }
  CHECK(rows == 213);
}

TEST_CASE("ranges contain what the resolver says") {
  std::size_t rows = 0;
  for (const auto& row : tests::read_tsv("tests/unit/pomcheck/data/range_vectors.tsv")) {
    INFO(row[0], " ", row[1]);
    const auto constraint = VersionConstraint::parse(row[0]);
    std::string answer = "ERR:InvalidVersionSpecificationException";
    if (constraint) {
      answer = constraint->contains(GenericVersion(row[1])) ? "true" : "false";
      if (!constraint->is_range()) answer += "(soft)";
    } else {
      CHECK(constraint.error().code == ErrorCode::malformed);
    }
    CHECK(answer == row[3]);
    ++rows;
  }
  CHECK(rows == 524);
}

TEST_CASE("the highest version of a range may be a preview, as Maven has it") {
  const auto range = VersionConstraint::parse("[1.0,]").value();
  CHECK(*range.highest({"1.0", "1.5", "2.0-rc1", "2.0", "2.0-preview3"}) == "2.0-preview3");
  CHECK(VersionConstraint::parse("[3,)").value().highest({"1.0", "2.0"}) == nullptr);
}

TEST_CASE("properties of the orders") {
  CHECK(rc::check("both are antisymmetric", [] {
    const std::string a = *version_texts();
    const std::string b = *version_texts();
    RC_ASSERT((MavenVersion(a) <=> MavenVersion(b)) ==
              (0 <=> (MavenVersion(b) <=> MavenVersion(a))));
    RC_ASSERT((GenericVersion(a) <=> GenericVersion(b)) ==
              (0 <=> (GenericVersion(b) <=> GenericVersion(a))));
  }));
  CHECK(rc::check("a version equals itself", [] {
    const std::string a = *version_texts();
    RC_ASSERT(MavenVersion(a) == MavenVersion(a));
    RC_ASSERT(GenericVersion(a) == GenericVersion(a));
  }));
  CHECK(rc::check("case of ASCII letters does not matter", [] {
    const std::string a = *version_texts();
    std::string upper = a;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    RC_ASSERT(MavenVersion(a) == MavenVersion(upper));
    RC_ASSERT(GenericVersion(a) == GenericVersion(upper));
  }));
  CHECK(rc::check("numbers are compared by value", [](std::uint32_t a, std::uint32_t b) {
    const std::string x = "1." + std::to_string(a);
    const std::string y = "1." + std::to_string(b);
    RC_ASSERT((MavenVersion(x) <=> MavenVersion(y)) == (a <=> b));
    RC_ASSERT((GenericVersion(x) <=> GenericVersion(y)) == (a <=> b));
  }));
}

TEST_CASE("long hostile versions cost linear time and no stack") {
  std::string dashes(200'000, '-');
  std::string mixed;
  for (int i = 0; i < 100'000; ++i) mixed += "1a";
  CHECK(MavenVersion(dashes) == MavenVersion(dashes));
  CHECK(MavenVersion(mixed) == MavenVersion(mixed));
  CHECK((GenericVersion(mixed) <=> GenericVersion(dashes)) > 0);
  CHECK(!VersionConstraint::parse(std::string(1'000, '[')));
}

TEST_CASE("Spark's own order puts previews before their release") {
  const auto spark = [](const char* text) { return parse_spark_version(text).value(); };
  const char* const ascending[] = {"4.1.3",           "4.2.0-SNAPSHOT", "4.2.0-preview1",
                                   "4.2.0-preview10", "4.2.0-rc1",      "4.2.0",
                                   "4.2.1",           "4.10.0"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i) {
    INFO(ascending[i]);
    CHECK(spark(ascending[i]) < spark(ascending[i + 1]));
  }
  CHECK(spark("4.2.0.dev1") == spark("4.2.0-preview1"));
  CHECK(spark("4.2").line == SparkMinor{4, 2});
  CHECK(!spark("4.2").patch);
  CHECK(spark("4.2") == spark("4.2"));
}

TEST_CASE("a vendor's build is another Spark") {
  for (const char* text :
       {"3.5.0-amzn-0", "3.3.2-databricks", "3.5.0.7.2.18.0-641", "2.4.0-cdh6.3.2", "3.2.0-mapr-6",
        "3.4.1.dbr13", "3.3.0.cloudera4", "4.0.0-dbr-17.3"}) {
    INFO(text);
    const SparkVersion vendor = parse_spark_version(text).value();
    CHECK(!vendor.is_apache());
    const SparkVersion apache = parse_spark_version(std::string_view(text).substr(0, 5)).value();
    CHECK(vendor.line == apache.line);
    CHECK(vendor.patch == apache.patch);
    CHECK((vendor <=> apache) == std::partial_ordering::unordered);
  }
  CHECK(parse_spark_version("4.2.0-preview2-databricks").value().vendor == "databricks");
  CHECK(parse_spark_version("4.2.0-preview2-databricks").value().stage == SparkStage::preview);
}

TEST_CASE("what is no Spark version") {
  for (const char* text :
       {"", "4", "4.", "x", "4.x", "v4.2.0", "4.2.0-", "4.2.0x", "4.2..0", "LATEST", "[4.1,4.2)",
        "${spark.version}", "99999999.1", "4.2.0-preview99999999"}) {
    INFO(text);
    const auto parsed = parse_spark_version(text);
    if (std::string_view(text) == "4.2.0-preview99999999") {
      CHECK(parsed.value().vendor == "preview99999999");
      continue;
    }
    REQUIRE(!parsed);
    CHECK(parsed.error().code == ErrorCode::malformed);
  }
}

TEST_CASE("Spark ranges") {
  const SparkRange range = parse_spark_range("4.1.0..4.3.0").value();
  CHECK(range.first.text == "4.1.0");
  CHECK(range.last.text == "4.3.0");
  CHECK(parse_spark_range("4.2.0").value().last.text == "4.2.0");
  CHECK(parse_spark_range("4.3.0..4.1.0").error().code == ErrorCode::usage);
  CHECK(!parse_spark_range("4.1.0..3.5.0-amzn-0"));
}
