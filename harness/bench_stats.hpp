// What a bench's times say: ratios with intervals, the effect of the order, the noise floor. Pure
// functions of the samples; no engine, no clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "harness/bench_design.hpp"

namespace rowgate::harness {

// One timed run. Blocks are counted through all processes; rows and places within their block.
struct BenchSample {
  unsigned process = 0;  // of `--forks`
  unsigned block = 0;
  unsigned row = 0;
  unsigned place = 0;
  unsigned treatment = 0;
  double seconds = 0;

  friend bool operator==(const BenchSample&, const BenchSample&) = default;
};

struct Interval {
  double low = 0;
  double high = 0;

  bool holds(double value) const { return low <= value && value <= high; }
};

struct Estimate {
  double value = 0;                  // the median over blocks
  std::optional<Interval> interval;  // at 95 %; nothing below kMinUnits blocks
  std::size_t units = 0;             // blocks that it rests on
};

// Of blocks; with this many processes, of processes. With fewer than 6 even the range from the
// smallest to the largest block holds the median in less than 95 % of benches.
inline constexpr std::size_t kMinUnits = 6;
inline constexpr unsigned kResamples = 20'000;

double median(std::vector<double> values);  // of at least one

// Intervals around medians, by resampling. Draws once for each number of units it meets. Not
// thread-safe.
class Resampler {
 public:
  explicit Resampler(std::uint64_t seed, unsigned resamples = kResamples)
      : seed_(seed), resamples_(resamples) {}

  Estimate estimate(std::vector<double> values);

 private:
  Interval ranks(std::size_t units);

  std::uint64_t seed_;
  unsigned resamples_;
  std::map<std::size_t, Interval> ranks_;
};

// How `a` compares with `b`, as logarithms of ratios.
struct PairEffect {
  Estimate log_ratio;     // time of a over time of b
  Estimate order_effect;  // of the two, the later run's time over the earlier's
};

// From the rows in which both ran. The unit is the block; with kMinUnits processes or more it is
// the process, represented by the median of its blocks. Nothing when there are no such rows.
std::optional<PairEffect> compare(std::span<const BenchSample> samples, unsigned a, unsigned b,
                                  Resampler& resampler);

// log(seconds) of one treatment: each block's mean, then the median over blocks.
std::optional<Estimate> log_seconds(std::span<const BenchSample> samples, unsigned treatment,
                                    Resampler& resampler);

// The largest log-ratio that two runs of the same treatment may show by chance: the farther end of
// the interval around theirs. Nothing when there are too few blocks for an interval.
std::optional<double> noise_floor(const std::optional<PairEffect>& same);

enum class Resolution : std::uint8_t {
  resolved,
  not_resolved,  // the interval holds "equal", or the difference is below the noise floor
  too_few,       // no interval: fewer than kMinUnits blocks
};
Resolution resolve(const PairEffect& pair, std::optional<double> floor);

}  // namespace rowgate::harness
