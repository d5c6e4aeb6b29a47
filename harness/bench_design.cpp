// Williams, E. J. (1949): Experimental designs balanced for the estimation of residual effects of
// treatments. Australian Journal of Scientific Research A 2, 149-168. The first row of the square
// for n treatments is 0, 1, n-1, 2, n-2, …; row r adds r modulo n. Neighbours in it differ by every
// number but 0, once when n is even; when n is odd the mirrored square makes up for the rest.
#include "harness/bench_design.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rowgate::harness {

std::uint64_t BenchRandom::below(std::uint64_t bound) {
  // What lies above the largest multiple of the bound would favour small numbers: drawn again, at
  // worst every second time.
  const std::uint64_t rest = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t number = generator_();
    if (number >= rest) return number % bound;
  }
}

double BenchRandom::unit() {
  return static_cast<double>(generator_() >> 11) * 0x1p-53;
}

double BenchRandom::exponential() {
  return -std::log1p(-unit());
}

std::vector<RunRow> williams_square(unsigned treatments) {
  if (treatments < 2) throw std::logic_error("a Williams square needs two treatments");
  RunRow first;
  for (unsigned i = 0; i < treatments; ++i)
    first.push_back(i % 2 == 1 ? (i + 1) / 2 : (treatments - i / 2) % treatments);
  std::vector<RunRow> rows;
  for (unsigned shift = 0; shift < treatments; ++shift) {
    RunRow row;
    for (const unsigned treatment : first) row.push_back((treatment + shift) % treatments);
    rows.push_back(std::move(row));
  }
  if (treatments % 2 == 1)
    for (unsigned shift = 0; shift < treatments; ++shift)
      rows.emplace_back(rows[shift].rbegin(), rows[shift].rend());
  return rows;
}

std::vector<std::vector<RunRow>> plan_blocks(unsigned treatments, unsigned blocks,
                                             std::uint64_t seed) {
  const std::vector<RunRow> square = williams_square(treatments);
  BenchRandom random(seed);
  std::vector<std::vector<RunRow>> plan;
  for (unsigned i = 0; i < blocks; ++i) {
    std::vector<RunRow> block = square;
    if (treatments == 2) {
      // Two and two: the second of a couple is the first one's mirror image.
      const bool swap = i % 2 == 0 ? random.below(2) == 1 : plan.back().front() == square.front();
      if (swap) std::swap(block.front(), block.back());
    } else {
      RunRow labels = square.front();
      std::sort(labels.begin(), labels.end());
      random.shuffle(labels);
      for (RunRow& row : block)
        for (unsigned& treatment : row) treatment = labels[treatment];
      random.shuffle(block);
    }
    plan.push_back(std::move(block));
  }
  return plan;
}

std::string letters(const std::vector<RunRow>& block) {
  std::string text;
  for (const RunRow& row : block) {
    if (row.size() > 2 && !text.empty()) text += ' ';
    for (const unsigned treatment : row)
      text += treatment < 26 ? static_cast<char>('A' + treatment) : '?';
  }
  return text;
}

}  // namespace rowgate::harness
