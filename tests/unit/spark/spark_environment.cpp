// Also the tests' main: without prepared Sparks the program ends with 77, which ctest counts as
// skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include "spark_environment.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/files.hpp"

namespace rowgate::test {

namespace fs = std::filesystem;

harness::Environment host_environment() {
  harness::Environment environment;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::optional<fs::path> spark_cache() {
  const char* cache = std::getenv("ROWGATE_TEST_CACHE");
  if (cache == nullptr || *cache == '\0') return std::nullopt;
  return fs::path(cache);
}

std::unique_ptr<harness::SparkTarget> make_spark(const std::string& spec,
                                                 const std::vector<std::string>& jars,
                                                 harness::SparkTargetOptions options) {
  auto parsed = harness::parse_spark_spec(spec);
  REQUIRE_MESSAGE(parsed, parsed.error().to_string());
  options.spec = std::move(*parsed);
  if (options.installation.version.empty()) {
    auto found = harness::find_spark(spark_cache().value_or("/nonexistent"), options.spec.version);
    REQUIRE_MESSAGE(found, found.error().to_string());
    options.installation = std::move(*found);
  }
  options.host = host_environment();
  // A busy machine is no failure: the slowest start seen, on two cores with ten compilers, took
  // three minutes.
  options.start_deadline = std::max(options.start_deadline, std::chrono::milliseconds(900'000));
  const char* folder = std::getenv("ROWGATE_TEST_JARS");
  for (const std::string& jar : jars) {
    const fs::path path = fs::path(folder == nullptr ? "/nonexistent" : folder) / jar;
    REQUIRE_MESSAGE(fs::exists(path), path.string());
    options.jars.push_back(path);
  }
  auto target = harness::SparkTarget::create(std::move(options), RunContext::quiet());
  REQUIRE_MESSAGE(target, target.error().to_string());
  return std::move(*target);
}

bool no_process_uses(const std::string& path) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto arguments = base::read_file(entry.path() / "cmdline");
    if (arguments && arguments->find(path) != std::string::npos) return false;
  }
  return true;
}

}  // namespace rowgate::test

int main(int argc, char** argv) {
  if (!rowgate::test::spark_cache()) {
    std::puts("skipped: ROWGATE_TEST_CACHE names no folder with prepared Sparks");
    return 77;
  }
  doctest::Context context(argc, argv);
  return context.run();
}
