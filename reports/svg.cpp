#include "reports/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/text.hpp"
#include "reports/escape.hpp"
#include "reports/layout.hpp"
#include "reports/svg_axis.hpp"

namespace rowgate::reports {
namespace {

using base::Line;
using base::Series;

constexpr double kWidth = 760, kPlotHeight = 300;
constexpr double kLeft = 76, kRight = 20, kBottom = 56;
constexpr double kLegendRow = 20;
constexpr double kLetter = 7;        // about the width of a letter of the 12 px labels
constexpr std::size_t kColours = 8;  // .c0 … .c7 in the style sheet
constexpr std::size_t kMaxValueBytes = 2 << 10;

std::string shown(std::string_view text, std::size_t width) {
  return html_escape(shorten(printable_start(text, kMaxValueBytes), width));
}

class Plot {
 public:
  Plot(const Series& series, SvgKind kind)
      : series_(series),
        kind_(kind),
        top_(18 + legend_height()),
        x_(series.x_scale, series.x, kLeft, kWidth - kRight),
        y_(series.y_scale, y_values(), top_ + kPlotHeight, top_) {}

  std::string render() {
    const double height = top_ + kPlotHeight + kBottom + (undrawable() > 0 ? 18 : 0);
    put("<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
        "role=\"img\" "
        "aria-label=\"{}\"",
        kWidth, height, shown(series_.title, 200));
    if (kind_ == SvgKind::standalone) put(" width=\"{}\" height=\"{}\"", kWidth, height);
    put(">\n");
    if (kind_ == SvgKind::standalone)
      put("<style>{}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
          plot_style());
    axes();
    for (std::size_t i = 0; i < series_.lines.size(); ++i) band(series_.lines[i], i);
    for (std::size_t i = 0; i < series_.lines.size(); ++i) line(series_.lines[i], i);
    legend();
    if (const std::size_t count = undrawable(); count > 0)
      text(kLeft, height - 8, "note", "start",
           fmt::format("{} value{} of zero or less: no place on a logarithmic axis", count,
                       count == 1 ? "" : "s"));
    put("</svg>\n");
    return std::move(out_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }

  void text(double x, double y, const char* style, const char* anchor, std::string_view escaped,
            std::string_view more = "") {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
        style, anchor, more, escaped);
  }

  std::vector<double> y_values() const {
    std::vector<double> values;
    for (const Line& line : series_.lines) {
      values.insert(values.end(), line.y.begin(), line.y.end());
      values.insert(values.end(), line.low.begin(), line.low.end());
      values.insert(values.end(), line.high.begin(), line.high.end());
    }
    return values;
  }

  // Finite values that only the logarithm keeps from being drawn.
  std::size_t undrawable() const {
    std::size_t count = 0;
    for (const double x : series_.x) count += std::isfinite(x) && !x_.can_place(x) ? 1 : 0;
    for (const Line& line : series_.lines)
      for (const double y : line.y) count += std::isfinite(y) && !y_.can_place(y) ? 1 : 0;
    return count;
  }

  bool drawable(const Line& line, std::size_t i) const {
    return i < series_.x.size() && i < line.y.size() && x_.can_place(series_.x[i]) &&
           y_.can_place(line.y[i]);
  }

  bool has_interval(const Line& line, std::size_t i) const {
    return drawable(line, i) && i < line.low.size() && i < line.high.size() &&
           std::isfinite(line.low[i]) && y_.can_place(line.high[i]);
  }

  // An interval that reaches down to zero or below on a logarithmic axis ends at the axis.
  double place_low(double low) const {
    return y_.can_place(low) ? y_.place(low) : top_ + kPlotHeight;
  }

  void axes() {
    const double bottom = top_ + kPlotHeight, right = kWidth - kRight;
    for (const double tick : y_.ticks()) {
      const double y = y_.place(tick);
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", kLeft, y, right);
      text(kLeft - 8, y + 4, "tick", "end", tick_label(tick));
    }
    for (const double tick : x_.ticks()) {
      const double x = x_.place(tick);
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, top_, bottom);
      text(x, bottom + 18, "tick", "middle", tick_label(tick));
    }
    put("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n", kLeft, top_, bottom, right);
    text((kLeft + right) / 2, bottom + 42, "label", "middle", shown(series_.x_label, 90));
    const double middle = top_ + kPlotHeight / 2;
    text(18, middle, "label", "middle", shown(series_.y_label, 45),
         fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle));
  }

  void band(const Line& line, std::size_t index) {
    std::size_t i = 0;
    while (i < series_.x.size()) {
      if (!has_interval(line, i)) {
        ++i;
        continue;
      }
      const std::size_t first = i;
      while (i < series_.x.size() && has_interval(line, i)) ++i;
      put("<path class=\"band c{}\" d=\"M", index % kColours);
      for (std::size_t k = first; k < i; ++k)
        put("{:.1f} {:.1f} ", x_.place(series_.x[k]), y_.place(line.high[k]));
      for (std::size_t k = i; k > first; --k)
        put("{:.1f} {:.1f} ", x_.place(series_.x[k - 1]), place_low(line.low[k - 1]));
      put("Z\"/>\n");
    }
  }

  // The lines' classes: a colour, and beyond the eighth line dashes as well.
  static std::string style_of(std::size_t index) {
    return fmt::format("c{}{}", index % kColours, index < kColours ? "" : " dashed");
  }

  void line(const Line& line, std::size_t index) {
    std::string path;
    bool pen_down = false;
    for (std::size_t i = 0; i < series_.x.size(); ++i) {
      if (!drawable(line, i)) {
        pen_down = false;
        continue;
      }
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", pen_down ? "L" : "M",
                     x_.place(series_.x[i]), y_.place(line.y[i]));
      pen_down = true;
    }
    if (!path.empty()) put("<path class=\"line {}\" d=\"{}\"/>\n", style_of(index), path);
    for (std::size_t i = 0; i < series_.x.size(); ++i) {
      if (!drawable(line, i)) continue;
      std::string value = fmt::format("{:.4g}", line.y[i]);
      if (i < line.low.size() && i < line.high.size())
        value += fmt::format(" ({:.4g} to {:.4g})", line.low[i], line.high[i]);
      put("<circle class=\"dot c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>{}: {} at "
          "{:.6g}</title></circle>\n",
          index % kColours, x_.place(series_.x[i]), y_.place(line.y[i]), shown(line.name, 60),
          value, series_.x[i]);
    }
  }

  // Where each legend entry stands; rows are filled from the left.
  struct Entry {
    double x, y;
  };
  std::vector<Entry> legend_entries() const {
    std::vector<Entry> entries;
    double x = kLeft, y = 16;
    for (const Line& line : series_.lines) {
      const std::string name = shorten(printable_start(line.name, kMaxValueBytes), 40);
      const double width = 34 + kLetter * static_cast<double>(base::display_width(name));
      if (x > kLeft && x + width > kWidth - kRight) {
        x = kLeft;
        y += kLegendRow;
      }
      entries.push_back({x, y});
      x += width + 14;
    }
    return entries;
  }
  double legend_height() const {
    const std::vector<Entry> entries = legend_entries();
    return entries.empty() ? 0 : entries.back().y;
  }
  void legend() {
    const std::vector<Entry> entries = legend_entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto [x, y] = entries[i];
      put("<path class=\"line {}\" d=\"M{:.1f} {:.1f}h24\"/>\n", style_of(i), x, y - 4);
      put("<circle class=\"dot c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n", i % kColours,
          x + 12, y - 4);
      text(x + 30, y, "tick", "start", shown(series_.lines[i].name, 40));
    }
  }

  const Series& series_;
  const SvgKind kind_;
  const double top_;
  const Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string_view plot_style() {
  // Eight colours that differ in lightness too, so that they stay apart in print and for people who
  // do not tell red from green.
  return R"css(
.plot{font:12px system-ui,sans-serif;--ink:#1f2733;--soft:#5d6b7e;--rule:#e3e8ee;--bg:#fff;
--p0:#0b62c4;--p1:#d9480f;--p2:#0c8a5b;--p3:#9c36b5;--p4:#b08900;--p5:#0c8599;--p6:#c2255c;--p7:#495057}
@media (prefers-color-scheme:dark){.plot{--ink:#e6ebf2;--soft:#9fb0c5;--rule:#2b3648;--bg:#161c27;
--p0:#6cb2ff;--p1:#ff9d5c;--p2:#4fd6a0;--p3:#dd9bf0;--p4:#f0d060;--p5:#5fd6e8;--p6:#ff8fb3;--p7:#b8c2cf}}
.plot .paper{fill:var(--bg)}.plot text{fill:var(--soft)}.plot .label{fill:var(--ink);font-weight:600}
.plot .grid{stroke:var(--rule);fill:none}.plot .axis{stroke:var(--soft);fill:none}
.plot .line{fill:none;stroke-width:2;stroke-linejoin:round}.plot .dashed{stroke-dasharray:6 3}
.plot .dot{stroke:var(--bg);stroke-width:1}.plot .band{stroke:none;fill-opacity:.16}
.plot .line.c0{stroke:var(--p0)}.plot .line.c1{stroke:var(--p1)}.plot .line.c2{stroke:var(--p2)}
.plot .line.c3{stroke:var(--p3)}.plot .line.c4{stroke:var(--p4)}.plot .line.c5{stroke:var(--p5)}
.plot .line.c6{stroke:var(--p6)}.plot .line.c7{stroke:var(--p7)}
.plot .dot.c0,.plot .band.c0{fill:var(--p0)}.plot .dot.c1,.plot .band.c1{fill:var(--p1)}
.plot .dot.c2,.plot .band.c2{fill:var(--p2)}.plot .dot.c3,.plot .band.c3{fill:var(--p3)}
.plot .dot.c4,.plot .band.c4{fill:var(--p4)}.plot .dot.c5,.plot .band.c5{fill:var(--p5)}
.plot .dot.c6,.plot .band.c6{fill:var(--p6)}.plot .dot.c7,.plot .band.c7{fill:var(--p7)}
)css";
}

std::string render_svg(const Series& series, SvgKind kind) {
  return Plot(series, kind).render();
}

}  // namespace rowgate::reports
