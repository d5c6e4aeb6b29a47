// Jars as they are published: manifests and names are those of the real files.
#include <doctest/doctest.h>

#include "pom_folder.hpp"
#include "pomcheck/compatibility.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

const RunContext kContext = RunContext::quiet();

EmbeddedFile properties(const std::string& group, const std::string& artifact,
                        const std::string& version) {
  return {"META-INF/maven/" + group + "/" + artifact + "/pom.properties",
          "#Generated\r\nversion=" + version + "\ngroupId=" + group + "\nartifactId = " + artifact +
              "\n"};
}

std::string coordinate_of(const JarContent& jar) {
  return identify_jar(jar).coordinate.to_string();
}

std::vector<std::string> texts(const std::vector<SparkVersion>& versions) {
  std::vector<std::string> list;
  for (const SparkVersion& version : versions) list.push_back(version.text);
  return list;
}

PomVerdict verdict_of(const JarContent& jar, const tests::PomFolder& folder,
                      const std::string& target) {
  RepositorySet repositories = folder.open();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  const JarIdentity identity = identify_jar(jar);
  const std::vector<PomSubject> subjects = {{jar.file_name, identity.coordinate, identity}};
  return check_poms(builder, subjects, std::optional(parse_spark_version(target).value()), kContext)
      .front();
}

}  // namespace

TEST_CASE("a coordinate by pom.properties: the one that the file is named by, or the only one") {
  JarContent shaded;
  shaded.file_name = "my-connector_2.13-1.4.jar";
  shaded.maven = {properties("io.netty", "netty-codec", "4.1.100"),
                  properties("org.acme", "my-connector_2.13", "1.4"),
                  properties("com.google.guava", "guava", "33")};
  CHECK(coordinate_of(shaded) == "org.acme:my-connector_2.13:1.4");
  shaded.file_name = "my-connector_2.13-1.4-shaded.jar";
  CHECK(coordinate_of(shaded) == "org.acme:my-connector_2.13:1.4");
  // Renamed, and several are inside: no guess.
  shaded.file_name = "connector.jar";
  CHECK_FALSE(identify_jar(shaded).complete());
  shaded.maven = {properties("org.acme", "my-connector_2.13", "1.4")};
  CHECK(coordinate_of(shaded) == "org.acme:my-connector_2.13:1.4");
  shaded.maven = {properties("../etc", "x", "1")};
  CHECK_FALSE(identify_jar(shaded).complete());
}

TEST_CASE("a coordinate by the manifest and the naming table") {
  JarContent elastic;
  elastic.file_name = "elasticsearch-spark-30_2.13-9.3.2.jar";
  elastic.manifest =
      "Manifest-Version: 1.0\r\nImplementation-Title: elasticsearch-spark-30\r\n"
      "Implementation-Version: 9.3.2\r\nImplementation-Vendor-Id: org.elasticsearch.hadoop\r\n\r\n";
  CHECK(coordinate_of(elastic) == "org.elasticsearch:elasticsearch-spark-30_2.13:9.3.2");
  JarContent iceberg;
  iceberg.file_name = "iceberg-spark-runtime-4.1_2.13-1.11.0.jar";
  iceberg.manifest = "Manifest-Version: 1.0\n";
  CHECK(coordinate_of(iceberg) == "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0");
  JarContent lance;
  lance.file_name = "lance-spark-bundle-3.5_2.12-0.4.0.jar";
  CHECK(coordinate_of(lance) == "org.lance:lance-spark-bundle-3.5_2.12:0.4.0");
  JarContent own;
  own.file_name = "own_2.13-1.0.jar";
  own.manifest =
      "Implementation-Title: own\nImplementation-Version: 1.0\n"
      "Implementation-Vendor-Id: org.a\n cme\n";
  CHECK(coordinate_of(own) == "org.acme:own_2.13:1.0");
  // The manifest speaks of another version than the name: only the name's parts are known.
  own.file_name = "own_2.13-1.1.jar";
  CHECK_FALSE(identify_jar(own).complete());
  CHECK(identify_jar(own).coordinate.artifact == "own_2.13");
}

TEST_CASE("folders for Spark releases, and what only looks like one") {
  JarContent rapids;
  rapids.file_name = "rapids-4-spark_2.13-26.04.0.jar";
  rapids.entries = {"spark411/com/nvidia/A.class",
                    "spark330db/com/nvidia/A.class",
                    "spark356/com/nvidia/A.class",
                    "spark-shared/com/nvidia/A.class",
                    "spark3510/x.class",
                    "spark34xx1/x.class",
                    "META-INF/spark999/x",
                    "com/nvidia/spark411/B.class",
                    "spark411"};
  const JarIdentity identity = identify_jar(rapids);
  CHECK(texts(identity.shims) == std::vector<std::string>{"3.3.0-db", "3.5.6", "3.5.10", "4.1.1"});
  CHECK(identity.hints.empty());
  tests::PomFolder folder;
  CHECK(verdict_of(rapids, folder, "4.1.1").tier == Tier::same_patch);
  CHECK(verdict_of(rapids, folder, "4.1.2").tier == Tier::same_minor);
  CHECK(verdict_of(rapids, folder, "3.5.6").tier == Tier::same_patch);
  CHECK(verdict_of(rapids, folder, "4.2.0").tier == Tier::other_minor);
  CHECK(verdict_of(rapids, folder, "3.3.0").tier == Tier::other_minor);
  CHECK(verdict_of(rapids, folder, "4.1.1").built.kind == EvidenceKind::jar_content);
  CHECK(verdict_of(rapids, folder, "4.2.0").summary ==
        "holds builds for Spark 3.3.0-db, 3.5.6 and 2 more (jar content), target 4.2.0: other "
        "minor");
}

TEST_CASE("the folders count more than the POM, packages and manifest less than it") {
  tests::PomFolder folder;
  folder.add("org.acme:own_2.13:1.0",
             tests::dependencies(tests::dependency("org.apache.spark:spark-sql_2.13:3.5.0",
                                                   "<scope>provided</scope>")));
  JarContent jar;
  jar.file_name = "own_2.13-1.0.jar";
  jar.maven = {properties("org.acme", "own_2.13", "1.0")};
  jar.entries = {"org/acme/spark_4_0/A.class"};
  CHECK(verdict_of(jar, folder, "3.5.0").tier == Tier::same_patch);
  CHECK(verdict_of(jar, folder, "3.5.0").built.kind == EvidenceKind::literal);
  jar.entries = {"spark401/A.class"};
  CHECK(verdict_of(jar, folder, "4.0.1").tier == Tier::same_patch);
  CHECK(verdict_of(jar, folder, "4.0.1").built.version->text == "4.0.1");

  // Without a POM they are all that there is.
  const tests::PomFolder empty;
  jar.entries = {"org/acme/spark_4_0/A.class"};
  const PomVerdict alone = verdict_of(jar, empty, "4.0.1");
  CHECK(alone.tier == Tier::same_minor);
  CHECK(alone.built.kind == EvidenceKind::jar_content);
  CHECK(alone.findings.empty());
  jar.entries = {"org/acme/spark3/A.class", "org/acme/sparkling/A.class"};
  CHECK(verdict_of(jar, empty, "4.0.1").findings.front().check_id == "RG2103");
  jar.manifest = "Manifest-Version: 1.0\nSpark-Version: 4.0.1\n";
  CHECK(verdict_of(jar, empty, "4.0.1").tier == Tier::same_patch);
}

TEST_CASE("the jar's own pom.xml serves where no repository has it") {
  const tests::PomFolder empty;
  JarContent jar;
  jar.file_name = "own-1.0.jar";
  jar.maven = {properties("org.acme", "own", "1.0"),
               {"META-INF/maven/org.acme/own/pom.xml",
                "<project><modelVersion>4.0.0</modelVersion><groupId>org.acme</groupId>"
                "<artifactId>own</artifactId><version>1.0</version>" +
                    tests::dependencies(tests::dependency("org.apache.spark:spark-sql_2.13:4.1.1",
                                                          "<scope>provided</scope>")) +
                    "</project>"}};
  const PomVerdict verdict = verdict_of(jar, empty, "4.1.1");
  CHECK(verdict.tier == Tier::same_patch);
  CHECK(verdict.built.kind == EvidenceKind::literal);
  CHECK(verdict.label == "own-1.0.jar");
  jar.maven[1].text = "not xml";
  CHECK(verdict_of(jar, empty, "4.1.1").findings.front().check_id == "RG2103");
}
