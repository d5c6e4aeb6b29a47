#include "jarscan/manifest.hpp"

#include <doctest/doctest.h>

using rowgate::jarscan::Manifest;

TEST_CASE("main attributes, any line end, continued lines, another section") {
  const Manifest manifest = Manifest::parse(
      "Manifest-Version: 1.0\r\n"
      "Implementation-Title: a name that is lo\r\n"
      " nger than a line\n"
      "Multi-Release: true\r"
      "no attribute\r\n"
      "\r\n"
      "Name: p/C.class\r\n"
      "Implementation-Version: not of the main section\r\n");
  CHECK(manifest.main_attributes.size() == 3);
  CHECK(manifest.find("implementation-title") == "a name that is longer than a line");
  CHECK(manifest.find("MULTI-RELEASE") == "true");
  CHECK_FALSE(manifest.find("Implementation-Version"));
}

TEST_CASE("of two attributes of one name the last counts") {
  const Manifest manifest = Manifest::parse("A: 1\na: 2\n");
  CHECK(manifest.find("A") == "2");
}

TEST_CASE("odd manifests") {
  CHECK(Manifest::parse("").main_attributes.empty());
  const Manifest continued = Manifest::parse(" starts with a continuation\nA:b");
  CHECK(continued.find("A") == "b");
  const Manifest empty_value = Manifest::parse("A:");
  CHECK(empty_value.find("A") == "");
}
