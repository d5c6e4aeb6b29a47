#include <doctest/doctest.h>

#include <filesystem>

#include "base/checks.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "reports/config.hpp"
#include "reports/spark_range.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate;
using namespace rowgate::reports;
using namespace std::chrono;

namespace {

const std::string kGood = R"(# the gate of our pipelines
target = "4.2.0"
connectors = ["io.delta:delta-spark_2.13:4.3.1", "libs/*.jar"]
spark-defaults = "conf/spark-defaults.conf"
repositories = "https://repo.example.com/maven"
fail-on = ["error", "undecidable"]
fail-on-unused-ignores = true
baselines = ["rowgate-baseline.json"]

[[ignore]]
check = "RG1101"
symbol = "org.apache.*"
connector = "io.delta:*"
spark = "4.2.0..4.2.3"
reason = "the table is merged by hand"
expires = 2027-01-31

[[ignore]]
check = "RG2101"
reason = "vendor's word"
expires = "2027-02-01"
)";

// kGood with one replacement: the error must be the one named.
Error error_after(std::string_view from, std::string_view to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const auto config = parse_config(text, "rowgate.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error().code == ErrorCode::malformed);
  return config.error();
}

bool in(std::string_view range, std::string_view version) {
  const auto parsed = SparkRange::parse(range);
  REQUIRE(parsed);
  return parsed->contains(version);
}

}  // namespace

TEST_CASE("a configuration file is read") {
  const auto config = parse_config(kGood, "rowgate.toml");
  REQUIRE(config);
  CHECK(config->target == "4.2.0");
  CHECK(config->connectors.size() == 2);
  CHECK(config->spark_defaults == "conf/spark-defaults.conf");
  CHECK(config->repositories == std::vector<std::string>{"https://repo.example.com/maven"});
  CHECK(config->fail_on == std::vector<FailOn>{FailOn::error, FailOn::undecidable});
  CHECK(config->fail_on_unused_ignores == true);
  CHECK(config->baselines == std::vector<std::string>{"rowgate-baseline.json"});
  REQUIRE(config->ignores.size() == 2);
  const Ignore& ignore = config->ignores[0];
  CHECK(ignore.check == "RG1101");
  CHECK(ignore.symbol == "org.apache.*");
  CHECK(ignore.connector == "io.delta:*");
  CHECK(ignore.spark.contains("4.2.1"));
  CHECK_FALSE(ignore.spark.contains("4.3.0"));
  CHECK(ignore.reason == "the table is merged by hand");
  CHECK(ignore.expires == year(2027) / 1 / 31);
  CHECK(ignore.line == 10);
  CHECK(config->ignores[1].expires == year(2027) / 2 / 1);
  CHECK(config->ignores[1].spark.everything());
  CHECK(parse_config("", "rowgate.toml"));
}

TEST_CASE("mistakes are named with their line and what was probably meant") {
  Error error = error_after("connectors =", "conectors =");
  CHECK(error.subject == "rowgate.toml:3");
  CHECK(error.message == "unknown key 'conectors'");
  CHECK(error.remedy == "did you mean 'connectors'?");

  error = error_after("symbol =", "symbl =");
  CHECK(error.subject == "rowgate.toml:12");
  CHECK(error.message == "unknown key 'symbl' in an ignore entry");
  CHECK(error.remedy == "did you mean 'symbol'?");

  error = error_after("target = \"4.2.0\"", "target = 4.2");
  CHECK(error.subject == "rowgate.toml:2");
  CHECK(error.message == "'target' is a number, not a string");

  error = error_after("\"libs/*.jar\"", "7");
  CHECK(error.message == "'connectors' is a number, not a string");

  error = error_after("[\"error\", \"undecidable\"]", "\"eror\"");
  CHECK(error.subject == "rowgate.toml:6");
  CHECK(error.message == "fail-on cannot be 'eror'");
  CHECK(error.remedy == "did you mean 'error'?");

  CHECK(error_after("[\"error\", \"undecidable\"]", "[]").message == "'fail-on' names nothing");
  CHECK(error_after("[\"error\", \"undecidable\"]", "[\"never\", \"error\"]").message ==
        "'fail-on' has 'never' beside other words");
  CHECK(error_after("ignores = true", "ignores = \"yes\"").message ==
        "'fail-on-unused-ignores' is a string, not true or false");

  error = error_after("RG1101", "RG1011");
  CHECK(error.subject == "rowgate.toml:11");
  CHECK(error.message == "there is no check 'RG1011'");
  CHECK(error.remedy.starts_with("did you mean 'RG1"));

  error = error_after("2027-01-31", "\"2027-02-30\"");
  CHECK(error.message == "'expires': '2027-02-30' is no date");
  CHECK(error_after("2027-01-31", "3").message ==
        "'expires' is a number, not a date such as 2027-01-31");
  CHECK(error_after("4.2.0..4.2.3", "4.3..4.2").message == "the range '4.3..4.2' is empty");

  error = error_after("[[ignore]]", "[ignore]");
  CHECK(error.message.find("not TOML") != std::string::npos);
  error = error_after("target = \"4.2.0\"", "target = \"4.2.0");
  CHECK(error.subject == "rowgate.toml:2");
}

TEST_CASE("an ignore entry without a reason or an end is refused") {
  Error error = error_after("reason = \"the table is merged by hand\"\n", "");
  CHECK(error.subject == "rowgate.toml:10");
  CHECK(error.message == "this ignore entry has no 'reason'");
  CHECK(error_after("expires = 2027-01-31\n", "").message == "this ignore entry has no 'expires'");
  CHECK(error_after("check = \"RG1101\"\n", "").message == "this ignore entry has no 'check'");
  error = error_after("the table is merged by hand", " ");
  CHECK(error.message == "'reason' is empty");
  CHECK(error.remedy == "say why the finding is accepted");
}

TEST_CASE("several mistakes are counted, the first by line is told") {
  const auto config = parse_config("x = 1\ntarget = 2\nfail-on = \"z\"\n", "rowgate.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error().subject == "rowgate.toml:1");
  CHECK(config.error().message == "unknown key 'x' (and 2 more problems)");
}

TEST_CASE("hostile configuration is an error, not a crash") {
  CHECK_FALSE(parse_config(std::string(5 << 20, '\n'), "f"));
  CHECK_FALSE(parse_config("a = " + std::string(100'000, '['), "f"));
  CHECK_FALSE(parse_config("\xff\xfe", "f"));
  CHECK_FALSE(parse_config(std::string("\0", 1), "f"));
  CHECK_FALSE(parse_config("ignore = [1, \"x\"]", "f"));
  CHECK_FALSE(parse_config("ignore = 3", "f"));
}

TEST_CASE("the configuration file is looked for upward") {
  auto temp = base::TempDir::create(std::filesystem::temp_directory_path(), "rowgate-config-");
  REQUIRE(temp);
  const auto deep = temp->path() / "a" / "b";
  std::filesystem::create_directories(deep);
  CHECK_FALSE(find_config(deep));
  REQUIRE(base::write_file_atomically(temp->path() / "rowgate.toml", kGood));
  CHECK(find_config(deep) == temp->path() / "rowgate.toml");
  REQUIRE(base::write_file_atomically(temp->path() / "a" / "rowgate.toml", "x = 1"));
  CHECK(find_config(deep) == temp->path() / "a" / "rowgate.toml");
  CHECK(read_config(temp->path() / "rowgate.toml"));
  CHECK(read_config(temp->path() / "a" / "rowgate.toml").error().subject ==
        (temp->path() / "a" / "rowgate.toml").string() + ":1");
  CHECK(read_config(temp->path() / "none.toml").error().code == ErrorCode::not_found);
}

TEST_CASE("Spark's release numbers are ordered") {
  CHECK(compare_spark_versions("4.2.0", "4.2.0") == 0);
  CHECK(compare_spark_versions("4.2", "4.2.0") == 0);
  CHECK(compare_spark_versions("4.9.0", "4.10.0") < 0);
  CHECK(compare_spark_versions("4.2.0-preview2", "4.2.0") < 0);
  CHECK(compare_spark_versions("4.2.0", "4.2.0-preview2") > 0);
  CHECK(compare_spark_versions("4.2.0-preview1", "4.2.0-preview2") < 0);
}

TEST_CASE("ranges of Spark versions") {
  CHECK(in("4.2.0", "4.2.0"));
  CHECK_FALSE(in("4.2.0", "4.2.1"));
  CHECK(in("4.2", "4.2.7"));
  CHECK_FALSE(in("4.2", "4.20.0"));
  CHECK(in("4.1.2..4.2", "4.2.9"));
  CHECK(in("4.1.2..4.2", "4.1.2"));
  CHECK_FALSE(in("4.1.2..4.2", "4.1.1"));
  CHECK(in("4.2.0..", "5.0.0"));
  CHECK_FALSE(in("..4.1", "4.2.0"));
  CHECK(in("..4.1", "4.1.9"));
  CHECK(in("*", "3.0.0"));
  for (const char* bad : {"", "..", "4.2.x", "four", "4..2..1", "4.2.", "-", "4.2.0-", "4 .2"})
    CHECK_FALSE(SparkRange::parse(bad));
}

TEST_CASE("a finding's ignore entry hides exactly that finding, once its reason is filled in") {
  base::Finding finding = base::make_finding("RG1101", "io.delta:delta-spark_2.13:4.3.1", "m");
  finding.symbol = "p.C.m([Ljava/lang/String;)V";
  CHECK(ignore_entry(finding, "2027-02-28") ==
        "[[ignore]]\n"
        "check = \"RG1101\"\n"
        "symbol = \"p.C.m([Ljava/lang/String;)V\"\n"
        "connector = \"io.delta:delta-spark_2.13:4.3.1\"\n"
        "reason = \"\"  # say why this is accepted\n"
        "expires = 2027-02-28\n");
  for (const std::string& text : hostile_texts()) {
    finding.subject = finding.symbol = text;
    std::string entry = ignore_entry(finding, "2027-02-28");
    CHECK(parse_config(entry, "f").error().message.starts_with("'reason' is empty"));
    entry.replace(entry.find("reason = \"\""), 11, "reason = \"because\"");
    const auto config = parse_config(entry, "f");
    CAPTURE(text);
    REQUIRE(config);
    CHECK(base::matches_glob(config->ignores[0].symbol, text));
    CHECK(base::matches_glob(config->ignores[0].connector, text));
  }
}
