#include "tools/inputs.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <memory>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/connector_input.hpp"
#include "pomcheck/project_pom.hpp"

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

namespace {

void take(pomcheck::ConnectorInput read, const std::string& source, Inputs& inputs) {
  if (read.spark_version && !inputs.spark_version) {
    inputs.spark_version = std::move(read.spark_version);
    inputs.spark_version_of = source;
  }
  for (pomcheck::InputConnector& connector : read.connectors)
    inputs.items.push_back({connector.coordinate.to_string(), std::move(connector.coordinate)});
  for (const pomcheck::InputJar& jar : read.jars) {
    if (const fs::path path = existing_path(jar.path); !path.empty())
      inputs.items.push_back({jar.path, path});
    else
      inputs.problems.push_back(
          fmt::format("{}: {} is no file here", jar.place.to_string(), jar.path));
  }
  for (std::string& name : read.extensions) inputs.entry_classes.push_back(std::move(name));
  for (auto& [name, catalog] : read.catalogs)
    if (!catalog.implementation.empty())
      inputs.entry_classes.push_back(std::move(catalog.implementation));
  for (std::string& url : read.repositories) inputs.repositories.push_back(std::move(url));
  for (const pomcheck::InputProblem& problem : read.problems)
    inputs.problems.push_back(fmt::format("{}: {}", problem.place.to_string(), problem.message));
}

// A file without a connector would make an empty report that looks like a good one.
Result<void> check_not_empty(const Inputs& inputs, const std::string& file) {
  if (!inputs.items.empty() || !inputs.problems.empty()) return {};
  return fail(ErrorCode::usage, "names no connector", file, {}, kRemedy);
}

}  // namespace

Result<Inputs> read_connectors(const std::vector<std::string>& arguments,
                               std::istream& standard_input) {
  Inputs inputs;
  std::vector<std::string> others;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    if (fs::is_regular_file(argument, ignored)) {
      const auto kind = pomcheck::kind_of_file(fs::path(argument).filename().string());
      if (!kind) {
        others.push_back(argument);
        continue;
      }
      if (*kind == pomcheck::InputKind::maven) {
        inputs.projects.emplace_back(argument);
        continue;
      }
      ROWGATE_TRY(const std::string text, base::read_file(argument, pomcheck::kMaxInputBytes));
      ROWGATE_TRY(pomcheck::ConnectorInput read,
                  pomcheck::read_connector_input(text, *kind, argument));
      take(std::move(read), argument, inputs);
    } else if (!fs::exists(argument, ignored) &&
               pomcheck::kind_of_argument(argument) == pomcheck::InputKind::spark_submit) {
      ROWGATE_TRY(pomcheck::ConnectorInput read,
                  pomcheck::read_connector_input(argument, pomcheck::InputKind::spark_submit,
                                                 "the command line"));
      take(std::move(read), "the command line", inputs);
    } else {
      others.push_back(argument);
    }
  }
  if (others.empty() && !arguments.empty()) {
    if (inputs.projects.empty()) ROWGATE_CHECK(check_not_empty(inputs, arguments.front()));
    return inputs;
  }
  ROWGATE_TRY(std::vector<Input> rest, read_inputs(others, standard_input));
  inputs.items.insert(inputs.items.end(), std::make_move_iterator(rest.begin()),
                      std::make_move_iterator(rest.end()));
  return inputs;
}

Result<void> add_projects(Inputs& inputs, pomcheck::ModelBuilder& builder,
                          const base::RunContext& context) {
  for (const fs::path& project : inputs.projects) {
    ROWGATE_TRY(pomcheck::ConnectorInput read, pomcheck::read_project(builder, project, context));
    read.repositories.clear();  // a POM's own repositories are not asked
    take(std::move(read), project.string(), inputs);
  }
  if (inputs.projects.empty()) return {};
  return check_not_empty(inputs, inputs.projects.front().string());
}

}  // namespace rowgate::tools
