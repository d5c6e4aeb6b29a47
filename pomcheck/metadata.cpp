#include "pomcheck/metadata.hpp"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <unordered_set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "pomcheck/repository_set.hpp"
#include "pomcheck/xml_text.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::uint64_t kMaxMetadataBytes = 8u << 20;

std::string value(pugi::xml_node parent, const char* name) {
  return std::string(base::trim(parent.child_value(name)));
}

void merge(Metadata& into, Metadata&& from, std::unordered_set<std::string>& seen) {
  for (std::string& version : from.versions)
    if (seen.insert(version).second) into.versions.push_back(std::move(version));
  const bool newer = into.last_updated.empty() || from.last_updated > into.last_updated;
  if (newer || into.latest.empty())
    if (!from.latest.empty()) into.latest = from.latest;
  if (newer || into.release.empty())
    if (!from.release.empty()) into.release = from.release;
  if (newer) {
    into.last_updated = from.last_updated;
    into.snapshot_timestamp = from.snapshot_timestamp;
    into.snapshot_build = from.snapshot_build;
    into.snapshot_files = std::move(from.snapshot_files);
  }
}

}  // namespace

Result<Metadata> parse_metadata(std::string_view xml, const std::string& name) {
  if (xml.size() > kMaxMetadataBytes)
    return fail(ErrorCode::limit, "the metadata is larger than 8 MiB", name);
  std::string text = xml_to_utf8(xml);
  pugi::xml_document document;
  const auto parsed = document.load_buffer_inplace(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!parsed)
    return fail(ErrorCode::malformed, fmt::format("not XML: {}", parsed.description()), name,
                static_cast<std::uint64_t>(parsed.offset < 0 ? 0 : parsed.offset));
  for (const pugi::xml_node node : document.children())
    if (node.type() == pugi::node_doctype)
      return fail(ErrorCode::malformed, "metadata must not have a DOCTYPE", name);
  const pugi::xml_node root = document.child("metadata");
  if (!root) return fail(ErrorCode::malformed, "the root element is not <metadata>", name);
  const pugi::xml_node versioning = root.child("versioning");
  Metadata metadata;
  metadata.latest = value(versioning, "latest");
  metadata.release = value(versioning, "release");
  metadata.last_updated = value(versioning, "lastUpdated");
  for (const pugi::xml_node node : versioning.child("versions").children("version"))
    if (std::string version(base::trim(node.child_value())); !version.empty())
      metadata.versions.push_back(std::move(version));
  const pugi::xml_node snapshot = versioning.child("snapshot");
  metadata.snapshot_timestamp = value(snapshot, "timestamp");
  metadata.snapshot_build = value(snapshot, "buildNumber");
  for (const pugi::xml_node node : versioning.child("snapshotVersions").children("snapshotVersion"))
    metadata.snapshot_files.push_back(
        {value(node, "classifier"), value(node, "extension"), value(node, "value")});
  return metadata;
}

MergedMetadata fetch_metadata(RepositorySet& repositories, const std::string& path,
                              const RunContext& context) {
  MergedMetadata merged;
  std::unordered_set<std::string> seen;
  for (auto& [repository, file] : repositories.fetch_from_each(path, context)) {
    if (!file) {
      if (file.error().code == ErrorCode::not_found)
        merged.absent.push_back(repository);
      else
        merged.undecided.push_back(file.error());
      continue;
    }
    const auto text = base::read_file(file->path, kMaxMetadataBytes);
    auto parsed = text ? parse_metadata(*text, file->location)
                       : Result<Metadata>(tl::unexpected<Error>(text.error()));
    if (!parsed) {
      merged.undecided.push_back(parsed.error());
      continue;
    }
    merged.answered.push_back(repository);
    merge(merged.metadata, std::move(*parsed), seen);
  }
  return merged;
}

std::string newest_file_path(RepositorySet& repositories, const Coordinate& artifact,
                             const RunContext& context) {
  constexpr std::string_view kSnapshot = "SNAPSHOT";
  if (!artifact.version.ends_with("-SNAPSHOT")) return artifact.path();
  const Metadata known =
      fetch_metadata(repositories, artifact.version_metadata_path(), context).metadata;
  Coordinate dated = artifact;
  if (!known.snapshot_timestamp.empty())
    dated.version.replace(dated.version.size() - kSnapshot.size(), kSnapshot.size(),
                          fmt::format("{}-{}", known.snapshot_timestamp, known.snapshot_build));
  // Files of one snapshot may have been deployed at different times.
  for (const SnapshotFile& file : known.snapshot_files)
    if (file.extension == artifact.extension() && file.classifier == artifact.file_classifier() &&
        !file.value.empty())
      dated.version = file.value;
  return check_coordinate(dated) ? dated.path() : artifact.path();
}

}  // namespace rowgate::pomcheck
