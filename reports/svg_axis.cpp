#include "reports/svg_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rowgate::reports {
namespace {

constexpr double kTicks = 6;  // about as many as are wanted

// The smallest of 1, 2, 5 times a power of ten that is at least `step`.
double nice_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

Axis::Axis(base::Scale scale, const std::vector<double>& values, double from, double to)
    : scale_(scale), from_(from), to_(to) {
  bool any = false;
  for (const double value : values) {
    if (!can_place(value)) continue;
    const double at = position(value);
    low_ = any ? std::min(low_, at) : at;
    high_ = any ? std::max(high_, at) : at;
    any = true;
  }
  // Well below the largest double, so that differences stay finite.
  low_ = std::clamp(low_, -4e307, 4e307);
  high_ = std::clamp(high_, -4e307, 4e307);
  const double least =
      scale_ == base::Scale::linear ? std::max(std::abs(high_) * 1e-9, 1e-300) : 0.1;
  if (high_ - low_ < least) {
    const double room =
        scale_ == base::Scale::linear ? std::max(std::abs(high_) * 0.1, 1e-290) : 0.5;
    low_ -= room;
    high_ += room;
  }
  if (scale_ == base::Scale::linear)
    make_linear_ticks();
  else
    make_logarithmic_ticks();
}

bool Axis::can_place(double value) const {
  return std::isfinite(value) && (scale_ == base::Scale::linear || value > 0);
}

double Axis::position(double value) const {
  return scale_ == base::Scale::linear ? value : std::log10(value);
}

double Axis::place(double value) const {
  const double at = std::clamp(position(value), low_, high_);
  return from_ + (at - low_) / (high_ - low_) * (to_ - from_);
}

void Axis::make_linear_ticks() {
  // The range is widened to whole steps. A range near zero starts at zero: lengths from another
  // start exaggerate differences.
  if (low_ > 0 && low_ < 0.4 * high_) low_ = 0;
  const double step = nice_step((high_ - low_) / (kTicks - 1));
  const double first = std::floor(low_ / step + 1e-9), last = std::ceil(high_ / step - 1e-9);
  if (!(last - first <= 100)) return;  // below the resolution of a double
  low_ = first * step;
  high_ = last * step;
  for (double i = first; i <= last; ++i) ticks_.push_back(i * step == 0 ? 0 : i * step);
}

void Axis::make_logarithmic_ticks() {
  const double margin = (high_ - low_) * 0.03;
  low_ -= margin;
  high_ += margin;
  const double decades = high_ - low_;
  const double stride = std::max(1.0, std::ceil(decades / 10));
  const bool between = decades < 3;  // then 2 and 5 are marked as well
  for (double decade = std::floor(low_); decade <= std::ceil(high_); ++decade) {
    if (stride > 1 && std::fmod(decade, stride) != 0) continue;
    for (double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !between) break;
      const double at = decade + std::log10(factor);
      if (at >= low_ && at <= high_) ticks_.push_back(factor * std::pow(10, decade));
    }
  }
  if (ticks_.size() >= 2) return;
  // Less than an octave: ticks as on a linear axis.
  ticks_.clear();
  const double least = std::pow(10, low_), most = std::pow(10, high_);
  const double step = nice_step((most - least) / (kTicks - 1));
  for (double i = std::ceil(least / step); i * step <= most && ticks_.size() < 20; ++i)
    ticks_.push_back(i * step);
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e15) return fmt::format("{:.3g}", value);
  if (size < 1e4) return fmt::format("{:.5g}", value);
  constexpr std::array<const char*, 4> kUnits = {"k", "M", "G", "T"};
  double scaled = value / 1e3;
  std::size_t unit = 0;
  while (std::abs(scaled) >= 1e3 && unit + 1 < kUnits.size()) {
    scaled /= 1e3;
    ++unit;
  }
  return fmt::format("{:.4g} {}", scaled, kUnits[unit]);
}

}  // namespace rowgate::reports
