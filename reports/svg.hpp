// A series as a line plot in SVG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/report.hpp"

namespace rowgate::reports {

// standalone: a document of its own, with its style sheet. embedded: for a page whose style sheet
// holds plot_style(), because a strict content security policy allows no second one.
enum class SvgKind : std::uint8_t { standalone, embedded };

// Lines with markers (a `title` on each tells the numbers), intervals as bands, axes that are
// linear or logarithmic, a legend. A NaN is a gap. A value of zero or less has no place on a
// logarithmic axis: it is a gap too, and a line below the plot counts such values. Colours follow
// prefers-color-scheme.
std::string render_svg(const base::Series& series, SvgKind kind);

// The rules that an embedded plot needs.
std::string_view plot_style();

}  // namespace rowgate::reports
