#include "tools/run_key.hpp"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/version.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

}  // namespace

RunKey::RunKey(std::string_view command) {
  add("command", command);
  add("version", base::kVersion);
  add_path("/proc/self/exe");
  std::error_code error;
  add("working directory", fs::current_path(error).string());  // paths may be relative to it
  complete_ = !error;
}

void RunKey::add(std::string_view name, std::string_view value) {
  text_ += fmt::format("{} {}:{}\n", name, value.size(), value);
}

void RunKey::add_path(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> files = {path};
  if (fs::is_directory(path, error)) {
    auto listed = base::list_files(path, "");
    complete_ = complete_ && listed.has_value();
    files = std::move(listed).value_or(std::vector<fs::path>());
    add("folder", path.string());
  }
  for (const fs::path& file : files) {
    const auto stamp = base::file_stamp(file);
    add("file", file.string());
    add("stamp", stamp ? fmt::format("{} {}", stamp->size_bytes, stamp->modified_ns) : "none");
  }
}

std::optional<std::string> RunKey::digest() const {
  if (!complete_) return std::nullopt;
  return base::digest(base::DigestKind::sha256, base::as_bytes(text_));
}

void RunKey::add(const Inputs& inputs) {
  for (const Input& input : inputs.items) {
    add("input", input.text);
    if (input.is_path())
      add_path(input.path());
    else
      add("coordinate", input.coordinate().to_string());
  }
  for (const std::string& name : inputs.entry_classes) add("entry class", name);
  for (const std::string& problem : inputs.problems) add("problem", problem);
}

void RunKey::add(const Maven& maven) {
  add("repositories", maven.repositories->place());
  add("POM profiles assume", maven.assumptions);
}

void RunKey::add(const LinkSettings& settings) {
  add("JDK", settings.jdk.string());
  // Where its classes are, whichever of them it has.
  for (const char* classes : {"lib/modules", "lib/ct.sym", "jre/lib/rt.jar"})
    if (!settings.jdk.empty()) add_path(settings.jdk / classes);
  add("class loading", std::to_string(static_cast<int>(settings.order)));
  add("Java", std::to_string(settings.java_release));
  add("baseline", settings.baseline);
  for (const std::string& name : settings.entry_classes) add("entry class", name);
}

}  // namespace rowgate::tools
