#include "tools/inputs.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <memory>

#include "base/text.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "give a jar, a folder, a coordinate such as io.delta:delta-spark_2.13:4.3.1, or - to read a "
    "list from standard input";

Result<std::vector<std::string>> expand_glob(const std::string& pattern) {
  glob_t matches{};
  const int status = ::glob(pattern.c_str(), GLOB_TILDE, nullptr, &matches);
  const std::unique_ptr<glob_t, decltype(&::globfree)> owner(&matches, &::globfree);
  if (status == GLOB_NOMATCH)
    return fail(ErrorCode::usage, "matches no file", pattern, {}, "check the pattern");
  if (status != 0) return fail(ErrorCode::io, "cannot be expanded", pattern);
  return std::vector<std::string>(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
}

fs::path existing_path(const std::string& text) {
  std::error_code ignored;
  if (fs::exists(text, ignored)) return text;
  return {};
}

class Reader {
 public:
  explicit Reader(std::istream& standard_input) : standard_input_(standard_input) {}

  Result<void> add(const std::string& argument) {
    if (argument == "-") return add_list();
    if (const fs::path path = existing_path(argument); !path.empty()) {
      inputs.push_back({argument, path});
      return {};
    }
    if (argument.find_first_of("*?[~") != std::string::npos) {
      ROWGATE_TRY(const std::vector<std::string> paths, expand_glob(argument));
      for (const std::string& path : paths) inputs.push_back({path, fs::path(path)});
      return {};
    }
    for (std::string_view piece : base::split(argument, ',')) {
      const std::string text(base::trim(piece));
      if (text.empty()) continue;
      if (text.find(':') == std::string::npos)
        return fail(ErrorCode::usage, "is neither an existing file or folder nor a coordinate",
                    text, {}, kRemedy);
      ROWGATE_TRY(pomcheck::Coordinate coordinate, pomcheck::parse_coordinate(text));
      inputs.push_back({text, std::move(coordinate)});
    }
    return {};
  }

  std::vector<Input> inputs;

 private:
  Result<void> add_list() {
    if (list_read_) return fail(ErrorCode::usage, "standard input can be read only once", "-");
    list_read_ = true;
    std::string line;
    while (std::getline(standard_input_, line)) {
      const std::string_view argument =
          base::trim(std::string_view(line).substr(0, line.find('#')));
      if (argument.empty()) continue;
      if (argument == "-") return fail(ErrorCode::usage, "a list cannot name itself", "-");
      ROWGATE_CHECK(add(std::string(argument)));
    }
    return {};
  }

  std::istream& standard_input_;
  bool list_read_ = false;
};

}  // namespace

Result<std::vector<Input>> read_inputs(const std::vector<std::string>& arguments,
                                       std::istream& standard_input) {
  Reader reader(standard_input);
  for (const std::string& argument : arguments) ROWGATE_CHECK(reader.add(argument));
  if (reader.inputs.empty())
    return fail(ErrorCode::usage, "there is nothing to look at", "", {}, kRemedy);
  return std::move(reader.inputs);
}

}  // namespace rowgate::tools
