#include <doctest/doctest.h>

#include "jarscan/link_describe.hpp"
#include "jarscan/link_rules.hpp"
#include "link_test.hpp"

using namespace rowgate::jarscan;
namespace link_test = rowgate::link_test;

TEST_CASE("Spark versions in class names") {
  CHECK(version_token("org/x/spark33/Shim") == "3.3");
  CHECK(version_token("org/x/Spark33Shim") == "3.3");
  CHECK(version_token("org/x/spark3/Shim") == "3");
  CHECK(version_token("org/x/spark_3_5/Shim") == "3.5");
  CHECK(version_token("org/x/v24/Shim") == "2.4");
  CHECK(version_token("org/x/v3_5/Shim") == "3.5");
  CHECK(version_token("org/x/v2/Catalog") == "");
  CHECK(version_token("org/apache/spark/sql/V2Table") == "");
  CHECK(version_token("org/x/Env24") == "");
  CHECK(version_token("org/x/spark2024/Shim") == "");
  CHECK(version_token("") == "");
  CHECK(version_token("spark") == "");
}

TEST_CASE("members for people") {
  CHECK(readable_member("f(Ljava/lang/String;I[[J)V") == "f(String, int, long[][])");
  CHECK(readable_member("<init>()V") == "<init>()");
  CHECK(readable_member("x:I") == "x");
  CHECK(readable_member("f(Lx") == "f()");
  CHECK(statement_of("createTable") == "CREATE TABLE");
  CHECK(statement_of("toString") == "");
}

TEST_CASE("artifacts of jar names") {
  CHECK(artifact_of("hive-metastore-2.3.10.jar") == "hive-metastore");
  CHECK(artifact_of("spark-hive_2.13-4.1.3.jar") == "spark-hive_2.13");
  CHECK(artifact_of("log4j-1.2-api-2.24.3.jar") == "log4j");
  CHECK(artifact_of("own.jar") == "own");
  CHECK(artifact_of("-1.jar") == "-1");
  CHECK(artifact_of("") == "");
}

// The corpus' class-removed-new: c/Main makes a p/Gone, which only old.jar has.
TEST_CASE("a class that a hole of the class path may hold is undecidable, by artifact") {
  const std::filesystem::path folder = link_test::corpus_folder() / "class-removed-new";
  LinkRequest request;
  request.unit =
      read_link_unit(link_test::open_jars({folder / "client.jar"}), rowgate::RunContext::quiet());
  const auto spark = [&](const char* jar) {
    return LinkTarget{jar, std::make_shared<JarSource>(link_test::open_jars({folder / jar}))};
  };
  request.options.jdk = link_test::jdk();
  request.options.entry_classes = {"c.Main"};
  request.targets = {spark("new.jar"), spark("new.jar")};
  request.targets[1].missing = {"g:some:1"};
  request.baseline = spark("old.jar");
  const auto results = check_link(request, rowgate::RunContext::quiet());
  CHECK(results[0].verdict == LinkVerdict::breaks);
  CHECK(results[1].verdict == LinkVerdict::undecidable);
  CHECK(verdict_text(results[1]) == "undecidable: needs old, which could not be had");
  REQUIRE(results[1].count(rowgate::base::Severity::undecidable) == 1);
  CHECK(results[1].causes[0].symbol == "old");
  CHECK(results[1].causes[0].check_id == "RG1215");
}

TEST_CASE("class names of descriptors") {
  std::vector<std::string_view> names;
  for_each_class("(Lp/A;I[[Lp/B;)Lp/C;", [&](std::string_view name) { names.push_back(name); });
  CHECK(names == std::vector<std::string_view>{"p/A", "p/B", "p/C"});
  CHECK(element_class("[[Lp/C;") == "p/C");
  CHECK(element_class("[I") == "");
  CHECK(element_class("p/C") == "p/C");
  CHECK(element_class("[") == "");
}
