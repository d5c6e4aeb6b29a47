// Child processes: started from an argument vector (never a shell), with a given environment, in a
// process group of their own that ends with them.
//
// No orphans: the group is led by a guardian, a forked process of ours that holds no file but one
// end of a pipe. When this program ends, however it ends, the pipe closes and the guardian kills
// the group. While the guardian is not reaped its process id, which is the group's, cannot be
// reused, so that a group kill never hits strangers. A child that leaves its group escapes; neither
// Python nor the JVM does.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"

namespace rowgate::harness {

// Variable name -> value. Children see exactly this, nothing of our own environment.
using Environment = std::map<std::string, std::string>;

// Of `host`, what a child needs to run at all: PATH, HOME, LANG, LC_*, TZ, TMPDIR, JAVA_HOME.
Environment minimal_environment(const Environment& host);

// The same, with what pip needs to reach its index: PIP_*, the proxy variables, and the paths of
// certificates. Values may hold credentials: never log them.
Environment network_environment(const Environment& host);

struct ProcessSpec {
  std::vector<std::string> argv;  // argv[0]: a path, or a name searched in the environment's PATH
  Environment environment;
  std::filesystem::path working_directory;  // empty: ours
};

struct ProcessLimits {
  // Of one response line, or of the whole standard output for run_process.
  std::size_t max_output_bytes = std::size_t{64} << 20;
  // What is kept of standard error: its end.
  std::size_t log_tail_bytes = std::size_t{64} << 10;
  // From SIGTERM to SIGKILL.
  std::chrono::milliseconds grace{2000};
};

struct ExitStatus {
  int code = 0;    // when it exited by itself
  int signal = 0;  // when a signal ended it, else 0

  bool success() const { return code == 0 && signal == 0; }
  std::string to_string() const;  // "exit status 3", "killed by signal 9"
};

// A process that answers one line on its standard output for each line on its standard input.
// Movable; not thread-safe. The destructor ends the group.
class ChildProcess {
 public:
  // Errors: not_found (no such program), child_process.
  static Result<ChildProcess> start(const ProcessSpec& spec, const ProcessLimits& limits);

  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  // Sends `line` (without a line feed in it) and waits for one line. Errors: child_process (the
  // child ended or did not answer in time), limit (the answer is too long), interrupted. After any
  // error the group is dead.
  Result<std::string> request(std::string_view line, std::chrono::milliseconds deadline,
                              const RunContext& context);

  // Closes its standard input, waits up to `patience` for it to end, then ends the group.
  void finish(std::chrono::milliseconds patience);
  void kill();  // SIGTERM to the group, SIGKILL after the grace period

  bool running() const;                           // false once an error or an end was seen
  std::optional<ExitStatus> exit_status() const;  // once it was seen
  bool hit_deadline() const;                      // it was killed because it did not answer
  int process_id() const;                         // for tests and messages
  std::string log_tail() const;                   // the end of what it wrote to standard error

 private:
  struct State;
  explicit ChildProcess(std::unique_ptr<State> state);
  friend Result<struct ProcessOutcome> run_process(const ProcessSpec&, const ProcessLimits&,
                                                   std::chrono::milliseconds, const RunContext&);
  std::unique_ptr<State> state_;
};

struct ProcessOutcome {
  ExitStatus status;
  std::string output;    // standard output
  std::string log_tail;  // the end of standard error
};

// Runs to the end, with an empty standard input. A failing exit status is an outcome, not an error.
// Errors: not_found, child_process (deadline), limit (too much output), interrupted.
Result<ProcessOutcome> run_process(const ProcessSpec& spec, const ProcessLimits& limits,
                                   std::chrono::milliseconds deadline, const RunContext& context);

}  // namespace rowgate::harness
