// Failures of setting up a Spark, with the real python3 and pip where they can fail without a
// network.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "harness/driver_script.hpp"
#include "harness/setup_spark.hpp"
#include "harness/work_folder.hpp"

using namespace rowgate;
using namespace rowgate::harness;
namespace fs = std::filesystem;

namespace {

const RunContext kContext = RunContext::quiet();

SetupOptions options_in(const base::TempDir& cache) {
  SetupOptions options;
  options.version = "4.1.3";
  options.cache = cache.path();
  options.host = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  return options;
}

}  // namespace

TEST_CASE("what a Spark version may look like") {
  CHECK(is_spark_version("4.1.3"));
  CHECK(is_spark_version("4.3.0.dev1"));
  for (const char* text : {"", "4..1", ".4", "4.1.", "../4", "4.1.3 --pre", "v4", "4/1"})
    CHECK_FALSE(is_spark_version(text));
}

TEST_CASE("a Spark that is not set up says how to set it up") {
  const auto cache = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(cache);
  const auto found = find_spark(cache->path(), "4.1.3");
  REQUIRE_FALSE(found);
  CHECK(found.error().code == ErrorCode::not_found);
  CHECK(found.error().remedy == "run `rowgate setup spark:4.1.3`, or give a SPARK_HOME");
  const auto hostile = find_spark(cache->path(), "../../etc");
  REQUIRE_FALSE(hostile);
  CHECK(hostile.error().code == ErrorCode::usage);
}

TEST_CASE("an environment without its marker is not complete") {
  const auto cache = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(cache);
  fs::create_directories(cache->path() / "spark" / "4.1.3" / "bin");
  REQUIRE(base::write_file_atomically(cache->path() / "spark" / "4.1.3" / "bin" / "python", ""));
  CHECK_FALSE(find_spark(cache->path(), "4.1.3"));
}

TEST_CASE("without python3 the remedy is the package") {
  const auto cache = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(cache);
  SetupOptions options = options_in(*cache);
  options.host["PATH"] = "/nonexistent";
  const auto made = setup_spark(options, kContext);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == ErrorCode::not_found);
  CHECK(made.error().remedy == "apt-get install python3 python3-venv");
}

TEST_CASE("without an index pip's failure is a network error, and nothing is left behind") {
  const auto cache = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(cache);
  SetupOptions options = options_in(*cache);
  // Nobody listens on port 1. The name and password must not come back in the message.
  options.host["PIP_INDEX_URL"] = "http://user:hunter2@127.0.0.1:1/simple";
  options.host["PIP_RETRIES"] = "1";  // pip tells of a broken connection when it tries again
  options.host["PIP_CONFIG_FILE"] = "/dev/null";
  const auto made = setup_spark(options, kContext);
  REQUIRE_FALSE(made);
  CAPTURE(made.error().to_string());
  CHECK(made.error().code == ErrorCode::network);
  CHECK(made.error().to_string().find("hunter2") == std::string::npos);
  CHECK(fs::is_empty(cache->path() / "spark"));
}

TEST_CASE("a file that is no package fails with pip's own message") {
  const auto cache = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(cache);
  SetupOptions options = options_in(*cache);
  options.requirement = (cache->path() / "pyspark-4.1.3.tar.gz").string();
  REQUIRE(base::write_file_atomically(options.requirement, "not an archive"));
  options.host["PIP_NO_INDEX"] = "1";
  options.host["PIP_CONFIG_FILE"] = "/dev/null";
  const auto made = setup_spark(options, kContext);
  REQUIRE_FALSE(made);
  CHECK(made.error().message.starts_with("pip failed: "));
  CHECK(made.error().subject == options.requirement);
  CHECK(fs::is_empty(cache->path() / "spark"));
}

TEST_CASE("a folder that holds no Spark is no SPARK_HOME") {
  const auto folder = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(folder);
  const Environment host = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  const auto missing = use_spark_home("/no/such", folder->path(), host);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
  fs::create_directory(folder->path() / "jars");
  const auto empty = use_spark_home(folder->path(), folder->path(), host);
  REQUIRE_FALSE(empty);
  CHECK(empty.error().code == ErrorCode::malformed);
}

TEST_CASE("the driver is written once, and again when it was damaged") {
  const auto cache = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(cache);
  const auto first = install_spark_driver(cache->path());
  REQUIRE(first);
  CHECK(*base::read_file(*first) == spark_driver_text());
  REQUIRE(base::write_file_atomically(*first, "damaged"));
  const auto second = install_spark_driver(cache->path());
  REQUIRE(second);
  CHECK(*second == *first);
  CHECK(*base::read_file(*second) == spark_driver_text());
}

TEST_CASE(
    "folders of runs that were killed are removed by the next, those of living ones are not") {
  const auto parent = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(parent);
  auto alive = WorkFolder::create(parent->path(), "rowgate-spark-");
  REQUIRE(alive);
  const fs::path dead = parent->path() / "rowgate-spark-dead00";
  fs::create_directory(dead);
  REQUIRE(base::write_file_atomically(dead / "rowgate-lock", ""));
  const fs::path young = parent->path() / "rowgate-spark-young0";
  fs::create_directory(young);
  const fs::path foreign = parent->path() / "other";
  fs::create_directory(foreign);
  REQUIRE(base::write_file_atomically(foreign / "rowgate-lock", ""));
  CHECK(remove_abandoned(parent->path(), "rowgate-spark-") == 1);
  CHECK_FALSE(fs::exists(dead));
  CHECK(fs::exists(alive->path()));
  CHECK(fs::exists(young));
  CHECK(fs::exists(foreign));
}
