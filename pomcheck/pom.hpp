// One POM as it is written: no parents, no interpolation. Only what dependencies depend on is kept.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace rowgate::pomcheck {

// Where a value is written: a POM (by its coordinate or file) and the line of its element.
struct Origin {
  std::shared_ptr<const std::string> pom;
  std::uint32_t line = 0;  // 1-based; 0: written nowhere

  std::string to_string() const;  // "io.delta:delta-spark_2.13:4.3.1 line 42"
};

// A value with its place. Text is trimmed, comments are out, CDATA and references are resolved.
struct Sourced {
  std::string text;
  Origin origin;

  bool declared() const { return origin.line != 0; }
};

// Sorted by name. Of two properties of one name in one POM the last counts.
using Properties = std::map<std::string, Sourced, std::less<>>;

struct Exclusion {
  std::string group;  // may be "*"
  std::string artifact;
  friend bool operator==(const Exclusion&, const Exclusion&) = default;
};

struct PomDependency {
  std::string group;
  std::string artifact;
  std::string type = "jar";
  std::string classifier;
  Sourced version;
  Sourced scope;
  Sourced optional;
  std::vector<Exclusion> exclusions;
  Origin origin;  // of the <dependency> element
  // How the version was written, when interpolation changed it: "${spark.version}".
  std::string version_expression;
  bool version_is_managed = false;  // filled in from dependencyManagement

  // group:artifact:type[:classifier], by which Maven manages and merges dependencies.
  std::string management_key() const;
  bool is_optional() const { return optional.text == "true"; }
  bool is_import() const { return type == "pom" && scope.text == "import"; }
};

struct Activation {
  bool active_by_default = false;
  std::optional<std::string> jdk;
  struct Os {
    std::optional<std::string> name, family, arch, version;
  };
  std::optional<Os> os;
  struct Property {
    std::optional<std::string> name, value;
  };
  std::optional<Property> property;
  std::optional<std::string> file_exists, file_missing;
};

// What a POM and a profile of it have in common.
struct ModelPart {
  Properties properties;
  std::vector<PomDependency> dependencies;
  std::vector<PomDependency> managed;
};

struct Profile {
  std::string id = "default";
  Activation activation;
  ModelPart part;
};

struct ParentReference {
  std::string group;
  std::string artifact;
  std::string version;
  std::optional<std::string> relative_path;  // as written; "" says that it is in no folder near
  Origin origin;
};

// What a moved artifact says about its new place; empty parts stay as they were.
struct Relocation {
  std::string group;
  std::string artifact;
  std::string version;
  std::string message;
};

struct PomRepository {
  std::string id;
  std::string url;
};

struct RawPom {
  std::shared_ptr<const std::string> name;  // how it is called in origins
  std::string model_version;
  std::string group;  // empty: the parent's
  std::string artifact;
  std::string version;  // empty: the parent's
  std::string packaging = "jar";
  // Plain values that `${project.x}` may name: name, description, url, inceptionYear.
  std::map<std::string, std::string, std::less<>> texts;
  std::optional<ParentReference> parent;
  ModelPart part;
  std::vector<Profile> profiles;
  std::optional<Relocation> relocation;
  std::vector<PomRepository> repositories;
};

// Larger files are refused before they are parsed.
inline constexpr std::uint64_t kMaxPomBytes = 4u << 20;

// `name` is what origins call the POM. Errors: malformed with the byte offset (not XML, a DOCTYPE,
// a root other than <project>, a repeated element, an element where text belongs), limit (size,
// number of elements). UTF-8, UTF-16 and Latin-1 are read; unknown elements are skipped, as Maven
// does for POMs from a repository. No entity is ever expanded but XML's own five.
Result<RawPom> parse_pom(std::string_view xml, std::string name);

}  // namespace rowgate::pomcheck
