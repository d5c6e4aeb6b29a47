// replay: fixtures x strategies on a target -> the correctness table, each cell observed on the
// engine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "base/report.hpp"
#include "base/run_context.hpp"
#include "harness/fixture.hpp"
#include "harness/target.hpp"

namespace rowgate::harness {

enum class Packing : std::uint8_t { packed, alone };

struct ReplayOptions {
  // The rule to judge by (oracle.hpp). Empty: what the fixture says is right, and where it says
  // nothing for a strategy's kind of state, the ideal rule.
  std::string oracle;
  // How often a cell runs whose strategy leaves the engine a choice.
  unsigned repeats = 3;
  Packing packing = Packing::packed;
};

enum class Control : std::uint8_t { none, met, missed };  // the fixture's expectation of this cell

struct ReplayCell {
  std::string fixture;
  std::string strategy;
  Verdict verdict;  // of the first run; of the worst when runs differ
  Rows rows;        // that it ended with; empty unless the verdict is about rows
  unsigned runs = 0;
  std::vector<Rows> seen;  // the distinct results when runs differ, else empty
  Control control = Control::none;
  std::string expected;  // the expectation's text when it was missed
};

struct ReplayResult {
  TargetInfo target;
  std::vector<std::string> fixtures;
  std::vector<std::string> strategies;
  std::vector<StateKind> states;        // one a strategy
  std::vector<ReplayCell> cells;        // fixture by fixture, in it strategy by strategy
  std::vector<base::Finding> findings;  // in report order
  std::size_t not_run = 0;              // cells about which nothing is known

  const ReplayCell& cell(std::size_t fixture, std::size_t strategy) const {
    return cells[fixture * strategies.size() + strategy];
  }
};

// Deterministic for a deterministic engine. Errors: usage (an unknown oracle, an oracle of the
// wrong kind). What goes wrong with a scenario is in its cell.
Result<ReplayResult> replay(std::span<const Fixture> fixtures, std::span<const Strategy> strategies,
                            Target& target, const ReplayOptions& options, const RunContext& ctx);

// For each target the correctness table (strategies as columns), why cells were not run, and the
// rows of wrong cells as a detail table; findings and coverage of all. With several targets,
// summary lines and findings name theirs. The caller adds the provenance.
base::Report replay_report(std::span<const Fixture> fixtures,
                           std::span<const ReplayResult> results);

// "1 SHIPPED @3; 3 NEW @1", "(no rows)": rows in a cell of a table. Keys, payload, "@" sequence, or
// for intervals "[from, to)".
std::string rows_text(const Rows& rows, const Schema& schema, StateKind state);

}  // namespace rowgate::harness
