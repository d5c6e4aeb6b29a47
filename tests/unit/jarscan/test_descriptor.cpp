#include "jarscan/descriptor.hpp"
#include "jarscan/modified_utf8.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace rowgate::jarscan;

TEST_CASE("field descriptors") {
  for (const char* good : {"B", "C", "D", "F", "I", "J", "S", "Z", "Lp/C;", "[[I", "[Lp/q/C;"})
    CHECK_MESSAGE(is_field_descriptor(good), good);
  for (const char* bad :
       {"", "V", "L;", "Lp/C", "Lp.C;", "L/p;", "Lp/;", "Lp//q;", "[", "[V", "II", "L[p;", "Q"})
    CHECK_FALSE_MESSAGE(is_field_descriptor(bad), bad);
  CHECK(is_field_descriptor(std::string(255, '[') + "I"));
  CHECK_FALSE(is_field_descriptor(std::string(256, '[') + "I"));
  CHECK(field_descriptor_length("[Lp/C;I") == 6);
}

TEST_CASE("method descriptors") {
  for (const char* good : {"()V", "(I)I", "(Lp/C;[JD)Lp/C;", "()[[Lp/C;"})
    CHECK_MESSAGE(is_method_descriptor(good), good);
  for (const char* bad : {"", "V", "(", "()", "(V)V", "()VV", "(I", "I()V", "(Lp/C)V", "()L"})
    CHECK_FALSE_MESSAGE(is_method_descriptor(bad), bad);
  // A long takes two of the 255 slots.
  CHECK(is_method_descriptor("(" + std::string(255, 'I') + ")V"));
  CHECK_FALSE(is_method_descriptor("(" + std::string(256, 'I') + ")V"));
  CHECK(is_method_descriptor("(" + std::string(127, 'J') + "I)V"));
  CHECK_FALSE(is_method_descriptor("(" + std::string(128, 'J') + ")V"));
}

TEST_CASE("names") {
  CHECK(is_class_name("p/C"));
  CHECK(is_class_name("p/C$colon$colon"));
  CHECK(is_class_name("[Lp/C;"));
  CHECK(is_class_name("p/package-info"));
  for (const char* bad : {"", "p.C", "/p", "p/", "p//C", "p;", "[p/C", "[V"})
    CHECK_FALSE_MESSAGE(is_class_name(bad), bad);
  CHECK(is_method_name("<init>"));
  CHECK(is_method_name("<clinit>"));
  CHECK_FALSE(is_method_name("<x>"));
  CHECK_FALSE(is_method_name("a/b"));
  CHECK(is_unqualified_name("$anonfun$1"));
  CHECK_FALSE(is_unqualified_name("a[b"));
}

TEST_CASE("modified UTF-8") {
  // The fast check says yes to plain ASCII alone, whatever stands behind the text.
  const auto check = [](const char* bytes, std::size_t size) {
    const std::string_view text(bytes, size);
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
    for (const char behind : {'\0', 'x', '\xFF'}) {
      const std::string padded = std::string(text) + std::string(8, behind);
      CHECK(is_plain_ascii_padded(std::string_view(padded).substr(0, size)) == plain);
    }
    return is_modified_utf8(text);
  };
  for (std::size_t size = 0; size < 20; ++size) CHECK(check("abcdefghijklmnopqrst", size));
  CHECK(is_modified_utf8(""));
  CHECK(is_modified_utf8("plain text that is longer than eight bytes"));
  CHECK(check("\xC0\x80", 2));                  // U+0000
  CHECK(check("\xC3\xA9t\xC3\xA9", 5));         // two-byte forms
  CHECK(check("\xE2\x82\xAC", 3));              // three-byte form
  CHECK(check("\xED\xA0\xBD\xED\xB8\x80", 6));  // a surrogate pair, three bytes each
  CHECK_FALSE(check("\0", 1));
  CHECK_FALSE(check("12345678\0", 9));
  CHECK_FALSE(
      check("1234\0"
            "678",
            8));
  CHECK_FALSE(check("\xF0\x9F\x98\x80", 4));  // four bytes are standard UTF-8, not modified
  CHECK_FALSE(check("\x80", 1));
  CHECK_FALSE(check("\xC3", 1));
  CHECK_FALSE(check("\xE2\x82", 2));
  CHECK_FALSE(check("\xC3\x41", 2));
  CHECK_FALSE(check("\xFF", 1));
}
