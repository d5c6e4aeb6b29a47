#include <doctest/doctest.h>

#include "pomcheck/coordinates.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

TEST_CASE("a coordinate's file is where the default layout keeps it") {
  const Coordinate c = parse_coordinate(" io.delta:delta-spark_2.13:4.3.1 ").value();
  CHECK(c.path() == "io/delta/delta-spark_2.13/4.3.1/delta-spark_2.13-4.3.1.jar");
  CHECK(c.pom_path() == "io/delta/delta-spark_2.13/4.3.1/delta-spark_2.13-4.3.1.pom");
  CHECK(c.metadata_path() == "io/delta/delta-spark_2.13/maven-metadata.xml");
  CHECK(c.to_string() == "io.delta:delta-spark_2.13:4.3.1");
}

TEST_CASE("classifiers and types in every spelling") {
  CHECK(parse_coordinate("g:a:1:tests").value().path() == "g/a/1/a-1-tests.jar");
  CHECK(parse_coordinate("g:a:pom:1").value().path() == "g/a/1/a-1.pom");
  CHECK(parse_coordinate("g:a:zip:bin:1").value().path() == "g/a/1/a-1-bin.zip");
  CHECK(parse_coordinate("g:a:test-jar:1").value().path() == "g/a/1/a-1-tests.jar");
  CHECK(parse_coordinate("g:a:tar.gz:bin:1").value().path() == "g/a/1/a-1-bin.tar.gz");
  for (const char* text : {"g:a:1", "g:a:1:tests", "g:a:pom:1", "g:a:zip:bin:1"})
    CHECK(parse_coordinate(text).value().to_string() == text);
}

TEST_CASE("a timestamped snapshot lives in its base version's folder") {
  CHECK(parse_coordinate("g:a:1.0-20260714.010203-7").value().path() ==
        "g/a/1.0-SNAPSHOT/a-1.0-20260714.010203-7.jar");
  CHECK(parse_coordinate("g:a:1.0-SNAPSHOT").value().version_metadata_path() ==
        "g/a/1.0-SNAPSHOT/maven-metadata.xml");
  CHECK(parse_coordinate("g:a:1.0-2026071.010203-7").value().path() ==
        "g/a/1.0-2026071.010203-7/a-1.0-2026071.010203-7.jar");
  CHECK(parse_coordinate("g:a:20260714.010203-7").value().path() ==
        "g/a/SNAPSHOT/a-20260714.010203-7.jar");
}

TEST_CASE("nothing that could leave the repository's folder is a coordinate") {
  for (const char* text : {"",        "a",        "g:a",           "g:a:",           ":a:1",
                           "g::1",    "g:..:1",   "g:a:..",        "g:a:../../x",    "g:a:1/2",
                           "g/h:a:1", "g:a\\b:1", "g:a:1\n2",      "g:a:1:..",       "..:a:1",
                           "g:a:1 2", "g:a:1..2", "g:a:zip:x:y:1", "g:a:t/../x:c:1", "gé:a:1",
                           "g:a%2e:1"}) {
    const auto parsed = parse_coordinate(text);
    INFO(text);
    REQUIRE(!parsed);
    CHECK(parsed.error().code == ErrorCode::usage);
  }
  CHECK(!parse_coordinate("g:a:" + std::string(300, '1')));
  CHECK(!parse_coordinate("g:" + std::string(300, 'a') + ":1"));
}

TEST_CASE("a POM's literal ${revision} is a version that can be asked for") {
  CHECK(check_coordinate({"t", "pci", "${revision}", "", "pom"}));
  CHECK(!check_coordinate({"t", "pci", "${revision}/..", "", "pom"}));
}
