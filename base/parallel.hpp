// A parallel map whose results stand in the order of the inputs, so that output is the same for any
// number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace rowgate::base {

// Calls work(worker, index) for every index in [0, count) on at most `jobs` threads, the caller's
// among them; worker < jobs tells which thread, for scratch space. Returns when all are done. The
// first exception is rethrown after all threads have stopped; the rest of the work is dropped then.
inline void parallel_for(std::size_t count, unsigned jobs,
                         const std::function<void(unsigned worker, std::size_t index)>& work) {
  const auto workers =
      static_cast<unsigned>(std::min<std::size_t>(jobs == 0 ? 1 : jobs, count == 0 ? 1 : count));
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&](unsigned worker) {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(worker, i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(workers - 1);
  for (unsigned worker = 1; worker < workers; ++worker) threads.emplace_back(run, worker);
  run(0);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// results[i] = work(items[i]).
template <class Item, class Work>
auto parallel_map(const std::vector<Item>& items, unsigned jobs, Work work) {
  using Value = std::invoke_result_t<Work, const Item&>;
  std::vector<std::optional<Value>> slots(items.size());
  parallel_for(items.size(), jobs,
               [&](unsigned, std::size_t i) { slots[i].emplace(work(items[i])); });
  std::vector<Value> results;
  results.reserve(items.size());
  for (std::optional<Value>& slot : slots) results.push_back(std::move(*slot));
  return results;
}

}  // namespace rowgate::base
