// What can go wrong around a real Spark: a driver that is killed or hangs, a full disk. And Sparks
// that users have: a standalone master and worker on the loopback interface, an installed Spark.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/files.hpp"
#include "harness/runner.hpp"
#include "spark_environment.hpp"

using namespace rowgate;
using namespace rowgate::harness;
using namespace std::chrono_literals;
using rowgate::test::installed_spark;
using rowgate::test::make_spark;
using rowgate::test::no_process_uses;
using rowgate::test::order_schema;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMergeTarget = "spark:4.2.0/test-catalog";

// One upsert; right ends with that row.
RunOutcome run_one(SparkTarget& target) {
  Event event;
  event.key = {Value::integer(1)};
  event.payload = {Value::text("NEW")};
  event.sequence = Value::integer(1);
  History history;
  history.batches.push_back({{event}, {}});
  return run_alone(target, *find_strategy("guarded"), order_schema(), history);
}

void check_runs(SparkTarget& target) {
  const RunOutcome outcome = run_one(target);
  REQUIRE_MESSAGE(outcome, outcome.error().message);
  CHECK(outcome->size() == 1);
}

// A statement that takes so long, because its JVM sleeps.
std::string sleep_for(std::chrono::seconds time) {
  return fmt::format("SELECT java_method('java.lang.Thread', 'sleep', CAST({} AS BIGINT))",
                     std::chrono::milliseconds(time).count());
}

// The only folder in it: where the running session works.
fs::path work_folder(const fs::path& parent) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(parent)) found = entry.path();
  return found;
}

bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 300 && !holds(); ++i) std::this_thread::sleep_for(100ms);
  return holds();
}

// A file system of so many megabytes, mounted for the life of the object where root may do that.
class SmallDisk {
 public:
  explicit SmallDisk(unsigned megabytes) {
    auto folder = base::TempDir::create("/tmp", "rowgate-test-disk-");
    if (!folder) return;
    folder_ = std::move(*folder);
    const std::string size = fmt::format("size={}m", megabytes);
    mounted_ = ::mount("tmpfs", folder_->path().c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_->path().c_str(), MNT_DETACH);
  }

  bool mounted() const { return mounted_; }
  const fs::path& path() const { return folder_->path(); }

  void fill() const {
    std::ofstream file(path() / "filler", std::ios::binary);
    const std::string block(1 << 16, 'x');
    while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }

 private:
  std::optional<base::TempDir> folder_;
  bool mounted_ = false;
};

unsigned free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(probe >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  ::close(probe);
  return ntohs(address.sin_port);
}

bool listens(unsigned port) {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected =
      ::connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  return connected;
}

}  // namespace

TEST_CASE("a killed driver is told with the tail of its log, and started once more") {
  const auto parent = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(parent);
  tools::EngineOptions options;
  options.work_folder = parent->path().string();
  const auto target = make_spark(kMergeTarget, options);
  check_runs(*target);
  const fs::path first_work = work_folder(parent->path());

  const int first = target->driver_process_id();
  REQUIRE(first > 0);
  std::thread killer([first] {
    std::this_thread::sleep_for(3s);
    ::kill(first, SIGKILL);
  });
  const Attempt<void> killed = target->execute({sleep_for(60s)});
  killer.join();
  REQUIRE_FALSE(killed);
  CHECK(killed.error().kind == FailureKind::not_run);
  CHECK(killed.error().error_name == "driver-died");
  CHECK(killed.error().message.find("killed by signal 9") != std::string::npos);
  CHECK_FALSE(killed.error().evidence.empty());
  CHECK(soon([&] { return no_process_uses(first_work.string()); }));

  check_runs(*target);
  CHECK(target->driver_process_id() != first);
  CHECK_FALSE(fs::exists(first_work));

  // Between two requests, this time.
  const fs::path second_work = work_folder(parent->path());
  ::kill(target->driver_process_id(), SIGKILL);
  CHECK(soon([&] { return no_process_uses(second_work.string()); }));
  const RunOutcome given_up = run_one(*target);
  REQUIRE_FALSE(given_up);
  CHECK(given_up.error().kind == FailureKind::not_run);
  CHECK(given_up.error().message == "the driver ended 2 times and was not started again");
}

TEST_CASE("a hung statement meets its deadline, and no process is left") {
  const auto parent = base::TempDir::create("/tmp", "rowgate-test-");
  REQUIRE(parent);
  tools::EngineOptions options;
  options.work_folder = parent->path().string();
  const auto target = make_spark(kMergeTarget, options);
  check_runs(*target);
  const fs::path work = work_folder(parent->path());
  REQUIRE_FALSE(no_process_uses(work.string()));

  options.deadline_seconds = 5;
  const auto impatient = make_spark(kMergeTarget, options);
  const auto started = std::chrono::steady_clock::now();
  const Attempt<void> hung = impatient->execute({sleep_for(600s)});
  REQUIRE_FALSE(hung);
  CHECK(hung.error().kind == FailureKind::not_run);
  CHECK(hung.error().error_name == "deadline");
  CHECK(hung.error().message == "sql: the driver did not answer within 5.0 s");
  CHECK(std::chrono::steady_clock::now() - started < 300s);
  CHECK(impatient->driver_process_id() == 0);

  // The other session lives: only the hung one's group was killed.
  check_runs(*target);
}

// Counted as skipped where only root may mount a small disk.
TEST_CASE("a full disk is neither the data's nor the engine's fault" *
          doctest::skip(!SmallDisk(1).mounted())) {
  const SmallDisk tiny(1);
  tools::EngineOptions options;
  options.work_folder = tiny.path().string();
  tiny.fill();
  const RunOutcome start = run_one(*make_spark("spark:4.1.3/delta:4.4.0", options));
  REQUIRE_FALSE(start);
  CHECK(start.error().kind == FailureKind::not_run);
  CHECK(start.error().message.find("No space left on device") != std::string::npos);

  const SmallDisk small(400);
  REQUIRE(small.mounted());
  options.work_folder = small.path().string();
  const auto target = make_spark("spark:4.1.3/delta:4.4.0", options);
  check_runs(*target);
  small.fill();
  const RunOutcome full = run_one(*target);
  REQUIRE_FALSE(full);
  CHECK(full.error().kind == FailureKind::not_run);
  CHECK(full.error().error_name == "disk-full");
}

TEST_CASE("a standalone master and worker run the same strategies") {
  const SparkInstallation spark = installed_spark("4.1.3");
  const auto folder = base::TempDir::create("/tmp", "rowgate-test-cluster-");
  REQUIRE(folder);
  const unsigned port = free_port();
  const std::string master = fmt::format("spark://127.0.0.1:{}", port);
  const std::string spark_class = (spark.jars.parent_path() / "bin" / "spark-class").string();
  Environment environment = minimal_environment(tools::read_environment().variables);
  environment["SPARK_HOME"] = spark.jars.parent_path().string();
  environment["SPARK_LOCAL_IP"] = "127.0.0.1";
  environment["SPARK_WORKER_DIR"] = (folder->path() / "worker").string();
  const auto start = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), spark_class);
    auto child = ChildProcess::start({arguments, environment, folder->path()}, {});
    REQUIRE_MESSAGE(child, child.error().to_string());
    return std::move(*child);
  };
  const ChildProcess master_process =
      start({"org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port",
             std::to_string(port), "--webui-port", "0"});
  REQUIRE(soon([&] { return listens(port); }));
  const ChildProcess worker_process =
      start({"org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "2",
             "--memory", "1g", "--webui-port", "0", master});

  tools::EngineOptions options;
  options.master = master;
  options.work_folder = folder->path().string();
  options.conf = {"spark.driver.host=127.0.0.1", "spark.executor.memory=768m"};
  const auto target = make_spark("spark:4.1.3/delta:4.4.0", options);
  check_runs(*target);
  const auto executors = target->show("SELECT count(*) AS n FROM range(0, 100, 1, 4)", 1);
  REQUIRE_MESSAGE(executors, executors.error().message);
  CHECK(executors->front().at("n") == "100");
  // The work was done by the worker's executor, a process of its own.
  CHECK_FALSE(no_process_uses("org.apache.spark.executor.CoarseGrainedExecutorBackend"));
}

// Laid out as Apache's distributions are: bin, jars, python/pyspark, python/lib.
TEST_CASE("an installed Spark is driven through its own Python files") {
  const SparkInstallation spark = installed_spark("4.1.3");
  const fs::path package = spark.jars.parent_path();
  const auto home = base::TempDir::create("/tmp", "rowgate-test-home-");
  REQUIRE(home);
  fs::create_directory(home->path() / "python");
  fs::create_directory_symlink(spark.jars, home->path() / "jars");
  fs::create_directory_symlink(package / "bin", home->path() / "bin");
  fs::create_directory_symlink(package, home->path() / "python" / "pyspark");
  fs::create_directory_symlink(package / "python" / "lib", home->path() / "python" / "lib");
  tools::EngineOptions options;
  options.spark_home = home->path().string();
  check_runs(*make_spark("spark:4.1.3/iceberg:1.12.0", options));
}
