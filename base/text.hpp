// Small things about text that several parts need.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::base {

std::string_view trim(std::string_view text);  // ASCII white space at both ends

// "a,b,,c" -> a, b, "", c. An empty text gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string join(std::span<const std::string> pieces, std::string_view separator);

bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII
std::string to_lower(std::string_view text);                        // ASCII

// Well-formed UTF-8 without control characters: ill-formed bytes and C0/C1 controls become
// `\xNN`, bidirectional overrides become `\u{202E}`-style escapes. For showing hostile names.
std::string printable(std::string_view text);

// True for well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

// Columns that well-formed UTF-8 takes on a terminal, good enough for tables: code points, with
// combining marks counted as 0 and the wide East Asian blocks as 2.
std::size_t display_width(std::string_view text);

// `*` is any run, `?` any one character; the whole text must match. Linear in practice, quadratic
// at worst, never exponential.
bool matches_glob(std::string_view pattern, std::string_view text);

// The candidate nearest to `word` by edit distance, or "" when none is near enough to suggest.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// 1234567 -> "1,234,567"
std::string with_thousands(unsigned long long number);

// 1536 -> "1.5 KiB"
std::string human_bytes(unsigned long long size_bytes);

}  // namespace rowgate::base
