#include "pomcheck/connector_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/connector_input_builder.hpp"
#include "pomcheck/naming_table.hpp"

namespace rowgate::pomcheck {
namespace {

using base::trim;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

// --- --packages --------------------------------------------------------------------------------

Result<void> read_packages(std::string_view text, const InputPlace& place, InputBuilder& builder) {
  std::size_t at = 0;
  const auto separates = [](char c) { return c == ',' || is_space(c); };
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && !separates(text[end])) ++end;
    if (end > at) {
      auto coordinate = parse_coordinate(text.substr(at, end - at));
      if (!coordinate) {
        Error error = std::move(coordinate).error();
        error.code = ErrorCode::malformed;
        error.subject = place.to_string();
        return tl::unexpected<Error>(std::move(error));
      }
      builder.connector(std::move(*coordinate), place);
    }
    at = end + 1;
  }
  return {};
}

void read_packages_or_note(std::string_view text, const InputPlace& place, InputBuilder& builder) {
  for (const std::string_view piece : base::split(text, ','))
    if (auto read = read_packages(piece, place, builder); !read)
      builder.problem(place, read.error().message);
}

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> pieces;
  for (const std::string_view piece : base::split(text, ','))
    if (!trim(piece).empty()) pieces.emplace_back(trim(piece));
  return pieces;
}

// --- Spark's configuration -----------------------------------------------------------------------

void read_setting(std::string_view key, std::string_view value, const InputPlace& place,
                  InputBuilder& builder) {
  ConnectorInput& out = builder.input();
  constexpr std::string_view kCatalog = "spark.sql.catalog.";
  if (key == "spark.jars.packages") {
    read_packages_or_note(value, place, builder);
  } else if (key == "spark.jars" || key == "spark.driver.extraClassPath" ||
             key == "spark.executor.extraClassPath") {
    const bool class_path = key != "spark.jars";
    for (const std::string_view piece : base::split(value, class_path ? ':' : ','))
      if (!trim(piece).empty()) builder.jar(trim(piece), place);
  } else if (key == "spark.jars.repositories") {
    for (std::string& url : comma_list(value)) out.repositories.push_back(std::move(url));
  } else if (key == "spark.jars.excludes") {
    for (const std::string& pair : comma_list(value)) builder.exclusion(pair, place);
  } else if (key == "spark.sql.extensions") {
    for (std::string& name : comma_list(value)) out.extensions.push_back(std::move(name));
  } else if (key.starts_with(kCatalog)) {
    const std::string_view rest = key.substr(kCatalog.size());
    const std::size_t dot = rest.find('.');
    InputCatalog& catalog = out.catalogs[std::string(rest.substr(0, dot))];
    if (catalog.place.line == 0) catalog.place = place;
    if (dot == std::string_view::npos)
      catalog.implementation = value;
    else
      catalog.options[std::string(rest.substr(dot + 1))] = value;
  }
}

// The format of java.util.Properties as far as Spark's files use it: comments, continuation lines,
// and white space, '=' or ':' between key and value.
void read_spark_defaults(std::string_view text, const std::string& name, InputBuilder& builder) {
  std::uint32_t number = 0;
  std::string pending;
  std::uint32_t first = 0;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++number;
    std::string_view line = trim(raw);
    if (pending.empty()) {
      if (line.empty() || line.front() == '#' || line.front() == '!') continue;
      first = number;
    }
    const std::size_t slashes =
        line.size() - std::min(line.size(), line.find_last_not_of('\\') + 1);
    if (slashes % 2 == 1) {
      pending += line.substr(0, line.size() - 1);
      continue;
    }
    pending += line;
    const std::string_view whole = pending;
    const std::size_t end = std::min(whole.find_first_of(" \t=:"), whole.size());
    std::string_view value = trim(whole.substr(end));
    if (!value.empty() && (value.front() == '=' || value.front() == ':'))
      value = trim(value.substr(1));
    read_setting(whole.substr(0, end), value, {name, first}, builder);
    pending.clear();
  }
}

// --- spark-submit
// ----------------------------------------------------------------------------------

struct Word {
  std::string text;
  std::uint32_t line;
};

// Words as a POSIX shell cuts them: quotes, backslashes, continuation lines, comments. Variables
// are left as they are written.
std::vector<Word> shell_words(std::string_view text) {
  std::vector<Word> words;
  std::uint32_t line = 1;
  std::string word;
  bool open = false;
  std::uint32_t begun = 1;
  const auto begin = [&] {
    if (!open) begun = line;
    open = true;
  };
  const auto finish = [&] {
    if (open) words.push_back({std::move(word), begun});
    word.clear();
    open = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      ++i;
      if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
      if (text[i] == '\n') {
        ++line;
        continue;
      }
      begin();
      word += text[i];
    } else if (c == '\'' || c == '"') {
      begin();
      for (++i; i < text.size() && text[i] != c; ++i) {
        if (text[i] == '\n') ++line;
        if (c == '"' && text[i] == '\\' && i + 1 < text.size()) ++i;
        word += text[i];
      }
    } else if (is_space(c)) {
      finish();
      if (c == '\n') ++line;
    } else if (c == '#' && !open) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else {
      begin();
      word += c;
    }
  }
  finish();
  return words;
}

void read_spark_submit(std::string_view text, const std::string& name, InputBuilder& builder) {
  const std::vector<Word> words = shell_words(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string option = words[i].text;
    const InputPlace place{name, words[i].line};
    if (!option.starts_with('-')) continue;
    std::optional<std::string> value;
    if (const std::size_t equals = option.find('=');
        option.starts_with("--") && equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    }
    constexpr std::string_view kKnown[] = {
        "--packages", "--jars", "--repositories",    "--exclude-packages",
        "--conf",     "-c",     "--properties-file", "--driver-class-path"};
    if (std::find(std::begin(kKnown), std::end(kKnown), option) == std::end(kKnown)) continue;
    if (!value) {
      if (i + 1 == words.size()) {
        builder.problem(place, fmt::format("{} has no value", option));
        continue;
      }
      value = words[++i].text;
    }
    if (option == "--packages") {
      read_setting("spark.jars.packages", *value, place, builder);
    } else if (option == "--jars") {
      read_setting("spark.jars", *value, place, builder);
    } else if (option == "--driver-class-path") {
      read_setting("spark.driver.extraClassPath", *value, place, builder);
    } else if (option == "--repositories") {
      read_setting("spark.jars.repositories", *value, place, builder);
    } else if (option == "--exclude-packages") {
      read_setting("spark.jars.excludes", *value, place, builder);
    } else if (option == "--properties-file") {
      builder.problem(place, fmt::format("{} is not read from here: give it as an input of its own",
                                         base::printable(*value)));
    } else if (const std::size_t equals = value->find('='); equals != std::string::npos) {
      read_setting(trim(std::string_view(*value).substr(0, equals)),
                   trim(std::string_view(*value).substr(equals + 1)), place, builder);
    } else {
      builder.problem(place,
                      fmt::format("{} {} is not key=value", option, base::printable(*value)));
    }
  }
}

// --- pom.xml
// -----------------------------------------------------------------------------------------

void take_dependency(const PomDependency& dependency, const std::string& name,
                     InputBuilder& builder) {
  // Of an effective dependency: the POM that declares it, which may be a parent.
  const InputPlace place{dependency.origin.pom ? *dependency.origin.pom : name,
                         dependency.origin.line};
  if (dependency.scope.text == "test") return;
  Coordinate coordinate{dependency.group, dependency.artifact, dependency.version.text,
                        dependency.classifier, dependency.type};
  builder.build_dependency(std::move(coordinate), place);
}

}  // namespace

std::string InputPlace::to_string() const {
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

bool is_connector(const Coordinate& coordinate) {
  if (find_scheme(coordinate) != nullptr) return true;
  return coordinate.group != "org.apache.spark" &&
         base::to_lower(coordinate.artifact).find("spark") != std::string::npos;
}

std::optional<InputKind> kind_of_file(std::string_view file_name) {
  const std::size_t slash = file_name.find_last_of("/\\");
  const std::string name =
      base::to_lower(slash == std::string_view::npos ? file_name : file_name.substr(slash + 1));
  if (name == "pom.xml" || name.ends_with(".pom")) return InputKind::maven;
  if (name.ends_with(".sbt") || name.ends_with(".scala")) return InputKind::sbt;
  if (name.ends_with(".gradle") || name.ends_with(".gradle.kts")) return InputKind::gradle;
  if (name.ends_with(".conf") || name.ends_with(".properties")) return InputKind::spark_defaults;
  if (name.find("requirements") != std::string::npos && name.ends_with(".txt"))
    return InputKind::requirements;
  if (name.ends_with(".sh")) return InputKind::spark_submit;
  return std::nullopt;
}

InputKind kind_of_argument(std::string_view text) {
  for (const Word& word : shell_words(text.substr(0, kMaxInputBytes)))
    if (word.text.starts_with("--") || word.text.ends_with("spark-submit") ||
        word.text.ends_with("spark-shell") || word.text.ends_with("spark-sql") ||
        word.text.ends_with("pyspark"))
      return InputKind::spark_submit;
  return InputKind::packages;
}

ConnectorInput connectors_of(const EffectivePom& pom, const std::string& name) {
  InputBuilder builder;
  for (const PomDependency& dependency : pom.dependencies)
    take_dependency(dependency, name, builder);
  for (const PomRepository& repository : pom.repositories)
    builder.input().repositories.push_back(repository.url);
  return std::move(builder.input());
}

Result<ConnectorInput> read_connector_input(std::string_view text, InputKind kind,
                                            const std::string& name) {
  if (text.size() > kMaxInputBytes)
    return fail(ErrorCode::limit, "the input is larger than 4 MiB", name);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  InputBuilder builder;
  switch (kind) {
    case InputKind::packages: ROWGATE_CHECK(read_packages(text, {name, 0}, builder)); break;
    case InputKind::spark_submit: read_spark_submit(text, name, builder); break;
    case InputKind::spark_defaults: read_spark_defaults(text, name, builder); break;
    case InputKind::maven: {
      ROWGATE_TRY(const RawPom pom, parse_pom(text, name));
      for (const PomDependency& dependency : pom.part.dependencies)
        take_dependency(dependency, name, builder);
      break;
    }
    case InputKind::sbt: read_sbt(text, name, builder); break;
    case InputKind::gradle: read_gradle(text, name, builder); break;
    case InputKind::requirements: read_requirements(text, name, builder); break;
  }
  return std::move(builder.input());
}

}  // namespace rowgate::pomcheck
