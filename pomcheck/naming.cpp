// A Spark line is written directly behind the word "spark", or behind it and more words
// ("sedona-spark-shaded-3.5"), in an artifact's name or a version. The Scala suffix is cut off
// first, so that "_2.13" is never taken for one.
#include "pomcheck/naming.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pomcheck/naming_table.hpp"

namespace rowgate::pomcheck {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_separator(char c) {
  return c == '-' || c == '_' || c == '.';
}

struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
  SparkMinor line;
};

// "D.D" or "D.DD" with one digit before the dot, not part of a longer number: what a Spark line
// looks like.
std::optional<Place> line_at(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || !is_digit(text[at]) || text[at + 1] != '.' ||
      !is_digit(text[at + 2]))
    return std::nullopt;
  if (at > 0 && (is_digit(text[at - 1]) || (text[at - 1] == '.'))) return std::nullopt;
  std::size_t end = at + 2;
  unsigned minor = 0;
  while (end < text.size() && is_digit(text[end]) && end < at + 4)
    minor = minor * 10 + static_cast<unsigned>(text[end++] - '0');
  if (end < text.size() && is_digit(text[end])) return std::nullopt;
  const auto major = static_cast<unsigned>(text[at] - '0');
  if (major < 2) return std::nullopt;
  return Place{at, end, {major, minor}};
}

// The first line behind the word "spark".
std::optional<Place> line_after_spark(std::string_view text) {
  std::size_t spark = text.find("spark");
  if (spark == std::string_view::npos) return std::nullopt;
  for (std::size_t at = spark + 5; at < text.size(); ++at) {
    const char before = text[at - 1];
    if (!is_separator(before) && !text.substr(0, at).ends_with("spark")) continue;
    if (const auto place = line_at(text, at)) return place;
  }
  return std::nullopt;
}

// "spark3-", "spark_3" at the end: a major line alone. "spark-30" is none.
std::optional<unsigned> major_after_spark(std::string_view text) {
  for (std::size_t spark = text.find("spark"); spark != std::string_view::npos;
       spark = text.find("spark", spark + 5)) {
    std::size_t at = spark + 5;
    if (at < text.size() && text[at] == '_') ++at;
    if (at >= text.size() || !is_digit(text[at]) || text[at] < '2') continue;
    const bool ends = at + 1 == text.size() || text[at + 1] == '-' || text[at + 1] == '_';
    if (ends) return static_cast<unsigned>(text[at] - '0');
  }
  return std::nullopt;
}

// "3.3.1_0.18.7": a Spark release, then the connector's own version.
std::optional<SparkMinor> line_before_own(std::string_view version) {
  const std::size_t underscore = version.find('_');
  if (underscore == std::string_view::npos || underscore + 1 == version.size() ||
      !is_digit(version[underscore + 1]))
    return std::nullopt;
  const std::string_view prefix = version.substr(0, underscore);
  const auto place = line_at(prefix, 0);
  if (!place || std::count(prefix.begin(), prefix.end(), '.') != 2 ||
      !std::all_of(prefix.begin(), prefix.end(), [](char c) { return is_digit(c) || c == '.'; }))
    return std::nullopt;
  return place->line;
}

std::string_view without_scala(std::string_view artifact) {
  const std::string scala = scala_of_artifact(artifact);
  if (!scala.empty()) artifact.remove_suffix(scala.size() + 1);
  return artifact;
}

void set_line(NameFacts& facts, NameRule rule, SparkMinor line) {
  facts.rule = rule;
  facts.line = line;
  facts.major = line.major;
}

}  // namespace

const char* to_string(NameRule rule) {
  switch (rule) {
    case NameRule::none: return "";
    case NameRule::artifact: return "artifactId";
    case NameRule::artifact_major: return "artifactId-major";
    case NameRule::version_suffix: return "version-suffix";
    case NameRule::version_suffix_major: return "version-suffix-major";
    case NameRule::version_prefix: return "version-prefix";
    case NameRule::own_version: return "own-version";
  }
  return "";
}

std::string NameFacts::line_text() const {
  if (line) return line->to_string();
  return major ? fmt::format("{}.x", *major) : std::string();
}

std::string scala_of_artifact(std::string_view artifact) {
  const std::size_t underscore = artifact.rfind('_');
  if (underscore == std::string_view::npos) return {};
  const std::string_view tail = artifact.substr(underscore + 1);
  if (tail == "3") return "3";
  const bool two_dot = tail.size() == 4 && tail.starts_with("2.1") && is_digit(tail[3]);
  return two_dot ? std::string(tail) : std::string();
}

std::vector<std::string> scala_of_spark(SparkMinor line) {
  if (line >= SparkMinor{4, 0}) return {"2.13"};
  if (line >= SparkMinor{3, 2}) return {"2.12", "2.13"};
  if (line >= SparkMinor{3, 0}) return {"2.12"};
  if (line >= SparkMinor{2, 4}) return {"2.11", "2.12"};
  return {"2.11"};
}

NameFacts read_name(const Coordinate& coordinate) {
  NameFacts facts;
  facts.scala = scala_of_artifact(coordinate.artifact);
  if (coordinate.group == "org.apache.spark") {
    if (const auto own = parse_spark_version(coordinate.version))
      set_line(facts, NameRule::own_version, own->line);
    return facts;
  }
  const std::string_view stem = without_scala(coordinate.artifact);
  if (const auto place = line_after_spark(stem)) {
    set_line(facts, NameRule::artifact, place->line);
  } else if (const auto suffix = line_after_spark(coordinate.version)) {
    set_line(facts, NameRule::version_suffix, suffix->line);
  } else if (const auto line = line_before_own(coordinate.version);
             line && stem.find("spark") != std::string_view::npos) {
    set_line(facts, NameRule::version_prefix, *line);
  } else if (const auto major = major_after_spark(stem)) {
    facts.rule = NameRule::artifact_major;
    facts.major = major;
  } else if (const auto version_major = major_after_spark(coordinate.version)) {
    facts.rule = NameRule::version_suffix_major;
    facts.major = version_major;
  }
  return facts;
}

std::vector<Coordinate> sibling_artifacts(const Coordinate& coordinate, SparkMinor line) {
  std::vector<Coordinate> siblings;
  const std::vector<std::string> scalas = scala_of_spark(line);
  const std::string own_scala = scala_of_artifact(coordinate.artifact);
  const bool keeps = std::find(scalas.begin(), scalas.end(), own_scala) != scalas.end();
  const std::string& scala = keeps ? own_scala : scalas.front();
  const auto add = [&](std::string_view group, std::string artifact) {
    Coordinate sibling{std::string(group), std::move(artifact), "", coordinate.classifier,
                       coordinate.type};
    if (std::find(siblings.begin(), siblings.end(), sibling) == siblings.end())
      siblings.push_back(std::move(sibling));
  };
  const std::string_view stem = without_scala(coordinate.artifact);
  if (const auto place = line_after_spark(stem)) {
    std::string artifact = fmt::format("{}{}{}", stem.substr(0, place->begin), line.to_string(),
                                       stem.substr(place->end));
    if (!own_scala.empty()) artifact += "_" + scala;
    add(coordinate.group, std::move(artifact));
  }
  const NamingScheme* own = find_scheme(coordinate);
  if (own == nullptr) {
    if (siblings.empty() && !own_scala.empty())
      add(coordinate.group, fmt::format("{}_{}", stem, scala));
    else if (siblings.empty())
      add(coordinate.group, coordinate.artifact);
    return siblings;
  }
  for (const NamingScheme& scheme : naming_schemes())
    if (scheme.family == own->family && (scheme.listed || &scheme == own))
      add(scheme.group, fill_template(scheme.artifact, line, scala));
  return siblings;
}

}  // namespace rowgate::pomcheck
