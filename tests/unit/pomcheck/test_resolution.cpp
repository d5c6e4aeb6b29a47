// Rules of Maven 3's mediation on small graphs. What real graphs look like is compared with Maven
// itself in test_against_maven.cpp.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.hpp"
#include "pom_folder.hpp"
#include "pomcheck/resolution.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;
using tests::dependencies;
using tests::dependency;

namespace {

const RunContext kContext = RunContext::quiet();

struct Graph {
  explicit Graph(const tests::PomFolder& folder)
      : repositories(folder.open()),
        builder(repositories, pinned_environment("17", "linux").value()) {}

  Result<Resolution> resolve(const std::string& gav) {
    const Coordinate root = parse_coordinate(gav).value();
    return resolve_dependencies(builder, std::vector{root}, kContext);
  }

  // The tree without the requested root, one line a node.
  std::vector<std::string> tree(const std::string& gav) {
    auto lines = tree_lines(resolve(gav).value());
    lines.erase(lines.begin());
    return lines;
  }

  RepositorySet repositories;
  ModelBuilder builder;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("the nearest version wins, and of equally near ones the first") {
  tests::PomFolder folder;
  folder.add("t:root:1", dependencies(dependency("t:a:1") + dependency("t:b:1")));
  folder.add("t:a:1", dependencies(dependency("t:x:1")));
  folder.add("t:b:1", dependencies(dependency("t:x:2") + dependency("t:y:1")));
  folder.add("t:x:1", dependencies(dependency("t:y:9")));
  folder.add("t:x:2", "");
  folder.add("t:y:1", "");
  folder.add("t:y:9", "");
  Graph graph(folder);
  CHECK(graph.tree("t:root:1") == Lines{"\\- t:root:jar:1:compile", "   +- t:a:jar:1:compile",
                                        "   |  \\- t:x:jar:1:compile", "   \\- t:b:jar:1:compile",
                                        "      \\- t:y:jar:1:compile"});
  const Resolution resolution = graph.resolve("t:root:1").value();
  CHECK(resolution.complete());
  const auto why = why_lines(resolution, "t", "x");
  REQUIRE(why.size() == 2);
  CHECK(why[0].ends_with("t:a:jar:1 -> t:x:jar:1, scope compile"));
  CHECK(why[1].ends_with("t:b:jar:1 -> t:x:jar:2, left out: 1 is nearer"));
  CHECK(why_lines(resolution, "t", "nothing").empty());
}

TEST_CASE("scopes: test, provided and optional stop; runtime narrows; the widest way counts") {
  tests::PomFolder folder;
  folder.add("t:root:1",
             dependencies(dependency("t:a:1", "<scope>runtime</scope>") + dependency("t:b:1") +
                          dependency("t:p:1", "<scope>provided</scope>") +
                          dependency("t:q:1", "<scope>test</scope>") +
                          dependency("t:o:1", "<optional>true</optional>")));
  folder.add("t:a:1", dependencies(dependency("t:x:1") + dependency("t:y:1")));
  folder.add("t:b:1", dependencies(dependency("t:c:1")));
  folder.add("t:c:1", dependencies(dependency("t:y:1")));
  folder.add("t:x:1", "");
  folder.add("t:y:1", "");
  Graph graph(folder);
  CHECK(graph.tree("t:root:1") == Lines{"\\- t:root:jar:1:compile", "   +- t:a:jar:1:runtime",
                                        "   |  +- t:x:jar:1:runtime", "   |  \\- t:y:jar:1:compile",
                                        "   \\- t:b:jar:1:compile", "      \\- t:c:jar:1:compile"});
}

TEST_CASE("exclusions act on the path of the winner") {
  tests::PomFolder folder;
  const std::string no_x =
      "<exclusions><exclusion><groupId>t</groupId><artifactId>x</artifactId></exclusion></"
      "exclusions>";
  const std::string nothing =
      "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></"
      "exclusions>";
  folder.add("t:root:1", dependencies(dependency("t:a:1", no_x) + dependency("t:b:1", nothing)));
  folder.add("t:a:1", dependencies(dependency("t:c:1")));
  folder.add("t:b:1", dependencies(dependency("t:z:1")));
  folder.add("t:c:1", dependencies(dependency("t:x:1") + dependency("t:y:1")));
  folder.add("t:y:1", "");
  Graph graph(folder);
  CHECK(graph.tree("t:root:1") ==
        Lines{"\\- t:root:jar:1:compile", "   +- t:a:jar:1:compile", "   |  \\- t:c:jar:1:compile",
              "   |     \\- t:y:jar:1:compile", "   \\- t:b:jar:1:compile"});
  const auto why = why_lines(graph.resolve("t:root:1").value(), "t", "x");
  REQUIRE(why.size() == 1);
  CHECK(why[0].ends_with("left out: excluded by t:a:jar:1"));
}

TEST_CASE("the root's management applies from the second level on") {
  tests::PomFolder folder;
  folder.add("t:root:1", "<dependencyManagement>" +
                             dependencies(dependency("t:x:5") + dependency("t:a:7") +
                                          dependency("t:s:1", "<scope>test</scope>")) +
                             "</dependencyManagement>" + dependencies(dependency("t:a:1")));
  folder.add("t:a:1", dependencies(dependency("t:x:1") + dependency("t:s:1")));
  folder.add("t:x:5", "");
  folder.add("t:s:1", "");
  Graph graph(folder);
  const PomPtr root = graph.builder.build(parse_coordinate("t:root:1").value(), kContext).value();
  const Resolution resolution = resolve_project(graph.builder, root, kContext).value();
  CHECK(tree_lines(resolution) == Lines{"t:root:jar:1", "\\- t:a:jar:1:compile",
                                        "   +- t:x:jar:5:compile", "   \\- t:s:jar:1:test"});
  CHECK(why_lines(resolution, "t", "x").front().ends_with("version managed from 1"));
  // As somebody else's dependency the same POM's management does not count.
  CHECK(graph.tree("t:root:1")[2] == "      +- t:x:jar:1:compile");
}

// As Maven 3.9.16 has it with its default collector.
TEST_CASE("a range whose highest version has moved: the first new place, or what is higher") {
  tests::PomFolder folder;
  const auto moved = [](const std::string& version) {
    return "<distributionManagement><relocation><artifactId>y</artifactId><version>" + version +
           "</version></relocation></distributionManagement>";
  };
  folder.add("t:x:1", "");
  folder.add("t:x:2", "");
  folder.add("t:x:3", moved("3"));
  folder.add("t:x:4", moved("4"));
  folder.add_metadata("t:x", {"4", "1", "3", "2"});
  folder.add("t:z:1", "");
  folder.add("t:z:2", "");
  folder.add("t:z:3", moved("0.1"));
  folder.add_metadata("t:z", {"1", "2", "3"});
  for (const char* version : {"0.1", "3", "4"}) folder.add("t:y:" + std::string(version), "");
  folder.add("t:higher:1", dependencies(dependency("t:x:[1,4]")));
  folder.add("t:lower:1", dependencies(dependency("t:z:[1,3]")));
  Graph graph(folder);
  CHECK(graph.tree("t:higher:1").back() == "   \\- t:y:jar:3:compile");
  CHECK(graph.tree("t:lower:1").back() == "   \\- t:z:jar:2:compile");
  CHECK(graph.tree("t:lower:1").size() == 2);
}

TEST_CASE("a project that is among its own dependencies") {
  tests::PomFolder folder;
  folder.add("t:root:2", dependencies(dependency("t:a:1")));
  folder.add("t:a:1", dependencies(dependency("t:root:1")));
  folder.add("t:root:1", dependencies(dependency("t:a:2") + dependency("t:b:1")));
  folder.add("t:b:1", "");
  Graph graph(folder);
  const PomPtr root = graph.builder.build(parse_coordinate("t:root:2").value(), kContext).value();
  const Resolution resolution = resolve_project(graph.builder, root, kContext).value();
  CHECK(tree_lines(resolution) == Lines{"t:root:jar:2", "\\- t:a:jar:1:compile",
                                        "   \\- t:root:jar:1:compile",
                                        "      \\- t:b:jar:1:compile"});
}

TEST_CASE("relocations are followed, also through several moves") {
  tests::PomFolder folder;
  folder.add("t:root:1", dependencies(dependency("old:x:1") + dependency("t:b:1")));
  folder.add("t:b:1", dependencies(dependency("mid:x:1")));
  const auto moved = [](const std::string& to) {
    return "<distributionManagement><relocation><groupId>" + to +
           "</groupId></relocation></distributionManagement>";
  };
  folder.add("old:x:1", moved("mid"));
  folder.add("mid:x:1", moved("new"));
  folder.add("new:x:1", dependencies(dependency("t:y:1")));
  folder.add("t:y:1", "");
  Graph graph(folder);
  CHECK(graph.tree("t:root:1") == Lines{"\\- t:root:jar:1:compile", "   +- new:x:jar:1:compile",
                                        "   |  \\- t:y:jar:1:compile", "   \\- t:b:jar:1:compile"});
}

TEST_CASE("ranges choose the highest version and are hard constraints") {
  tests::PomFolder folder;
  folder.add("t:root:1", dependencies(dependency("t:a:1") + dependency("t:b:1")));
  folder.add("t:a:1", dependencies(dependency("t:x:3")));
  folder.add("t:b:1", dependencies(dependency("t:c:1")));
  folder.add("t:c:1", dependencies(dependency("t:x:[1,2]")));
  for (const char* version : {"1", "2", "3"}) folder.add(std::string("t:x:") + version, "");
  folder.write("t/x/maven-metadata.xml",
               "<metadata><versioning><versions><version>1</version><version>2</version>"
               "<version>3</version></versions></versioning></metadata>");
  Graph graph(folder);
  const Lines tree = graph.tree("t:root:1");
  CHECK(std::count_if(tree.begin(), tree.end(), [](const std::string& line) {
          return line.ends_with("t:x:jar:2:compile");
        }) == 1);
  CHECK(std::none_of(tree.begin(), tree.end(), [](const std::string& line) {
    return line.find("t:x:jar:3") != std::string::npos;
  }));
}

// Maven 3.8.7's dependency:tree prints the same for all of them.
TEST_CASE("a version that a range further away forbids") {
  tests::PomFolder folder;
  folder.add("t:a:1", dependencies(dependency("t:x:3")));
  folder.add("t:b:1", dependencies(dependency("t:c:1", "<scope>runtime</scope>")));
  folder.add("t:c:1", dependencies(dependency("t:x:[1,2]")));
  for (const char* version : {"1", "2", "3"}) folder.add(std::string("t:x:") + version, "");
  folder.add_metadata("t:x", {"1", "2", "3"});
  Graph graph(folder);
  const auto tree_of = [&](const std::vector<std::string>& wanted) {
    std::vector<Coordinate> dependencies;
    for (const std::string& gav : wanted) {
      const std::size_t colon = gav.rfind(':');  // a range is no version that a user may give
      dependencies.push_back(parse_coordinate(gav.substr(0, colon) + ":0").value());
      dependencies.back().version = gav.substr(colon + 1);
    }
    auto lines = tree_lines(resolve_dependencies(graph.builder, dependencies, kContext).value());
    lines.erase(lines.begin());
    return lines;
  };
  // A direct dependency keeps its place and scope and takes the version that was found.
  CHECK(tree_of({"t:x:3", "t:b:1"}) ==
        Lines{"+- t:x:jar:2:compile", "\\- t:b:jar:1:compile", "   \\- t:c:jar:1:runtime"});
  // Deeper, the winner stands where it is; its scope is the widest of all ways, the losing one too.
  CHECK(tree_of({"t:a:1", "t:b:1"}) == Lines{"+- t:a:jar:1:compile", "\\- t:b:jar:1:compile",
                                             "   \\- t:c:jar:1:runtime",
                                             "      \\- t:x:jar:2:compile"});
  // Ranges that leave no listed version: a plain one that lies in all of them wins.
  folder.add("t:d:1", dependencies(dependency("t:x:2.5") + dependency("t:e:1")));
  folder.add("t:e:1", dependencies(dependency("t:x:(,3)")));
  folder.add("t:x:2.5", "");
  CHECK(tree_of({"t:x:(2,)", "t:d:1"}) ==
        Lines{"+- t:x:jar:2.5:compile", "\\- t:d:jar:1:compile", "   \\- t:e:jar:1:compile"});
  // What stands below an artifact has no say in its own version.
  folder.add("t:self:2", dependencies(dependency("t:y:1")));
  folder.add("t:y:1", dependencies(dependency("t:self:[1]")));
  folder.add_metadata("t:self", {"1", "2"});
  CHECK(tree_of({"t:self:2"}) == Lines{"\\- t:self:jar:2:compile", "   \\- t:y:jar:1:compile"});
}

TEST_CASE("a range that nothing satisfies is a problem, not a guess") {
  tests::PomFolder folder;
  folder.add("t:root:1", dependencies(dependency("t:x:[5,)")));
  folder.write("t/x/maven-metadata.xml",
               "<metadata><versioning><versions><version>1</version></versions></versioning>"
               "</metadata>");
  Graph graph(folder);
  const Resolution resolution = graph.resolve("t:root:1").value();
  REQUIRE(resolution.problems.size() == 1);
  CHECK(resolution.problems[0].code == ErrorCode::not_found);
  CHECK(!resolution.complete());
}

TEST_CASE("cycles end, missing POMs are said") {
  tests::PomFolder folder;
  folder.add("t:root:1", dependencies(dependency("t:a:1")));
  folder.add("t:a:1", dependencies(dependency("t:b:1")));
  folder.add("t:b:1", dependencies(dependency("t:a:1") + dependency("t:gone:1")));
  Graph graph(folder);
  const Resolution resolution = graph.resolve("t:root:1").value();
  CHECK(resolution.nodes.size() == 5);
  CHECK(!resolution.complete());
  CHECK(resolution.nodes[4].pom_problem->code == ErrorCode::not_found);
  CHECK(why_lines(resolution, "t", "a").back().ends_with("left out: it would be its own ancestor"));
}

TEST_CASE("a test-jar and a jar classified tests are one artifact") {
  tests::PomFolder folder;
  folder.add("t:root:1",
             dependencies(dependency("t:a:1", "<type>test-jar</type>") + dependency("t:b:1")));
  folder.add("t:a:1", "");
  folder.add("t:b:1", dependencies(dependency("t:a:2", "<classifier>tests</classifier>")));
  Graph graph(folder);
  CHECK(graph.tree("t:root:1") == Lines{"\\- t:root:jar:1:compile",
                                        "   +- t:a:test-jar:tests:1:compile",
                                        "   \\- t:b:jar:1:compile"});
}

TEST_CASE("class path and files, also of a snapshot") {
  tests::PomFolder folder;
  folder.add("t:root:1",
             dependencies(dependency("t:a:1-SNAPSHOT") + dependency("t:p:1", "<type>pom</type>")));
  folder.write("t/a/1-SNAPSHOT/maven-metadata.xml",
               "<metadata><versioning><snapshot><timestamp>20260714.010203</timestamp>"
               "<buildNumber>7</buildNumber></snapshot><snapshotVersions><snapshotVersion>"
               "<extension>pom</extension><value>1-20260714.010203-7</value></snapshotVersion>"
               "<snapshotVersion><extension>jar</extension><value>1-20260714.010203-7</value>"
               "</snapshotVersion></snapshotVersions></versioning></metadata>");
  folder.write("t/a/1-SNAPSHOT/a-1-20260714.010203-7.pom",
               "<project><modelVersion>4.0.0</modelVersion><groupId>t</groupId>"
               "<artifactId>a</artifactId><version>1-SNAPSHOT</version></project>");
  Graph graph(folder);
  const Resolution resolution = graph.resolve("t:root:1").value();
  const auto artifacts = runtime_artifacts(resolution);
  REQUIRE(artifacts.size() == 2);
  CHECK(artifacts[1].to_string() == "t:a:1-SNAPSHOT");
  CHECK(newest_file_path(graph.repositories, artifacts[1], kContext) ==
        "t/a/1-SNAPSHOT/a-1-20260714.010203-7.jar");
  CHECK(!resolution.nodes[2].pom_problem);
  const auto files = download(graph.builder, artifacts, kContext);
  CHECK(files[0].file.error().code == ErrorCode::not_found);
}

TEST_CASE("a graph without end is refused") {
  tests::PomFolder folder;
  std::string many;
  for (int i = 0; i < 19'999; ++i) many += dependency("t:x" + std::to_string(i) + ":1");
  folder.add("t:root:1", dependencies(many));
  Graph graph(folder);
  const auto resolution = graph.resolve("t:root:1");
  CHECK((!resolution || resolution->nodes.size() <= 20'002));
}
