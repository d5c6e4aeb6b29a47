// Real small children: sh and python3.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/files.hpp"
#include "harness/child_process.hpp"

using namespace rowgate;
using namespace rowgate::harness;
using namespace std::chrono_literals;

namespace {

Environment test_environment() {
  return {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
}

ProcessSpec shell(const std::string& script) {
  return {{"sh", "-c", script}, test_environment(), {}};
}

ProcessSpec python(const std::string& script) {
  return {{"python3", "-c", script}, test_environment(), {}};
}

bool alive(int pid) {
  if (::kill(pid, 0) != 0) return false;
  // A zombie that nobody reaped yet is dead for our purposes.
  const auto stat = base::read_file(fmt::format("/proc/{}/stat", pid));
  return stat && stat->find(") Z ") == std::string::npos;
}

bool dies_soon(int pid) {
  for (int i = 0; i < 200 && alive(pid); ++i) std::this_thread::sleep_for(10ms);
  return !alive(pid);
}

const RunContext kContext = RunContext::quiet();

const char* const kEcho =
    "import sys\n"
    "for line in sys.stdin:\n"
    "    sys.stdout.write('<' + line.rstrip('\\n') + '>\\n'); sys.stdout.flush()\n";

}  // namespace

TEST_CASE("a child answers line by line") {
  auto child = ChildProcess::start(python(kEcho), {});
  REQUIRE(child);
  for (int i = 0; i < 3; ++i) {
    const auto answer = child->request(fmt::format("n{}", i), 10s, kContext);
    REQUIRE(answer);
    CHECK(*answer == fmt::format("<n{}>", i));
  }
  CHECK(child->running());
  child->finish(5s);
  REQUIRE(child->exit_status());
  CHECK(child->exit_status()->success());
  CHECK_FALSE(child->request("x", 1s, kContext));
}

TEST_CASE("a request larger than a pipe, answered while the log floods") {
  auto child = ChildProcess::start(python("import sys\n"
                                          "for line in sys.stdin:\n"
                                          "    sys.stderr.write('e' * 3000000 + 'END')\n"
                                          "    sys.stderr.flush()\n"
                                          "    print(len(line) - 1, flush=True)\n"),
                                   {});
  REQUIRE(child);
  const auto answer = child->request(std::string(5'000'000, 'x'), 30s, kContext);
  REQUIRE(answer);
  CHECK(*answer == "5000000");
  child->finish(5s);
  CHECK(child->log_tail().size() == ProcessLimits{}.log_tail_bytes);
  CHECK(child->log_tail().ends_with("eEND"));
}

TEST_CASE("the environment is exactly the one given") {
  ::setenv("ROWGATE_TEST_SECRET", "leak", 1);
  ProcessSpec spec = python("import os; print(sorted(os.environ.items()))");
  spec.environment["LC_ALL"] = "C.UTF-8";
  const auto outcome = run_process(spec, {}, 10s, kContext);
  REQUIRE(outcome);
  CHECK(outcome->output == "[('LC_ALL', 'C.UTF-8'), ('PATH', '/usr/local/bin:/usr/bin:/bin')]\n");
}

TEST_CASE("variables of any length stand beside each other") {
  ProcessSpec spec = shell("echo $A$A_VARIABLE_WITH_A_VERY_LONG_NAME_INDEED$B");
  spec.environment["A"] = "1";
  spec.environment["A_VARIABLE_WITH_A_VERY_LONG_NAME_INDEED"] = "2";
  spec.environment["B"] = "";
  const auto outcome = run_process(spec, {}, 10s, kContext);
  REQUIRE(outcome);
  CHECK(outcome->output == "12\n");
}

TEST_CASE("what is kept of the host's environment") {
  const Environment host = {{"PATH", "p"},        {"AWS_SECRET_ACCESS_KEY", "s"},
                            {"LC_TIME", "C"},     {"PIP_INDEX_URL", "u"},
                            {"https_proxy", "q"}, {"SPARK_HOME", "x"},
                            {"JAVA_HOME", "j"},   {"LD_PRELOAD", "evil.so"}};
  CHECK(minimal_environment(host) ==
        Environment{{"PATH", "p"}, {"LC_TIME", "C"}, {"JAVA_HOME", "j"}});
  CHECK(network_environment(host) == Environment{{"PATH", "p"},
                                                 {"LC_TIME", "C"},
                                                 {"JAVA_HOME", "j"},
                                                 {"PIP_INDEX_URL", "u"},
                                                 {"https_proxy", "q"}});
}

TEST_CASE("arguments reach the program unchanged") {
  const std::string nasty = "a b'\"$(touch /tmp/x)\\;*\n";
  const auto outcome =
      run_process({{"printf", "%s", nasty}, test_environment(), {}}, {}, 10s, kContext);
  REQUIRE(outcome);
  CHECK(outcome->output == nasty);
}

TEST_CASE("exit status, signal, streams and working folder of a whole run") {
  auto outcome = run_process(shell("echo out; echo err >&2; exit 3"), {}, 10s, kContext);
  REQUIRE(outcome);
  CHECK(outcome->output == "out\n");
  CHECK(outcome->log_tail == "err\n");
  CHECK(outcome->status.to_string() == "exit status 3");

  outcome = run_process(shell("kill -9 $$"), {}, 10s, kContext);
  REQUIRE(outcome);
  CHECK(outcome->status.to_string() == "killed by signal 9");

  ProcessSpec spec = shell("pwd; wc -c");
  spec.working_directory = "/usr/lib";
  outcome = run_process(spec, {}, 10s, kContext);
  REQUIRE(outcome);
  CHECK(outcome->output == "/usr/lib\n0\n");
}

TEST_CASE("a program that does not exist") {
  const auto by_name = ChildProcess::start({{"no-such-program"}, test_environment(), {}}, {});
  REQUIRE_FALSE(by_name);
  CHECK(by_name.error().code == ErrorCode::not_found);
  CHECK(by_name.error().to_string() == "no-such-program: no such program in PATH");
  const auto by_path = ChildProcess::start({{"/no/such"}, test_environment(), {}}, {});
  REQUIRE_FALSE(by_path);
  CHECK(by_path.error().to_string() == "/no/such: cannot be started: No such file or directory");
}

TEST_CASE("a file that cannot be executed") {
  const auto folder = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(folder);
  const auto file = folder->path() / "program";
  REQUIRE(base::write_file_atomically(file, "#!/no/such/interpreter\n"));
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  const auto started = std::chrono::steady_clock::now();
  const auto child = ChildProcess::start({{file.string()}, test_environment(), {}}, {});
  REQUIRE_FALSE(child);
  CHECK(child.error().code == ErrorCode::child_process);
  CHECK(std::chrono::steady_clock::now() - started < 1s);
}

TEST_CASE("a child that ends in the middle of a request is told, with the tail of its log") {
  auto child =
      ChildProcess::start(shell("read line; echo 'last words' >&2; exit 7"), ProcessLimits{});
  REQUIRE(child);
  const auto answer = child->request("go", 10s, kContext);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().to_string() == "sh: ended unexpectedly (exit status 7)");
  CHECK(child->log_tail() == "last words\n");
  CHECK_FALSE(child->running());
}

TEST_CASE("a child that was ended before the request") {
  auto child = ChildProcess::start(shell("exit 5"), ProcessLimits{});
  REQUIRE(child);
  while (child->running()) std::this_thread::sleep_for(5ms);
  const auto answer = child->request("go", 10s, kContext);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::child_process);
  CHECK(child->exit_status()->code == 5);
}

TEST_CASE("a hung child meets its deadline, with all that it started") {
  ProcessLimits limits;
  limits.grace = 200ms;
  // The grandchild ignores SIGTERM, as the child does: only SIGKILL to the group ends them.
  auto child = ChildProcess::start(shell("trap '' TERM; sh -c \"trap '' TERM; sleep 100 & wait\" & "
                                         "read line; echo $!; read line; sleep 100"),
                                   limits);
  REQUIRE(child);
  const auto grandchild = child->request("who", 10s, kContext);
  REQUIRE(grandchild);
  const int pid = std::stoi(*grandchild);
  CHECK(alive(pid));
  const auto started = std::chrono::steady_clock::now();
  const auto answer = child->request("hang", 300ms, kContext);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().to_string() == "sh: did not answer within 0.3 s");
  CHECK(child->hit_deadline());
  CHECK(std::chrono::steady_clock::now() - started < 5s);
  CHECK(dies_soon(pid));
}

TEST_CASE("an answer without end is cut at the limit") {
  ProcessLimits limits;
  limits.max_output_bytes = 1 << 20;
  auto child = ChildProcess::start(python("import sys\n"
                                          "while True: sys.stdout.write('x' * 65536)\n"),
                                   limits);
  REQUIRE(child);
  const auto answer = child->request("go", 30s, kContext);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::limit);
  CHECK_FALSE(child->running());

  const auto outcome = run_process(shell("yes"), limits, 30s, kContext);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::limit);
}

TEST_CASE("an interrupt ends the wait and the child") {
  std::atomic<bool> stop{false};
  RunContext context = RunContext::quiet();
  context.stop = &stop;
  auto child = ChildProcess::start(shell("trap '' TERM; sleep 100"), {{}, {}, 200ms});
  REQUIRE(child);
  std::thread interrupter([&] {
    std::this_thread::sleep_for(100ms);
    stop = true;
  });
  const auto answer = child->request("go", 60s, context);
  interrupter.join();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::interrupted);
  CHECK(dies_soon(child->process_id()));
}

TEST_CASE("a deadline of a whole run") {
  ProcessLimits limits;
  limits.grace = 100ms;
  const auto outcome = run_process(shell("sleep 100"), limits, 200ms, kContext);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().to_string() == "sh: did not end within 0.2 s");
}

TEST_CASE("a background process left behind is ended with the run") {
  const auto outcome = run_process(shell("sleep 100 >/dev/null 2>&1 & echo $!"), {}, 10s, kContext);
  REQUIRE(outcome);
  CHECK(dies_soon(std::stoi(outcome->output)));
}

TEST_CASE("the destructor ends the group") {
  int pid = 0;
  {
    auto child = ChildProcess::start(shell("sleep 100"), {});
    REQUIRE(child);
    pid = child->process_id();
    CHECK(alive(pid));
  }
  CHECK(dies_soon(pid));
}

TEST_CASE("no orphans when we are killed") {
  std::array<int, 2> fds{};
  REQUIRE(::pipe(fds.data()) == 0);
  const pid_t us = ::fork();
  REQUIRE(us >= 0);
  if (us == 0) {
    auto child = ChildProcess::start(
        shell("trap '' TERM HUP INT; sleep 100 & read line; echo $!; read line"), {});
    const auto grandchild = child->request("who", 10s, kContext);
    const std::string text = fmt::format("{} {}\n", child->process_id(), *grandchild);
    if (::write(fds[1], text.data(), text.size()) < 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  std::array<char, 64> buffer{};
  REQUIRE(::read(fds[0], buffer.data(), buffer.size() - 1) > 0);
  ::waitpid(us, nullptr, 0);
  ::close(fds[0]);
  ::close(fds[1]);
  int child = 0;
  int grandchild = 0;
  REQUIRE(std::sscanf(buffer.data(), "%d %d", &child, &grandchild) == 2);
  CHECK(dies_soon(child));
  CHECK(dies_soon(grandchild));
}

TEST_CASE("our other files are not open in the child") {
  auto first = ChildProcess::start(python(kEcho), {});
  REQUIRE(first);
  // One process and no pipeline, whose ends a shell would hold for a moment.
  const auto outcome = run_process(shell("exec ls /proc/self/fd"), {}, 10s, kContext);
  REQUIRE(outcome);
  // The last is the folder that ls reads.
  CHECK(outcome->output == "0\n1\n2\n3\n");
}
