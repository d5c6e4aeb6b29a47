// What Maven's two version orders share: numbers of any length and Java's lower case.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace rowgate::pomcheck {

// "007" -> "7", "000" -> "".
std::string_view strip_leading_zeros(std::string_view digits);

// Decimal numbers of any length, without leading zeros.
std::weak_ordering compare_numbers(std::string_view a, std::string_view b);

// Java's toLowerCase(Locale.ENGLISH) for ASCII, Latin-1, Greek and Cyrillic letters and the dotted
// capital I; other letters stay as they are (no repository holds a version with them).
std::string version_lower_case(std::string_view text);

}  // namespace rowgate::pomcheck
