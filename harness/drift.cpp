// How a policy takes files in, and what is checked afterwards.
//
// The check of losses is a law of conservation, independent of engines and policies: each value
// that arrived (a leaf of a record, with its file and its path) must be found in a column of Bronze
// or in _rescued_data, as often as it arrived. Both sides are turned into multisets of (file, path,
// text) and compared; numbers count by value, and a text that is a JSON object counts as its
// leaves, which is how an object stands in a STRING column. Cost: linear in the values, but for a
// sorted map.
#include "harness/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "harness/failure.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 24;  // fixtures are held to less; texts within records are not

const Type kString{TypeKind::string, 0, 0};

// Discarded when the text is no JSON, or deeper than can be walked.
json bounded_parse(std::string_view text) {
  bool deep = false;
  json parsed = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        deep = deep || depth > kMaxDepth;
        return !deep;
      },
      false);
  return deep ? json(json::value_t::discarded) : parsed;
}

// 1.0 as 1. The depth is that of bounded_parse.
void normalise_numbers(json& value) {
  if (value.is_structured()) {
    for (json& below : value) normalise_numbers(below);
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::nearbyint(number) == number && std::abs(number) < 1e15)
      value = static_cast<std::int64_t>(number);
  }
}

// Sorted names, no blanks, numbers by their value: for comparing rescued data as JSON and not as
// text.
std::string canonical_json(const std::string& text) {
  json parsed = bounded_parse(text);
  if (parsed.is_discarded()) return text;
  normalise_numbers(parsed);
  return parsed.dump(-1, ' ', false, json::error_handler_t::replace);
}

// 1 and 1.0 are the same value; so are 12.50 and 12.5.
std::string number_text(json number) {
  normalise_numbers(number);
  return number.is_number_integer() ? number.dump() : fmt::format("{}", number.get<double>());
}

using Leaf = std::tuple<std::string, std::string, std::string>;  // file, path, text

class Balance {
 public:
  void arrived(const std::string& file, const json& record) { add(file, "", record, 1, 0); }
  void found(const std::string& file, const std::string& path, const json& value) {
    add(file, path, value, -1, 0);
  }

  const std::map<Leaf, std::int64_t>& leaves() const { return leaves_; }

 private:
  void add(const std::string& file, const std::string& path, const json& value, int sign,
           int depth) {
    if (value.is_null()) return;
    if (value.is_object() && !value.empty()) {
      for (const auto& [name, below] : value.items())
        add(file, path.empty() ? name : path + '.' + name, below, sign, depth + 1);
      return;
    }
    if (value.is_array() && !value.empty()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        add(file, fmt::format("{}[{}]", path, i), value[i], sign, depth + 1);
      return;
    }
    if (!value.is_string()) {
      const std::string text = value.is_number() ? number_text(value) : value.dump();
      leaves_[{file, path, text}] += sign;
      return;
    }
    const std::string& text = value.get_ref<const std::string&>();
    const json inner = depth > kMaxDepth ? json(json::value_t::discarded) : bounded_parse(text);
    if (inner.is_object() || inner.is_array() || inner.is_number())
      add(file, path, inner, sign, depth + 1);
    else
      leaves_[{file, path, text}] += sign;
  }

  std::map<Leaf, std::int64_t> leaves_;
};

json json_of(const Value& value) {
  if (value.is_null() || value.is_absent()) return nullptr;
  return to_text(value);
}

std::string text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.data());
  return text == nullptr ? std::string() : *text;
}

bool has_name(const std::vector<Column>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& column) { return column.name == name; });
}

bool has_name_in_other_case(const std::vector<Column>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
    return base::equals_ignoring_case(column.name, name);
  });
}

// Names that are no column, whatever their case; of those that differ in case alone, one.
std::vector<std::string> unknown_names(const std::vector<std::string>& names,
                                       std::vector<Column> columns) {
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    if (has_name_in_other_case(columns, name)) continue;
    unknown.push_back(name);
    columns.push_back({name, kString});
  }
  return unknown;
}

std::vector<DriftMetrics> metrics_of(const std::vector<DriftFile>& files, const DriftCell& cell) {
  const std::size_t width = cell.columns.size();
  std::vector<DriftMetrics> all;
  for (const DriftFile& file : files) {
    DriftMetrics metrics;
    metrics.source_file = file.name;
    std::set<std::string> names;
    std::vector<bool> filled(width, false);
    for (const DriftStop& stop : cell.stops)
      if (stop.file == file.name) names.insert(stop.names.begin(), stop.names.end());
    for (const Row& row : cell.bronze) {
      if (text_of(row[width + 1]) != file.name) continue;
      ++metrics.rows;
      for (std::size_t i = 0; i < width; ++i) filled[i] = filled[i] || !row[i].is_null();
      if (row[width].is_null()) continue;
      ++metrics.rescued_rows;
      const json rescued = bounded_parse(text_of(row[width]));
      for (const auto& [name, value] : rescued.items()) {
        if (name == "_file_path") continue;
        if (has_name(cell.columns, name))
          ++metrics.cast_failures;
        else
          names.insert(name);
      }
    }
    metrics.new_columns.assign(names.begin(), names.end());
    for (std::size_t i = 0; i < width; ++i)
      if (!filled[i] && metrics.rows > 0) metrics.empty_columns.push_back(cell.columns[i].name);
    all.push_back(std::move(metrics));
  }
  return all;
}

void check_contract(const DriftFixture& fixture, DriftCell& cell) {
  const SilverRun& silver = *cell.silver;
  for (std::size_t i = 0; i < fixture.contract.size() && i < silver.checks.size(); ++i) {
    const ContractColumn& wanted = fixture.contract[i];
    const SilverRun::Check& check = silver.checks[i];
    const std::string& name = wanted.column.name;
    if (wanted.required && !has_name(cell.columns, wanted.from.front()))
      cell.broken.push_back(fmt::format("{}: Bronze has no column {}", name, wanted.from.front()));
    else if (wanted.required && check.nulls > 0)
      cell.broken.push_back(
          fmt::format("{}: no value in {} of {} rows", name, check.nulls, silver.bronze_rows));
    if (check.nested > 0)
      cell.broken.push_back(
          fmt::format("{}: an object or list in {} of {} rows, where {} is expected", name,
                      check.nested, silver.bronze_rows, to_spark_sql(wanted.column.type)));
    if (check.wrong_type > 0)
      cell.broken.push_back(fmt::format("{}: no {} in {} of {} rows", name,
                                        to_spark_sql(wanted.column.type), check.wrong_type,
                                        silver.bronze_rows));
  }
  for (const Column& column : cell.columns)
    if (std::none_of(fixture.contract.begin(), fixture.contract.end(),
                     [&](const auto& wanted) { return wanted.from.front() == column.name; }))
      cell.beside.push_back(column.name);
}

// Bronze's rows in the columns that the fixture states; what is missing or beside is told.
Rows stated_rows(const DriftExpectation& expected, DriftCell& cell) {
  std::vector<Column> all = cell.columns;
  for (const std::string_view name : {kRescued, kSourceFile, kBatchId})
    all.push_back({std::string(name), kString});
  for (const Column& column : cell.columns)
    if (!has_name(expected.columns, column.name))
      cell.missed.push_back(fmt::format("Bronze has a column that is not stated: {}", column.name));
  std::vector<std::size_t> places;
  for (const Column& column : expected.columns) {
    std::size_t place = 0;
    while (place < all.size() && all[place].name != column.name) ++place;
    if (place == all.size())
      cell.missed.push_back(fmt::format("Bronze has no column {}", column.name));
    else
      places.push_back(place);
  }
  Rows rows;
  for (const Row& row : cell.bronze) {
    Row stated;
    for (const std::size_t place : places) stated.push_back(row[place]);
    rows.push_back(std::move(stated));
  }
  sort_rows(rows);
  return rows;
}

void canonicalise(Rows& rows, std::size_t place) {
  for (Row& row : rows)
    if (place < row.size() && !row[place].is_null())
      row[place] = Value::text(canonical_json(text_of(row[place])));
  sort_rows(rows);
}

void check_expectation(const DriftFixture& fixture, DriftPolicy policy, DriftCell& cell) {
  const auto expected = std::find_if(
      fixture.expectations.begin(), fixture.expectations.end(),
      [&](const DriftExpectation& expectation) { return expectation.policy == policy; });
  if (expected == fixture.expectations.end()) return;
  if (cell.outcome != expected->outcome)
    cell.missed.push_back(fmt::format("stated is {}, and it ended {}", to_string(expected->outcome),
                                      to_string(cell.outcome)));
  const Rows found = stated_rows(*expected, cell);
  Rows wanted = expected->bronze;
  for (std::size_t i = 0; i < expected->columns.size(); ++i)
    if (expected->columns[i].name == kRescued) canonicalise(wanted, i);
  if (found != wanted) cell.missed.push_back("Bronze's rows are others than stated");
  if (!expected->contract_holds || !cell.silver) return;
  if (*expected->contract_holds != cell.broken.empty())
    cell.missed.push_back(fmt::format("stated is that the contract {}, and it {}",
                                      *expected->contract_holds ? "holds" : "is broken",
                                      cell.broken.empty() ? "holds" : "is broken"));
  if (cell.silver->rows != expected->silver)
    cell.missed.push_back("Silver's rows are others than stated");
}

// The files that were taken in; a failure of the engine.
Attempt<std::vector<DriftFile>> take_in(const DriftFixture& fixture, DriftPolicy policy,
                                        DriftEngine& engine, DriftCell& cell) {
  std::vector<DriftFile> taken;
  cell.columns = fixture.columns;
  if (auto begun = engine.begin(fixture.columns); !begun)
    return tl::unexpected(std::move(begun).error());
  const bool looks =
      policy == DriftPolicy::add_new_columns || policy == DriftPolicy::fail_on_new_columns;
  for (std::size_t i = 0; i < fixture.files.size(); ++i) {
    const DriftFile& file = fixture.files[i];
    if (looks) {
      auto names = engine.names(file);
      if (!names) return tl::unexpected(std::move(names).error());
      const std::vector<std::string> unknown = unknown_names(*names, cell.columns);
      if (!unknown.empty()) {
        cell.stops.push_back({file.name, unknown});
        if (policy == DriftPolicy::fail_on_new_columns) return taken;
        // The stream is started again with the schema that its failure left behind.
        if (auto added = engine.add_columns(unknown); !added)
          return tl::unexpected(std::move(added).error());
        for (const std::string& name : unknown) cell.columns.push_back({name, kString});
      }
    }
    const Rescue rescue = policy == DriftPolicy::none ? Rescue::off : Rescue::on;
    if (auto done = engine.ingest(file, i, rescue); !done)
      return tl::unexpected(std::move(done).error());
    taken.push_back(file);
  }
  return taken;
}

// Checks what the engine filled in by itself, and leaves out the time, which no run repeats.
Attempt<void> take_rows(Rows rows, DriftCell& cell) {
  const std::size_t width = cell.columns.size();
  for (Row& row : rows) {
    if (row.size() != width + 4)
      return tl::unexpected(
          make_failure(FailureKind::not_run, "Bronze's rows are of another shape"));
    if (row[width + 1].is_null())
      return tl::unexpected(make_failure(FailureKind::not_run, "a row has no ingest_time"));
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(width) + 1);
  }
  cell.bronze = std::move(rows);
  canonicalise(cell.bronze, width);
  return {};
}

Attempt<void> run(const DriftFixture& fixture, DriftPolicy policy, DriftEngine& engine,
                  DriftCell& cell) {
  auto taken = take_in(fixture, policy, engine, cell);
  if (!taken) return tl::unexpected(std::move(taken).error());
  auto rows = engine.bronze();
  if (!rows) return tl::unexpected(std::move(rows).error());
  if (auto done = take_rows(std::move(*rows), cell); !done) return done;
  auto lost = lost_values(*taken, cell.columns, cell.bronze);
  if (!lost) return tl::unexpected(failure_of(lost.error()));
  cell.lost = std::move(*lost);
  const bool stopped = taken->size() < fixture.files.size();
  if (stopped) taken->push_back(fixture.files[taken->size()]);  // the one that it stopped at
  if (policy != DriftPolicy::none) cell.metrics = metrics_of(*taken, cell);
  if (!fixture.contract.empty()) {
    auto silver = engine.silver(fixture.contract);
    if (!silver) return tl::unexpected(std::move(silver).error());
    cell.silver = std::move(*silver);
    sort_rows(cell.silver->rows);
    check_contract(fixture, cell);
  }
  cell.outcome = !cell.lost.empty()    ? DriftOutcome::lost
                 : stopped             ? DriftOutcome::stopped
                 : !cell.stops.empty() ? DriftOutcome::restarted
                                       : DriftOutcome::kept;
  check_expectation(fixture, policy, cell);
  return {};
}

}  // namespace

Result<std::vector<std::string>> lost_values(const std::vector<DriftFile>& files,
                                             const std::vector<Column>& columns,
                                             const Rows& bronze) {
  Balance balance;
  for (const DriftFile& file : files)
    for (const std::string& line : file.lines) balance.arrived(file.name, bounded_parse(line));
  const std::size_t width = columns.size();
  for (const Row& row : bronze) {
    const std::string file = text_of(row[width + 1]);
    for (std::size_t i = 0; i < width; ++i) balance.found(file, columns[i].name, json_of(row[i]));
    if (row[width].is_null()) continue;
    json rescued = bounded_parse(text_of(row[width]));
    if (!rescued.is_object())
      return fail(ErrorCode::malformed, "_rescued_data holds something that is no JSON object");
    rescued.erase("_file_path");
    balance.found(file, "", rescued);
  }
  std::vector<std::string> lost;
  for (const auto& [leaf, count] : balance.leaves()) {
    const auto& [file, path, text] = leaf;
    if (count < 0)
      return fail(ErrorCode::malformed,
                  fmt::format("Bronze holds a value that never arrived: {} = {}, of {}",
                              base::printable(path), base::printable(text), base::printable(file)));
    if (count > 0)
      lost.push_back(fmt::format("{}: {} = {}{}", file, base::printable(path),
                                 base::printable(text),
                                 count > 1 ? fmt::format(" ({} times)", count) : std::string()));
  }
  return lost;
}

std::vector<Column> with_bronze_metadata(std::vector<Column> columns) {
  constexpr Type kText{TypeKind::string, 0, 0};
  columns.push_back({std::string(kRescued), kText});
  columns.push_back({std::string(kIngestTime), {TypeKind::timestamp, 0, 0}});
  columns.push_back({std::string(kSourceFile), kText});
  columns.push_back({std::string(kBatchId), {TypeKind::int64, 0, 0}});
  return columns;
}

DriftCell run_drift(const DriftFixture& fixture, DriftPolicy policy, DriftEngine& engine) {
  DriftCell cell;
  if (Attempt<void> done = run(fixture, policy, engine, cell); !done) {
    DriftCell failed;
    failed.failure = std::move(done).error();
    cell = std::move(failed);
  }
  engine.finish();
  return cell;
}

DriftResult replay_drift(std::span<const DriftFixture> fixtures,
                         std::span<const DriftPolicy> policies, DriftEngine& engine,
                         const RunContext& ctx) {
  DriftResult result;
  result.target = engine.info();
  result.policies.assign(policies.begin(), policies.end());
  const auto progress =
      ctx.progress->start(fmt::format("drift on {}", result.target.name), base::ProgressUnit::items,
                          fixtures.size() * policies.size());
  for (const DriftFixture& fixture : fixtures) {
    std::vector<DriftCell> cells;
    for (const DriftPolicy policy : policies) {
      if (ctx.stopped()) {
        cells.emplace_back();
        cells.back().failure = make_failure(FailureKind::not_run, "the run was stopped");
      } else {
        cells.push_back(run_drift(fixture, policy, engine));
      }
      progress->advance(1);
    }
    result.cells.push_back(std::move(cells));
  }
  return result;
}

}  // namespace rowgate::harness
