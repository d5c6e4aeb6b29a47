// Halving: a refused batch of n scenarios is split in two and each half applied by itself, down to
// single scenarios. Every call either applies its scenarios or splits, so it ends after at most
// 2n - 1 calls; k guilty scenarios cost about k * log2(n) of them. It relies on a refused statement
// leaving its table unchanged, which Delta, Iceberg and the in-memory catalog promise.
#include "harness/spark_packing.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

namespace rowgate::harness {
namespace {

using Results = std::vector<Attempt<Rows>>;
using Scenarios = std::vector<std::size_t>;

Failure interrupted() {
  Failure failure;
  failure.message = "interrupted";
  failure.error_name = "interrupted";
  return failure;
}

std::int64_t scenario_of(const Row& row) {
  const auto* number = row.empty() ? nullptr : std::get_if<std::int64_t>(&row.front().data());
  return number == nullptr ? -1 : *number;
}

class PackedRun {
 public:
  PackedRun(Target& target, const Strategy& strategy, const Schema& schema,
            std::span<const History> histories, const RunContext& context)
      : target_(target),
        strategy_(strategy),
        schema_(packed_schema(schema)),
        histories_(histories),
        context_(context),
        failures_(histories.size()) {}

  // nullopt: a refusal may have left a part of a batch behind, nothing is known.
  std::optional<Results> run() {
    auto opened = target_.open(strategy_, schema_);
    if (!opened) return Results(histories_.size(), tl::unexpected(opened.error()));
    table_ = std::move(*opened);
    std::size_t batches = 0;
    for (const History& history : histories_) batches = std::max(batches, history.batches.size());
    for (std::size_t index = 0; index < batches && !spoilt_; ++index) {
      Scenarios scenarios;
      for (std::size_t i = 0; i < histories_.size(); ++i)
        if (!failures_[i] && index < histories_[i].batches.size()) scenarios.push_back(i);
      apply(index, std::move(scenarios));
    }
    if (spoilt_) return std::nullopt;
    return collect();
  }

 private:
  Batch join(std::size_t index, const Scenarios& scenarios) const {
    Batch joined;
    for (const std::size_t i : scenarios)
      for (Event event : histories_[i].batches[index].events) {
        event.key.insert(event.key.begin(), Value::integer(static_cast<std::int64_t>(i)));
        joined.events.push_back(std::move(event));
      }
    return joined;
  }

  void give_up(const Scenarios& scenarios, const Failure& failure) {
    for (const std::size_t i : scenarios) failures_[i] = failure;
  }

  void give_up_all(const Failure& failure) {
    for (auto& mine : failures_)
      if (!mine) mine = failure;
  }

  // Applies the events that these scenarios have in their batch `index`.
  void apply(std::size_t index, Scenarios scenarios) {
    if (scenarios.empty() || spoilt_) return;
    if (context_.stopped()) return give_up_all(interrupted());
    const Batch batch = join(index, scenarios);
    const auto applied = table_->apply(batch, batch_id_++, arrived_);
    if (applied) {
      arrived_ += static_cast<std::int64_t>(batch.events.size());
      return;
    }
    Failure failure = applied.error();
    if (failure.kind != FailureKind::refused) return give_up_all(failure);
    Scenarios guilty;
    for (const Row& key : failure.keys)
      if (const std::int64_t i = scenario_of(key); i >= 0)
        guilty.push_back(static_cast<std::size_t>(i));
    failure.keys.clear();
    std::sort(guilty.begin(), guilty.end());
    guilty.erase(std::unique(guilty.begin(), guilty.end()), guilty.end());
    if (guilty.empty()) return halve(index, scenarios, failure);
    give_up(guilty, failure);
    Scenarios rest;
    std::set_difference(scenarios.begin(), scenarios.end(), guilty.begin(), guilty.end(),
                        std::back_inserter(rest));
    // A failure that names only strangers must not be asked for ever.
    if (rest.size() == scenarios.size()) return give_up(scenarios, failure);
    apply(index, std::move(rest));
  }

  void halve(std::size_t index, const Scenarios& scenarios, const Failure& failure) {
    if (strategy_.apply.size() > 1) {
      spoilt_ = true;
      return;
    }
    if (scenarios.size() == 1) return give_up(scenarios, failure);
    const auto middle = scenarios.begin() + static_cast<std::ptrdiff_t>(scenarios.size() / 2);
    apply(index, Scenarios(scenarios.begin(), middle));
    apply(index, Scenarios(middle, scenarios.end()));
  }

  std::optional<Results> collect() {
    const bool any_left =
        std::any_of(failures_.begin(), failures_.end(), [](const auto& f) { return !f; });
    std::vector<Rows> rows(histories_.size());
    if (any_left) {
      auto all = table_->read();
      if (!all) {
        give_up_all(all.error());
      } else {
        for (Row& row : *all) {
          const std::int64_t i = scenario_of(row);
          row.erase(row.begin());
          // A strategy that loses the scenario's number is not per key.
          if (i < 0 || static_cast<std::size_t>(i) >= rows.size()) return std::nullopt;
          rows[static_cast<std::size_t>(i)].push_back(std::move(row));
        }
      }
    }
    Results results;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (failures_[i]) {
        results.emplace_back(tl::unexpected(*failures_[i]));
      } else {
        sort_rows(rows[i]);
        results.emplace_back(std::move(rows[i]));
      }
    }
    return results;
  }

  Target& target_;
  const Strategy& strategy_;
  Schema schema_;
  std::span<const History> histories_;
  const RunContext& context_;
  std::vector<std::optional<Failure>> failures_;
  std::unique_ptr<TableRun> table_;
  std::uint64_t batch_id_ = 0;
  std::int64_t arrived_ = 0;
  bool spoilt_ = false;
};

Attempt<Rows> run_alone(Target& target, const Strategy& strategy, const Schema& schema,
                        const History& history, const RunContext& context) {
  auto table = target.open(strategy, schema);
  if (!table) return tl::unexpected(std::move(table).error());
  std::int64_t arrived = 0;
  std::uint64_t id = 0;
  for (const Batch& batch : history.batches) {
    if (context.stopped()) return tl::unexpected(interrupted());
    if (auto applied = (*table)->apply(batch, id++, arrived); !applied)
      return tl::unexpected(std::move(applied).error());
    arrived += static_cast<std::int64_t>(batch.events.size());
  }
  return (*table)->read();
}

bool driver_died(const Results& results) {
  return std::any_of(results.begin(), results.end(), [](const Attempt<Rows>& result) {
    return !result && result.error().error_name == "driver-died";
  });
}

}  // namespace

Schema packed_schema(const Schema& schema) {
  Schema packed = schema;
  packed.keys.insert(packed.keys.begin(), Column{kScenarioColumn, Type{TypeKind::int64}});
  return packed;
}

std::vector<Attempt<Rows>> run_packed(Target& target, const Strategy& strategy,
                                      const Schema& schema, std::span<const History> histories,
                                      const RunContext& context) {
  if (histories.empty()) return {};
  if (strategy.reach == Reach::per_key && histories.size() > 1) {
    std::optional<Results> results = PackedRun(target, strategy, schema, histories, context).run();
    if (results && driver_died(*results) && !context.stopped())
      results = PackedRun(target, strategy, schema, histories, context).run();
    if (results) return std::move(*results);
  }
  Results results;
  for (const History& history : histories) {
    Attempt<Rows> result = run_alone(target, strategy, schema, history, context);
    if (!result && result.error().error_name == "driver-died" && !context.stopped())
      result = run_alone(target, strategy, schema, history, context);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace rowgate::harness
