// Advice from repositories that hold what each case needs; the naming schemes are those of the
// real connectors, the rows of "Which version for which Spark" being what Maven Central served.
#include <doctest/doctest.h>

#include "pom_folder.hpp"
#include "pomcheck/advice.hpp"
#include "pomcheck/repository_unavailable.hpp"

using namespace rowgate;
using namespace rowgate::pomcheck;

namespace {

const RunContext kContext = RunContext::quiet();

class Shelf {
 public:
  tests::PomFolder folder;
  std::vector<std::shared_ptr<Repository>> further;

  // "g:a" with versions, each with the Spark that its POM names ("" for none).
  void put(const std::string& artifact,
           const std::vector<std::pair<std::string, std::string>>& versions) {
    std::vector<std::string> list;
    for (const auto& [version, spark] : versions) {
      list.push_back(version);
      folder.add(artifact + ":" + version,
                 spark.empty()
                     ? ""
                     : tests::dependencies(tests::dependency(
                           "org.apache.spark:spark-sql_2.13:" + spark, "<scope>provided</scope>")));
    }
    folder.add_metadata(artifact, list);
  }

  Advice ask(const std::string& subject, SparkMinor line,
             Prereleases prereleases = Prereleases::skip) const {
    RepositorySet repositories = folder.open(further);
    ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
    return advise(builder, AdviceSubject::parse(subject).value(), line, prereleases, kContext);
  }
  std::string best(const std::string& subject, SparkMinor line,
                   Prereleases prereleases = Prereleases::skip) const {
    const Advice advice = ask(subject, line, prereleases);
    return advice.best() == nullptr ? "" : advice.best()->artifact.to_string();
  }
  Migration move(const std::string& subject, SparkMinor from, SparkMinor to) const {
    RepositorySet repositories = folder.open(further);
    ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
    return plan_migration(builder, AdviceSubject::parse(subject).value(), from, to,
                          Prereleases::skip, kContext);
  }
};

Shelf delta() {
  Shelf shelf;
  shelf.put("io.delta:delta-spark_2.12", {{"3.3.2", "3.5.3"}, {"3.3.3", "3.5.6"}});
  shelf.put("io.delta:delta-spark_2.13", {{"3.3.3", "3.5.6"},
                                          {"4.0.0", "4.0.0"},
                                          {"4.0.1", "4.0.1"},
                                          {"4.1.0", "4.1.0"},
                                          {"4.2.0", "4.1.0"},
                                          {"4.3.1", "4.1.0"},
                                          {"4.4.0", "4.2.0"}});
  shelf.put("io.delta:delta-spark_4.2_2.13", {{"4.4.0", "4.2.0"}});
  return shelf;
}

}  // namespace

TEST_CASE("an unsuffixed artifact moves from line to line with its version") {
  const Shelf shelf = delta();
  CHECK(shelf.best("delta", {4, 2}) == "io.delta:delta-spark_4.2_2.13:4.4.0");
  CHECK(shelf.best("delta", {4, 1}) == "io.delta:delta-spark_2.13:4.3.1");
  CHECK(shelf.best("delta", {4, 0}) == "io.delta:delta-spark_2.13:4.0.1");
  CHECK(shelf.best("io.delta:delta-spark_2.13:4.3.1", {4, 2}) ==
        "io.delta:delta-spark_4.2_2.13:4.4.0");
  CHECK(shelf.best("io.delta:delta-spark_2.12:3.3.2", {3, 5}) == "io.delta:delta-spark_2.12:3.3.3");
}

TEST_CASE("a POM that says more than the name decides") {
  Shelf shelf;
  shelf.put("org.apache.iceberg:iceberg-spark-runtime-4.2_2.13", {{"1.12.0", "4.1.0"}});
  CHECK(shelf.best("iceberg", {4, 2}).empty());
  CHECK(shelf.ask("iceberg", {4, 2}).presence() == Presence::absent);
  // An older version of the same name whose POM agrees.
  shelf.put("org.apache.iceberg:iceberg-spark-runtime-4.2_2.13",
            {{"1.11.0", "4.2.0"}, {"1.12.0", "4.1.0"}});
  CHECK(shelf.best("iceberg", {4, 2}) ==
        "org.apache.iceberg:iceberg-spark-runtime-4.2_2.13:1.11.0");
  // POMs that say nothing leave it to the name.
  shelf.put("org.apache.iceberg:iceberg-spark-runtime-4.1_2.13", {{"1.12.0", ""}});
  const Advice advice = shelf.ask("iceberg", {4, 1});
  REQUIRE(advice.best() != nullptr);
  CHECK(advice.best()->evidence == "name");
}

TEST_CASE("previews and candidates are taken only when asked for") {
  Shelf shelf = delta();
  shelf.put("io.delta:delta-spark_4.3_2.13", {{"4.5.0-preview1", "4.3.0"}, {"4.5.0rc1", "4.3.0"}});
  CHECK(shelf.best("delta", {4, 3}).empty());
  CHECK(shelf.best("delta", {4, 3}, Prereleases::take) == "io.delta:delta-spark_4.3_2.13:4.5.0rc1");
  CHECK(newest_first({"4.5.0-preview1", "4.4.9", "4.5.0", "4.5.0-rc2", "4.5.0-SNAPSHOT",
                      "4.5.0-alpha-1", "4.5.1-M1", "1.2-spark-3.5", "2.0-mapr"},
                     Prereleases::take) ==
        std::vector<std::string>{"4.5.1-M1", "4.5.0", "4.5.0-rc2", "4.5.0-preview1",
                                 "4.5.0-alpha-1", "4.5.0-SNAPSHOT", "4.4.9", "2.0-mapr",
                                 "1.2-spark-3.5"});
  CHECK(newest_first({"1.0-rc1", "1.0.m3", "1.0", "1.0-marc4", "1.0.dev1"}, Prereleases::skip) ==
        std::vector<std::string>{"1.0-marc4", "1.0"});
}

TEST_CASE("the line in the version, around the connector's own") {
  Shelf shelf;
  shelf.put("net.snowflake:spark-snowflake_2.13",
            {{"2.16.0-spark_3.4", "3.4.0"}, {"2.16.0-spark_3.3", "3.3.0"}, {"3.0.0", "3.5.0"}});
  CHECK(shelf.best("snowflake", {3, 4}) == "net.snowflake:spark-snowflake_2.13:2.16.0-spark_3.4");
  CHECK(shelf.best("snowflake", {3, 5}) == "net.snowflake:spark-snowflake_2.13:3.0.0");
}

TEST_CASE("a renamed group is found from the old name") {
  Shelf shelf;
  shelf.put("com.lancedb:lance-spark-bundle-3.5_2.12", {{"0.0.15", "3.5.0"}});
  shelf.put("org.lance:lance-spark-bundle-4.0_2.13", {{"0.4.0", "4.0.0"}});
  CHECK(shelf.best("com.lancedb:lance-spark-bundle-3.5_2.12:0.0.15", {4, 0}) ==
        "org.lance:lance-spark-bundle-4.0_2.13:0.4.0");
  const Migration move =
      shelf.move("com.lancedb:lance-spark-bundle-3.5_2.12:0.0.15", {3, 5}, {4, 0});
  CHECK(move.changes == std::vector<std::string>{"group com.lancedb -> org.lance",
                                                 "Scala 2.12 -> 2.13: rebuild your own code for it",
                                                 "Java 8 -> 17 or newer"});
}

TEST_CASE("not in a repository, no such version, cannot tell: three different words") {
  Shelf shelf = delta();
  CHECK(shelf.ask("hudi", {4, 2}).presence() == Presence::absent);
  CHECK(shelf.ask("hudi", {4, 2}).summary() ==
        "org.apache.hudi:hudi-spark4.2-bundle_2.13 not in test");
  const Advice no_version = shelf.ask("io.delta:delta-spark_2.13", {4, 3});
  CHECK(no_version.presence() == Presence::absent);
  CHECK(no_version.summary() ==
        "io.delta:delta-spark_2.13: its line moves with its version: 4.4.0 is for Spark 4.2");
  shelf.further = {unavailable_repository(
      "acme", Error{ErrorCode::network, "HTTP 503", {}, std::nullopt, "try again later"})};
  CHECK(shelf.ask("hudi", {4, 2}).presence() == Presence::undecided);
  CHECK(shelf.ask("hudi", {4, 2}).summary().starts_with("cannot tell: "));
  // What the one repository has is an answer.
  CHECK(shelf.best("delta", {4, 2}) == "io.delta:delta-spark_4.2_2.13:4.4.0");
}

TEST_CASE("a migration says what changes besides the version") {
  const Shelf shelf = delta();
  const Migration move = shelf.move("delta", {3, 5}, {4, 2});
  CHECK(move.from == "io.delta:delta-spark_2.12:3.3.3");
  REQUIRE(move.to.best() != nullptr);
  CHECK(move.to.best()->artifact.to_string() == "io.delta:delta-spark_4.2_2.13:4.4.0");
  CHECK(move.changes == std::vector<std::string>{"Scala 2.12 -> 2.13: rebuild your own code for it",
                                                 "Java 8 -> 17 or newer"});
  CHECK(shelf.move("delta", {4, 1}, {4, 2}).changes.empty());
}

TEST_CASE("the table asks for everything in few waves and answers as one by one") {
  const Shelf shelf = delta();
  RepositorySet repositories = shelf.folder.open();
  ModelBuilder builder(repositories, pinned_environment("17", "linux").value());
  const auto subjects = listed_subjects();
  CHECK(subjects.size() >= 10);
  const std::vector<SparkMinor> lines = {{3, 5}, {4, 2}};
  const auto table = advise_table(builder, subjects, lines, Prereleases::skip, kContext);
  REQUIRE(table.size() == subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    INFO(subjects[i].title);
    CHECK(table[i][1].summary() == shelf.ask(subjects[i].family, lines[1]).summary());
  }
}

TEST_CASE("what a user may ask about") {
  CHECK(AdviceSubject::parse("Delta").value().title == "Delta Lake");
  CHECK(AdviceSubject::parse("io.delta:delta-spark_2.13").value().family == "delta");
  const auto typo = AdviceSubject::parse("icebreg");
  REQUIRE(!typo);
  CHECK(typo.error().remedy == "did you mean iceberg?");
  CHECK(!AdviceSubject::parse("a:b:c:d:e:f"));
}
