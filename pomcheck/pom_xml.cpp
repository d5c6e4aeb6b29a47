// Reads a POM with pugixml. The walk visits a fixed set of paths, so its depth is fixed too;
// pugixml itself builds its tree in a loop. Size and number of elements are bounded before and
// after parsing.
//
// What Maven's own reader refuses is refused here: a repeated element of the model ("Duplicated
// tag"), and an element inside a text. What it skips in a repository's POM, unknown elements, is
// skipped here.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <pugixml.hpp>
#include <span>

#include "base/text.hpp"
#include "pomcheck/pom.hpp"
#include "pomcheck/xml_text.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::size_t kMaxDependencies = 20'000;
constexpr std::size_t kMaxProperties = 20'000;
constexpr std::size_t kMaxProfiles = 1'000;

constexpr std::array<std::string_view, 29> kProjectElements = {"modelVersion",
                                                               "parent",
                                                               "groupId",
                                                               "artifactId",
                                                               "version",
                                                               "packaging",
                                                               "name",
                                                               "description",
                                                               "url",
                                                               "inceptionYear",
                                                               "organization",
                                                               "licenses",
                                                               "developers",
                                                               "contributors",
                                                               "mailingLists",
                                                               "prerequisites",
                                                               "modules",
                                                               "scm",
                                                               "issueManagement",
                                                               "ciManagement",
                                                               "distributionManagement",
                                                               "properties",
                                                               "dependencyManagement",
                                                               "dependencies",
                                                               "repositories",
                                                               "pluginRepositories",
                                                               "build",
                                                               "reporting",
                                                               "profiles"};
constexpr std::array<std::string_view, 9> kDependencyElements = {
    "groupId", "artifactId", "version",    "type",    "classifier",
    "scope",   "systemPath", "exclusions", "optional"};
constexpr std::array<std::string_view, 4> kParentElements = {"groupId", "artifactId", "version",
                                                             "relativePath"};
constexpr std::array<std::string_view, 12> kProfileElements = {"id",
                                                               "activation",
                                                               "build",
                                                               "modules",
                                                               "dependencies",
                                                               "repositories",
                                                               "pluginRepositories",
                                                               "dependencyManagement",
                                                               "reports",
                                                               "reporting",
                                                               "properties",
                                                               "distributionManagement"};
constexpr std::array<std::string_view, 1> kManagementElements = {"dependencies"};
constexpr std::array<std::string_view, 5> kActivationElements = {"activeByDefault", "jdk", "os",
                                                                 "property", "file"};

class Reader {
 public:
  Reader(const LineTable& lines, std::shared_ptr<const std::string> name)
      : lines_(lines), name_(std::move(name)) {}

  Result<RawPom> project(pugi::xml_node root) {
    RawPom pom;
    pom.name = name_;
    ROWGATE_CHECK(unique(root, kProjectElements));
    ROWGATE_CHECK(text(root, "modelVersion", pom.model_version));
    ROWGATE_CHECK(text(root, "groupId", pom.group));
    ROWGATE_CHECK(text(root, "artifactId", pom.artifact));
    ROWGATE_CHECK(text(root, "version", pom.version));
    if (root.child("packaging")) ROWGATE_CHECK(text(root, "packaging", pom.packaging));
    for (const char* field : {"name", "description", "url", "inceptionYear"})
      if (root.child(field)) ROWGATE_CHECK(text(root, field, pom.texts[field]));
    if (const pugi::xml_node node = root.child("parent"))
      ROWGATE_CHECK(parent(node, pom.parent.emplace()));
    ROWGATE_CHECK(part(root, pom.part));
    ROWGATE_CHECK(profiles(root.child("profiles"), pom.profiles));
    if (const auto node = root.child("distributionManagement").child("relocation"))
      ROWGATE_CHECK(relocation(node, pom.relocation.emplace()));
    for (const pugi::xml_node node : root.child("repositories").children("repository")) {
      PomRepository repository;
      ROWGATE_CHECK(text(node, "id", repository.id));
      ROWGATE_CHECK(text(node, "url", repository.url));
      pom.repositories.push_back(std::move(repository));
    }
    return pom;
  }

 private:
  tl::unexpected<Error> malformed(pugi::xml_node node, std::string message) const {
    const auto offset = static_cast<std::uint64_t>(node.offset_debug());
    return fail(ErrorCode::malformed, fmt::format("{} in line {}", message, lines_.line_of(offset)),
                *name_, offset);
  }
  tl::unexpected<Error> too_many(const char* what) const {
    return fail(ErrorCode::limit, fmt::format("the POM has too many {}", what), *name_);
  }

  Origin origin(pugi::xml_node node) const {
    return {name_, lines_.line_of(static_cast<std::size_t>(node.offset_debug()))};
  }

  Result<void> unique(pugi::xml_node node, std::span<const std::string_view> known) const {
    std::uint32_t seen = 0;
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = child.name();
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i] != name) continue;
        if ((seen >> i & 1u) != 0) return malformed(child, fmt::format("<{}> is repeated", name));
        seen |= 1u << i;
      }
    }
    return {};
  }

  // The text of an element: character data and CDATA in order, trimmed.
  Result<std::string> content(pugi::xml_node node) const {
    std::string joined;
    for (const pugi::xml_node child : node.children()) {
      if (child.type() == pugi::node_element)
        return malformed(child, fmt::format("an element stands inside <{}>, where only text may",
                                            base::printable(node.name())));
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
        joined += child.value();
    }
    return std::string(base::trim(joined));
  }

  Result<void> text(pugi::xml_node parent, const char* name, std::string& out) const {
    const pugi::xml_node node = parent.child(name);
    if (!node) return {};
    ROWGATE_TRY(out, content(node));
    return {};
  }
  Result<void> text(pugi::xml_node parent, const char* name,
                    std::optional<std::string>& out) const {
    if (!parent.child(name)) return {};
    return text(parent, name, out.emplace());
  }
  Result<void> text(pugi::xml_node parent, const char* name, Sourced& out) const {
    const pugi::xml_node node = parent.child(name);
    if (!node) return {};
    ROWGATE_TRY(out.text, content(node));
    if (!out.text.empty()) out.origin = origin(node);
    return {};
  }

  Result<void> parent(pugi::xml_node node, ParentReference& out) const {
    ROWGATE_CHECK(unique(node, kParentElements));
    out.origin = origin(node);
    ROWGATE_CHECK(text(node, "groupId", out.group));
    ROWGATE_CHECK(text(node, "artifactId", out.artifact));
    ROWGATE_CHECK(text(node, "relativePath", out.relative_path));
    return text(node, "version", out.version);
  }

  Result<void> relocation(pugi::xml_node node, Relocation& out) const {
    ROWGATE_CHECK(text(node, "groupId", out.group));
    ROWGATE_CHECK(text(node, "artifactId", out.artifact));
    ROWGATE_CHECK(text(node, "version", out.version));
    return text(node, "message", out.message);
  }

  Result<void> part(pugi::xml_node node, ModelPart& out) const {
    for (const pugi::xml_node property : node.child("properties").children()) {
      if (property.type() != pugi::node_element) continue;
      if (out.properties.size() == kMaxProperties) return too_many("properties");
      ROWGATE_TRY(std::string value, content(property));
      out.properties[property.name()] = {std::move(value), origin(property)};
    }
    ROWGATE_CHECK(dependencies(node.child("dependencies"), out.dependencies));
    const pugi::xml_node management = node.child("dependencyManagement");
    ROWGATE_CHECK(unique(management, kManagementElements));
    return dependencies(management.child("dependencies"), out.managed);
  }

  Result<void> dependencies(pugi::xml_node list, std::vector<PomDependency>& out) const {
    for (const pugi::xml_node node : list.children("dependency")) {
      if (out.size() == kMaxDependencies) return too_many("dependencies");
      PomDependency dependency;
      ROWGATE_CHECK(unique(node, kDependencyElements));
      dependency.origin = origin(node);
      ROWGATE_CHECK(text(node, "groupId", dependency.group));
      ROWGATE_CHECK(text(node, "artifactId", dependency.artifact));
      if (node.child("type")) ROWGATE_CHECK(text(node, "type", dependency.type));
      ROWGATE_CHECK(text(node, "classifier", dependency.classifier));
      ROWGATE_CHECK(text(node, "version", dependency.version));
      ROWGATE_CHECK(text(node, "scope", dependency.scope));
      ROWGATE_CHECK(text(node, "optional", dependency.optional));
      for (const pugi::xml_node entry : node.child("exclusions").children("exclusion")) {
        Exclusion exclusion;
        ROWGATE_CHECK(text(entry, "groupId", exclusion.group));
        ROWGATE_CHECK(text(entry, "artifactId", exclusion.artifact));
        dependency.exclusions.push_back(std::move(exclusion));
      }
      out.push_back(std::move(dependency));
    }
    return {};
  }

  Result<void> profiles(pugi::xml_node list, std::vector<Profile>& out) const {
    for (const pugi::xml_node node : list.children("profile")) {
      if (out.size() == kMaxProfiles) return too_many("profiles");
      Profile profile;
      ROWGATE_CHECK(unique(node, kProfileElements));
      if (node.child("id")) ROWGATE_CHECK(text(node, "id", profile.id));
      ROWGATE_CHECK(activation(node.child("activation"), profile.activation));
      ROWGATE_CHECK(part(node, profile.part));
      out.push_back(std::move(profile));
    }
    return {};
  }

  Result<void> activation(pugi::xml_node node, Activation& out) const {
    ROWGATE_CHECK(unique(node, kActivationElements));
    std::string by_default;
    ROWGATE_CHECK(text(node, "activeByDefault", by_default));
    out.active_by_default = base::equals_ignoring_case(by_default, "true");
    ROWGATE_CHECK(text(node, "jdk", out.jdk));
    if (const pugi::xml_node os = node.child("os")) {
      Activation::Os& fields = out.os.emplace();
      ROWGATE_CHECK(text(os, "name", fields.name));
      ROWGATE_CHECK(text(os, "family", fields.family));
      ROWGATE_CHECK(text(os, "arch", fields.arch));
      ROWGATE_CHECK(text(os, "version", fields.version));
    }
    if (const pugi::xml_node property = node.child("property")) {
      Activation::Property& fields = out.property.emplace();
      ROWGATE_CHECK(text(property, "name", fields.name));
      ROWGATE_CHECK(text(property, "value", fields.value));
    }
    ROWGATE_CHECK(text(node.child("file"), "exists", out.file_exists));
    return text(node.child("file"), "missing", out.file_missing);
  }

  const LineTable& lines_;
  std::shared_ptr<const std::string> name_;
};

}  // namespace

Result<RawPom> parse_pom(std::string_view xml, std::string name) {
  if (xml.size() > kMaxPomBytes)
    return fail(ErrorCode::limit,
                fmt::format("the POM is larger than {}", base::human_bytes(kMaxPomBytes)), name);
  std::string text = xml_to_utf8(xml);
  const LineTable lines(text);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer_inplace(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!parsed) {
    const auto offset = static_cast<std::uint64_t>(parsed.offset < 0 ? 0 : parsed.offset);
    const char* why = parsed.status == pugi::status_no_document_element
                          ? "the file holds no XML element"
                          : parsed.description();
    return fail(ErrorCode::malformed,
                fmt::format("the POM is not XML: {} in line {}", why, lines.line_of(offset)), name,
                offset);
  }
  pugi::xml_node root;
  for (const pugi::xml_node node : document.children()) {
    if (node.type() == pugi::node_doctype)
      return fail(ErrorCode::malformed, "a POM must not have a DOCTYPE", name);
    if (node.type() != pugi::node_element) continue;
    if (root) return fail(ErrorCode::malformed, "the POM has two root elements", name);
    root = node;
  }
  if (std::string_view(root.name()) != "project")
    return fail(ErrorCode::malformed,
                fmt::format("the root element is <{}>, not <project>",
                            base::printable(std::string_view(root.name()).substr(0, 40))),
                name);
  return Reader(lines, std::make_shared<const std::string>(std::move(name))).project(root);
}

}  // namespace rowgate::pomcheck
