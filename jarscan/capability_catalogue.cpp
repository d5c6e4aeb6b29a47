#include "jarscan/capability_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <string>

namespace rowgate::jarscan {
namespace {

using enum CapabilityGroup;

#define ROWGATE_CATALOG "org/apache/spark/sql/connector/catalog/"
#define ROWGATE_WRITE "org/apache/spark/sql/connector/write/"
#define ROWGATE_READ "org/apache/spark/sql/connector/read/"
#define ROWGATE_SOURCES "org/apache/spark/sql/sources/"

constexpr Capability kCatalogue[] = {
    {"Table", ROWGATE_CATALOG "Table", table,
     "a data source v2 table: what every other table row adds to", ""},
    {"SupportsRowLevelOperations", ROWGATE_CATALOG "SupportsRowLevelOperations", table,
     "Spark's own DELETE, UPDATE and MERGE; Auto CDC accepts no target without it", "Table"},
    {"SupportsRead", ROWGATE_CATALOG "SupportsRead", table,
     "reading the table by SELECT and as a stream", "Table"},
    {"SupportsWrite", ROWGATE_CATALOG "SupportsWrite", table, "INSERT, append and overwrite",
     "Table"},
    {"SupportsDelete", ROWGATE_CATALOG "SupportsDelete", table,
     "DELETE by data source v1 filters, without rewriting rows", "SupportsDeleteV2"},
    {"SupportsDeleteV2", ROWGATE_CATALOG "SupportsDeleteV2", table,
     "DELETE by predicates, without rewriting rows", "TruncatableTable"},
    {"TruncatableTable", ROWGATE_CATALOG "TruncatableTable", table, "TRUNCATE TABLE", "Table"},
    {"SupportsPartitionManagement", ROWGATE_CATALOG "SupportsPartitionManagement", table,
     "ALTER TABLE ADD and DROP PARTITION", "Table"},
    {"SupportsAtomicPartitionManagement", ROWGATE_CATALOG "SupportsAtomicPartitionManagement",
     table, "changing several partitions at once", "SupportsPartitionManagement"},
    {"SupportsMetadataColumns", ROWGATE_CATALOG "SupportsMetadataColumns", table,
     "hidden columns such as _file; row-level operations find rows by them", "Table"},
    {"SupportsSchemaEvolution", ROWGATE_CATALOG "SupportsSchemaEvolution", table,
     "MERGE and INSERT WITH SCHEMA EVOLUTION", "Table"},
    {"V2TableWithV1Fallback", ROWGATE_CATALOG "V2TableWithV1Fallback", table,
     "handing the table back to a data source v1 plan", "Table"},
    {"SupportsDelta", ROWGATE_WRITE "SupportsDelta", write,
     "row-level operations that write only changed rows (merge on read)", "RowLevelOperation"},
    {"RowLevelOperation", ROWGATE_WRITE "RowLevelOperation", write,
     "one DELETE, UPDATE or MERGE in the making", ""},
    {"RowLevelOperationBuilder", ROWGATE_WRITE "RowLevelOperationBuilder", write,
     "making a RowLevelOperation for a command", ""},
    {"WriteBuilder", ROWGATE_WRITE "WriteBuilder", write, "configuring a write", ""},
    {"SupportsTruncate", ROWGATE_WRITE "SupportsTruncate", write, "overwriting the whole table",
     "WriteBuilder"},
    {"SupportsOverwriteV2", ROWGATE_WRITE "SupportsOverwriteV2", write,
     "INSERT OVERWRITE by predicates", "WriteBuilder SupportsTruncate"},
    {"SupportsOverwrite", ROWGATE_WRITE "SupportsOverwrite", write,
     "INSERT OVERWRITE by data source v1 filters", "SupportsOverwriteV2"},
    {"SupportsDynamicOverwrite", ROWGATE_WRITE "SupportsDynamicOverwrite", write,
     "INSERT OVERWRITE of the partitions that the rows fall into", "WriteBuilder"},
    {"RequiresDistributionAndOrdering", ROWGATE_WRITE "RequiresDistributionAndOrdering", write,
     "asking Spark to shuffle and sort rows before they are written", "Write"},
    {"Write", ROWGATE_WRITE "Write", write, "a configured write", ""},
    {"DeltaWrite", ROWGATE_WRITE "DeltaWrite", write, "the write of a SupportsDelta operation",
     "Write"},
    {"BatchWrite", ROWGATE_WRITE "BatchWrite", write, "writing and committing a batch", ""},
    {"StreamingWrite", ROWGATE_WRITE "streaming/StreamingWrite", write,
     "writing and committing each micro-batch", ""},
    {"ScanBuilder", ROWGATE_READ "ScanBuilder", read, "configuring a read", ""},
    {"SupportsPushDownFilters", ROWGATE_READ "SupportsPushDownFilters", read,
     "filtering by data source v1 filters in the source", "ScanBuilder"},
    {"SupportsPushDownV2Filters", ROWGATE_READ "SupportsPushDownV2Filters", read,
     "filtering by predicates in the source", "ScanBuilder"},
    {"SupportsPushDownRequiredColumns", ROWGATE_READ "SupportsPushDownRequiredColumns", read,
     "reading only the columns that a query needs", "ScanBuilder"},
    {"SupportsPushDownAggregates", ROWGATE_READ "SupportsPushDownAggregates", read,
     "aggregating in the source", "ScanBuilder"},
    {"Scan", ROWGATE_READ "Scan", read, "a configured read", ""},
    {"SupportsRuntimeV2Filtering", ROWGATE_READ "SupportsRuntimeV2Filtering", read,
     "skipping files while a join or a row-level operation runs", "Scan"},
    {"SupportsRuntimeFiltering", ROWGATE_READ "SupportsRuntimeFiltering", read,
     "the same by data source v1 filters", "SupportsRuntimeV2Filtering"},
    {"SupportsReportPartitioning", ROWGATE_READ "SupportsReportPartitioning", read,
     "joins without a shuffle (storage-partitioned joins)", "Scan"},
    {"MicroBatchStream", ROWGATE_READ "streaming/MicroBatchStream", stream,
     "being read by a micro-batch query", ""},
    {"SupportsAdmissionControl", ROWGATE_READ "streaming/SupportsAdmissionControl", stream,
     "limiting what a micro-batch takes", ""},
    {"SupportsTriggerAvailableNow", ROWGATE_READ "streaming/SupportsTriggerAvailableNow", stream,
     "Trigger.AvailableNow in several batches", "SupportsAdmissionControl"},
    {"ContinuousStream", ROWGATE_READ "streaming/ContinuousStream", stream,
     "being read by a continuous query", ""},
    {"CatalogPlugin", ROWGATE_CATALOG "CatalogPlugin", catalog,
     "being configured as spark.sql.catalog.<name>", ""},
    {"TableCatalog", ROWGATE_CATALOG "TableCatalog", catalog,
     "creating, loading, altering and dropping tables", "CatalogPlugin"},
    {"StagingTableCatalog", ROWGATE_CATALOG "StagingTableCatalog", catalog,
     "atomic CREATE and REPLACE TABLE AS SELECT", "TableCatalog"},
    {"ViewCatalog", ROWGATE_CATALOG "ViewCatalog", catalog, "views in the catalog",
     "CatalogPlugin"},
    {"FunctionCatalog", ROWGATE_CATALOG "FunctionCatalog", catalog, "functions in the catalog",
     "CatalogPlugin"},
    {"ProcedureCatalog", ROWGATE_CATALOG "ProcedureCatalog", catalog, "CALL of stored procedures",
     "CatalogPlugin"},
    {"SupportsNamespaces", ROWGATE_CATALOG "SupportsNamespaces", catalog,
     "creating, listing and dropping namespaces", "CatalogPlugin"},
    {"CatalogExtension", ROWGATE_CATALOG "CatalogExtension", catalog,
     "wrapping Spark's session catalog (spark_catalog)",
     "TableCatalog FunctionCatalog SupportsNamespaces"},
    {"DelegatingCatalogExtension", ROWGATE_CATALOG "DelegatingCatalogExtension", catalog,
     "the same, passing on what it does not override", "CatalogExtension"},
    {"TransactionalCatalogPlugin", ROWGATE_CATALOG "TransactionalCatalogPlugin", catalog,
     "transactions around commands", "CatalogPlugin"},
    {"TableProvider", ROWGATE_CATALOG "TableProvider", provider,
     "a data source v2 by its name in format(...)", ""},
    {"SessionConfigSupport", ROWGATE_CATALOG "SessionConfigSupport", provider,
     "options from the session's configuration", "TableProvider"},
    {"SupportsCatalogOptions", ROWGATE_CATALOG "SupportsCatalogOptions", provider,
     "finding catalog and table from the options of format(...)", "TableProvider"},
    {"DataSourceRegister", ROWGATE_SOURCES "DataSourceRegister", provider,
     "a short name for format(...), found through META-INF/services", ""},
    {"RelationProvider", ROWGATE_SOURCES "RelationProvider", provider,
     "a data source v1 that can be read", ""},
    {"CreatableRelationProvider", ROWGATE_SOURCES "CreatableRelationProvider", provider,
     "a data source v1 that can be written", ""},
    {"StreamSourceProvider", ROWGATE_SOURCES "StreamSourceProvider", provider,
     "a streaming source of data source v1", ""},
    {"StreamSinkProvider", ROWGATE_SOURCES "StreamSinkProvider", provider,
     "a streaming sink of data source v1", ""},
    {"SparkSessionExtensions", "org/apache/spark/sql/SparkSessionExtensions", extension,
     "being configured in spark.sql.extensions: a function of SparkSessionExtensions", ""},
    {"SparkSessionExtensionsProvider", "org/apache/spark/sql/SparkSessionExtensionsProvider",
     extension, "extensions that are found through META-INF/services", "SparkSessionExtensions"},
    {"MergeIntoTable", "org/apache/spark/sql/catalyst/plans/logical/MergeIntoTable", extension,
     "Spark's plan of a MERGE; rules that name it take MERGE over", ""},
    {"ParserInterface", "org/apache/spark/sql/catalyst/parser/ParserInterface", extension,
     "a SQL parser in front of Spark's", ""},
};

#undef ROWGATE_CATALOG
#undef ROWGATE_WRITE
#undef ROWGATE_READ
#undef ROWGATE_SOURCES

static_assert(std::size(kCatalogue) <= 64, "a CapabilitySet has 64 bits");

// Row numbers by internal name, for the hot path of a scan.
constexpr auto sorted_rows() {
  std::array<std::uint8_t, std::size(kCatalogue)> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t j = i;
         j > 0 && kCatalogue[rows[j]].internal_name < kCatalogue[rows[j - 1]].internal_name; --j)
      std::swap(rows[j], rows[j - 1]);
  return rows;
}
constexpr auto kByName = sorted_rows();

}  // namespace

const char* to_string(CapabilityGroup group) {
  switch (group) {
    case table: return "table";
    case write: return "write";
    case read: return "read";
    case stream: return "stream";
    case catalog: return "catalog";
    case provider: return "provider";
    case extension: return "extension";
  }
  return "unknown";
}

std::span<const Capability> capability_catalogue() {
  return kCatalogue;
}

std::optional<std::uint32_t> find_capability(std::string_view internal_name) {
  constexpr std::string_view kPrefix = "org/apache/spark/sql/";
  if (!internal_name.starts_with(kPrefix)) return std::nullopt;
  const auto found = std::lower_bound(kByName.begin(), kByName.end(), internal_name,
                                      [](std::uint8_t row, std::string_view wanted) {
                                        return kCatalogue[row].internal_name < wanted;
                                      });
  if (found == kByName.end() || kCatalogue[*found].internal_name != internal_name)
    return std::nullopt;
  return *found;
}

std::uint32_t capability_index(std::string_view id) {
  for (std::uint32_t i = 0; i < std::size(kCatalogue); ++i)
    if (kCatalogue[i].id == id) return i;
  throw std::logic_error(fmt::format("no capability {}", id));
}

}  // namespace rowgate::jarscan
