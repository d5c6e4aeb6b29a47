#include "tools/spark_option.hpp"

#include <fmt/format.h>

#include "base/files.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

// The version in "spark-core_2.13-4.2.0.jar", or "".
std::string version_of_core_jar(const std::string& file_name) {
  constexpr std::string_view kStart = "spark-core_", kEnd = ".jar";
  if (!file_name.starts_with(kStart) || !file_name.ends_with(kEnd)) return "";
  const std::size_t dash = file_name.find('-', kStart.size());
  if (dash == std::string::npos) return "";
  return file_name.substr(dash + 1, file_name.size() - kEnd.size() - dash - 1);
}

Result<SparkTarget> from_folder(const fs::path& folder, const std::string& text) {
  for (const fs::path& candidate : {folder / "jars", folder}) {
    std::error_code error;
    for (fs::directory_iterator it(candidate, error), end; !error && it != end;
         it.increment(error)) {
      const std::string version = version_of_core_jar(it->path().filename().string());
      if (version.empty()) continue;
      SparkTarget target{text, std::nullopt, candidate};
      if (auto parsed = pomcheck::parse_spark_version(version)) target.version = *parsed;
      return target;
    }
  }
  return fail(ErrorCode::usage,
              "holds no Spark: there is no spark-core_*.jar in it or in its jars/", text, {},
              "give a Spark version such as 4.2.0, SPARK_HOME, or the folder of its jars");
}

}  // namespace

std::string SparkTarget::to_string() const {
  const std::string name = version ? fmt::format("Spark {}", version->text) : "Spark";
  return jars ? fmt::format("{} ({})", name, text) : name;
}

Result<SparkTarget> parse_spark_target(const std::string& text) {
  std::error_code ignored;
  if (fs::is_directory(text, ignored)) return from_folder(text, text);
  auto version = pomcheck::parse_spark_version(text);
  if (!version)
    return fail(ErrorCode::usage, "is neither a Spark version nor a folder", text, {},
                "give a Spark version such as 4.2.0, SPARK_HOME, or the folder of its jars");
  return SparkTarget{text, std::move(*version), std::nullopt};
}

}  // namespace rowgate::tools
