// What a long-running function needs from its surroundings: where to log, whom to tell about
// progress, the clock, how many threads, and whether the user wants to stop. Libraries get all of
// it from here, because they never print, exit or read the environment themselves.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace rowgate::base {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

// Thread-safe.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view line) = 0;
};

enum class ProgressUnit : std::uint8_t { items, bytes };

// One running activity; destroying it ends it. Thread-safe.
class ProgressTask {
 public:
  virtual ~ProgressTask() = default;
  virtual void advance(std::uint64_t amount) = 0;
  // For totals that become known late (a Content-Length).
  virtual void set_total(std::uint64_t total) = 0;
};

// Thread-safe.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual std::unique_ptr<ProgressTask> start(std::string label, ProgressUnit unit,
                                              std::optional<std::uint64_t> total) = 0;
};

// Non-owning: everything it refers to outlives the calls it is handed to.
struct RunContext {
  Log* log;
  Progress* progress;
  const Clock* clock;
  unsigned jobs = 1;                        // threads to use, at least 1
  const std::atomic<bool>* stop = nullptr;  // set when the user interrupts

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }

  void debug(std::string_view line) const { log->write(LogLevel::debug, line); }
  void info(std::string_view line) const { log->write(LogLevel::info, line); }
  void warn(std::string_view line) const { log->write(LogLevel::warning, line); }

  // Logs nothing, shows nothing, real clock, one thread. For tests and small tools.
  static RunContext quiet();
};

}  // namespace rowgate::base

namespace rowgate {
using base::RunContext;
}
