#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "reports/svg.hpp"
#include "reports/svg_axis.hpp"
#include "tests/unit/reports/sample.hpp"

using namespace rowgate::base;
using namespace rowgate::reports;

namespace {

std::size_t count(std::string_view text, std::string_view needle) {
  std::size_t found = 0;
  for (std::size_t at = text.find(needle); at != std::string_view::npos;
       at = text.find(needle, at + 1))
    ++found;
  return found;
}

Series one_line(std::vector<double> x, std::vector<double> y, Scale scale) {
  Series series;
  series.title = "t";
  series.x_scale = series.y_scale = scale;
  series.x = std::move(x);
  series.lines = {{"l", std::move(y), {}, {}}};
  return series;
}

}  // namespace

TEST_CASE("linear ticks are round and enclose the values") {
  const Axis axis(Scale::linear, {3, 97}, 0, 100);
  CHECK(axis.ticks() == std::vector<double>{0, 20, 40, 60, 80, 100});
  CHECK(axis.place(0) == doctest::Approx(0));
  CHECK(axis.place(50) == doctest::Approx(50));
  CHECK(axis.place(1000) == doctest::Approx(100));  // outside moves to the end
  // Values far from zero do not start at zero, or their differences would not be seen.
  CHECK(Axis(Scale::linear, {780, 905}, 0, 1).ticks() ==
        std::vector<double>{750, 800, 850, 900, 950});
}

TEST_CASE("logarithmic ticks are decades") {
  const Axis axis(Scale::logarithmic, {1e3, 1e7}, 0, 100);
  CHECK(axis.ticks().size() == 5);
  CHECK(axis.ticks()[0] == doctest::Approx(1e3));
  CHECK(axis.place(1e5) == doctest::Approx(50));
  CHECK_FALSE(axis.can_place(0));
  CHECK_FALSE(axis.can_place(-1));
  CHECK(Axis(Scale::logarithmic, {10, 60}, 0, 1).ticks().size() >= 3);
  CHECK(Axis(Scale::logarithmic, {100, 104}, 0, 1).ticks().size() >= 2);
  CHECK(Axis(Scale::logarithmic, {1e-300, 1e300}, 0, 1).ticks().size() <= 12);
}

TEST_CASE("no values, one value, equal values, extreme values: an axis all the same") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double max = std::numeric_limits<double>::max();
  for (Scale scale : {Scale::linear, Scale::logarithmic})
    for (const std::vector<double>& values : {std::vector<double>{},
                                              {5},
                                              {0},
                                              {-3},
                                              {7, 7},
                                              {max, -max},
                                              {std::nan(""), infinity},
                                              {std::numeric_limits<double>::denorm_min(), 1e-320},
                                              {1e300, 1.0000000001e300}}) {
      const Axis axis(scale, values, 0, 100);
      CHECK(axis.ticks().size() < 110);
      for (const double value : values) {
        if (!axis.can_place(value)) continue;
        const double at = axis.place(value);
        CHECK(at >= 0);
        CHECK(at <= 100);
      }
    }
}

TEST_CASE("tick labels are short") {
  CHECK(tick_label(0) == "0");
  CHECK(tick_label(0.25) == "0.25");
  CHECK(tick_label(1500) == "1500");
  CHECK(tick_label(20000) == "20 k");
  CHECK(tick_label(-3e6) == "-3 M");
  CHECK(tick_label(1e-7) == "1e-07");
  CHECK(tick_label(1e300) == "1e+300");
}

TEST_CASE("a gap interrupts the line; a point between gaps is still drawn") {
  const double gap = std::nan("");
  const std::string svg =
      render_svg(one_line({1, 2, 3, 4, 5}, {1, 2, gap, 3, gap}, Scale::linear), SvgKind::embedded);
  CHECK(count(svg, "<circle class=\"dot c0\" cx=") == 3 + 1);  // and one in the legend
  const std::size_t line = svg.find("<path class=\"line c0\" d=\"M");
  REQUIRE(line != std::string::npos);
  CHECK(count(svg.substr(line, svg.find("/>", line) - line), "M") == 2);
}

TEST_CASE("what has no place on a logarithmic axis is counted below the plot") {
  const std::string svg =
      render_svg(one_line({1, 10, 100}, {0, -2, 5}, Scale::logarithmic), SvgKind::standalone);
  CHECK(svg.find("2 values of zero or less") != std::string::npos);
  CHECK(render_svg(one_line({1}, {2}, Scale::linear), SvgKind::standalone).find("zero or less") ==
        std::string::npos);
}

TEST_CASE("no number of a plot is NaN or infinite") {
  for (const Report& report : {sample_report(), hostile_report()}) {
    const std::string svg = render_svg(report.series[0], SvgKind::standalone);
    for (const char* attribute : {"=\"nan", "=\"inf", "=\"-inf", "=\"-nan", " nan", "Mnan"})
      CHECK(svg.find(attribute) == std::string::npos);
  }
}

TEST_CASE("more lines than colours are told apart by dashes") {
  Series series = one_line({1, 2}, {1, 2}, Scale::linear);
  for (int i = 1; i < 10; ++i) {
    series.lines.push_back(series.lines[0]);
    series.lines.back().name = "a longer name of line " + std::to_string(i);
  }
  const std::string svg = render_svg(series, SvgKind::embedded);
  CHECK(count(svg, "class=\"line c1\"") == 2);
  CHECK(count(svg, "class=\"line c1 dashed\"") == 2);
}
