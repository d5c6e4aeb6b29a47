#include "harness/runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/failure.hpp"

namespace rowgate::harness {
namespace {

Failure at_batch(Failure failure, std::size_t batch) {
  failure.evidence.insert(failure.evidence.begin(), fmt::format("at micro-batch {}", batch + 1));
  return failure;
}

Failure stopped() {
  return make_failure(FailureKind::not_run, "the run was stopped");
}

class Pack {
 public:
  Pack(Target& target, const Strategy& strategy, const Schema& schema,
       std::span<const History* const> histories, PackedOutcomes& result)
      : target_(target), strategy_(strategy), histories_(histories), result_(result) {
    packed_schema_ = schema;
    packed_schema_.keys.insert(packed_schema_.keys.begin(),
                               {std::string(kScenarioColumn), {TypeKind::int32, 0, 0}});
  }

  // `members`: indices into the histories. False when they have to be run alone.
  bool run(std::vector<std::size_t> members) {
    members_ = std::move(members);
    auto opened = target_.open(strategy_, packed_schema_);
    if (!opened) return give_up(std::move(opened).error());
    std::size_t batches = 0;
    for (const std::size_t member : members_)
      batches = std::max(batches, histories_[member]->batches.size());
    std::int64_t arrival = 0;
    for (std::size_t i = 0; i < batches; ++i)
      if (!apply(**opened, i, arrival)) return false;
    auto rows = (*opened)->read();
    if (!rows) return give_up(std::move(rows).error());
    return distribute(std::move(*rows));
  }

 private:
  // A target that cannot run the strategy at all says so for every member; else they run alone.
  bool give_up(Failure failure) {
    if (failure.kind == FailureKind::refused) return false;
    for (const std::size_t member : members_) result_.outcomes[member] = tl::unexpected(failure);
    return true;
  }

  bool apply(TableRun& run, std::size_t index, std::int64_t& arrival) {
    for (;;) {
      Batch batch = united(index);
      if (batch.events.empty()) return true;
      const auto count = static_cast<std::int64_t>(batch.events.size());
      const Attempt<void> applied = run.apply(batch, index, arrival);
      if (applied) {
        arrival += count;
        return true;
      }
      if (applied.error().keys.empty() || !refuse(applied.error(), index)) return false;
    }
  }

  Batch united(std::size_t index) const {
    Batch batch;
    for (const std::size_t member : members_) {
      const History& history = *histories_[member];
      if (index >= history.batches.size()) continue;
      for (Event event : history.batches[index].events) {
        event.key.insert(event.key.begin(), Value::integer(static_cast<std::int64_t>(member)));
        batch.events.push_back(std::move(event));
      }
    }
    return batch;
  }

  // Takes the histories of the offending keys out; false when no member is among them.
  bool refuse(const Failure& failure, std::size_t index) {
    const std::size_t before = members_.size();
    for (const Row& key : failure.keys) {
      const auto* number = key.empty() ? nullptr : std::get_if<std::int64_t>(&key.front().data());
      if (number == nullptr) continue;
      const auto found =
          std::find(members_.begin(), members_.end(), static_cast<std::size_t>(*number));
      if (found == members_.end()) continue;
      Failure own = at_batch(failure, index);
      own.keys.clear();
      result_.outcomes[*found] = tl::unexpected(std::move(own));
      refused_.push_back(*found);
      members_.erase(found);
    }
    return members_.size() < before;
  }

  bool distribute(Rows rows) {
    for (const std::size_t member : members_) result_.outcomes[member] = Rows{};
    for (Row& row : rows) {
      const auto* number = row.empty() ? nullptr : std::get_if<std::int64_t>(&row.front().data());
      if (number == nullptr) return false;
      const auto member = static_cast<std::size_t>(*number);
      const bool refused = std::find(refused_.begin(), refused_.end(), member) != refused_.end();
      if (refused) continue;  // rows of its earlier batches
      if (std::find(members_.begin(), members_.end(), member) == members_.end()) return false;
      row.erase(row.begin());
      result_.outcomes[member]->push_back(std::move(row));
    }
    for (const std::size_t member : members_) sort_rows(*result_.outcomes[member]);
    return true;
  }

  Target& target_;
  const Strategy& strategy_;
  std::span<const History* const> histories_;
  PackedOutcomes& result_;
  Schema packed_schema_;
  std::vector<std::size_t> members_;
  std::vector<std::size_t> refused_;
};

}  // namespace

RunOutcome run_alone(Target& target, const Strategy& strategy, const Schema& schema,
                     const History& history) {
  auto opened = target.open(strategy, schema);
  if (!opened) return tl::unexpected(std::move(opened).error());
  std::int64_t arrival = 0;
  for (std::size_t i = 0; i < history.batches.size(); ++i) {
    const Batch& batch = history.batches[i];
    if (Attempt<void> applied = (*opened)->apply(batch, i, arrival); !applied)
      return tl::unexpected(at_batch(std::move(applied).error(), i));
    arrival += static_cast<std::int64_t>(batch.events.size());
  }
  return (*opened)->read();
}

PackedOutcomes run_packed(Target& target, const Strategy& strategy, const Schema& schema,
                          std::span<const History* const> histories, const std::vector<bool>& alone,
                          const RunContext& ctx) {
  PackedOutcomes result;
  result.outcomes.assign(histories.size(), tl::unexpected(stopped()));
  std::vector<std::size_t> packed, single;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    const bool apart = strategy.reach == Reach::whole_table || (i < alone.size() && alone[i]);
    (apart ? single : packed).push_back(i);
  }
  if (packed.size() == 1) single.insert(single.begin(), packed.front());
  if (packed.size() > 1 && !ctx.stopped() &&
      !Pack(target, strategy, schema, histories, result).run(packed))
    single.insert(single.begin(), packed.begin(), packed.end());
  for (const std::size_t i : single) {
    if (ctx.stopped()) break;
    result.outcomes[i] = run_alone(target, strategy, schema, *histories[i]);
  }
  result.ran_alone = single.size();
  return result;
}

}  // namespace rowgate::harness
