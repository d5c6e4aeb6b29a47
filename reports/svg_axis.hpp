// Axes of a plot: ranges, ticks, and where a value stands.
#pragma once

#include <string>
#include <vector>

#include "base/report.hpp"

namespace rowgate::reports {

// A range of values laid on `from` … `to` (pixels). Empty input gives the range 0 … 1 (1 … 10 on a
// logarithmic axis); a single value gets room on both sides.
class Axis {
 public:
  // Takes the finite values of `values`, on a logarithmic axis the positive ones.
  Axis(base::Scale scale, const std::vector<double>& values, double from, double to);

  // False for what has no place on it: NaN, infinities, zero and less on a logarithmic axis.
  bool can_place(double value) const;
  // Pixels; values outside the range are moved to its nearer end.
  double place(double value) const;

  const std::vector<double>& ticks() const { return ticks_; }

 private:
  double position(double value) const;  // of a placeable value in the units of the scale
  void make_linear_ticks();
  void make_logarithmic_ticks();

  base::Scale scale_;
  double from_, to_;
  double low_ = 0, high_ = 1;  // in the units of the scale: log10 on a logarithmic axis
  std::vector<double> ticks_;
};

// "0.25", "1500", "20 k", "3 M", "1e-07".
std::string tick_label(double value);

}  // namespace rowgate::reports
