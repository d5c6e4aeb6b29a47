// A repository on disk, made of POMs that a test writes.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "pomcheck/coordinates.hpp"
#include "pomcheck/local_repository.hpp"
#include "pomcheck/repository_set.hpp"

namespace rowgate::tests {

class PomFolder {
 public:
  PomFolder() : folder_(base::TempDir::create("/tmp", "rowgate-poms").value()) {}

  // `body` is what stands in <project> behind the coordinate.
  void add(const std::string& gav, const std::string& body, const std::string& packaging = "jar") {
    const pomcheck::Coordinate c = pomcheck::parse_coordinate(gav).value();
    write(c.pom_path(), "<project><modelVersion>4.0.0</modelVersion><groupId>" + c.group +
                            "</groupId><artifactId>" + c.artifact + "</artifactId><version>" +
                            c.version + "</version><packaging>" + packaging + "</packaging>\n" +
                            body + "\n</project>");
  }

  void write(const std::string& path, const std::string& contents) {
    if (!base::write_file_atomically(folder_.path() / path, contents))
      throw std::runtime_error("cannot write " + path);
  }

  // maven-metadata.xml of "g:a", with these versions in the order of publication.
  void add_metadata(const std::string& artifact, const std::vector<std::string>& versions) {
    const pomcheck::Coordinate c = pomcheck::parse_coordinate(artifact + ":1").value();
    std::string list;
    for (const std::string& version : versions) list += "<version>" + version + "</version>";
    write(c.metadata_path(), "<metadata><groupId>" + c.group + "</groupId><artifactId>" +
                                 c.artifact + "</artifactId><versioning><versions>" + list +
                                 "</versions></versioning></metadata>");
  }

  // `further` are asked after the folder.
  pomcheck::RepositorySet open(
      std::vector<std::shared_ptr<pomcheck::Repository>> further = {}) const {
    std::vector<std::shared_ptr<pomcheck::Repository>> repositories;
    repositories.push_back(
        pomcheck::open_local_repository({folder_.path(), pomcheck::LocalLayout::maven, "test"}));
    repositories.insert(repositories.end(), further.begin(), further.end());
    return pomcheck::RepositorySet(std::move(repositories));
  }

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  base::TempDir folder_;
};

// <dependency> of "g:a:v", with further elements.
inline std::string dependency(const std::string& gav, const std::string& more = {}) {
  const pomcheck::Coordinate c = pomcheck::parse_coordinate(gav).value();
  return "<dependency><groupId>" + c.group + "</groupId><artifactId>" + c.artifact +
         "</artifactId><version>" + c.version + "</version>" + more + "</dependency>";
}

inline std::string dependencies(const std::string& list) {
  return "<dependencies>" + list + "</dependencies>";
}

}  // namespace rowgate::tests
