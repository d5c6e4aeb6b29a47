// What a person sees while rowgate works: log lines and progress on stderr.
#pragma once

#include <memory>
#include <mutex>

#include "base/run_context.hpp"

namespace rowgate::tools {

// Writes log lines and, on a terminal only, a progress line that it keeps below them. Both share
// one object because they share one screen. Thread-safe. Does not own the stream.
class Terminal final : public base::Log, public base::Progress {
 public:
  enum class ShowProgress { never, on_terminal };

  // `color` and progress are decided by the caller from the options, NO_COLOR and isatty.
  Terminal(int fd, base::LogLevel threshold, ShowProgress show_progress, bool color,
           const base::Clock& clock);
  ~Terminal() override;

  void write(base::LogLevel level, std::string_view line) override;
  std::unique_ptr<base::ProgressTask> start(std::string label, base::ProgressUnit unit,
                                            std::optional<std::uint64_t> total) override;

 private:
  struct State;
  class Task;
  std::shared_ptr<State> state_;  // shared with running tasks
};

}  // namespace rowgate::tools
