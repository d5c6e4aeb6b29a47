// Schema drift: files of JSON lines whose records change their shape, against ingest policies, and
// a contract that Silver reads Bronze by.
//
// The policies are those that Databricks documents for Auto Loader
// (`cloudFiles.schemaEvolutionMode`: "Configure schema inference and evolution in Auto Loader").
// Auto Loader itself exists on Databricks only: here they are carried out by rowgate, with the
// engine's own JSON reader.
//   addNewColumns     a file with an unknown name stops the stream (UnknownFieldException); the
//   name
//                     becomes a STRING column at the end, and the restarted stream goes on; types
//                     of existing columns stay
//   rescue            the schema never changes: unknown names go to _rescued_data
//   failOnNewColumns  an unknown name stops the stream until someone acts
//   none              unknown names are ignored, and nothing is rescued
// Values of another type than their column's, and names that differ from a column's in case alone,
// are rescued by all but `none`. Where the documentation leaves something open, this is how it is
// here: a name whose values are all null holds no data and is not unknown; what lies below the top
// level is not compared with anything: a STRING column takes an object as its JSON text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/report.hpp"
#include "base/run_context.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

enum class DriftPolicy : std::uint8_t { add_new_columns, rescue, fail_on_new_columns, none };
inline constexpr DriftPolicy kDriftPolicies[] = {DriftPolicy::add_new_columns, DriftPolicy::rescue,
                                                 DriftPolicy::fail_on_new_columns,
                                                 DriftPolicy::none};
std::string_view to_string(DriftPolicy policy);  // "addNewColumns", …
std::optional<DriftPolicy> drift_policy_from_string(std::string_view text);

enum class DriftOutcome : std::uint8_t {
  kept,       // every value that arrived is in a column or in _rescued_data
  restarted,  // the same, after the stream had stopped and was started again
  stopped,    // the stream stopped loudly, and does not go on by itself
  lost,       // values that arrived are nowhere, and nobody was told
  not_run,
};
std::string_view to_string(DriftOutcome outcome);

struct DriftFile {
  std::string name;                // "crm/2.json", below the folder that is watched
  std::vector<std::string> lines;  // one JSON object each, as it stands in the fixture
};

// A column of Silver. `from`: a Bronze column, then names below it when it holds objects.
struct ContractColumn {
  Column column;
  std::vector<std::string> from;
  bool required = false;
};

struct DriftExpectation {
  DriftPolicy policy = DriftPolicy::rescue;
  DriftOutcome outcome = DriftOutcome::kept;
  std::vector<Column> columns;  // Bronze's, in the order of the fixture's header
  Rows bronze;                  // of these columns
  // "expect POLICY silver …"
  std::optional<bool> contract_holds;
  Rows silver;
  std::size_t line = 0;  // of the fixture file, 1-based
};

struct DriftFixture {
  std::string name;
  std::string title;
  std::vector<std::string> about;
  std::string file;
  std::vector<Column> columns;                 // the schema that ingest begins with
  std::vector<DriftFile> files;                // in order of arrival, a micro-batch each
  std::vector<ContractColumn> contract;        // may be empty
  std::vector<DriftExpectation> expectations;  // at most one a policy
};

// Bronze's columns after the data's own: see DriftEngine::begin.
inline constexpr std::string_view kRescued = "_rescued_data";
inline constexpr std::string_view kIngestTime = "ingest_time";
inline constexpr std::string_view kSourceFile = "source_file";
inline constexpr std::string_view kBatchId = "batch_id";

// The data's columns, then those four.
std::vector<Column> with_bronze_metadata(std::vector<Column> columns);

// Errors: malformed ("file:line:column", with a remedy), limit.
Result<DriftFixture> parse_drift_fixture(std::string_view text, std::string_view file);

// What Silver took of Bronze, and why not all.
struct SilverRun {
  std::vector<std::string> columns;  // as the engine says that they are
  Rows rows;                         // sorted
  struct Check {                     // one a contract column
    std::int64_t nulls = 0;          // rows that have no value
    std::int64_t wrong_type = 0;     // values that are none of the column's type
    std::int64_t nested = 0;         // objects or lists where a scalar is wanted
  };
  std::vector<Check> checks;
  std::int64_t bronze_rows = 0;
};

enum class Rescue : std::uint8_t { off, on };

// One Bronze table in an engine. How a policy uses it is drift.cpp's matter.
class DriftEngine {
 public:
  virtual ~DriftEngine() = default;

  virtual const TargetInfo& info() const = 0;
  // A fresh, empty Bronze table: these columns, then _rescued_data STRING, ingest_time TIMESTAMP,
  // source_file STRING, batch_id BIGINT.
  virtual Attempt<void> begin(const std::vector<Column>& columns) = 0;
  // The names at the top level of the file's records, those with null alone left out; sorted.
  virtual Attempt<std::vector<std::string>> names(const DriftFile& file) = 0;
  // STRING columns, after the data's own.
  virtual Attempt<void> add_columns(const std::vector<std::string>& names) = 0;
  virtual Attempt<void> ingest(const DriftFile& file, std::uint64_t batch_id, Rescue rescue) = 0;
  // All rows: the data's columns in order, then the four of `begin`.
  virtual Attempt<Rows> bronze() = 0;
  // Makes a fresh Silver table of the contract's columns and fills it with the rows that keep it.
  virtual Attempt<SilverRun> silver(const std::vector<ContractColumn>& contract) = 0;
  virtual void finish() = 0;  // the tables can go
};

struct DriftStop {
  std::string file;
  std::vector<std::string> names;
};

// By file: what a table of drift metrics holds.
struct DriftMetrics {
  std::string source_file;
  std::size_t rows = 0;
  std::size_t rescued_rows = 0;
  std::vector<std::string> new_columns;
  std::size_t cast_failures = 0;
  std::vector<std::string> empty_columns;  // columns without any value in this file
};

struct DriftCell {
  DriftOutcome outcome = DriftOutcome::not_run;
  std::vector<DriftStop> stops;
  std::vector<Column> columns;    // Bronze's data columns in the end
  Rows bronze;                    // as DriftEngine::bronze, without ingest_time; sorted
  std::vector<std::string> lost;  // "2.json: coupon = X"
  std::optional<std::vector<DriftMetrics>> metrics;  // none: the policy keeps no trace
  std::optional<SilverRun> silver;
  std::vector<std::string> broken;  // contract: "amount: 1 of 2 rows has no value"
  std::vector<std::string> beside;  // Bronze columns that the contract does not name
  std::vector<std::string> missed;  // how it differs from what the fixture states
  std::optional<Failure> failure;
};

struct DriftResult {
  TargetInfo target;
  std::vector<DriftPolicy> policies;
  std::vector<std::vector<DriftCell>> cells;  // fixture by fixture, policy by policy
};

DriftCell run_drift(const DriftFixture& fixture, DriftPolicy policy, DriftEngine& engine);

// What goes wrong with a cell is in it.
DriftResult replay_drift(std::span<const DriftFixture> fixtures,
                         std::span<const DriftPolicy> policies, DriftEngine& engine,
                         const RunContext& ctx);

// The values that arrived in the fixture's files with these names and are nowhere in Bronze's rows.
// `lost` lines as in DriftCell. Numbers are compared by value, texts of objects by their leaves.
// An error when Bronze holds values that never arrived.
Result<std::vector<std::string>> lost_values(const std::vector<DriftFile>& files,
                                             const std::vector<Column>& columns,
                                             const Rows& bronze);

// Adds tables, findings and coverage; returns the number of cells that broke.
std::size_t add_drift_report(base::Report& report, std::span<const DriftFixture> fixtures,
                             std::span<const DriftResult> results);

}  // namespace rowgate::harness
