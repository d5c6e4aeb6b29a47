#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"

using namespace rowgate::base;

TEST_CASE("results stand in the order of the inputs for any number of threads") {
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  const auto square = [](int x) { return x * x; };
  const auto once = parallel_map(items, 1, square);
  CHECK(once[31] == 961);
  for (unsigned jobs : {0U, 2U, 8U, 2000U}) CHECK(parallel_map(items, jobs, square) == once);
  CHECK(parallel_map(std::vector<int>{}, 4, square).empty());
}

TEST_CASE("an exception of the work reaches the caller") {
  const auto work = [](unsigned, std::size_t i) {
    if (i == 50) throw std::runtime_error("no");
  };
  CHECK_THROWS_WITH_AS(parallel_for(100, 4, work), "no", std::runtime_error);
}
