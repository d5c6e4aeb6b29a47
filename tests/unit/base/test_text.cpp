#include <doctest/doctest.h>

#include <array>

#include "base/text.hpp"

using namespace rowgate::base;

TEST_CASE("trim and split") {
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim(" \n") == "");
  CHECK(split("a,b,,c", ',') == std::vector<std::string_view>{"a", "b", "", "c"});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
}

TEST_CASE("hostile names are shown, not obeyed") {
  CHECK(printable("plain ü") == "plain ü");
  CHECK(printable("a\x1b[31mb\n") == "a\\x1B[31mb\\x0A");
  CHECK(printable("\xff\xc0\x80") == "\\xFF\\xC0\\x80");
  CHECK(printable("\xe2\x80\xae"
                  "cod.exe") == "\\u{202E}cod.exe");
  CHECK(printable("\xc2\x9b") == "\\u{9B}");  // C1 control: CSI
  CHECK(is_utf8(printable("\xed\xa0\x80")));  // a surrogate
}

TEST_CASE("UTF-8 validity follows Unicode's table 3-7") {
  CHECK(is_utf8("é€😀"));
  for (const char* bad :
       {"\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    CHECK_FALSE(is_utf8(bad));
}

TEST_CASE("display width") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é∅†") == 3);
  CHECK(display_width("e\xcc\x81") == 1);  // combining acute
  CHECK(display_width("漢字") == 4);
}

TEST_CASE("globs") {
  CHECK(matches_glob("org.apache.*", "org.apache.spark"));
  CHECK(matches_glob("*a*b*c", "xxaybzc"));
  CHECK(matches_glob("a?c", "abc"));
  CHECK_FALSE(matches_glob("a?c", "ac"));
  CHECK_FALSE(matches_glob("", "a"));
  CHECK(matches_glob("*", ""));
  CHECK_FALSE(matches_glob("*a", std::string(5000, 'a') + "b"));
}

TEST_CASE("suggestions are near or absent") {
  constexpr std::array<std::string_view, 3> kWords = {"guarded", "naive", "soft-tombstone"};
  CHECK(nearest("gaurded", kWords) == "guarded");
  CHECK(nearest("soft_tombstone", kWords) == "soft-tombstone");
  CHECK(nearest("xyz", kWords) == "");
}

TEST_CASE("numbers for people") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1234567) == "1,234,567");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1536) == "1.5 KiB");
}
