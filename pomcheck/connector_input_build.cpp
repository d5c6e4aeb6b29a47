// Readers of build files: sbt, Gradle, pip's requirements.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/connector_input_builder.hpp"
#include "pomcheck/spark_version.hpp"

namespace rowgate::pomcheck {
namespace {

using base::trim;

// Names -> plain texts that a file sets.
using Variables = std::map<std::string, std::string, std::less<>>;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_quote(char c) {
  return c == '"' || c == '\'';
}

// A token of a line: a quoted text, a word with dots, or one other character.
struct Token {
  enum class Kind : std::uint8_t { text, word, sign } kind;
  std::string value;
};

// Cuts a line up to a // comment.
std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' || c == '\t' || c == '\r') continue;
    if (c == '/' && i + 1 < line.size() && line[i + 1] == '/') break;
    if (is_quote(c)) {
      const std::size_t end = line.find(c, i + 1);
      if (end == std::string_view::npos) break;
      tokens.push_back({Token::Kind::text, std::string(line.substr(i + 1, end - i - 1))});
      i = end;
    } else if (is_word(c)) {
      std::size_t end = i;
      while (end < line.size() && (is_word(line[end]) || line[end] == '.')) ++end;
      tokens.push_back({Token::Kind::word, std::string(line.substr(i, end - i))});
      i = end - 1;
    } else if (c == '%' || c == ':' || c == '=') {
      std::size_t end = i;
      while (end < line.size() && (line[end] == c || (c == ':' && line[end] == '='))) ++end;
      tokens.push_back({Token::Kind::sign, std::string(line.substr(i, end - i))});
      i = end - 1;
    } else {
      tokens.push_back({Token::Kind::sign, std::string(1, c)});
    }
  }
  return tokens;
}

bool is_sign(const std::vector<Token>& tokens, std::size_t at, std::string_view sign) {
  return at < tokens.size() && tokens[at].kind == Token::Kind::sign && tokens[at].value == sign;
}
bool is_text(const std::vector<Token>& tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].kind == Token::Kind::text;
}
bool is_word(const std::vector<Token>& tokens, std::size_t at) {
  return at < tokens.size() && tokens[at].kind == Token::Kind::word;
}

// name = "text", name := "text", set("name", "text"): what most builds keep their versions in.
void note_variables(const std::vector<Token>& tokens, Variables& variables) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (is_word(tokens, i) && (is_sign(tokens, i + 1, "=") || is_sign(tokens, i + 1, ":=")) &&
        is_text(tokens, i + 2)) {
      const std::string& name = tokens[i].value;
      variables[name] = tokens[i + 2].value;
      if (const std::size_t dot = name.rfind('.'); dot != std::string::npos)
        variables[name.substr(dot + 1)] = tokens[i + 2].value;
    }
  }
}

const std::string* find_variable(const Variables& variables, std::string_view name) {
  auto found = variables.find(name);
  if (found == variables.end())
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos)
      found = variables.find(name.substr(dot + 1));
  return found == variables.end() ? nullptr : &found->second;
}

// Fills $name and ${name}. False when one is not known, which `unknown` then names.
bool fill(std::string& text, const Variables& variables, std::string& unknown) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const bool braces = text[i + 1] == '{';
    const std::size_t begin = i + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && (is_word(text[end]) || (braces && text[end] == '.'))) ++end;
    const std::string_view name = std::string_view(text).substr(begin, end - begin);
    const std::string* value = find_variable(variables, name);
    if (value == nullptr || (braces && (end == text.size() || text[end] != '}'))) {
      unknown = name;
      return false;
    }
    out += *value;
    i = braces ? end : end - 1;
  }
  text = std::move(out);
  return true;
}

template <class Work>
void each_line(std::string_view text, Work work) {
  std::uint32_t number = 0;
  for (const std::string_view line : base::split(text, '\n')) work(line, ++number);
}

std::string binary_version(std::string_view scala) {
  const std::size_t first = scala.find('.');
  const std::size_t second = first == std::string_view::npos ? first : scala.find('.', first + 1);
  return std::string(scala.starts_with("3") ? "3" : scala.substr(0, second));
}

// The value that a token stands for.
std::optional<std::string> value_of(const Token& token, const Variables& variables) {
  if (token.kind == Token::Kind::text) return token.value;
  if (token.kind != Token::Kind::word) return std::nullopt;
  const std::string* value = find_variable(variables, token.value);
  return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
}

}  // namespace

void InputBuilder::connector(Coordinate coordinate, const InputPlace& place) {
  const bool repeated =
      std::any_of(input_.connectors.begin(), input_.connectors.end(),
                  [&](const InputConnector& known) { return known.coordinate == coordinate; });
  if (!repeated) input_.connectors.push_back({std::move(coordinate), place});
}

void InputBuilder::jar(std::string_view path, const InputPlace& place) {
  input_.jars.push_back({std::string(path), place});
}

void InputBuilder::exclusion(std::string_view text, const InputPlace& place) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    problem(place, fmt::format("{} is not group:artifact", base::printable(text)));
  else
    input_.excluded_packages.push_back(
        {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))});
}

void InputBuilder::problem(const InputPlace& place, std::string message) {
  input_.problems.push_back({place, std::move(message)});
}

void InputBuilder::build_dependency(Coordinate coordinate, const InputPlace& place) {
  const bool spark = coordinate.group == "org.apache.spark";
  if (spark && parse_spark_version(coordinate.version) && !input_.spark_version)
    input_.spark_version = coordinate.version;
  if (!is_connector(coordinate)) {
    if (!spark) ++input_.other_dependencies;
    return;
  }
  if (coordinate.version.empty()) {
    problem(place,
            fmt::format("{}:{} has no version here: give the coordinate, or let it be read "
                        "from the effective POM",
                        base::printable(coordinate.group), base::printable(coordinate.artifact)));
    return;
  }
  if (coordinate.version.find("${") != std::string::npos ||
      coordinate.artifact.find("${") != std::string::npos) {
    problem(place,
            fmt::format("{}:{}:{} holds a property", base::printable(coordinate.group),
                        base::printable(coordinate.artifact), base::printable(coordinate.version)));
    return;
  }
  if (auto checked = check_coordinate(coordinate); !checked)
    problem(place, checked.error().message);
  else
    connector(std::move(coordinate), place);
}

// "group" %% "artifact" % "version", with %% standing for the Scala suffix.
void read_sbt(std::string_view text, const std::string& name, InputBuilder& builder) {
  Variables variables;
  each_line(text, [&](std::string_view line, std::uint32_t) {
    note_variables(tokens_of(line), variables);
  });
  std::string scala;
  for (const char* key : {"scalaVersion", "scala213", "scala212"})
    if (const std::string* version = find_variable(variables, key); version && scala.empty())
      scala = binary_version(*version);
  each_line(text, [&](std::string_view line, std::uint32_t number) {
    const InputPlace place{name, number};
    const std::vector<Token> tokens = tokens_of(line);
    for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
      const bool cross = is_sign(tokens, i + 1, "%%");
      if ((!cross && !is_sign(tokens, i + 1, "%")) || !is_sign(tokens, i + 3, "%")) continue;
      const auto group = value_of(tokens[i], variables);
      auto artifact = value_of(tokens[i + 2], variables);
      const auto version = value_of(tokens[i + 4], variables);
      if (!group || !artifact) continue;
      // A test dependency never reaches the cluster.
      if (i + 6 < tokens.size() && is_sign(tokens, i + 5, "%") &&
          base::to_lower(tokens[i + 6].value) == "test")
        continue;
      const bool wanted = is_connector({*group, *artifact, "", "", "jar"}) ||
                          is_connector({*group, *artifact + "_2.13", "", "", "jar"});
      if (wanted && cross && scala.empty()) {
        builder.problem(place, fmt::format("{} %% {}: the Scala version is not set in this file",
                                           *group, *artifact));
        continue;
      }
      if (wanted && !version) {
        builder.problem(place, fmt::format("{}:{}: its version \"{}\" is not set to a text here",
                                           *group, *artifact, tokens[i + 4].value));
        continue;
      }
      if (cross) *artifact += "_" + scala;
      builder.build_dependency({*group, *artifact, version.value_or(""), "", "jar"}, place);
    }
  });
}

// "g:a:v" in quotes, and group: 'g', name: 'a', version: 'v'.
void read_gradle(std::string_view text, const std::string& name, InputBuilder& builder) {
  Variables variables;
  each_line(text, [&](std::string_view line, std::uint32_t) {
    note_variables(tokens_of(line), variables);
  });
  each_line(text, [&](std::string_view line, std::uint32_t number) {
    const InputPlace place{name, number};
    const std::vector<Token> tokens = tokens_of(line);
    if (!tokens.empty() && tokens.front().value.starts_with("test")) return;
    std::map<std::string, std::string> named;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (is_word(tokens, i) && (is_sign(tokens, i + 1, ":") || is_sign(tokens, i + 1, "=")) &&
          i + 2 < tokens.size())
        if (const auto value = value_of(tokens[i + 2], variables)) named[tokens[i].value] = *value;
      if (!is_text(tokens, i) ||
          std::count(tokens[i].value.begin(), tokens[i].value.end(), ':') < 2 ||
          tokens[i].value.find('/') != std::string::npos)
        continue;
      std::string coordinate = tokens[i].value;
      std::string unknown;
      if (!fill(coordinate, variables, unknown)) {
        if (coordinate.find("spark") != std::string::npos)
          builder.problem(place, fmt::format("{}: ${} is not set to a text here",
                                             base::printable(coordinate), unknown));
        continue;
      }
      if (auto parsed = parse_coordinate(coordinate))
        builder.build_dependency(std::move(*parsed), place);
    }
    if (named.contains("group") && named.contains("name"))
      builder.build_dependency({named["group"], named["name"], named["version"], "", "jar"}, place);
  });
}

// name==version, with pip's extras, markers and comments. delta-spark brings a jar of its version.
void read_requirements(std::string_view text, const std::string& name, InputBuilder& builder) {
  each_line(text, [&](std::string_view raw, std::uint32_t number) {
    const InputPlace place{name, number};
    std::string_view line = trim(raw.substr(0, raw.find('#')));
    line = trim(line.substr(0, line.find(';')));
    const std::size_t end = std::min(line.find_first_of("[=<>~! "), line.size());
    std::string package = base::to_lower(line.substr(0, end));
    std::replace(package.begin(), package.end(), '_', '-');
    if (package != "pyspark" && package != "delta-spark" && package != "pyspark-client") return;
    const std::size_t equals = line.find("==");
    const std::string version(equals == std::string_view::npos ? std::string_view()
                                                               : trim(line.substr(equals + 2)));
    if (version.empty() || version.find_first_of("*,<>=~! ") != std::string::npos) {
      builder.problem(place, fmt::format("{} is not pinned with ==, so its version is unknown",
                                         base::printable(line)));
      return;
    }
    if (package != "delta-spark") {
      builder.input().spark_version = version;
      return;
    }
    // The Python package names its jar by the Scala version that its releases were built with.
    const char* scala =
        parse_spark_version(version) && parse_spark_version(version)->line >= SparkMinor{4, 0}
            ? "2.13"
            : "2.12";
    Coordinate delta{"io.delta", fmt::format("delta-spark_{}", scala), version, "", "jar"};
    // Before 3.0 the artifact was called delta-core.
    if (version.starts_with("2.") || version.starts_with("1.")) delta.artifact = "delta-core_2.12";
    if (auto checked = check_coordinate(delta); !checked)
      builder.problem(place, checked.error().message);
    else
      builder.connector(std::move(delta), place);
  });
}

}  // namespace rowgate::pomcheck
