#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checks.hpp"
#include "base/text.hpp"
#include "harness/bench.hpp"

namespace rowgate::harness {
namespace {

using base::Align;
using base::Cell;
using base::Table;
using base::Tone;

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Three figures or so, without exponents.
std::string figures(double value) {
  const double size = std::abs(value);
  return size >= 100  ? fmt::format("{:.0f}", value)
         : size >= 10 ? fmt::format("{:.1f}", value)
         : size >= 1  ? fmt::format("{:.2f}", value)
                      : fmt::format("{:.3f}", value);
}

std::string range(const std::optional<Interval>& interval, double scale) {
  if (!interval) return "–";
  return fmt::format("{} to {}", figures(std::exp(interval->low) * scale),
                     figures(std::exp(interval->high) * scale));
}

// "1.12 times as long", "not resolved", …
struct Answer {
  std::string text;
  Tone tone = Tone::plain;
};

Answer answer_of(const PairEffect& pair, std::optional<double> floor) {
  const double ratio = std::exp(pair.log_ratio.value);
  switch (resolve(pair, floor)) {
    case Resolution::too_few:
      return {fmt::format("too few blocks ({})", pair.log_ratio.units), Tone::unknown};
    case Resolution::not_resolved: return {"not resolved", Tone::muted};
    case Resolution::resolved: break;
  }
  return {fmt::format("{} times as long", figures(ratio)), Tone::plain};
}

std::string shape_value(const WorkloadShape& shape, const std::string& dimension) {
  if (dimension == "rows") return base::with_thousands(shape.rows);
  if (dimension == "files") return base::with_thousands(shape.files);
  if (dimension == "batches") return base::with_thousands(shape.batches);
  if (dimension == "events") return base::with_thousands(shape.events);
  if (dimension == "disorder") return fmt::format("{:g}", shape.disorder);
  if (dimension == "delete-rate") return fmt::format("{:g}", shape.delete_rate);
  return fmt::format("{:g}", shape.skew);
}

double shape_number(const WorkloadShape& shape, const std::string& dimension) {
  if (dimension == "rows") return static_cast<double>(shape.rows);
  if (dimension == "files") return static_cast<double>(shape.files);
  if (dimension == "batches") return static_cast<double>(shape.batches);
  if (dimension == "events") return static_cast<double>(shape.events);
  if (dimension == "disorder") return shape.disorder;
  if (dimension == "delete-rate") return shape.delete_rate;
  return shape.skew;
}

// A case with what its times say.
struct Analysed {
  const BenchCase& what;
  std::vector<unsigned> timed;
  std::vector<std::optional<Estimate>> times;  // one a timed treatment
  struct Pair {
    unsigned a = 0, b = 0;  // indices into `timed`
    std::optional<PairEffect> effect;
  };
  std::vector<Pair> pairs;
  std::optional<PairEffect> same;
  std::optional<double> floor;

  const std::string& label(unsigned i) const { return what.treatments[timed[i]].label; }
};

Analysed analyse(const BenchCase& what, std::uint64_t seed) {
  Resampler resampler(seed);
  Analysed result{what, what.timed(), {}, {}, {}, {}};
  for (const unsigned treatment : result.timed)
    result.times.push_back(log_seconds(what.samples, treatment, resampler));
  if (result.timed.size() == 1)  // it only ran against itself
    result.times.front() = log_seconds(what.same, 0, resampler);
  for (unsigned b = 0; b < result.timed.size(); ++b)
    for (unsigned a = b + 1; a < result.timed.size(); ++a)
      result.pairs.push_back(
          {a, b, compare(what.samples, result.timed[a], result.timed[b], resampler)});
  result.same = compare(what.same, 1, 0, resampler);
  result.floor = noise_floor(result.same);
  return result;
}

class Builder {
 public:
  Builder(const BenchRun& run, const BenchOptions& options, bool only_one, base::Report& report)
      : run_(run), options_(options), only_one_(only_one), report_(report) {}

  void build() {
    std::vector<Analysed> cases;
    for (const BenchCase& what : run_.cases) cases.push_back(analyse(what, options_.seed));
    if (run_.dimension.empty()) {
      for (const Analysed& what : cases) {
        summarise(what);
        times_table(what, Detail::no);
        pairs_table(what, Detail::no);
        samples_table(what);
      }
    } else {
      summarise_sweep(cases);
      sweep_table(cases);
      add_series(cases);
      for (const Analysed& what : cases) {
        times_table(what, Detail::yes);
        pairs_table(what, Detail::yes);
        samples_table(what);
      }
    }
    metrics_table();
    for (const Analysed& what : cases) add_findings(what);
  }

 private:
  enum class Detail { no, yes };

  std::string place(const Analysed& what) const {
    std::string text = only_one_ ? "" : " on " + run_.target.name;
    if (!run_.dimension.empty())
      text += fmt::format(", {} {}", run_.dimension, shape_value(what.what.shape, run_.dimension));
    return text;
  }
  std::string id(const std::string& kind, const Analysed* what) const {
    std::string text = kind;
    if (!run_.dimension.empty()) {
      text += "-" + run_.dimension;
      if (what != nullptr) text += "-" + shape_value(what->what.shape, run_.dimension);
    }
    std::erase(text, ',');
    return only_one_ ? text : text + "-" + run_.target.name;
  }

  void summarise(const Analysed& what) {
    for (const Analysed::Pair& pair : what.pairs) {
      if (!pair.effect) continue;
      const Answer answer = answer_of(*pair.effect, what.floor);
      const std::string interval = pair.effect->log_ratio.interval
                                       ? range(pair.effect->log_ratio.interval, 1) + " at 95 %"
                                       : fmt::format("no interval below {} blocks", kMinUnits);
      std::string text =
          fmt::format("ratio {} ({}); the later of two runs takes {} times as long as the earlier",
                      figures(std::exp(pair.effect->log_ratio.value)), interval,
                      figures(std::exp(pair.effect->order_effect.value)));
      report_.summary.push_back(
          {fmt::format("{} / {}", what.label(pair.a), what.label(pair.b)) + place(what),
           answer.text, text, answer.tone});
    }
    if (what.pairs.empty() && !what.times.empty() && what.times.front())
      report_.summary.push_back(
          {what.label(0) + place(what), figures(std::exp(what.times.front()->value) * 1e3) + " ms",
           fmt::format("{} ms at 95 %", range(what.times.front()->interval, 1e3)), Tone::plain});
    for (const BenchTreatment& treatment : what.what.treatments)
      if (!treatment.timed)
        report_.summary.push_back({treatment.label + place(what), "not timed",
                                   summary(treatment.verdict), Tone::unknown});
  }

  void summarise_sweep(const std::vector<Analysed>& cases) {
    if (cases.size() < 2) return;
    const Analysed &first = cases.front(), &last = cases.back();
    for (unsigned i = 0; i < first.timed.size(); ++i) {
      const auto end = std::find_if(last.timed.begin(), last.timed.end(), [&](unsigned treatment) {
        return last.what.treatments[treatment].label == first.label(i);
      });
      if (end == last.timed.end()) continue;
      const auto& from = first.times[i];
      const auto& to = last.times[static_cast<std::size_t>(end - last.timed.begin())];
      if (!from || !to) continue;
      report_.summary.push_back(
          {first.label(i) + (only_one_ ? "" : " on " + run_.target.name),
           figures(std::exp(to->value - from->value)) + " times",
           fmt::format("from {} ms at {} {} to {} ms at {}", figures(std::exp(from->value) * 1e3),
                       run_.dimension, shape_value(first.what.shape, run_.dimension),
                       figures(std::exp(to->value) * 1e3),
                       shape_value(last.what.shape, run_.dimension)),
           Tone::plain});
    }
  }

  void times_table(const Analysed& what, Detail detail) {
    Table table;
    table.id = id("times", &what);
    table.title = "Time to merge" + place(what);
    table.columns = {{"strategy", Align::left},         {"rows", Align::left},
                     {"median ms", Align::right},       {"95 % interval", Align::right},
                     {"events a second", Align::right}, {"very first ms", Align::right}};
    table.detail = detail == Detail::yes;
    unsigned next = 0;
    for (unsigned i = 0; i < what.what.treatments.size(); ++i) {
      const BenchTreatment& treatment = what.what.treatments[i];
      const bool right = treatment.verdict.outcome == Outcome::right;
      std::vector<Cell> row = {{treatment.label, Tone::plain},
                               {summary(treatment.verdict), right ? Tone::good : Tone::bad}};
      const std::optional<Estimate> time =
          treatment.timed ? what.times[next++] : std::optional<Estimate>();
      if (time) {
        const double seconds = std::exp(time->value);
        row.push_back({figures(seconds * 1e3) + (right ? "" : " (wrong rows)"), Tone::plain});
        row.push_back({range(time->interval, 1e3), Tone::plain});
        const double rate = static_cast<double>(what.what.shape.events) / seconds;
        row.push_back({rate < 100 ? figures(rate)
                                  : base::with_thousands(static_cast<unsigned long long>(rate)),
                       Tone::plain});
      } else {
        row.insert(row.end(),
                   {{"not timed", Tone::unknown}, {"–", Tone::muted}, {"–", Tone::muted}});
      }
      row.push_back({treatment.first_seconds > 0 ? figures(treatment.first_seconds * 1e3) : "–",
                     Tone::plain});
      table.rows.push_back(std::move(row));
    }
    add_notes(what, table);
    report_.tables.push_back(std::move(table));
  }

  void add_notes(const Analysed& what, Table& table) const {
    const BenchCase& bench = what.what;
    table.notes.push_back(to_text(bench.shape));
    if (bench.plan.size() < bench.blocks_wanted)
      table.notes.push_back(
          fmt::format("{} of {} blocks were run{}", bench.plan.size(), bench.blocks_wanted,
                      bench.stopped      ? ": it was interrupted"
                      : bench.budget_cut ? ": the budget (--budget) allowed no more"
                                         : ""));
    if (bench.failure) table.notes.push_back("ended early: " + bench.failure->message);
    if (bench.processes > 1 && bench.processes < kMinUnits)
      table.notes.push_back(fmt::format(
          "intervals hold what differs between blocks, not between the {} processes: that takes {}",
          bench.processes, kMinUnits));
  }

  void pairs_table(const Analysed& what, Detail detail) {
    if (!what.same) return;
    Table table;
    table.id = id("pairs", &what);
    table.title = "Pairs" + place(what);
    table.columns = {{"pair", Align::left},
                     {"ratio", Align::right},
                     {"95 % interval", Align::right},
                     {"answer", Align::left},
                     {"later / earlier", Align::right},
                     {"95 % interval", Align::right}};
    table.detail = detail == Detail::yes;
    const auto add = [&](const std::string& name, const PairEffect& effect, Answer answer) {
      table.rows.push_back({{name, Tone::plain},
                            {figures(std::exp(effect.log_ratio.value)), Tone::plain},
                            {range(effect.log_ratio.interval, 1), Tone::plain},
                            {std::move(answer.text), answer.tone},
                            {figures(std::exp(effect.order_effect.value)), Tone::plain},
                            {range(effect.order_effect.interval, 1), Tone::plain}});
    };
    for (const Analysed::Pair& pair : what.pairs)
      if (pair.effect)
        add(fmt::format("{} / {}", what.label(pair.a), what.label(pair.b)), *pair.effect,
            answer_of(*pair.effect, what.floor));
    add(fmt::format("{0} / {0}", what.label(0)), *what.same,
        {what.floor ? fmt::format("noise floor: {:.1f} %", std::expm1(*what.floor) * 100)
                    : fmt::format("too few blocks ({})", what.same->log_ratio.units),
         Tone::muted});
    table.notes.push_back(
        "ratio: the first one's time over the second one's; later / earlier: what it costs, or "
        "saves, to run after the other one");
    if (what.timed.size() > 1) table.notes.push_back(order_note(what));
    report_.tables.push_back(std::move(table));
  }

  std::string order_note(const Analysed& what) const {
    std::string text = "order of ";
    for (unsigned i = 0; i < what.timed.size() && i < 26; ++i)
      text +=
          fmt::format("{}{} = {}", i == 0 ? "" : ", ", static_cast<char>('A' + i), what.label(i));
    text += fmt::format(" (seed {}):", options_.seed);
    for (const auto& block : what.what.plan) {
      if (text.size() > 400) return text + " …";
      if (&block != &what.what.plan.front() && what.timed.size() > 2) text += ";";
      text += " " + letters(block);
    }
    return text;
  }

  void samples_table(const Analysed& what) {
    Table table;
    table.id = id("runs", &what);
    table.title = "Every run" + place(what);
    table.columns = {{"process", Align::right}, {"block", Align::right},   {"row", Align::right},
                     {"place", Align::right},   {"strategy", Align::left}, {"ms", Align::right}};
    table.detail = true;
    const auto add = [&](const BenchSample& sample, const std::string& name) {
      std::vector<Cell> row;
      for (const unsigned number : {sample.process, sample.block, sample.row, sample.place})
        row.push_back({std::to_string(number + 1), Tone::plain});
      row.push_back({name, Tone::plain});
      row.push_back({fmt::format("{:.3f}", sample.seconds * 1e3), Tone::plain});
      table.rows.push_back(std::move(row));
    };
    for (const BenchSample& sample : what.what.samples)
      add(sample, what.what.treatments[sample.treatment].label);
    for (const BenchSample& sample : what.what.same)
      add(sample, what.label(0) + (sample.treatment == 0 ? " against itself" : " itself"));
    if (!table.rows.empty()) report_.tables.push_back(std::move(table));
  }

  void sweep_table(const std::vector<Analysed>& cases) {
    Table table;
    table.id = id("sweep", nullptr);
    table.columns = {{run_.dimension, Align::right}};
    // All strategies that were timed somewhere, compared with the first of them.
    std::vector<std::string> labels;
    for (const Analysed& what : cases)
      for (unsigned i = 0; i < what.timed.size(); ++i)
        if (std::find(labels.begin(), labels.end(), what.label(i)) == labels.end())
          labels.push_back(what.label(i));
    table.title = fmt::format("{} by {}{}", labels.size() > 1 ? "Time and ratios" : "Time",
                              run_.dimension, only_one_ ? "" : " on " + run_.target.name);
    if (!labels.empty()) table.columns.push_back({labels[0] + ", ms", Align::right});
    for (std::size_t i = 1; i < labels.size(); ++i)
      table.columns.push_back({fmt::format("{} / {}", labels[i], labels[0]), Align::left});
    table.columns.push_back({"noise floor", Align::right});
    table.columns.push_back({"blocks", Align::right});
    for (const Analysed& what : cases) {
      std::vector<Cell> row = {{shape_value(what.what.shape, run_.dimension), Tone::plain}};
      if (!labels.empty()) row.push_back(time_cell(what, labels[0]));
      for (std::size_t i = 1; i < labels.size(); ++i)
        row.push_back(ratio_cell(what, labels[i], labels[0]));
      row.push_back(
          {what.floor ? fmt::format("{:.1f} %", std::expm1(*what.floor) * 100) : "–", Tone::plain});
      row.push_back({fmt::format("{}", what.what.plan.size()), Tone::plain});
      table.rows.push_back(std::move(row));
      Table notes;
      add_notes(what, notes);
      for (std::size_t i = 1; i < notes.notes.size(); ++i)
        table.notes.push_back(fmt::format("{} {}: {}", run_.dimension,
                                          shape_value(what.what.shape, run_.dimension),
                                          notes.notes[i]));
    }
    report_.tables.push_back(std::move(table));
  }

  static Cell time_cell(const Analysed& what, const std::string& label) {
    for (unsigned i = 0; i < what.timed.size(); ++i)
      if (what.label(i) == label && what.times[i])
        return {figures(std::exp(what.times[i]->value) * 1e3), Tone::plain};
    for (const BenchTreatment& treatment : what.what.treatments)
      if (treatment.label == label && !treatment.timed)
        return {summary(treatment.verdict), Tone::bad};
    return {"–", Tone::muted};
  }

  Cell ratio_cell(const Analysed& what, const std::string& a, const std::string& b) const {
    for (const Analysed::Pair& pair : what.pairs) {
      if (what.label(pair.a) != a || what.label(pair.b) != b || !pair.effect) continue;
      const std::string numbers =
          fmt::format("{} ({})", figures(std::exp(pair.effect->log_ratio.value)),
                      range(pair.effect->log_ratio.interval, 1));
      if (resolve(*pair.effect, what.floor) == Resolution::resolved) return {numbers, Tone::plain};
      return {answer_of(*pair.effect, what.floor).text + ": " + numbers, Tone::muted};
    }
    for (const BenchTreatment& treatment : what.what.treatments)
      if (treatment.label == a && !treatment.timed) return {summary(treatment.verdict), Tone::bad};
    return {"–", Tone::muted};
  }

  void add_series(const std::vector<Analysed>& cases) {
    base::Series series;
    series.id = id("time", nullptr);
    series.title = fmt::format("Time to merge by {}{}", run_.dimension,
                               only_one_ ? "" : " on " + run_.target.name);
    for (const WorkloadDimension& dimension : workload_dimensions()) {
      if (dimension.name != run_.dimension) continue;
      series.x_label = dimension.label;
      if (dimension.logarithmic) series.x_scale = base::Scale::logarithmic;
    }
    series.y_label = "ms (median, 95 % interval)";
    series.y_scale = base::Scale::logarithmic;
    for (const Analysed& what : cases) {
      series.x.push_back(shape_number(what.what.shape, run_.dimension));
      for (unsigned i = 0; i < what.timed.size(); ++i) line_of(series, what.label(i));
    }
    for (const Analysed& what : cases) {
      for (base::Line& line : series.lines) {
        double value = kNoValue, low = kNoValue, high = kNoValue;
        for (unsigned i = 0; i < what.timed.size(); ++i) {
          if (what.label(i) != line.name || !what.times[i]) continue;
          value = std::exp(what.times[i]->value) * 1e3;
          low = high = value;
          if (const auto& interval = what.times[i]->interval) {
            low = std::exp(interval->low) * 1e3;
            high = std::exp(interval->high) * 1e3;
          }
        }
        line.y.push_back(value);
        line.low.push_back(low);
        line.high.push_back(high);
      }
    }
    report_.series.push_back(std::move(series));
  }

  static void line_of(base::Series& series, const std::string& name) {
    for (const base::Line& line : series.lines)
      if (line.name == name) return;
    series.lines.push_back({name, {}, {}, {}});
  }

  void metrics_table() {
    Table table;
    table.id = id("metrics", nullptr);
    table.title = "What the engine counted in one merge" +
                  (only_one_ ? std::string() : " on " + run_.target.name);
    std::vector<std::string> names;
    for (const BenchCase& what : run_.cases)
      for (const BenchTreatment& treatment : what.treatments)
        for (const auto& [name, value] : treatment.metrics)
          if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (names.empty()) return;
    if (!run_.dimension.empty()) table.columns.push_back({run_.dimension, Align::right});
    table.columns.push_back({"strategy", Align::left});
    for (const std::string& name : names) table.columns.push_back({name, Align::right});
    for (const BenchCase& what : run_.cases) {
      for (const BenchTreatment& treatment : what.treatments) {
        if (treatment.metrics.empty()) continue;
        std::vector<Cell> row;
        if (!run_.dimension.empty())
          row.push_back({shape_value(what.shape, run_.dimension), Tone::plain});
        row.push_back({treatment.label, Tone::plain});
        for (const std::string& name : names) {
          const auto found = treatment.metrics.find(name);
          row.push_back({found == treatment.metrics.end() ? "–" : found->second, Tone::plain});
        }
        table.rows.push_back(std::move(row));
      }
    }
    table.notes.emplace_back("of the last batch of the very first merge");
    report_.tables.push_back(std::move(table));
  }

  void add_findings(const Analysed& what) {
    for (const BenchTreatment& treatment : what.what.treatments) {
      if (treatment.verdict.outcome == Outcome::right) continue;
      const bool wrong = treatment.verdict.outcome == Outcome::wrong;
      base::Finding finding = base::make_finding(
          wrong ? "RG3301" : "RG3302", treatment.label,
          fmt::format("{}{}{}", summary(treatment.verdict), place(what),
                      treatment.timed ? "; timed all the same (--time-wrong)" : ""));
      finding.symbol = treatment.label;
      finding.evidence.push_back(to_text(what.what.shape));
      if (treatment.verdict.failure) {
        const Failure& failure = *treatment.verdict.failure;
        finding.evidence.push_back(failure.message);
        for (const std::string& line : failure.evidence)
          if (!line.empty() && line != failure.message) finding.evidence.push_back(line);
      }
      report_.findings.push_back(std::move(finding));
    }
    if (!what.what.failure) return;
    base::Finding finding = base::make_finding(
        "RG3302", run_.target.name,
        fmt::format("the bench ended early{}: {}", place(what), what.what.failure->message));
    finding.symbol = run_.target.name;
    finding.evidence = what.what.failure->evidence;
    report_.findings.push_back(std::move(finding));
  }

  const BenchRun& run_;
  const BenchOptions& options_;
  bool only_one_;  // of the report's runs: its target need not be named
  base::Report& report_;
};

// "region STRING, order_id INT (keys), amount DECIMAL(10,2), at TIMESTAMP (sequence)"
std::string table_text(const Schema& schema) {
  std::vector<std::string> columns;
  for (const Column& column : schema.table_columns())
    columns.push_back(column.name + " " + to_spark_sql(column.type));
  columns[schema.keys.size() - 1] += schema.keys.size() == 1 ? " (key)" : " (keys)";
  columns.back() += " (sequence)";
  return base::join(columns, ", ");
}

}  // namespace

base::Report bench_report(std::span<const BenchRun> runs, const BenchOptions& options) {
  base::Report report;
  report.command = "bench";
  report.title = "What merging costs";
  const bool one_target = std::all_of(runs.begin(), runs.end(), [&](const BenchRun& run) {
    return run.target.name == runs.front().target.name;
  });
  for (const BenchRun& run : runs) {
    const std::pair<std::string, std::string> target = {
        "target", run.target.engine.empty()
                      ? run.target.name
                      : fmt::format("{} ({})", run.target.name, run.target.engine)};
    if (std::find(report.inputs.begin(), report.inputs.end(), target) == report.inputs.end())
      report.inputs.push_back(target);
    for (const auto& [name, value] : run.facts) {
      const std::pair<std::string, std::string> fact = {
          one_target ? name : fmt::format("{}: {}", run.target.name, name), value};
      auto& facts = report.provenance.facts;
      if (std::find(facts.begin(), facts.end(), fact) == facts.end()) facts.push_back(fact);
    }
  }
  if (options.schema != bench_schema())
    report.inputs.emplace_back("table", table_text(options.schema));
  report.inputs.emplace_back("blocks", fmt::format("{}", options.blocks));
  report.inputs.emplace_back("warm-up",
                             fmt::format("{} runs of every table, not counted", options.warm_up));
  report.inputs.emplace_back("seed", fmt::format("{}", options.seed));
  base::Coverage coverage{"blocks"};
  for (const BenchRun& run : runs) {
    Builder(run, options, one_target, report).build();
    for (const BenchCase& what : run.cases) {
      coverage.done += what.plan.size();
      if (!what.timed().empty()) coverage.skipped += what.blocks_wanted - what.plan.size();
    }
  }
  report.coverage.push_back(coverage);
  return report;
}

}  // namespace rowgate::harness
