// A project's pom.xml is read as Maven reads it: parents beside it before those of repositories.
#include <doctest/doctest.h>

#include "base/files.hpp"
#include "pom_folder.hpp"
#include "pomcheck/project_pom.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

const RunContext kContext = RunContext::quiet();

struct Project {
  base::TempDir folder = base::TempDir::create("/tmp", "rowgate-project").value();
  tests::PomFolder repository;

  void write(const std::string& path, const std::string& body) const {
    REQUIRE(base::write_file_atomically(
        folder.path() / path, "<project><modelVersion>4.0.0</modelVersion>" + body + "</project>"));
  }
  ConnectorInput read(const std::string& path) const {
    RepositorySet repositories = repository.open();
    ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
    return read_project(builder, folder.path() / path, kContext).value();
  }
};

std::string parent(const std::string& version, const std::string& more = "") {
  return "<parent><groupId>o.a</groupId><artifactId>all</artifactId><version>" + version +
         "</version>" + more + "</parent>";
}

const std::string kModule =
    "<artifactId>m</artifactId><dependencies><dependency><groupId>io.delta</groupId>"
    "<artifactId>delta-spark_${scala}</artifactId></dependency></dependencies>";

std::string managing(const std::string& own_version, const std::string& delta) {
  return "<groupId>o.a</groupId><artifactId>all</artifactId><version>" + own_version +
         "</version><packaging>pom</packaging><properties><scala>2.13</scala></properties>"
         "<dependencyManagement><dependencies><dependency><groupId>io.delta</groupId>"
         "<artifactId>delta-spark_2.13</artifactId><version>" +
         delta + "</version></dependency></dependencies></dependencyManagement>";
}

}  // namespace

TEST_CASE("versions that a parent manages are found in the parent's folder") {
  Project project;
  project.write("m/pom.xml", parent("1") + kModule);
  project.write("pom.xml", managing("1", "4.3.1"));
  const ConnectorInput input = project.read("m/pom.xml");
  REQUIRE(input.connectors.size() == 1);
  CHECK(input.connectors[0].coordinate.to_string() == "io.delta:delta-spark_2.13:4.3.1");
  CHECK(input.problems.empty());
}

TEST_CASE("a parent of another version beside it is not the parent") {
  Project project;
  project.write("m/pom.xml", parent("2") + kModule);
  project.write("pom.xml", managing("1", "4.3.1"));
  CHECK(project.read("m/pom.xml").connectors.empty());
  CHECK_FALSE(project.read("m/pom.xml").problems.empty());
  project.repository.write("o/a/all/2/all-2.pom", "<project><modelVersion>4.0.0</modelVersion>" +
                                                      managing("2", "4.4.0") + "</project>");
  REQUIRE(project.read("m/pom.xml").connectors.size() == 1);
  CHECK(project.read("m/pom.xml").connectors[0].coordinate.version == "4.4.0");
}

TEST_CASE("relativePath names a file or a folder; empty means the repository") {
  Project project;
  project.write("m/pom.xml", parent("1", "<relativePath>../build</relativePath>") + kModule);
  project.write("build/pom.xml", managing("1", "4.1.0"));
  CHECK(project.read("m/pom.xml").connectors.size() == 1);
  project.write("m/pom.xml",
                parent("1", "<relativePath>../build/pom.xml</relativePath>") + kModule);
  CHECK(project.read("m/pom.xml").connectors.size() == 1);
  project.write("pom.xml", managing("1", "4.3.1"));
  project.write("m/pom.xml", parent("1", "<relativePath/>") + kModule);
  CHECK(project.read("m/pom.xml").connectors.empty());
}

TEST_CASE("a parent that is its own parent's child ends, a broken file is an error") {
  Project project;
  project.write("pom.xml", parent("1", "<relativePath>pom.xml</relativePath>") + kModule);
  CHECK(project.read("pom.xml").connectors.empty());
  RepositorySet repositories = project.repository.open();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  REQUIRE(base::write_file_atomically(project.folder.path() / "bad.xml", "<project>"));
  const auto bad = read_project(builder, project.folder.path() / "bad.xml", kContext);
  REQUIRE(!bad);
  CHECK(bad.error().code == ErrorCode::malformed);
  CHECK(bad.error().subject.ends_with("bad.xml"));
}
