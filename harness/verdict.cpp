// Verdicts.
//
// The rows that a strategy left are compared with every allowed state. When none is equal, the
// nearest one (fewest keys that differ, then the first) is the measure, and each key that differs
// is classified by what the history says about the row that is there: was it ever sent, is it older
// than what should be there, did it arrive after the delete that should have removed it.
#include "harness/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace rowgate::harness {
namespace {

using ByKey = std::map<Row, Rows>;

ByKey group(const Rows& rows, std::size_t key_width) {
  ByKey grouped;
  for (const Row& row : rows) {
    Row key(row.begin(),
            row.begin() + static_cast<std::ptrdiff_t>(std::min(key_width, row.size())));
    grouped[normal_key(std::move(key))].push_back(row);
  }
  return grouped;
}

Rows with_normal_keys(Rows rows, std::size_t key_width) {
  for (Row& row : rows) {
    const auto end = row.begin() + static_cast<std::ptrdiff_t>(std::min(key_width, row.size()));
    Row key = normal_key(Row(row.begin(), end));
    std::move(key.begin(), key.end(), row.begin());
  }
  sort_rows(rows);
  return rows;
}

Row payload_of(const Row& row, const Schema& schema) {
  const auto begin = row.begin() + static_cast<std::ptrdiff_t>(schema.keys.size());
  return Row(begin, begin + static_cast<std::ptrdiff_t>(schema.payload.size()));
}

// What the history says about one key.
class KeyHistory {
 public:
  KeyHistory(const History& history, const Row& key) {
    for (const Batch& batch : history.batches)
      for (const Event& event : batch.events) {
        if (event.op == Operation::truncate || normal_key(event.key) == key)
          events_.push_back(&event);
      }
  }

  bool sent_by_upsert(const Row& payload) const {
    return std::any_of(events_.begin(), events_.end(), [&](const Event* event) {
      return (event->op == Operation::upsert || event->op == Operation::snapshot) &&
             matches(*event, payload);
    });
  }
  bool sent_by_delete(const Row& payload) const {
    return std::any_of(events_.begin(), events_.end(), [&](const Event* event) {
      return event->op == Operation::remove && matches(*event, payload);
    });
  }

  // Some event with these values, sent as an upsert, arrived after a delete with a larger sequence.
  bool came_after_newer_delete(const Row& payload) const {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i]->op == Operation::remove || events_[i]->op == Operation::truncate) continue;
      if (!matches(*events_[i], payload)) continue;
      for (std::size_t j = 0; j < i; ++j)
        if ((events_[j]->op == Operation::remove || events_[j]->op == Operation::truncate) &&
            events_[i]->sequence < events_[j]->sequence)
          return true;
    }
    return false;
  }

 private:
  // An absent value stands for whatever was there before, but not for a NULL that nobody sent.
  static bool matches(const Event& event, const Row& payload) {
    for (std::size_t i = 0; i < payload.size(); ++i) {
      if (event.payload[i].is_absent() && !payload[i].is_null()) continue;
      if (event.payload[i] != payload[i]) return false;
    }
    return true;
  }

  std::vector<const Event*> events_;
};

bool is_null(const Value& value) {
  return value.is_null();
}

bool all_null(const Row& payload) {
  return !payload.empty() && std::all_of(payload.begin(), payload.end(), is_null);
}

bool any_null(const Row& payload) {
  return std::any_of(payload.begin(), payload.end(), is_null);
}

// A row is there that should not be, or with other values.
Wrong about_payload(const Row& payload, const KeyHistory& events, bool expected_a_row) {
  if (!events.sent_by_upsert(payload)) {
    if (all_null(payload)) return Wrong::ghost_null;
    // The values that a delete carried, written as if it were an update.
    if (events.sent_by_delete(payload)) return expected_a_row ? Wrong::stale : Wrong::lost_delete;
    return any_null(payload) ? Wrong::ghost_null : Wrong::other;
  }
  if (all_null(payload) && !expected_a_row) return Wrong::ghost_null;
  if (expected_a_row) return Wrong::stale;
  return events.came_after_newer_delete(payload) ? Wrong::resurrected : Wrong::lost_delete;
}

Wrong classify_scd1(const Schema& schema, const KeyHistory& events, const Rows& expected,
                    const Rows& actual) {
  if (actual.size() > std::max<std::size_t>(1, expected.size())) return Wrong::duplicate;
  if (actual.empty()) return Wrong::lost_update;
  return about_payload(payload_of(actual.front(), schema), events, !expected.empty());
}

struct Interval {
  Row payload;
  Value from;
  Value to;
};

std::vector<Interval> intervals_of(const Rows& rows, const Schema& schema) {
  std::vector<Interval> intervals;
  for (const Row& row : rows)
    intervals.push_back({payload_of(row, schema), row[row.size() - 2], row[row.size() - 1]});
  return intervals;
}

bool overlapping(const Interval& a, const Interval& b) {
  const bool a_before_b = !a.to.is_null() && a.to <= b.from;
  const bool b_before_a = !b.to.is_null() && b.to <= a.from;
  return !a_before_b && !b_before_a;
}

const Interval* open_interval(const std::vector<Interval>& intervals) {
  for (const Interval& interval : intervals)
    if (interval.to.is_null()) return &interval;
  return nullptr;
}

Wrong classify_scd2(const Schema& schema, const KeyHistory& events, const Rows& expected_rows,
                    const Rows& actual_rows) {
  const std::vector<Interval> expected = intervals_of(expected_rows, schema);
  const std::vector<Interval> actual = intervals_of(actual_rows, schema);
  const auto open_count = std::count_if(
      actual.begin(), actual.end(), [](const Interval& interval) { return interval.to.is_null(); });
  if (open_count > 1) return Wrong::duplicate;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!actual[i].to.is_null() && actual[i].to < actual[i].from) return Wrong::overlap;
    for (std::size_t j = 0; j < i; ++j)
      if (overlapping(actual[i], actual[j])) return Wrong::overlap;
  }
  const Interval* wanted = open_interval(expected);
  const Interval* found = open_interval(actual);
  if (found != nullptr && (wanted == nullptr || wanted->payload != found->payload))
    return about_payload(found->payload, events, wanted != nullptr);
  if (wanted != nullptr && found == nullptr) return Wrong::lost_update;
  if (actual.size() < expected.size()) return Wrong::lost_update;  // a version of the past is gone
  return actual.size() > expected.size() ? Wrong::duplicate : Wrong::other;
}

std::set<Row> keys_of(const ByKey& a, const ByKey& b) {
  std::set<Row> keys;
  for (const auto& [key, rows] : a) keys.insert(key);
  for (const auto& [key, rows] : b) keys.insert(key);
  return keys;
}

const Rows& rows_of(const ByKey& grouped, const Row& key) {
  static const Rows none;
  const auto found = grouped.find(key);
  return found == grouped.end() ? none : found->second;
}

std::size_t count_differences(const ByKey& expected, const ByKey& actual) {
  std::size_t count = 0;
  for (const Row& key : keys_of(expected, actual))
    if (rows_of(expected, key) != rows_of(actual, key)) ++count;
  return count;
}

void set_wrong(Verdict& verdict) {
  verdict.outcome = Outcome::wrong;
  std::set<Wrong> how;
  for (const KeyDifference& difference : verdict.differences) how.insert(difference.how);
  verdict.how.assign(how.begin(), how.end());
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::right: return "right";
    case Outcome::ambiguous: return "ambiguous";
    case Outcome::wrong: return "wrong";
    case Outcome::refused: return "refused";
    case Outcome::unsupported: return "unsupported";
    case Outcome::not_run: return "not-run";
  }
  return "";
}

std::optional<Outcome> outcome_from_string(std::string_view text) {
  for (const Outcome outcome : {Outcome::right, Outcome::ambiguous, Outcome::wrong,
                                Outcome::refused, Outcome::unsupported, Outcome::not_run})
    if (to_string(outcome) == text) return outcome;
  return std::nullopt;
}

std::string_view to_string(Wrong wrong) {
  switch (wrong) {
    case Wrong::duplicate: return "duplicate";
    case Wrong::overlap: return "overlap";
    case Wrong::resurrected: return "resurrected";
    case Wrong::lost_delete: return "lost-delete";
    case Wrong::ghost_null: return "ghost-null";
    case Wrong::lost_update: return "lost-update";
    case Wrong::stale: return "stale";
    case Wrong::accepted: return "accepted";
    case Wrong::other: return "other";
  }
  return "";
}

std::optional<Wrong> wrong_from_string(std::string_view text) {
  for (const Wrong wrong :
       {Wrong::duplicate, Wrong::overlap, Wrong::resurrected, Wrong::lost_delete, Wrong::ghost_null,
        Wrong::lost_update, Wrong::stale, Wrong::accepted, Wrong::other})
    if (to_string(wrong) == text) return wrong;
  return std::nullopt;
}

std::string summary(const Verdict& verdict) {
  std::string text(to_string(verdict.outcome));
  if (verdict.outcome == Outcome::wrong) {
    for (std::size_t i = 0; i < verdict.how.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? ": " : ", ", to_string(verdict.how[i]));
  } else if (verdict.failure) {
    const Failure& failure = *verdict.failure;
    text += ": " + (failure.error_name.empty() ? failure.message : failure.error_name);
  }
  return text;
}

Verdict judge(const Schema& schema, StateKind state, const History& history, const Answer& answer,
              const Rows& actual_rows) {
  Verdict verdict;
  const Rows rows = with_normal_keys(actual_rows, schema.keys.size());
  const ByKey actual = group(rows, schema.keys.size());
  if (answer.kind == Answer::Kind::reject) {
    for (const auto& [key, found] : actual)
      verdict.differences.push_back({key, Wrong::accepted, {}, found});
    if (verdict.differences.empty()) verdict.differences.push_back({{}, Wrong::accepted, {}, {}});
    set_wrong(verdict);
    return verdict;
  }
  if (std::binary_search(answer.states.begin(), answer.states.end(), rows)) {
    verdict.outcome = answer.states.size() > 1 ? Outcome::ambiguous : Outcome::right;
    return verdict;
  }
  if (answer.truncated) {
    verdict.outcome = Outcome::not_run;
    verdict.failure = Failure{FailureKind::not_run,
                              "too many ties: not every allowed state could be listed",
                              {},
                              {},
                              {},
                              {}};
    return verdict;
  }
  ByKey expected;
  std::size_t fewest = 0;
  for (const Rows& allowed : answer.states) {
    ByKey grouped = group(allowed, schema.keys.size());
    const std::size_t differences = count_differences(grouped, actual);
    if (fewest != 0 && differences >= fewest) continue;
    fewest = differences;
    expected = std::move(grouped);
  }
  for (const Row& key : keys_of(expected, actual)) {
    const Rows& wanted = rows_of(expected, key);
    const Rows& found = rows_of(actual, key);
    if (wanted == found) continue;
    const KeyHistory events(history, key);
    const Wrong how = state == StateKind::scd1 ? classify_scd1(schema, events, wanted, found)
                                               : classify_scd2(schema, events, wanted, found);
    verdict.differences.push_back({key, how, wanted, found});
  }
  set_wrong(verdict);
  return verdict;
}

Verdict judge(const Answer& answer, Failure failure) {
  Verdict verdict;
  switch (failure.kind) {
    case FailureKind::refused:
      verdict.outcome = answer.kind == Answer::Kind::reject ? Outcome::right : Outcome::refused;
      break;
    case FailureKind::unsupported: verdict.outcome = Outcome::unsupported; break;
    case FailureKind::not_run: verdict.outcome = Outcome::not_run; break;
  }
  verdict.failure = std::move(failure);
  return verdict;
}

}  // namespace rowgate::harness
