#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tools/terminal.hpp"

using namespace rowgate;
using namespace rowgate::tools;

namespace {

// A pipe whose other end collects what the terminal object wrote.
class Screen {
 public:
  Screen() { REQUIRE(::pipe2(ends_, O_NONBLOCK) == 0); }
  ~Screen() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  int fd() const { return ends_[1]; }
  std::string shown() const {
    char buffer[65536];
    const ssize_t got = ::read(ends_[0], buffer, sizeof buffer);
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : "";
  }

 private:
  int ends_[2]{};
};

}  // namespace

TEST_CASE("log lines below the threshold are dropped, hostile ones made printable") {
  const base::SystemClock clock;
  Screen screen;
  Terminal terminal(screen.fd(), base::LogLevel::info, Terminal::ShowProgress::on_terminal, false,
                    clock);
  terminal.write(base::LogLevel::debug, "hidden");
  terminal.write(base::LogLevel::warning, "a\x1b[2Jb");
  CHECK(screen.shown() == "rowgate: warning: a\\x1B[2Jb\n");
}

TEST_CASE("colour is used only when asked for") {
  const base::SystemClock clock;
  Screen screen;
  Terminal terminal(screen.fd(), base::LogLevel::info, Terminal::ShowProgress::never, true, clock);
  terminal.write(base::LogLevel::error, "x");
  CHECK(screen.shown() == "rowgate: \x1b[31merror: x\x1b[0m\n");
}

TEST_CASE("no progress is drawn where there is no terminal, whatever the threads do") {
  const base::SystemClock clock;
  Screen screen;
  Terminal terminal(screen.fd(), base::LogLevel::info, Terminal::ShowProgress::on_terminal, false,
                    clock);
  auto task = terminal.start("fetch", base::ProgressUnit::bytes, std::nullopt);
  task->set_total(1000);
  std::thread other([&] {
    for (int i = 0; i < 500; ++i) task->advance(1);
  });
  for (int i = 0; i < 500; ++i) task->advance(1);
  other.join();
  task.reset();
  CHECK(screen.shown().empty());
}
