// The real Maven Central, found through the Maven that is installed here.
#include <doctest/doctest.h>

#include "pomcheck/central.hpp"
#include "tests/unit/repository/support.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

TEST_CASE(
    "a POM of Delta comes from Maven Central, and a sibling that was never published does not") {
  const auto homes = maven_home_candidates({{"PATH", "/usr/local/bin:/usr/bin"}}, "");
  REQUIRE_MESSAGE(find_central(homes), "install Maven: apt-get install maven");
  const base::TempDir dir =
      std::move(*base::TempDir::create(std::filesystem::temp_directory_path(), "rowgate-network-"));
  RepositoryConfig config;
  config.maven_homes = homes;
  config.cache_folder = dir.path();
  const RunContext context = RunContext::quiet();
  auto repositories = open_repositories(config, context);
  REQUIRE(repositories);
  const std::vector<std::string> paths = {
      "io/delta/delta-spark_2.13/4.3.1/delta-spark_2.13-4.3.1.pom",
      "org/apache/iceberg/iceberg-spark-runtime-4.1_2.13/1.11.0/"
      "iceberg-spark-runtime-4.1_2.13-1.11.0.pom",
      "org/apache/iceberg/iceberg-spark-runtime-9.9_2.13/1.11.0/"
      "iceberg-spark-runtime-9.9_2.13-1.11.0.pom"};
  const auto answers = repositories->fetch_all(paths, context);
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE_MESSAGE(answers[i], answers[i].error().to_string());
    CHECK(answers[i]->repository == "central");
    CHECK(answers[i]->verification == Verification::verified);
  }
  REQUIRE_FALSE(answers[2]);
  CHECK(answers[2].error().code == ErrorCode::not_found);
  CHECK(repositories->probe("io/delta/delta-spark_2.13/4.3.1/delta-spark_2.13-4.3.1.jar", context));
}
