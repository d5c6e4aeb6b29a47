#include "harness/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/posix.hpp>
#include <cerrno>
#include <climits>
#include <system_error>
#include <thread>
#include <utility>

namespace rowgate::harness {
namespace {

namespace bp = boost::process;
using Milliseconds = std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr Milliseconds kSlice{50};  // how long an interrupt or an exit may go unnoticed

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

tl::unexpected<Error> fail_system(const char* doing, int error_number) {
  return fail(ErrorCode::child_process,
              fmt::format("cannot {}: {}", doing, std::generic_category().message(error_number)));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return fail_system("make a pipe", errno);
  return Pipe{Descriptor(fds[0]), Descriptor(fds[1])};
}

void set_non_blocking(const Descriptor& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// The guardian's whole life. Only async-signal-safe calls: it is a fork of a program that may have
// many threads.
[[noreturn]] void guard(int life_line) {
  ::setpgid(0, 0);
  for (const int ignored : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(ignored, SIG_IGN);
  ::dup2(life_line, 0);
  if (::syscall(SYS_close_range, 1U, ~0U, 0U) != 0)
    for (int fd = 1; fd < 65536; ++fd) ::close(fd);
  char byte = 0;
  while (::read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
  ::_exit(0);
}

bool wait_no_hang(pid_t pid, int& status) {
  pid_t got = 0;
  do {
    got = ::waitpid(pid, &status, WNOHANG);
  } while (got < 0 && errno == EINTR);
  return got == pid;
}

void reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

ExitStatus exit_status_of(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// Writing to a child that closed its input must be an error, not a signal that ends us.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &mask, &before_);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;
  ~NoSigpipe() {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGPIPE);
    const timespec at_once{0, 0};
    while (!sigismember(&before_, SIGPIPE) && ::sigtimedwait(&mask, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
};

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_minimal(std::string_view name) {
  return is_any(name, {"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "JAVA_HOME"}) ||
         name.starts_with("LC_");
}

bool is_for_network(std::string_view name) {
  return starts_with_any(name, {"PIP_"}) ||
         is_any(name, {"http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY",
                       "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR",
                       "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"});
}

Result<std::string> find_program(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty())
    return fail(ErrorCode::internal, "no program to start was given");
  const std::string& name = spec.argv[0];
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return std::filesystem::absolute(name).string();
    return fail(ErrorCode::not_found,
                fmt::format("cannot be started: {}", std::generic_category().message(errno)), name);
  }
  const auto path = spec.environment.find("PATH");
  std::string_view rest;
  if (path != spec.environment.end()) rest = path->second;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), name);
    if (colon > 0 && ::access(candidate.c_str(), X_OK) == 0 &&
        !std::filesystem::is_directory(candidate))
      return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return fail(ErrorCode::not_found, "no such program in PATH", name);
}

}  // namespace

Environment minimal_environment(const Environment& host) {
  Environment kept;
  for (const auto& [name, value] : host)
    if (is_minimal(name)) kept.emplace(name, value);
  return kept;
}

Environment network_environment(const Environment& host) {
  Environment kept = minimal_environment(host);
  for (const auto& [name, value] : host)
    if (is_for_network(name)) kept.emplace(name, value);
  return kept;
}

std::string ExitStatus::to_string() const {
  return signal != 0 ? fmt::format("killed by signal {}", signal)
                     : fmt::format("exit status {}", code);
}

struct ChildProcess::State {
  ProcessLimits limits;
  std::string name;
  pid_t guardian = -1;
  pid_t pid = -1;
  Descriptor life_line;  // closing it makes the guardian kill the group
  Descriptor input;
  Descriptor output;
  Descriptor log;
  std::string pending;      // output that was read and not yet handed out
  std::size_t scanned = 0;  // of `pending`, known to hold no line feed
  std::string log_ring;     // the last bytes of the log, up to twice the limit
  std::uint64_t log_total = 0;
  std::optional<ExitStatus> status;
  bool dead = false;
  bool deadline_hit = false;

  ~State() { end_group(); }

  void note_exit() {
    int raw = 0;
    if (!status && pid > 0 && wait_no_hang(pid, raw)) status = exit_status_of(raw);
  }

  void keep_log(std::string_view piece) {
    log_total += piece.size();
    log_ring.append(piece);
    if (log_ring.size() > 2 * limits.log_tail_bytes)
      log_ring.erase(0, log_ring.size() - limits.log_tail_bytes);
  }

  // Reads what is there. False at the end of the stream.
  template <class Sink>
  bool drain(Descriptor& from, Sink sink) {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got > 0) sink(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
    return from.open();
  }

  // One round of writing `rest` and reading both streams, at most `slice` long.
  void pump(std::string_view& rest, Milliseconds slice) {
    std::array<pollfd, 3> polls{};
    polls[0] = {rest.empty() ? -1 : input.get(), POLLOUT, 0};
    polls[1] = {output.get(), POLLIN, 0};
    polls[2] = {log.get(), POLLIN, 0};
    if (::poll(polls.data(), polls.size(), static_cast<int>(slice.count())) <= 0) return;
    if ((polls[0].revents & (POLLOUT | POLLERR)) != 0) {
      const ssize_t put = ::write(input.get(), rest.data(), rest.size());
      if (put > 0) rest.remove_prefix(static_cast<std::size_t>(put));
      if (put < 0 && errno != EAGAIN && errno != EINTR) input.reset();
    }
    if (polls[1].revents != 0)
      drain(output, [&](std::string_view piece) { pending.append(piece); });
    if (polls[2].revents != 0) drain(log, [&](std::string_view piece) { keep_log(piece); });
  }

  // What is still in the pipes when the writer is gone.
  void drain_rest() {
    std::string_view nothing;
    for (int round = 0; round < 256 && (output.open() || log.open()); ++round) {
      const std::size_t before = pending.size() + log_total;
      pump(nothing, Milliseconds(0));
      if (pending.size() + log_total == before || pending.size() > limits.max_output_bytes) break;
    }
  }

  void wait_for_exit(Milliseconds patience) {
    const auto until = SteadyClock::now() + patience;
    std::string_view nothing;
    for (note_exit(); !status && SteadyClock::now() < until; note_exit()) {
      if (output.open() || log.open()) {
        pump(nothing, Milliseconds(20));
      } else {
        std::this_thread::sleep_for(Milliseconds(5));
      }
      pending.clear();
      scanned = 0;
    }
  }

  void end_group() {
    if (guardian <= 0) return;
    note_exit();
    if (!status && pid > 0) {
      ::kill(-guardian, SIGTERM);
      wait_for_exit(limits.grace);
    }
    ::kill(-guardian, SIGKILL);
    if (!status && pid > 0) {
      int raw = 0;
      while (::waitpid(pid, &raw, 0) < 0 && errno == EINTR) {
      }
      status = exit_status_of(raw);
    }
    drain_rest();
    reap(guardian);
    guardian = -1;
    dead = true;
    life_line.reset();
    input.reset();
    output.reset();
    log.reset();
  }

  std::optional<std::string> take_line() {
    const std::size_t end = pending.find('\n', scanned);
    if (end == std::string::npos) {
      scanned = pending.size();
      return std::nullopt;
    }
    std::string line = pending.substr(0, end);
    pending.erase(0, end + 1);
    scanned = 0;
    return line;
  }

  tl::unexpected<Error> fail_and_end(ErrorCode code, std::string message) {
    end_group();
    return fail(code, std::move(message), name);
  }
};

ChildProcess::ChildProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() = default;

Result<ChildProcess> ChildProcess::start(const ProcessSpec& spec, const ProcessLimits& limits) {
  ROWGATE_TRY(const std::string program, find_program(spec));
  ROWGATE_TRY(Pipe life, make_pipe());
  ROWGATE_TRY(Pipe input, make_pipe());
  ROWGATE_TRY(Pipe output, make_pipe());
  ROWGATE_TRY(Pipe log, make_pipe());

  auto state = std::make_unique<State>();
  state->limits = limits;
  state->name = std::filesystem::path(program).filename().string();
  state->guardian = ::fork();
  if (state->guardian < 0) return fail_system("start a process", errno);
  if (state->guardian == 0) guard(life.read_end.get());
  ::setpgid(state->guardian, state->guardian);
  state->life_line = std::move(life.write_end);

  bp::environment environment;
  environment.clear();
  // Not operator[]: its look-up reads beyond the end of entries that are shorter than the name.
  for (const auto& [variable, value] : spec.environment) environment.set(variable, value);
  const pid_t group = state->guardian;
  // Between fork and exec: only async-signal-safe calls. The child joins the guardian's group, and
  // inherits neither our signal mask nor files that somebody else opened without FD_CLOEXEC.
  const auto prepare = [group](auto&) {
    ::setpgid(0, group);
    ::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  };
  std::error_code error;
  const std::string folder =
      spec.working_directory.empty() ? std::string(".") : spec.working_directory.string();
  try {
    bp::child child(bp::exe = program,
                    bp::args = std::vector<std::string>(spec.argv.begin() + 1, spec.argv.end()),
                    environment, bp::start_dir = folder,
                    bp::posix::fd.bind(STDIN_FILENO, input.read_end.get()),
                    bp::posix::fd.bind(STDOUT_FILENO, output.write_end.get()),
                    bp::posix::fd.bind(STDERR_FILENO, log.write_end.get()),
                    bp::extend::on_exec_setup = prepare, error);
    state->pid = error ? -1 : child.id();
    child.detach();
  } catch (const std::exception& exception) {
    return fail(ErrorCode::child_process, fmt::format("cannot be started: {}", exception.what()),
                program);
  }
  if (error)
    return fail(ErrorCode::child_process, fmt::format("cannot be started: {}", error.message()),
                program);
  state->input = std::move(input.write_end);
  state->output = std::move(output.read_end);
  state->log = std::move(log.read_end);
  set_non_blocking(state->input);
  set_non_blocking(state->output);
  set_non_blocking(state->log);
  return ChildProcess(std::move(state));
}

Result<std::string> ChildProcess::request(std::string_view line, Milliseconds deadline,
                                          const RunContext& context) {
  State& state = *state_;
  if (state.dead) return fail(ErrorCode::child_process, "is not running any more", state.name);
  if (line.find('\n') != std::string_view::npos)
    return fail(ErrorCode::internal, "a request holds a line feed", state.name);
  const NoSigpipe no_sigpipe;
  const std::string message = fmt::format("{}\n", line);
  std::string_view rest = message;
  const auto until = SteadyClock::now() + deadline;
  while (true) {
    if (auto answer = state.take_line()) return std::move(*answer);
    if (state.pending.size() > state.limits.max_output_bytes)
      return state.fail_and_end(
          ErrorCode::limit,
          fmt::format("answered with a line of more than {} bytes", state.limits.max_output_bytes));
    if (context.stopped()) return state.fail_and_end(ErrorCode::interrupted, "was stopped");
    if (!state.output.open() || (!rest.empty() && !state.input.open())) {
      state.wait_for_exit(state.limits.grace);
      const bool ended = state.status.has_value();
      state.end_group();
      return fail(ErrorCode::child_process,
                  ended ? fmt::format("ended unexpectedly ({})", state.status->to_string())
                        : std::string("closed its streams without ending"),
                  state.name);
    }
    const auto now = SteadyClock::now();
    if (now >= until) {
      state.deadline_hit = true;
      return state.fail_and_end(ErrorCode::child_process,
                                fmt::format("did not answer within {:.1f} s",
                                            std::chrono::duration<double>(deadline).count()));
    }
    const auto left = std::chrono::duration_cast<Milliseconds>(until - now) + Milliseconds(1);
    state.pump(rest, std::min(kSlice, left));
  }
}

void ChildProcess::finish(Milliseconds patience) {
  state_->input.reset();
  if (!state_->dead) state_->wait_for_exit(patience);
  state_->end_group();
}

void ChildProcess::kill() {
  state_->end_group();
}

bool ChildProcess::running() const {
  if (!state_->dead) state_->note_exit();
  return !state_->dead && !state_->status;
}

std::optional<ExitStatus> ChildProcess::exit_status() const {
  return state_->status;
}
bool ChildProcess::hit_deadline() const {
  return state_->deadline_hit;
}
int ChildProcess::process_id() const {
  return state_->pid;
}

std::string ChildProcess::log_tail() const {
  const std::string& ring = state_->log_ring;
  const std::size_t limit = state_->limits.log_tail_bytes;
  return ring.size() > limit ? ring.substr(ring.size() - limit) : ring;
}

Result<ProcessOutcome> run_process(const ProcessSpec& spec, const ProcessLimits& limits,
                                   Milliseconds deadline, const RunContext& context) {
  ROWGATE_TRY(ChildProcess child, ChildProcess::start(spec, limits));
  ChildProcess::State& state = *child.state_;
  state.input.reset();
  const auto until = SteadyClock::now() + deadline;
  std::string_view nothing;
  while (true) {
    state.note_exit();
    if (state.status) state.drain_rest();
    if (state.pending.size() > limits.max_output_bytes)
      return state.fail_and_end(ErrorCode::limit,
                                fmt::format("wrote more than {} bytes", limits.max_output_bytes));
    if (state.status) break;
    if (context.stopped()) return state.fail_and_end(ErrorCode::interrupted, "was stopped");
    if (SteadyClock::now() >= until)
      return state.fail_and_end(ErrorCode::child_process,
                                fmt::format("did not end within {:.1f} s",
                                            std::chrono::duration<double>(deadline).count()));
    if (state.output.open() || state.log.open()) {
      state.pump(nothing, kSlice);
    } else {
      std::this_thread::sleep_for(Milliseconds(5));
    }
  }
  ProcessOutcome outcome{*state.status, std::move(state.pending), child.log_tail()};
  state.end_group();
  outcome.log_tail = child.log_tail();
  return outcome;
}

}  // namespace rowgate::harness
