#include "pomcheck/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

// Longer parts cannot be files of a repository: most file systems stop at 255 bytes a name.
constexpr std::size_t kMaxPartSize = 200;

struct Type {
  std::string_view name;
  std::string_view extension;
  std::string_view classifier;  // the one that the type implies, may be empty
};

// Maven's default artifact handlers, and the extensions that native libraries use.
constexpr std::array kTypes = {
    Type{"jar", "jar", ""},
    Type{"pom", "pom", ""},
    Type{"war", "war", ""},
    Type{"ear", "ear", ""},
    Type{"rar", "rar", ""},
    Type{"ejb", "jar", ""},
    Type{"zip", "zip", ""},
    Type{"aar", "aar", ""},
    Type{"bundle", "jar", ""},
    Type{"maven-plugin", "jar", ""},
    Type{"ejb-client", "jar", "client"},
    Type{"test-jar", "jar", "tests"},
    Type{"java-source", "jar", "sources"},
    Type{"javadoc", "jar", "javadoc"},
    Type{"tar.gz", "tar.gz", ""},
    Type{"exe", "exe", ""},
    Type{"so", "so", ""},
    Type{"dylib", "dylib", ""},
};

const Type* find_type(std::string_view name) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const Type& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : found;
}

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool only_dots(std::string_view text) {
  return text.find_first_not_of('.') == std::string_view::npos;
}

Result<void> bad_part(std::string_view part, std::string_view value, std::string_view why) {
  return fail(ErrorCode::usage, fmt::format("{} \"{}\" {}", part, base::printable(value), why), {},
              std::nullopt, "write group:artifact:version");
}

Result<void> check_id(std::string_view part, std::string_view value) {
  if (value.empty()) return bad_part(part, value, "is empty");
  if (value.size() > kMaxPartSize)
    return bad_part(part, value.substr(0, 40), "… is longer than 200 bytes");
  if (!std::all_of(value.begin(), value.end(), is_id_character))
    return bad_part(part, value, "has a character other than letters, digits, '.', '-' and '_'");
  if (only_dots(value) || value.find("..") != std::string_view::npos)
    return bad_part(part, value, "has two dots in a row, or nothing else");
  return {};
}

// Maven takes nearly everything as a version; what cannot stand in a file's name is refused.
Result<void> check_version(std::string_view value) {
  if (value.empty()) return bad_part("version", value, "is empty");
  if (value.size() > kMaxPartSize)
    return bad_part("version", value.substr(0, 40), "… is longer than 200 bytes");
  const auto unfit = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' ||
           std::string_view("/\\:\"<>|?*").find(c) != std::string_view::npos;
  };
  if (std::any_of(value.begin(), value.end(), unfit))
    return bad_part("version", value, "has a character that no file name can hold");
  if (only_dots(value) || value.find("..") != std::string_view::npos)
    return bad_part("version", value, "has two dots in a row, or nothing else");
  return {};
}

// "1.0-20260714.010203-7" lives in the folder "1.0-SNAPSHOT".
std::string folder_version(std::string_view version) {
  // From the end: digits, '-', 6 digits, '.', 8 digits, '-' (or the beginning).
  std::size_t at = version.size();
  const auto digits_back = [&] {
    const std::size_t end = at;
    while (at > 0 && is_digit(version[at - 1])) --at;
    return end - at;
  };
  const auto step_back = [&](char wanted) {
    if (at == 0 || version[at - 1] != wanted) return false;
    --at;
    return true;
  };
  if (digits_back() == 0 || !step_back('-') || digits_back() != 6 || !step_back('.') ||
      digits_back() != 8)
    return std::string(version);
  if (at == 0) return "SNAPSHOT";
  if (version[at - 1] != '-') return std::string(version);
  return std::string(version.substr(0, at)) + "SNAPSHOT";
}

std::string group_folder(std::string_view group) {
  std::string folder(group);
  std::replace(folder.begin(), folder.end(), '.', '/');
  return folder;
}

std::string file_path(const Coordinate& c, std::string_view classifier,
                      std::string_view extension) {
  return fmt::format("{}/{}/{}/{}-{}{}{}.{}", group_folder(c.group), c.artifact,
                     folder_version(c.version), c.artifact, c.version,
                     classifier.empty() ? "" : "-", classifier, extension);
}

}  // namespace

std::string Coordinate::to_string() const {
  if (type != "jar") {
    return classifier.empty()
               ? fmt::format("{}:{}:{}:{}", group, artifact, type, version)
               : fmt::format("{}:{}:{}:{}:{}", group, artifact, type, classifier, version);
  }
  return classifier.empty() ? fmt::format("{}:{}:{}", group, artifact, version)
                            : fmt::format("{}:{}:{}:{}", group, artifact, version, classifier);
}

std::string Coordinate::extension() const {
  const Type* known = find_type(type);
  return known == nullptr ? type : std::string(known->extension);
}

std::string Coordinate::file_classifier() const {
  const Type* known = find_type(type);
  return known == nullptr || !classifier.empty() ? classifier : std::string(known->classifier);
}

std::string Coordinate::path() const {
  return file_path(*this, file_classifier(), extension());
}

std::string Coordinate::pom_path() const {
  return file_path(*this, "", "pom");
}

std::string Coordinate::metadata_path() const {
  return fmt::format("{}/{}/maven-metadata.xml", group_folder(group), artifact);
}

std::string Coordinate::version_metadata_path() const {
  return fmt::format("{}/{}/{}/maven-metadata.xml", group_folder(group), artifact,
                     folder_version(version));
}

Result<void> check_coordinate(const Coordinate& c) {
  ROWGATE_CHECK(check_id("group", c.group));
  ROWGATE_CHECK(check_id("artifact", c.artifact));
  ROWGATE_CHECK(check_version(c.version));
  if (!c.classifier.empty()) ROWGATE_CHECK(check_id("classifier", c.classifier));
  return check_id("type", c.type);
}

Result<Coordinate> parse_coordinate(std::string_view text) {
  const std::vector<std::string_view> parts = base::split(base::trim(text), ':');
  Coordinate c;
  switch (parts.size()) {
    case 3: c.version = parts[2]; break;
    case 4:
      // g:a:type:v and g:a:v:classifier look alike: a word that Maven knows as a type is one.
      if (find_type(parts[2]) != nullptr) {
        c.type = parts[2];
        c.version = parts[3];
      } else {
        c.version = parts[2];
        c.classifier = parts[3];
      }
      break;
    case 5:
      c.type = parts[2];
      c.classifier = parts[3];
      c.version = parts[4];
      break;
    default:
      return fail(ErrorCode::usage,
                  fmt::format("\"{}\" is not a coordinate", base::printable(text)), {},
                  std::nullopt, "write group:artifact:version");
  }
  c.group = parts[0];
  c.artifact = parts[1];
  if (auto checked = check_coordinate(c); !checked) {
    Error error = std::move(checked).error();
    error.subject = base::printable(base::trim(text).substr(0, 3 * kMaxPartSize));
    return tl::unexpected<Error>(std::move(error));
  }
  return c;
}

}  // namespace rowgate::pomcheck
