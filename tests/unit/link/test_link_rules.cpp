#include <doctest/doctest.h>

#include "jarscan/link_describe.hpp"
#include "jarscan/link_rules.hpp"

using namespace rowgate::jarscan;

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

TEST_CASE("class names of descriptors") {
  std::vector<std::string_view> names;
  for_each_class("(Lp/A;I[[Lp/B;)Lp/C;", [&](std::string_view name) { names.push_back(name); });
  CHECK(names == std::vector<std::string_view>{"p/A", "p/B", "p/C"});
  CHECK(element_class("[[Lp/C;") == "p/C");
  CHECK(element_class("[I") == "");
  CHECK(element_class("p/C") == "p/C");
  CHECK(element_class("[") == "");
}
