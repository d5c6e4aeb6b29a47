#include "pomcheck/naming_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace rowgate::pomcheck {
namespace {

using enum LineIn;

constexpr std::array kFamilies = {
    Family{"avro", "Spark Avro"},
    Family{"bigquery", "BigQuery connector"},
    Family{"cassandra", "Cassandra connector"},
    Family{"clickhouse", "ClickHouse connector"},
    Family{"comet", "DataFusion Comet"},
    Family{"deequ", "Deequ"},
    Family{"delta", "Delta Lake"},
    Family{"doris", "Doris connector"},
    Family{"elasticsearch", "Elasticsearch connector"},
    Family{"excel", "Spark Excel"},
    Family{"graphframes", "GraphFrames"},
    Family{"hudi", "Apache Hudi"},
    Family{"iceberg", "Apache Iceberg"},
    Family{"kafka", "Spark Kafka source"},
    Family{"lance", "Lance"},
    Family{"mongodb", "MongoDB connector"},
    Family{"neo4j", "Neo4j connector"},
    Family{"nessie", "Nessie extensions"},
    Family{"openlineage", "OpenLineage"},
    Family{"opensearch", "OpenSearch connector"},
    Family{"paimon", "Apache Paimon"},
    Family{"redis", "Spark Redis"},
    Family{"sedona", "Apache Sedona"},
    Family{"singlestore", "SingleStore connector"},
    Family{"snowflake", "Snowflake connector"},
    Family{"starrocks", "StarRocks connector"},
    Family{"unitycatalog", "Unity Catalog"},
    Family{"xgboost", "XGBoost4J-Spark"},
};

// One row a scheme. `listed` schemes make the table of `advise` without arguments: table formats,
// and the connectors that most jobs name.
constexpr std::array kSchemes = {
    NamingScheme{"delta", "io.delta", "delta-spark_{spark}_{scala}", "{own}", artifact, true},
    NamingScheme{"delta", "io.delta", "delta-spark_{scala}", "{own}", pom, true},
    NamingScheme{"delta", "io.delta", "delta-core_{scala}", "{own}", pom, false},
    NamingScheme{"iceberg", "org.apache.iceberg", "iceberg-spark-runtime-{spark}_{scala}", "{own}",
                 artifact, true},
    NamingScheme{"iceberg", "org.apache.iceberg", "iceberg-spark-{spark}_{scala}", "{own}",
                 artifact, false},
    NamingScheme{"iceberg", "org.apache.iceberg", "iceberg-spark-extensions-{spark}_{scala}",
                 "{own}", artifact, false},
    NamingScheme{"hudi", "org.apache.hudi", "hudi-spark{spark}-bundle_{scala}", "{own}", artifact,
                 true},
    NamingScheme{"paimon", "org.apache.paimon", "paimon-spark-{spark}_{scala}", "{own}", artifact,
                 true},
    NamingScheme{"paimon", "org.apache.paimon", "paimon-spark-{spark}", "{own}", artifact, true},
    NamingScheme{"lance", "org.lance", "lance-spark-bundle-{spark}_{scala}", "{own}", artifact,
                 true},
    NamingScheme{"lance", "org.lance", "lance-spark-{spark}_{scala}", "{own}", artifact, true},
    NamingScheme{"lance", "org.lance", "lance-spark-base_{scala}", "{own}", pom, true},
    // Until 0.1 the group was com.lancedb.
    NamingScheme{"lance", "com.lancedb", "lance-spark-bundle-{spark}_{scala}", "{own}", artifact,
                 false},
    NamingScheme{"lance", "com.lancedb", "lance-spark-{spark}_{scala}", "{own}", artifact, false},
    NamingScheme{"lance", "com.lancedb", "lance-spark-base_{scala}", "{own}", pom, false},
    NamingScheme{"cassandra", "com.datastax.spark", "spark-cassandra-connector_{scala}", "{own}",
                 pom, true},
    NamingScheme{"cassandra", "com.datastax.spark", "spark-cassandra-connector-assembly_{scala}",
                 "{own}", pom, false},
    NamingScheme{"mongodb", "org.mongodb.spark", "mongo-spark-connector_{scala}", "{own}", pom,
                 true},
    NamingScheme{"bigquery", "com.google.cloud.spark", "spark-{spark}-bigquery", "{own}", artifact,
                 true},
    NamingScheme{"bigquery", "com.google.cloud.spark", "spark-bigquery-with-dependencies_{scala}",
                 "{own}", pom, false},
    NamingScheme{"snowflake", "net.snowflake", "spark-snowflake_{scala}", "{own}", pom, true},
    NamingScheme{"snowflake", "net.snowflake", "spark-snowflake_{scala}", "{own}-spark_{spark}",
                 version, true},
    NamingScheme{"elasticsearch", "org.elasticsearch", "elasticsearch-spark-30_{scala}", "{own}",
                 pom, true},
    NamingScheme{"opensearch", "org.opensearch.client", "opensearch-spark-30_{scala}", "{own}", pom,
                 false},
    NamingScheme{"kafka", "org.apache.spark", "spark-sql-kafka-0-10_{scala}", "{spark}",
                 spark_version, true},
    NamingScheme{"avro", "org.apache.spark", "spark-avro_{scala}", "{spark}", spark_version, true},
    NamingScheme{"doris", "org.apache.doris", "spark-doris-connector-spark-{spark}", "{own}",
                 artifact, false},
    NamingScheme{"starrocks", "com.starrocks", "starrocks-spark-connector-{spark}_{scala}", "{own}",
                 artifact, false},
    NamingScheme{"clickhouse", "com.clickhouse.spark", "clickhouse-spark-runtime-{spark}_{scala}",
                 "{own}", artifact, false},
    NamingScheme{"nessie", "org.projectnessie.nessie-integrations",
                 "nessie-spark-extensions-{spark}_{scala}", "{own}", artifact, false},
    NamingScheme{"comet", "org.apache.datafusion", "comet-spark-spark{spark}_{scala}", "{own}",
                 artifact, false},
    NamingScheme{"sedona", "org.apache.sedona", "sedona-spark-shaded-{spark}_{scala}", "{own}",
                 artifact, false},
    NamingScheme{"sedona", "org.apache.sedona", "sedona-spark-{spark}_{scala}", "{own}", artifact,
                 false},
    NamingScheme{"neo4j", "org.neo4j", "neo4j-connector-apache-spark_{scala}", "{own}", pom, false},
    NamingScheme{"excel", "dev.mauch", "spark-excel_{scala}", "{spark}.*_{own}", version, false},
    NamingScheme{"excel", "com.crealytics", "spark-excel_{scala}", "{spark}.*_{own}", version,
                 false},
    NamingScheme{"deequ", "com.amazon.deequ", "deequ", "{own}-spark-{spark}", version, false},
    NamingScheme{"singlestore", "com.singlestore", "singlestore-spark-connector_{scala}",
                 "{own}-spark-{spark}.*", version, false},
    NamingScheme{"graphframes", "graphframes", "graphframes", "{own}-spark{spark}-s_{scala}",
                 version, false},
    NamingScheme{"openlineage", "io.openlineage", "openlineage-spark_{scala}", "{own}", pom, false},
    NamingScheme{"redis", "com.redislabs", "spark-redis_{scala}", "{own}", pom, false},
    NamingScheme{"unitycatalog", "io.unitycatalog", "unitycatalog-spark_{scala}", "{own}", pom,
                 false},
    NamingScheme{"xgboost", "ml.dmlc", "xgboost4j-spark_{scala}", "{own}", pom, false},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Takes "12.34" off the front.
bool take_dotted(std::string_view& text) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0 || at + 1 >= text.size() || text[at] != '.' || !is_digit(text[at + 1])) return false;
  ++at;
  while (at < text.size() && is_digit(text[at])) ++at;
  text.remove_prefix(at);
  return true;
}

bool fits(std::string_view pattern, std::string_view text) {
  while (!pattern.empty()) {
    if (pattern.starts_with("{spark}") || pattern.starts_with("{scala}")) {
      if (!take_dotted(text)) return false;
      pattern.remove_prefix(7);
    } else {
      if (text.empty() || text.front() != pattern.front()) return false;
      text.remove_prefix(1);
      pattern.remove_prefix(1);
    }
  }
  return text.empty();
}

void replace(std::string& text, std::string_view what, std::string_view with) {
  if (const std::size_t at = text.find(what); at != std::string::npos)
    text.replace(at, what.size(), with);
}

}  // namespace

std::span<const Family> connector_families() {
  return kFamilies;
}
std::span<const NamingScheme> naming_schemes() {
  return kSchemes;
}

const Family* find_family(std::string_view id) {
  const auto* found = std::find_if(kFamilies.begin(), kFamilies.end(),
                                   [&](const Family& family) { return family.id == id; });
  return found == kFamilies.end() ? nullptr : found;
}

const NamingScheme* find_scheme(const Coordinate& coordinate) {
  const auto* found =
      std::find_if(kSchemes.begin(), kSchemes.end(), [&](const NamingScheme& scheme) {
        return scheme.group == coordinate.group && fits(scheme.artifact, coordinate.artifact);
      });
  return found == kSchemes.end() ? nullptr : found;
}

std::string fill_template(std::string_view text, SparkMinor line, std::string_view scala) {
  std::string filled(text);
  replace(filled, "{spark}", line.to_string());
  replace(filled, "{scala}", scala);
  return filled;
}

}  // namespace rowgate::pomcheck
