#include "spark_environment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "base/files.hpp"

namespace rowgate::test {
namespace {

namespace fs = std::filesystem;

// Lives as long as the program, because targets keep its context.
tools::Session& session() {
  static const tools::CommonOptions options;
  static const std::atomic<bool> stop{false};
  static tools::Session instance(tools::read_environment(), options, stop);
  return instance;
}

tools::RepositoryOptions repositories() {
  tools::RepositoryOptions options;
  options.cache = session().environment().get("ROWGATE_TEST_CACHE").value_or("");
  return options;
}

}  // namespace

std::unique_ptr<harness::SparkTarget> make_spark(const std::string& text,
                                                 tools::EngineOptions options) {
  const auto spec = harness::parse_spark_spec(text);
  REQUIRE_MESSAGE(spec, spec.error().to_string());
  auto target = tools::open_spark(session(), repositories(), options, *spec);
  REQUIRE_MESSAGE(target, target.error().to_string());
  return std::move(*target);
}

harness::SparkInstallation installed_spark(const std::string& version) {
  auto found = harness::find_spark(tools::cache_folder(session(), repositories()), version);
  REQUIRE_MESSAGE(found, found.error().to_string());
  return std::move(*found);
}

harness::Schema order_schema() {
  harness::Schema schema;
  schema.keys = {{"id", {harness::TypeKind::int64}}};
  schema.payload = {{"status", {harness::TypeKind::string}}};
  schema.sequence = {"seq", {harness::TypeKind::int64}};
  return schema;
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
