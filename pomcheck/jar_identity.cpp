// A jar's coordinate is found in this order: the pom.properties that the file is named by; the only
// pom.properties; the manifest's vendor id and version, where the file is named by them; the naming
// table, where it knows the artifact. Renamed and shaded jars end with less, never with a guess.
//
// Cost: linear in the names of the entries.
#include "pomcheck/jar_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "pomcheck/naming_table.hpp"

namespace rowgate::pomcheck {
namespace {

// More folders than this name nothing.
constexpr std::size_t kMaxShims = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

// "name: value" lines of the manifest's main section, names in lower case, continuations joined.
std::map<std::string, std::string> main_attributes(std::string_view manifest) {
  std::map<std::string, std::string> attributes;
  std::string* last = nullptr;
  for (std::string_view line : base::split(manifest, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (line.front() == ' ') {
      if (last != nullptr) *last += line.substr(1);
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    last = &attributes[base::to_lower(line.substr(0, colon))];
    *last = base::trim(line.substr(colon + 1));
  }
  return attributes;
}

std::string attribute(const std::map<std::string, std::string>& attributes, const char* name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

// groupId, artifactId and version of a pom.properties; nothing unless all are there and plain.
std::optional<Coordinate> read_properties(std::string_view text) {
  Coordinate coordinate;
  for (const std::string_view line : base::split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.front() == '#') continue;
    const std::string_view key = base::trim(line.substr(0, equals));
    const std::string value(base::trim(line.substr(equals + 1)));
    if (key == "groupId") coordinate.group = value;
    if (key == "artifactId") coordinate.artifact = value;
    if (key == "version") coordinate.version = value;
  }
  if (coordinate.group.empty() || coordinate.version.empty() || !check_coordinate(coordinate))
    return std::nullopt;
  return coordinate;
}

// Cuts "artifact-1.2.3" in two where a digit follows a '-'. The naming table knows artifacts with
// such a place inside ("elasticsearch-spark-30_2.13"); elsewhere it is the first place that is not
// directly behind "spark".
std::optional<Coordinate> by_file_name(std::string_view stem) {
  std::optional<Coordinate> first, known;
  for (std::size_t at = stem.find('-'); at != std::string_view::npos; at = stem.find('-', at + 1)) {
    if (at == 0 || at + 1 >= stem.size() || !is_digit(stem[at + 1])) continue;
    Coordinate candidate{"", std::string(stem.substr(0, at)), std::string(stem.substr(at + 1)), "",
                         "jar"};
    for (const NamingScheme& scheme : naming_schemes()) {
      candidate.group = scheme.group;
      if (find_scheme(candidate) == nullptr) continue;
      known = candidate;  // of several places the last: the longest artifact
      break;
    }
    candidate.group.clear();
    const bool behind_spark = stem.substr(0, at).ends_with("spark");
    if (!first && !behind_spark) first = candidate;
  }
  return known ? known : first;
}

// "spark411" -> 4.1.1, "spark330db" -> 3.3.0 of db; nothing for any other word.
std::optional<SparkVersion> shim_of(std::string_view folder) {
  if (!folder.starts_with("spark")) return std::nullopt;
  std::string_view rest = folder.substr(5);
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits])) ++digits;
  const std::string_view vendor = rest.substr(digits);
  if (digits < 3 || digits > 4 || rest[0] < '2' ||
      !std::all_of(vendor.begin(), vendor.end(), is_letter))
    return std::nullopt;
  std::string text = fmt::format("{}.{}.{}", rest[0], rest[1], rest.substr(2, digits - 2));
  if (!vendor.empty()) text += fmt::format("-{}", vendor);
  auto version = parse_spark_version(text);
  if (!version) return std::nullopt;
  return std::move(*version);
}

// "spark35", "spark_3_5", "spark3_5" -> 3.5.
std::optional<SparkVersion> line_of_package(std::string_view folder) {
  if (!folder.starts_with("spark")) return std::nullopt;
  std::string digits;
  for (const char c : folder.substr(5)) {
    if (is_digit(c))
      digits += c;
    else if (c != '_')
      return std::nullopt;
  }
  if (digits.size() != 2 || digits[0] < '2') return std::nullopt;
  auto version = parse_spark_version(fmt::format("{}.{}", digits[0], digits[1]));
  if (!version) return std::nullopt;
  return std::move(*version);
}

std::vector<SparkVersion> parsed(const std::set<std::string>& texts) {
  std::vector<SparkVersion> versions;
  for (const std::string& text : texts) versions.push_back(parse_spark_version(text).value());
  std::sort(versions.begin(), versions.end(), [](const SparkVersion& a, const SparkVersion& b) {
    return std::tuple(a.line, a.patch, a.vendor) < std::tuple(b.line, b.patch, b.vendor);
  });
  return versions;
}

std::string listed(const std::vector<SparkVersion>& versions) {
  std::vector<std::string> texts;
  for (const SparkVersion& version : versions) texts.push_back(version.text);
  return base::join(texts, ", ");
}

void read_folders(const JarContent& jar, JarIdentity& identity) {
  std::set<std::string> shims, lines;
  for (const std::string_view entry : jar.entries) {
    if (entry.starts_with("META-INF/")) continue;
    std::size_t begin = 0;
    for (std::size_t slash = entry.find('/'); slash != std::string_view::npos;
         begin = slash + 1, slash = entry.find('/', begin)) {
      const std::string_view folder = entry.substr(begin, slash - begin);
      if (!folder.starts_with("spark")) continue;
      if (const auto shim = begin == 0 ? shim_of(folder) : std::nullopt;
          shim && shims.size() < kMaxShims)
        shims.insert(shim->text);
      if (const auto line = line_of_package(folder); line && lines.size() < kMaxShims)
        lines.insert(line->text);
    }
  }
  identity.shims = parsed(shims);
  identity.hints = parsed(lines);
  if (!shims.empty())
    identity.evidence.push_back(
        fmt::format("the jar has folders for Spark {}", listed(identity.shims)));
  if (!lines.empty())
    identity.evidence.push_back(
        fmt::format("packages of the jar are named for Spark {}", listed(identity.hints)));
}

void read_spark_attributes(const std::map<std::string, std::string>& attributes,
                           JarIdentity& identity) {
  for (const auto& [name, value] : attributes) {
    if (name != "spark-version" && !name.ends_with("-spark-version")) continue;
    auto version = parse_spark_version(value);
    if (!version) continue;
    identity.evidence.push_back(
        base::printable(fmt::format("the manifest says {}: {}", name, value)));
    identity.hints.assign(1, std::move(*version));
    return;
  }
}

const std::string* embedded(const JarContent& jar, const Coordinate& coordinate,
                            std::string_view name) {
  const std::string path =
      fmt::format("META-INF/maven/{}/{}/{}", coordinate.group, coordinate.artifact, name);
  for (const EmbeddedFile& file : jar.maven)
    if (file.path == path) return &file.text;
  return nullptr;
}

}  // namespace

JarIdentity identify_jar(const JarContent& jar) {
  JarIdentity identity;
  const auto found_by = [&](Coordinate coordinate, const char* how) {
    identity.coordinate = std::move(coordinate);
    if (identity.complete())
      identity.evidence.push_back(
          base::printable(fmt::format("it is {}, by {}", identity.coordinate.to_string(), how)));
  };
  std::string_view stem = jar.file_name;
  if (stem.ends_with(".jar")) stem.remove_suffix(4);
  const auto attributes = main_attributes(jar.manifest);

  std::vector<Coordinate> listed_coordinates;
  for (const EmbeddedFile& file : jar.maven)
    if (file.path.ends_with("/pom.properties"))
      if (auto coordinate = read_properties(file.text))
        listed_coordinates.push_back(std::move(*coordinate));
  const auto named = std::find_if(
      listed_coordinates.begin(), listed_coordinates.end(), [&](const Coordinate& coordinate) {
        const std::string start = fmt::format("{}-{}", coordinate.artifact, coordinate.version);
        // A classifier may follow.
        return stem == start || stem.starts_with(start + "-");
      });
  const std::optional<Coordinate> by_name = by_file_name(stem);
  const std::string vendor = attribute(attributes, "implementation-vendor-id");
  const std::string title = attribute(attributes, "implementation-title");
  const std::string version = attribute(attributes, "implementation-version");

  if (named != listed_coordinates.end()) {
    found_by(*named, "its pom.properties");
  } else if (listed_coordinates.size() == 1) {
    found_by(listed_coordinates.front(), "its only pom.properties");
  } else if (by_name && by_name->group.empty() && !vendor.empty() && by_name->version == version &&
             by_name->artifact.starts_with(title)) {
    Coordinate coordinate = *by_name;
    coordinate.group = vendor;
    found_by(check_coordinate(coordinate) ? coordinate : *by_name, "its manifest and file name");
  } else if (by_name && check_coordinate({"g", by_name->artifact, by_name->version, "", "jar"})) {
    found_by(*by_name, "its file name");
  }
  if (identity.complete())
    if (const std::string* pom = embedded(jar, identity.coordinate, "pom.xml")) identity.pom = *pom;
  read_folders(jar, identity);
  read_spark_attributes(attributes, identity);
  return identity;
}

}  // namespace rowgate::pomcheck
