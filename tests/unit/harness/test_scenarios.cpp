// Every cell of data/scenarios.tsv, on DuckDB in this process, packed and alone.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "embedded_main.hpp"
#include "harness/embedded_target.hpp"
#include "harness/replay.hpp"

namespace rowgate::harness {
namespace {

struct Cell {
  std::string scenario, strategy, text;
};

std::vector<Cell> read_cells() {
  const auto text = base::read_file("tests/unit/harness/data/scenarios.tsv");
  REQUIRE(text.has_value());
  std::vector<Cell> cells;
  std::vector<std::string> header;
  for (const std::string_view line : base::split(*text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const auto pieces = base::split(line, '\t');
    if (header.empty()) {
      header.assign(pieces.begin(), pieces.end());
      continue;
    }
    REQUIRE(pieces.size() == header.size());
    for (std::size_t i = 1; i < pieces.size(); ++i)
      cells.push_back({std::string(pieces[0]), header[i], std::string(pieces[i])});
  }
  return cells;
}

// "P2,P2" from rows: first letter of the value, and the sequence unless it is NULL.
std::string short_rows(const Rows& rows) {
  std::vector<std::string> texts;
  for (const Row& row : rows)
    texts.push_back(to_text(row[1]).substr(0, 1) + (row[2].is_null() ? "" : to_text(row[2])));
  std::sort(texts.begin(), texts.end());
  return base::join(texts, ",");
}

bool agrees(const std::string& wanted, const ReplayCell& cell) {
  const Outcome outcome = cell.verdict.outcome;
  if (wanted == "ok") return outcome == Outcome::right;
  if (wanted == "refused")
    return outcome == Outcome::refused &&
           cell.verdict.failure->error_name == "MERGE_CARDINALITY_VIOLATION";
  if (outcome != Outcome::wrong && outcome != Outcome::ambiguous) return false;
  if (wanted == "-") return cell.rows.empty();
  if (wanted == "NULL") return cell.rows.size() == 1 && cell.rows[0][1].is_null();
  if (wanted.size() == 6 && wanted.substr(1) == " rows")
    return cell.rows.size() == static_cast<std::size_t>(wanted[0] - '0');
  return short_rows(cell.rows) == wanted;
}

ReplayResult run(Packing packing, std::span<const Fixture> fixtures) {
  auto target = EmbeddedTarget::open_library(duckdb_library());
  REQUIRE_MESSAGE(target.has_value(), (target ? "" : target.error().to_string()));
  ReplayOptions options;
  options.packing = packing;
  const auto result =
      replay(fixtures, builtin_strategies(), **target, options, RunContext::quiet());
  REQUIRE(result.has_value());
  return *result;
}

}  // namespace

TEST_CASE("every cell that was seen by hand is seen again") {
  const std::span<const Fixture> fixtures = builtin_fixtures();
  const ReplayResult packed = run(Packing::packed, fixtures);
  const std::vector<Cell> cells = read_cells();
  CHECK(cells.size() == 21 * 7);
  for (const Cell& cell : cells) {
    const auto found =
        std::find_if(packed.cells.begin(), packed.cells.end(), [&](const ReplayCell& c) {
          return c.fixture == cell.scenario && c.strategy == cell.strategy;
        });
    REQUIRE_MESSAGE(found != packed.cells.end(), cell.scenario);
    CHECK_MESSAGE(agrees(cell.text, *found), cell.scenario, " ", cell.strategy, ": expected ",
                  cell.text, ", found ", summary(found->verdict), " ", short_rows(found->rows));
  }

  // Every fixture's control is met.
  std::size_t met = 0;
  for (const ReplayCell& cell : packed.cells) {
    CHECK_MESSAGE(cell.control != Control::missed, cell.fixture, " ", cell.strategy, ": expected ",
                  cell.expected, ", found ", summary(cell.verdict));
    if (cell.control == Control::met) ++met;
    CHECK(cell.verdict.outcome != Outcome::not_run);
  }
  CHECK(met > 200);

  const base::Report report = replay_report(fixtures, std::span(&packed, 1));
  CHECK(report.tables.front().rows.size() == fixtures.size());
  CHECK(report.coverage.front().skipped == 0);
  CHECK(!report.findings.empty());

  // Packed and alone end in the same cells: a part of the fixtures, because alone takes longer.
  const std::span<const Fixture> some = fixtures.subspan(0, 8);
  const ReplayResult alone = run(Packing::alone, some);
  for (std::size_t i = 0; i < alone.cells.size(); ++i) {
    CHECK_MESSAGE(summary(alone.cells[i].verdict) == summary(packed.cells[i].verdict),
                  alone.cells[i].fixture, " ", alone.cells[i].strategy);
    CHECK(alone.cells[i].rows == packed.cells[i].rows);
  }
}

}  // namespace rowgate::harness
