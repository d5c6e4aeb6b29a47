// In which order a bench runs its treatments: Williams squares, shuffled with a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rowgate::harness {

// Random numbers that are the same on every platform: the generator is the standard's, the
// distributions are ours (the standard leaves those to the library).
class BenchRandom {
 public:
  explicit BenchRandom(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound); bound > 0
  double unit();                             // uniform in [0, 1)
  double exponential();                      // with mean 1

  template <class Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 generator_;
};

// Treatments in the order in which they run, one after the other.
using RunRow = std::vector<unsigned>;

// A square for 2 or more treatments: each stands once in a row, in every place equally often, and
// follows each other one equally often. As many rows as treatments when their number is even, twice
// as many when it is odd. For two: AB, BA.
std::vector<RunRow> williams_square(unsigned treatments);

// Blocks: each is a whole square with its rows shuffled and its treatments relabelled. With two
// treatments as many blocks are A B B A as are B A A B (one more of either when their number is
// odd). The same seed gives the same blocks, and fewer blocks are the first ones of more.
std::vector<std::vector<RunRow>> plan_blocks(unsigned treatments, unsigned blocks,
                                             std::uint64_t seed);

// "ABBA", "ABC CAB …": treatment 0 is A, rows of more than two are set apart.
std::string letters(const std::vector<RunRow>& block);

}  // namespace rowgate::harness
