// The interval around a median of few blocks.
//
// The plain percentile bootstrap of a median covers too seldom when there are few blocks: resampled
// medians can only be blocks' own values, or means of two (with 7 blocks its "95 %" interval holds
// the truth in 87 % of benches). The cure is to resample the *gaps* between the sorted blocks:
// Banks, D. L. (1988): Histospline smoothing the Bayesian bootstrap. Biometrika 75, 673-684, after
// Rubin, D. B. (1981): The Bayesian bootstrap. Annals of Statistics 9, 130-134. A resample gives
// the n + 1 gaps that n blocks leave (before the first, between them, after the last) random
// weights, exponential numbers over their sum, spreads each weight evenly over its gap, and takes
// the median of that. At the blocks themselves the resulting distribution is the exact one of the
// sign test, whatever the noise looks like; between them it is interpolated. The interval runs from
// its 2.5 % to its 97.5 % quantile.
//
// The weights do not depend on the measured values, so one set of resamples serves all medians of n
// blocks: a resample's median lies at a rank (2.4: between the second and third sorted block, in
// the outermost gaps at the outermost block), sorting blocks and interpolating between ranks are
// monotonic, and so the interval stands between the quantiles of the ranks.
// tests/unit/bench/test_bench_stats.cpp simulates what it covers.
//
// Several processes (`--forks`): what differs between them (memory layout, compiled code) does not
// average out over blocks. Kalibera, T., Jones, R. (2013): Rigorous benchmarking in reasonable
// time. ISMM, 63-74: the outermost level that varies is the one to resample.
//
// Cost: resamples x blocks once for each number of blocks, then a sort of the blocks.
#include "harness/bench_stats.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace rowgate::harness {
namespace {

constexpr double kTail = 0.025;  // left out on each side

// Of sorted values, linear between them; `rank` 0 is the smallest.
double at_rank(const std::vector<double>& sorted, double rank) {
  const auto below = static_cast<std::size_t>(rank);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = rank - static_cast<double>(below);
  return sorted[below] * (1 - part) + sorted[below + 1] * part;
}

struct Means {
  double sum = 0;
  unsigned count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double mean() const { return sum / count; }
};

using BlockKey = std::pair<unsigned, unsigned>;  // process, block

// One value a unit: a block's, or, with enough processes, the median of a process's blocks.
std::vector<double> units_of(const std::map<BlockKey, double>& blocks) {
  std::map<unsigned, std::vector<double>> processes;
  std::vector<double> units;
  for (const auto& [key, value] : blocks) {
    processes[key.first].push_back(value);
    units.push_back(value);
  }
  if (processes.size() < kMinUnits) return units;
  units.clear();
  for (const auto& [process, values] : processes) units.push_back(median(values));
  return units;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return at_rank(values, static_cast<double>(values.size() - 1) / 2);
}

Interval Resampler::ranks(std::size_t units) {
  if (const auto known = ranks_.find(units); known != ranks_.end()) return known->second;
  BenchRandom random(seed_);
  std::vector<double> medians(resamples_), gaps(units + 1);
  for (double& rank : medians) {
    double half = 0;
    for (double& gap : gaps) half += gap = random.exponential();
    half /= 2;
    std::size_t gap = 0;
    while (gap < units && half > gaps[gap]) half -= gaps[gap++];
    // Gap 0 lies before the first block, gap i between blocks i - 1 and i.
    rank = gap == 0 ? 0 : static_cast<double>(gap - 1) + std::min(1.0, half / gaps[gap]);
  }
  std::sort(medians.begin(), medians.end());
  const auto last = static_cast<double>(resamples_ - 1);
  const Interval found{at_rank(medians, kTail * last), at_rank(medians, (1 - kTail) * last)};
  return ranks_.emplace(units, found).first->second;
}

Estimate Resampler::estimate(std::vector<double> values) {
  Estimate estimate;
  estimate.units = values.size();
  if (values.empty()) return estimate;
  std::sort(values.begin(), values.end());
  estimate.value = at_rank(values, static_cast<double>(values.size() - 1) / 2);
  if (values.size() < kMinUnits) return estimate;
  const Interval between = ranks(values.size());
  estimate.interval = Interval{at_rank(values, between.low), at_rank(values, between.high)};
  return estimate;
}

std::optional<PairEffect> compare(std::span<const BenchSample> samples, unsigned a, unsigned b,
                                  Resampler& resampler) {
  struct Cell {
    std::optional<BenchSample> a, b;
  };
  std::map<std::pair<BlockKey, unsigned>, Cell> rows;
  for (const BenchSample& sample : samples) {
    if (sample.treatment != a && sample.treatment != b) continue;
    Cell& cell = rows[{{sample.process, sample.block}, sample.row}];
    (sample.treatment == a ? cell.a : cell.b) = sample;
  }
  struct Block {
    Means a_first, a_later;
  };
  std::map<BlockKey, Block> blocks;
  for (const auto& [key, cell] : rows) {
    if (!cell.a || !cell.b) continue;
    const double log_ratio = std::log(cell.a->seconds) - std::log(cell.b->seconds);
    Block& block = blocks[key.first];
    (cell.a->place < cell.b->place ? block.a_first : block.a_later).add(log_ratio);
  }
  std::map<BlockKey, double> ratios, orders;
  for (const auto& [key, block] : blocks) {
    if (block.a_first.count == 0 || block.a_later.count == 0) continue;
    // a later: ratio + order; a first: ratio - order.
    ratios[key] = (block.a_later.mean() + block.a_first.mean()) / 2;
    orders[key] = (block.a_later.mean() - block.a_first.mean()) / 2;
  }
  if (ratios.empty()) return std::nullopt;
  return PairEffect{resampler.estimate(units_of(ratios)), resampler.estimate(units_of(orders))};
}

std::optional<Estimate> log_seconds(std::span<const BenchSample> samples, unsigned treatment,
                                    Resampler& resampler) {
  std::map<BlockKey, Means> blocks;
  for (const BenchSample& sample : samples)
    if (sample.treatment == treatment)
      blocks[{sample.process, sample.block}].add(std::log(sample.seconds));
  if (blocks.empty()) return std::nullopt;
  std::map<BlockKey, double> values;
  for (const auto& [key, means] : blocks) values[key] = means.mean();
  return resampler.estimate(units_of(values));
}

std::optional<double> noise_floor(const std::optional<PairEffect>& same) {
  if (!same || !same->log_ratio.interval) return std::nullopt;
  const Interval& interval = *same->log_ratio.interval;
  return std::max(std::abs(interval.low), std::abs(interval.high));
}

Resolution resolve(const PairEffect& pair, std::optional<double> floor) {
  if (!pair.log_ratio.interval) return Resolution::too_few;
  if (pair.log_ratio.interval->holds(0)) return Resolution::not_resolved;
  if (!floor) return Resolution::too_few;
  return std::abs(pair.log_ratio.value) > *floor ? Resolution::resolved : Resolution::not_resolved;
}

}  // namespace rowgate::harness
