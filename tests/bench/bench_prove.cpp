// Histories a second that `prove` checks on the embedded engine: enumeration, loading, the
// strategy's statements, reading, and the oracle. Beside it the floor of the same run: the same
// histories judged with rows that are given, so that the engine's share can be told.
//
//   bench_prove LIBDUCKDB [EVENTS] [THREADS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "harness/embedded_target.hpp"
#include "harness/prove.hpp"

using namespace rowgate;
using namespace rowgate::harness;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double judge_only(const Bounds& bounds) {
  const auto begin = std::chrono::steady_clock::now();
  const Schema schema = prove_schema();
  const OracleVariant& ideal = *find_oracle("ideal");
  std::uint64_t right = 0;
  enumerate(bounds, [&](const CompactHistory& compact) {
    const History history = to_history(compact, schema);
    const auto answer = right_answer_of_valid(ideal, history);
    const Verdict verdict =
        judge(schema, StateKind::scd1, history, *answer, answer->states.front());
    right += verdict.outcome == Outcome::right ? 1 : 0;
    return true;
  });
  const double elapsed = seconds_since(begin);
  if (right != history_count(bounds)) std::exit(1);
  return elapsed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_prove LIBDUCKDB [EVENTS] [THREADS]\n");
    return 2;
  }
  ProveOptions options;
  if (argc > 2) options.bounds.events = static_cast<unsigned>(std::atoi(argv[2]));
  EngineLimits limits;
  limits.threads = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 2;
  RunContext ctx = RunContext::quiet();
  ctx.jobs = limits.threads;
  const auto opening = std::chrono::steady_clock::now();
  const auto target = EmbeddedTarget::open_library(argv[1], limits);
  if (!target) {
    fmt::print(stderr, "{}\n", target.error().to_string());
    return 3;
  }
  fmt::print("{}, opened in {:.0f} ms; {} histories: {}\n", (*target)->info().engine,
             1000 * seconds_since(opening), history_count(options.bounds), to_text(options.bounds));
  fmt::print("judging alone, one thread: {:.2f} s\n", judge_only(options.bounds));
  for (const char* name : {"soft-tombstone", "scd2-right"}) {
    const auto begin = std::chrono::steady_clock::now();
    const auto result = prove(*find_strategy(name), prove_schema(), **target, options, ctx);
    const double elapsed = seconds_since(begin);
    if (!result || !result->proved()) {
      fmt::print(stderr, "{}: {}\n", name,
                 result ? "has a counterexample" : result.error().to_string());
      return 1;
    }
    fmt::print("{}: {} histories in {:.2f} s, {:.0f} a second\n", name, result->checked, elapsed,
               static_cast<double>(result->checked) / elapsed);
  }
  return 0;
}
