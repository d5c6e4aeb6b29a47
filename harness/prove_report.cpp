// What a proof says: sentences, tables, findings.
#include <fmt/format.h>

#include <algorithm>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "harness/prove.hpp"
#include "harness/replay.hpp"
#include "harness/sql_text.hpp"

namespace rowgate::harness {
namespace {

std::string_view op_word(Operation op) {
  return op == Operation::remove ? "delete" : "upsert";
}

base::Table history_table(const std::string& id, const std::string& title, const Schema& schema,
                          const History& history) {
  base::Table table;
  table.id = id;
  table.title = title;
  table.columns = {{"batch", base::Align::right}, {"op", base::Align::left}};
  for (const Column& column : schema.table_columns())
    table.columns.push_back({column.name, base::Align::left});
  for (std::size_t i = 0; i < history.batches.size(); ++i)
    for (const Event& event : history.batches[i].events) {
      std::vector<base::Cell> row = {{fmt::format("{}", i + 1), base::Tone::plain},
                                     {std::string(op_word(event.op)), base::Tone::plain}};
      for (const Value& value : event.key) row.push_back({to_text(value), base::Tone::plain});
      for (const Value& value : event.payload) row.push_back({to_text(value), base::Tone::plain});
      row.push_back({to_text(event.sequence), base::Tone::plain});
      table.rows.push_back(std::move(row));
    }
  return table;
}

StateKind state_of(const ProveResult& result) {
  const OracleVariant* oracle = find_oracle(result.oracle);
  return oracle == nullptr ? StateKind::scd1 : oracle->state;
}

std::string expected_text(const Counterexample& example, StateKind state) {
  if (example.expected.kind == Answer::Kind::reject)
    return "refuse the input: " + example.expected.reason;
  std::string text;
  for (const Rows& rows : example.expected.states) {
    if (!text.empty()) text += "  or  ";
    if (text.size() > 400) return text + "…";
    text += rows_text(rows, example.schema, state);
  }
  return text;
}

std::string actual_text(const Counterexample& example, StateKind state) {
  if (example.verdict.outcome == Outcome::wrong)
    return rows_text(example.actual, example.schema, state);
  return summary(example.verdict);
}

void add_counterexample(base::Report& report, const ProveResult& result,
                        const Counterexample& example, std::size_t number) {
  const StateKind state = state_of(result);
  const std::string suffix =
      result.counterexamples.size() > 1 ? fmt::format("-{}", number + 1) : std::string();
  base::Table table =
      history_table("counterexample" + suffix,
                    fmt::format("Shortest history that ends {}", summary(example.verdict)),
                    example.schema, example.history);
  table.notes = {"expected: " + expected_text(example, state),
                 "found: " + actual_text(example, state), example.cause, example.remedy};
  if (!example.confirmed)
    table.notes.push_back(
        "It did not happen again when the history ran alone: the strategy's "
        "outcome depends on chance or on other keys.");
  report.tables.push_back(std::move(table));
  base::Finding finding = base::make_finding(
      example.verdict.outcome == Outcome::refused ? "RG3202" : "RG3201", result.strategy,
      fmt::format("{} within {}", summary(example.verdict), to_text(result.bounds)));
  finding.symbol = example.fixture.name;
  finding.evidence = {"expected: " + expected_text(example, state),
                      "found: " + actual_text(example, state)};
  finding.help = example.remedy;
  report.findings.push_back(std::move(finding));
}

void add_breach(base::Report& report, const ProveResult& result, const LawBreach& breach) {
  const StateKind state = state_of(result);
  const std::string name(to_string(breach.law));
  base::Table first =
      history_table(fmt::format("law-{}-first", name), fmt::format("Law of {}: one history", name),
                    breach.schema, breach.first);
  first.notes = {"ends with: " + rows_text(breach.first_rows, breach.schema, state)};
  base::Table second = history_table(fmt::format("law-{}-second", name),
                                     fmt::format("Law of {}: the same events otherwise", name),
                                     breach.schema, breach.second);
  second.notes = {"ends with: " + rows_text(breach.second_rows, breach.schema, state)};
  report.tables.push_back(std::move(first));
  report.tables.push_back(std::move(second));
  base::Finding finding = base::make_finding("RG3203", result.strategy,
                                             fmt::format("the law of {} does not hold", name));
  finding.symbol = name;
  finding.evidence = {rows_text(breach.first_rows, breach.schema, state),
                      rows_text(breach.second_rows, breach.schema, state)};
  report.findings.push_back(std::move(finding));
}

std::string verdict_text(const ProveResult& result) {
  if (!result.counterexamples.empty()) return summary(result.counterexamples.front().verdict);
  if (!result.breaches.empty()) return "breaks a law";
  if (result.wrong + result.refused > 0) return "wrong";
  if (result.cut_short) return "not finished";
  if (result.checked == 0) return "not run";
  return result.exhaustive ? "right" : "no counterexample found";
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string sentence(const ProveResult& result) {
  const std::string bound = to_text(result.bounds);
  const std::string checked = base::with_thousands(result.checked);
  std::string text;
  if (result.cut_short && result.wrong + result.refused == 0)
    text = fmt::format("no counterexample among the {} of {} histories that were checked ({})",
                       checked, base::with_thousands(result.in_bound), bound);
  else if (result.proved() && result.exhaustive)
    text = fmt::format("right for all {} histories ({})", checked, bound);
  else if (result.proved())
    text = fmt::format("no counterexample among {} of {} histories ({})", checked,
                       base::with_thousands(result.in_bound), bound);
  else
    text = fmt::format("{} of {} histories checked end wrong, {} are refused ({})",
                       base::with_thousands(result.wrong), checked,
                       base::with_thousands(result.refused), bound);
  if (result.seed) text += fmt::format("; sampled with seed {}", *result.seed);
  if (result.stopped_early) text += "; stopped at the first";
  if (result.cut_short) text += "; then " + first_line(result.cut_short->message);
  if (!result.packing_note.empty()) text += "; not packed: " + result.packing_note;
  return text;
}

// A word of a statement's tokens, in order, at one nesting level.
bool lacks_partition(const std::vector<Token>& tokens, const std::vector<std::size_t>& index,
                     std::size_t over) {
  // OVER ( PARTITION BY …
  return over + 2 >= index.size() || !is_symbol(tokens[index[over + 1]], "(") ||
         !is_word(tokens[index[over + 2]], "partition");
}

bool is_aggregate_call(const std::vector<Token>& tokens, const std::vector<std::size_t>& index,
                       std::size_t i) {
  if (i + 1 >= index.size() || !is_symbol(tokens[index[i + 1]], "(")) return false;
  for (const std::string_view name : {"max", "min", "sum", "count", "avg", "max_by", "min_by"})
    if (is_word(tokens[index[i]], name)) return true;
  return false;
}

bool is_windowed(const std::vector<Token>& tokens, const std::vector<std::size_t>& index,
                 std::size_t call) {
  std::size_t depth = 0;
  for (std::size_t i = call + 1; i < index.size(); ++i) {
    if (is_symbol(tokens[index[i]], "(")) ++depth;
    if (is_symbol(tokens[index[i]], ")") && --depth == 0)
      return i + 1 < index.size() && is_word(tokens[index[i + 1]], "over");
  }
  return false;
}

}  // namespace

std::string cause_sentence(const Strategy& strategy, const Counterexample& example) {
  const Verdict& verdict = example.verdict;
  if (verdict.outcome == Outcome::refused)
    return fmt::format("The engine refuses the batch: {}.",
                       verdict.failure ? verdict.failure->message : "no reason given");
  if (verdict.how.empty()) return "The rows are as they should be when the history runs alone.";
  switch (verdict.how.front()) {
    case Wrong::duplicate:
      return strategy.state == StateKind::scd2
                 ? "Two versions of a key are open at once, or one version is there twice."
                 : "Several events of a key that the table does not know yet are inserted one by "
                   "one.";
    case Wrong::overlap:
      return "A late event is put beside the versions that are there instead of between them.";
    case Wrong::resurrected:
      return "The delete left nothing to compare with, so an older upsert that came after it was "
             "inserted.";
    case Wrong::lost_delete: return "A delete that is newer than the row did not remove it.";
    case Wrong::ghost_null:
      return "A row was written with NULLs that no upsert carried: a delete or a partial update "
             "was "
             "taken for a whole row.";
    case Wrong::lost_update:
      return "The newest event of the key is an upsert, and its row is missing: an older delete, "
             "or "
             "another key's batch, took it away.";
    case Wrong::stale: return "An older event won against a newer one.";
    case Wrong::accepted:
      return "Input that cannot be ordered or addressed (a null key or sequence) was taken "
             "silently.";
    case Wrong::other: return "The rows are none that any event carried.";
  }
  return "";
}

std::string remedy_sentence(const Verdict& verdict, StateKind state) {
  if (state == StateKind::scd2)
    return "Unite the batch with the versions that the table knows of its keys, order them anew, "
           "and "
           "merge that, as the strategy scd2-right does.";
  if (verdict.outcome == Outcome::refused)
    return "Keep one event of each key in a batch, the one with the largest sequence (row_number).";
  if (verdict.how.empty()) return "";
  switch (verdict.how.front()) {
    case Wrong::duplicate:
      return "Keep one event of each key in a batch: row_number() over (partition by the keys "
             "order "
             "by the sequence desc) = 1.";
    case Wrong::resurrected:
    case Wrong::lost_delete:
    case Wrong::ghost_null:
      return "Keep deletes as rows with a flag and their sequence (a tombstone column), insert "
             "them "
             "for unknown keys too, and let readers filter the flag, as the strategy "
             "soft-tombstone "
             "does.";
    case Wrong::lost_update:
      return "Guard the delete by the sequence as well, and delete nothing only because the batch "
             "does not hold it.";
    case Wrong::stale:
      return "Guard the update by the sequence (s.seq >= t.seq), and keep the latest event of each "
             "key in a batch.";
    case Wrong::accepted: return "Reject rows with a null key or sequence before the merge.";
    default: return "Use the strategy soft-tombstone.";
  }
}

bool reaches_over_keys(const Strategy& strategy, std::string& why) {
  for (const std::string& statement : strategy.apply) {
    const auto tokens = tokenize_sql(statement);
    if (!tokens) return false;  // the engine will say so
    const std::vector<std::size_t> index = significant(*tokens);
    bool grouped = false, aggregate = false;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const Token& token = (*tokens)[index[i]];
      if (is_word(token, "source") && i > 0 && is_word((*tokens)[index[i - 1]], "by")) {
        why = "NOT MATCHED BY SOURCE looks at every key of the table";
        return true;
      }
      if (is_word(token, "limit") || is_word(token, "tablesample")) {
        why = "LIMIT counts the rows of all keys";
        return true;
      }
      if (is_word(token, "over") && lacks_partition(*tokens, index, i)) {
        why = "a window without PARTITION BY spans all keys";
        return true;
      }
      grouped = grouped || (is_word(token, "group") && i + 1 < index.size() &&
                            is_word((*tokens)[index[i + 1]], "by"));
      aggregate =
          aggregate || (is_aggregate_call(*tokens, index, i) && !is_windowed(*tokens, index, i));
    }
    if (aggregate && !grouped) {
      why = "an aggregate without GROUP BY spans all keys";
      return true;
    }
  }
  return false;
}

base::Report prove_report(const ProveResult& result) {
  base::Report report;
  report.command = "prove";
  report.title = fmt::format("Is {} right for every order of events?", result.strategy);
  report.inputs = {{"strategy", result.strategy},
                   {"target", result.target.name},
                   {"engine", result.target.engine},
                   {"rule", result.oracle},
                   {"bound", to_text(result.bounds)}};
  base::SummaryLine line;
  line.subject = result.strategy;
  line.verdict = verdict_text(result);
  line.text = sentence(result);
  line.tone = result.proved() ? base::Tone::good : base::Tone::bad;
  if (result.cut_short && result.wrong + result.refused == 0) line.tone = base::Tone::unknown;
  report.summary.push_back(std::move(line));
  for (std::size_t i = 0; i < result.counterexamples.size(); ++i)
    add_counterexample(report, result, result.counterexamples[i], i);
  for (const LawBreach& breach : result.breaches) add_breach(report, result, breach);
  base::normalise(report.findings);
  // One counterexample answers the question; only where none was found do the others count.
  const bool answered = !result.counterexamples.empty() || !result.breaches.empty();
  const std::uint64_t skipped =
      !answered && result.in_bound > result.checked ? result.in_bound - result.checked : 0;
  report.coverage.push_back({"histories", result.checked, skipped});
  return report;
}

}  // namespace rowgate::harness
