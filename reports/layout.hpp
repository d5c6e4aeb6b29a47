// Fitting text into columns: cutting, shortening and wrapping by display width. All functions
// expect printable text (base::printable), in which every code point is well formed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::reports {

// The longest prefix that is at most `width` columns wide; never splits a code point or parts a
// combining mark from its base.
std::string_view prefix_of_width(std::string_view text, std::size_t width);

// `text`, or its head and tail around `…` so that it is at most `width` columns wide. Names differ
// at both ends (package, member), so the middle goes.
std::string shorten(std::string_view text, std::size_t width);

// Lines of at most `width` columns (at least 1), broken at spaces, else after one of `./:,-$;_=`,
// else anywhere. At most `max_lines` of them: the last then ends in `…`.
std::vector<std::string> wrap(std::string_view text, std::size_t width,
                              std::size_t max_lines = static_cast<std::size_t>(-1));

// Column widths that share `available` columns: no wider than `natural`, and the widest give way
// first. Empty when even `minimum` columns each do not fit.
std::vector<std::size_t> share_width(const std::vector<std::size_t>& natural, std::size_t available,
                                     std::size_t minimum);

// base::printable of at most the first `max_bytes` bytes, with a note of how many were left out: so
// that a hostile name of megabytes costs what a name costs.
std::string printable_start(std::string_view text, std::size_t max_bytes);

}  // namespace rowgate::reports
