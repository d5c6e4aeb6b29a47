#include "base/run_context.hpp"

namespace rowgate::base {
namespace {

class NoLog final : public Log {
 public:
  void write(LogLevel, std::string_view) override {}
};

class NoTask final : public ProgressTask {
 public:
  void advance(std::uint64_t) override {}
  void set_total(std::uint64_t) override {}
};

class NoProgress final : public Progress {
 public:
  std::unique_ptr<ProgressTask> start(std::string, ProgressUnit,
                                      std::optional<std::uint64_t>) override {
    return std::make_unique<NoTask>();
  }
};

}  // namespace

RunContext RunContext::quiet() {
  static NoLog log;
  static NoProgress progress;
  static const SystemClock clock;
  return RunContext{&log, &progress, &clock, 1, nullptr};
}

}  // namespace rowgate::base
