// Progress is one line that is drawn over: the most recently started task that still runs. It is
// redrawn at most every 100 ms, so that advancing a task costs an atomic addition and a clock read.
#include "tools/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <utility>

#include "base/text.hpp"

namespace rowgate::tools {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

struct Activity {
  std::string label;
  base::ProgressUnit unit = base::ProgressUnit::items;
  std::uint64_t total = 0;  // 0 while unknown
  std::uint64_t done = 0;
  steady_clock::time_point started;
};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put <= 0) return;  // stderr is gone: there is nobody left to tell
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string amount(std::uint64_t value, base::ProgressUnit unit) {
  return unit == base::ProgressUnit::bytes ? base::human_bytes(value) : base::with_thousands(value);
}

std::string time_left(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string describe(const Activity& activity, steady_clock::time_point now) {
  const double elapsed_s = duration<double>(now - activity.started).count();
  std::string line =
      fmt::format("{}  {}", base::printable(activity.label), amount(activity.done, activity.unit));
  if (activity.total > 0) line += fmt::format(" of {}", amount(activity.total, activity.unit));
  if (elapsed_s < 0.5 || activity.done == 0) return line;  // a rate of nothing misleads
  const double rate = static_cast<double>(activity.done) / elapsed_s;
  line += fmt::format(", {}/s", amount(static_cast<std::uint64_t>(rate), activity.unit));
  if (activity.total > activity.done)
    line += fmt::format(", {} left",
                        time_left(static_cast<double>(activity.total - activity.done) / rate));
  return line;
}

std::size_t terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

struct Terminal::State {
  int fd;
  base::LogLevel threshold;
  bool progress;
  bool color;
  const base::Clock& clock;
  std::mutex mutex;
  std::list<Activity> activities;  // in order of their start
  steady_clock::time_point last_drawn;
  bool line_shown = false;

  void clear_line() {
    if (std::exchange(line_shown, false)) write_all(fd, "\r\x1b[K");
  }

  void draw(steady_clock::time_point now) {
    if (!progress || activities.empty() || now - last_drawn < milliseconds(100)) return;
    last_drawn = now;
    std::string line = describe(activities.back(), now);
    const std::size_t width = terminal_width(fd);
    while (base::display_width(line) >= width && !line.empty()) line.pop_back();
    while (!line.empty() && !base::is_utf8(line)) line.pop_back();
    write_all(fd, fmt::format("\r\x1b[K{}", line));
    line_shown = true;
  }
};

class Terminal::Task final : public base::ProgressTask {
 public:
  Task(std::shared_ptr<State> state, std::list<Activity>::iterator activity)
      : state_(std::move(state)), activity_(activity) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() override {
    const std::lock_guard lock(state_->mutex);
    state_->activities.erase(activity_);
    if (state_->activities.empty()) state_->clear_line();
  }

  void advance(std::uint64_t amount) override {
    const std::lock_guard lock(state_->mutex);
    activity_->done += amount;
    state_->draw(state_->clock.tick());
  }
  void set_total(std::uint64_t total) override {
    const std::lock_guard lock(state_->mutex);
    activity_->total = total;
  }

 private:
  std::shared_ptr<State> state_;
  std::list<Activity>::iterator activity_;
};

Terminal::Terminal(int fd, base::LogLevel threshold, ShowProgress show_progress, bool color,
                   const base::Clock& clock)
    : state_(new State{fd,
                       threshold,
                       show_progress == ShowProgress::on_terminal && ::isatty(fd) == 1,
                       color,
                       clock,
                       {},
                       {},
                       {},
                       false}) {}

Terminal::~Terminal() {
  const std::lock_guard lock(state_->mutex);
  state_->clear_line();
}

void Terminal::write(base::LogLevel level, std::string_view line) {
  if (level < state_->threshold) return;
  std::string_view prefix, start, end;
  switch (level) {
    case base::LogLevel::debug: prefix = "debug: ", start = "\x1b[2m"; break;
    case base::LogLevel::info: break;
    case base::LogLevel::warning: prefix = "warning: ", start = "\x1b[33m"; break;
    case base::LogLevel::error: prefix = "error: ", start = "\x1b[31m"; break;
  }
  if (!state_->color) start = {};
  if (!start.empty()) end = "\x1b[0m";
  const std::lock_guard lock(state_->mutex);
  state_->clear_line();
  write_all(state_->fd,
            fmt::format("rowgate: {}{}{}{}\n", start, prefix, base::printable(line), end));
}

std::unique_ptr<base::ProgressTask> Terminal::start(std::string label, base::ProgressUnit unit,
                                                    std::optional<std::uint64_t> total) {
  const std::lock_guard lock(state_->mutex);
  state_->activities.push_back(
      {std::move(label), unit, total.value_or(0), 0, state_->clock.tick()});
  return std::make_unique<Task>(state_, std::prev(state_->activities.end()));
}

}  // namespace rowgate::tools
