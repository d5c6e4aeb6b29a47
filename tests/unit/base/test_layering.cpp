// The arrows between the libraries point one way: base <- jarscan | pomcheck | harness | reports
// <- tools. This test reads every #include line of the sources.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"

using namespace rowgate::base;

namespace {

const std::map<std::string, std::set<std::string>>& allowed() {
  static const std::map<std::string, std::set<std::string>> kAllowed = {
      {"base", {"base"}},
      {"jarscan", {"base", "jarscan"}},
      {"pomcheck", {"base", "pomcheck"}},
      {"harness", {"base", "harness"}},
      {"reports", {"base", "reports"}},
      {"tools", {"base", "jarscan", "pomcheck", "harness", "reports", "tools"}},
  };
  return kAllowed;
}

// The folder named by an `#include "folder/…"` line, or "".
std::string included_folder(std::string_view line) {
  constexpr std::string_view kStart = "#include \"";
  if (!line.starts_with(kStart)) return "";
  line.remove_prefix(kStart.size());
  const std::size_t slash = line.find('/');
  return slash == std::string_view::npos ? "" : std::string(line.substr(0, slash));
}

}  // namespace

TEST_CASE("no library includes what stands above or beside it") {
  std::size_t includes = 0;
  for (const auto& [library, may_include] : allowed()) {
    auto files = list_files(library, "pp");
    REQUIRE(files);
    for (const auto& file : *files) {
      const auto text = read_file(file);
      REQUIRE(text);
      for (std::string_view line : split(*text, '\n')) {
        const std::string folder = included_folder(line);
        if (!allowed().contains(folder)) continue;
        ++includes;
        INFO(file.string(), ": ", line);
        CHECK(may_include.contains(folder));
      }
    }
  }
  CHECK(includes > 10);
}

TEST_CASE("sources stay readable in size") {
  for (const auto& [library, ignored] : allowed()) {
    for (const char* suffix : {".cpp", ".hpp"}) {
      auto files = list_files(library, suffix);
      REQUIRE(files);
      for (const auto& file : *files) {
        const auto text = read_file(file);
        REQUIRE(text);
        INFO(file.string());
        CHECK(split(*text, '\n').size() <= 1000);
      }
    }
  }
}
