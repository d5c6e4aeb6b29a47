// The oracle.
//
// The ideal rules (SCD type 1 with tombstones, SCD type 2) are a fold over the *distinct* events of
// a key in the order of their sequence, so arrival and batches cannot matter:
//   upsert at s   the row becomes the event's values; an absent value keeps what was there. For
//   type
//                 2 the current version ends at s and the next begins, unless the values are equal:
//                 then the run goes on.
//   delete at s   the row goes; for type 2 the current version ends at s.
//   truncate at s removes every row older than s: a delete for all keys, but an upsert at the same
//                 sequence survives it.
//   pre-image     is dropped. A null key or a null sequence: the input must be rejected.
// Events of one key with one sequence and unlike contents are a tie. The feed does not say which
// came last, so each of them may: the fold carries the set of possible states. Without partial
// updates the last of a tie decides alone; with them every order of the tie is tried (up to
// kMaxTieOrders). The states of the keys are independent, so the answer is their product, cut off
// at kMaxStates.
//
// Variants whose documented rule is about arrival (Spark's own, hard deletes, Hudi, Paimon) fold
// over batches or arrivals instead. Every loop is over finite input; cost is n log n a key plus the
// ties.
#include "harness/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace rowgate::harness {
namespace {

constexpr std::size_t kMaxTieOrders = 120;

constexpr OracleVariant kVariants[] = {
    // A delete forgets its sequence, so what arrives later and older comes back: the best that a
    // MERGE with WHEN MATCHED ... DELETE can do. Delta Lake documentation, "Upsert into a table
    // using merge", WHEN MATCHED THEN DELETE: a deleted row leaves nothing to compare with.
    {"delta-hard-delete", StateKind::scd1, "guarded MERGE that deletes rows for good",
     "Delta Lake documentation, MERGE INTO, WHEN MATCHED ... THEN DELETE"},
    // Hudi 1.x, record merge mode COMMIT_TIME_ORDERING: the latest write wins.
    {"hudi-commit-time", StateKind::scd1, "Hudi, COMMIT_TIME_ORDERING",
     "Apache Hudi documentation, Record Mergers, COMMIT_TIME_ORDERING"},
    // Hudi 1.x, EVENT_TIME_ORDERING: the record with the largest ordering value wins, equal values
    // go
    // to the latest incoming record; deletes carry an ordering value too.
    {"hudi-event-time", StateKind::scd1, "Hudi, EVENT_TIME_ORDERING",
     "Apache Hudi documentation, Record Mergers, EVENT_TIME_ORDERING"},
    {"ideal", StateKind::scd1, "SCD type 1 with tombstones",
     "the set of events alone decides; see oracle.cpp"},
    {"ideal-scd2", StateKind::scd2, "SCD type 2",
     "the set of events alone decides; see oracle.cpp"},
    // Paimon's deduplicate merge engine with `sequence.field`: the largest sequence wins, equal
    // ones
    // by input order; a retract record that wins removes the row and stays as a tombstone.
    {"paimon-deduplicate", StateKind::scd1, "Paimon, deduplicate with sequence.field",
     "Apache Paimon documentation, Merge Engine: Deduplicate; Sequence Field"},
    // sql/pipelines/src/main/scala/org/apache/spark/sql/pipelines/autocdc/*.scala: max_by per key,
    // older than the tombstone is dropped, tombstone table merged, target merged.
    {"spark-auto-cdc-scd1", StateKind::scd1, "Spark Auto CDC, SCD type 1",
     "apache/spark sql/pipelines/.../autocdc (4.2, 4.3)"},
    {"spark-auto-cdc-scd2", StateKind::scd2, "Spark Auto CDC, SCD type 2",
     "apache/spark sql/pipelines/.../autocdc (4.3)"},
};

struct Arrival {
  const Event* event;
  std::size_t batch;
};

// The events of each key in arrival order, without pre-images and truncates.
struct Feed {
  std::map<Row, std::vector<Arrival>> by_key;
  std::vector<const Event*> truncates;
  bool partial = false;  // some upsert leaves a column out
  std::string reject;    // why the input must be refused, or empty
};

Feed read_feed(const History& history) {
  Feed feed;
  bool null_key = false, null_sequence = false;
  for (std::size_t batch = 0; batch < history.batches.size(); ++batch) {
    for (const Event& event : history.batches[batch].events) {
      if (event.op == Operation::pre_image) continue;
      null_sequence |= event.sequence.is_null() || event.sequence.is_absent();
      if (event.op == Operation::truncate) {
        feed.truncates.push_back(&event);
        continue;
      }
      for (const Value& value : event.key) null_key |= value.is_null() || value.is_absent();
      if (event.op != Operation::remove)
        for (const Value& value : event.payload) feed.partial |= value.is_absent();
      feed.by_key[normal_key(event.key)].push_back({&event, batch});
    }
  }
  // Spark's order: a null sequence is reported first.
  if (null_sequence)
    feed.reject = "null sequence";
  else if (null_key)
    feed.reject = "null key";
  return feed;
}

struct Version {
  Value from;      // when these values began to hold
  Value sequence;  // of the last event that confirmed them
  Row payload;

  friend auto operator<=>(const Version&, const Version&) = default;
};

struct KeyState {
  std::optional<Version> current;
  Rows closed;  // type 2: payload, valid_from, valid_to

  friend auto operator<=>(const KeyState&, const KeyState&) = default;
};

void close_current(KeyState& state, const Value& at) {
  if (!state.current) return;
  if (state.current->from < at) {
    Row row = state.current->payload;
    row.push_back(state.current->from);
    row.push_back(at);
    state.closed.push_back(std::move(row));
  }
  state.current.reset();
}

KeyState after(KeyState state, const Event& event) {
  if (event.op == Operation::remove || event.op == Operation::truncate) {
    close_current(state, event.sequence);
    return state;
  }
  Row payload = event.payload;
  for (std::size_t i = 0; i < payload.size(); ++i)
    if (payload[i].is_absent()) payload[i] = state.current ? state.current->payload[i] : Value();
  if (state.current && state.current->payload == payload) {
    state.current->sequence = event.sequence;
    return state;
  }
  close_current(state, event.sequence);
  state.current = Version{event.sequence, event.sequence, std::move(payload)};
  return state;
}

// The events that differ in what they do: two deletes do the same, whatever they carry.
std::vector<const Event*> distinct_effects(const std::vector<const Event*>& events) {
  std::vector<const Event*> distinct;
  for (const Event* event : events) {
    const bool seen = std::any_of(distinct.begin(), distinct.end(), [&](const Event* other) {
      if ((other->op == Operation::remove) != (event->op == Operation::remove)) return false;
      return event->op == Operation::remove || other->payload == event->payload;
    });
    if (!seen) distinct.push_back(event);
  }
  return distinct;
}

using KeyStates = std::set<KeyState>;

struct Folded {
  std::vector<Rows> alternatives;  // of one key, without the key columns
  bool truncated = false;
};

KeyStates after_tie(const KeyStates& before, const std::vector<const Event*>& tie, bool partial,
                    bool& truncated) {
  KeyStates result;
  if (!partial || tie.size() == 1) {
    for (const KeyState& state : before)
      for (const Event* event : tie) result.insert(after(state, *event));
    return result;
  }
  std::vector<std::size_t> order(tie.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::size_t tried = 0;
  do {
    if (++tried > kMaxTieOrders) {
      truncated = true;
      break;
    }
    for (KeyState state : before) {
      for (const std::size_t i : order) state = after(std::move(state), *tie[i]);
      result.insert(std::move(state));
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

Rows rows_of(const KeyState& state, StateKind kind) {
  Rows rows;
  if (kind == StateKind::scd1) {
    if (!state.current) return rows;
    Row row = state.current->payload;
    row.push_back(state.current->sequence);
    rows.push_back(std::move(row));
    return rows;
  }
  rows = state.closed;
  if (state.current) {
    Row row = state.current->payload;
    row.push_back(state.current->from);
    row.push_back(Value());
    rows.push_back(std::move(row));
  }
  return rows;
}

Folded fold_ideal(const std::vector<Arrival>& arrivals, const Feed& feed, StateKind kind) {
  std::map<Value, std::vector<const Event*>> by_sequence;
  for (const Arrival& arrival : arrivals)
    by_sequence[arrival.event->sequence].push_back(arrival.event);
  std::map<Value, const Event*> truncates;
  for (const Event* event : feed.truncates) {
    truncates.emplace(event->sequence, event);
    by_sequence[event->sequence];  // the group of that sequence exists, if only for the truncate
  }
  Folded folded;
  KeyStates states = {KeyState{}};
  for (const auto& [sequence, events] : by_sequence) {
    if (const auto truncate = truncates.find(sequence); truncate != truncates.end())
      states = after_tie(states, {truncate->second}, false, folded.truncated);
    if (!events.empty())
      states = after_tie(states, distinct_effects(events), feed.partial, folded.truncated);
    if (kind == StateKind::scd1) {  // the past does not matter there
      KeyStates current;
      for (const KeyState& state : states) current.insert(KeyState{state.current, {}});
      states = std::move(current);
    }
    while (states.size() > kMaxStates) {
      states.erase(std::prev(states.end()));
      folded.truncated = true;
    }
  }
  for (const KeyState& state : states) folded.alternatives.push_back(rows_of(state, kind));
  return folded;
}

// --- variants in which arrival matters ---------------------------------------------------------

struct Merged {
  std::optional<Version> row;
  std::optional<Value> tombstone;

  friend auto operator<=>(const Merged&, const Merged&) = default;
};

Version version_of(const Event& event) {
  return Version{event.sequence, event.sequence, event.payload};
}

// Auto CDC's two merges for one key's winner of a micro-batch.
Merged spark_scd1_step(Merged state, const Event& event) {
  const Value& s = event.sequence;
  if (event.op == Operation::remove) {
    if (!state.tombstone || *state.tombstone < s) state.tombstone = s;
    if (state.row && state.row->sequence < s) state.row.reset();
    return state;
  }
  if (state.tombstone && s < *state.tombstone) return state;
  if (state.row && s < state.row->sequence) return state;
  state.row = version_of(event);
  state.tombstone.reset();
  return state;
}

// Guarded on update and delete, rows removed for good.
Merged hard_delete_step(Merged state, const Event& event) {
  const bool newer = !state.row || state.row->sequence < event.sequence;
  if (!newer) return state;
  if (event.op == Operation::remove)
    state.row.reset();
  else
    state.row = version_of(event);
  return state;
}

using Step = Merged (*)(Merged, const Event&);

// Batch by batch, the event with the largest sequence of each batch; ties within a batch are open.
Folded fold_batches(const std::vector<Arrival>& arrivals, Step step) {
  std::set<Merged> states = {Merged{}};
  for (std::size_t begin = 0; begin < arrivals.size();) {
    std::size_t end = begin;
    std::vector<const Event*> largest;
    for (; end < arrivals.size() && arrivals[end].batch == arrivals[begin].batch; ++end) {
      const Event* event = arrivals[end].event;
      if (!largest.empty() && event->sequence < largest.front()->sequence) continue;
      if (!largest.empty() && largest.front()->sequence < event->sequence) largest.clear();
      largest.push_back(event);
    }
    std::set<Merged> next;
    for (const Event* event : distinct_effects(largest))
      for (const Merged& state : states) next.insert(step(state, *event));
    states = std::move(next);
    begin = end;
  }
  Folded folded;
  for (const Merged& state : states)
    folded.alternatives.push_back(rows_of(KeyState{state.row, {}}, StateKind::scd1));
  return folded;
}

enum class Wins : std::uint8_t { larger_sequence, later_arrival };

// Record by record in arrival order; a delete is a record like the others.
Folded fold_arrivals(const std::vector<Arrival>& arrivals, Wins wins) {
  const Event* winner = nullptr;
  for (const Arrival& arrival : arrivals)
    if (winner == nullptr || wins == Wins::later_arrival ||
        winner->sequence <= arrival.event->sequence)
      winner = arrival.event;
  Folded folded;
  Rows rows;
  if (winner != nullptr && winner->op != Operation::remove)
    rows = rows_of(KeyState{version_of(*winner), {}}, StateKind::scd1);
  folded.alternatives.push_back(std::move(rows));
  return folded;
}

Folded fold(const OracleVariant& variant, const std::vector<Arrival>& arrivals, const Feed& feed) {
  if (variant.name == "spark-auto-cdc-scd1") return fold_batches(arrivals, spark_scd1_step);
  if (variant.name == "delta-hard-delete") return fold_batches(arrivals, hard_delete_step);
  if (variant.name == "hudi-commit-time") return fold_arrivals(arrivals, Wins::later_arrival);
  if (variant.name == "hudi-event-time" || variant.name == "paimon-deduplicate")
    return fold_arrivals(arrivals, Wins::larger_sequence);
  return fold_ideal(arrivals, feed, variant.state);
}

bool is_ideal(const OracleVariant& variant) {
  return variant.name == "ideal" || variant.name == "ideal-scd2";
}

bool rejects_nulls(const OracleVariant& variant) {
  return is_ideal(variant) || variant.name.substr(0, 14) == "spark-auto-cdc";
}

Result<void> check_rules(const OracleVariant& variant, const Feed& feed) {
  const auto no_rule = [&](std::string_view what) {
    return fail(ErrorCode::unsupported,
                fmt::format("the rule '{}' says nothing about {}", variant.name, what), {},
                std::nullopt, "judge it by the rule 'ideal'");
  };
  if (!feed.reject.empty() && !rejects_nulls(variant)) return no_rule("a " + feed.reject);
  if (!feed.truncates.empty() && !is_ideal(variant)) return no_rule("truncate");
  if (feed.partial && !is_ideal(variant)) return no_rule("partial updates");
  return {};
}

// Adds one key's alternatives to every state that there is so far.
void multiply(Answer& answer, const Row& key, const Folded& folded) {
  answer.truncated = answer.truncated || folded.truncated;
  std::vector<Rows> product;
  for (const Rows& state : answer.states) {
    for (const Rows& alternative : folded.alternatives) {
      if (product.size() == kMaxStates) {
        answer.truncated = true;
        break;
      }
      Rows rows = state;
      for (const Row& tail : alternative) {
        Row row = key;
        row.insert(row.end(), tail.begin(), tail.end());
        rows.push_back(std::move(row));
      }
      product.push_back(std::move(rows));
    }
  }
  answer.states = std::move(product);
}

}  // namespace

std::span<const OracleVariant> oracle_variants() {
  return kVariants;
}

const OracleVariant* find_oracle(std::string_view name) {
  for (const OracleVariant& variant : kVariants)
    if (variant.name == name) return &variant;
  return nullptr;
}

Result<Answer> right_answer(const OracleVariant& variant, const Schema& schema,
                            const History& history) {
  ROWGATE_CHECK(check_history(schema, history));
  return right_answer_of_valid(variant, history);
}

Result<Answer> right_answer_of_valid(const OracleVariant& variant, const History& history) {
  const Feed feed = read_feed(history);
  ROWGATE_CHECK(check_rules(variant, feed));
  Answer answer;
  if (!feed.reject.empty()) {
    answer.kind = Answer::Kind::reject;
    answer.reason = feed.reject;
    return answer;
  }
  answer.states = {Rows{}};
  for (const auto& [key, arrivals] : feed.by_key)
    multiply(answer, key, fold(variant, arrivals, feed));
  for (Rows& state : answer.states) sort_rows(state);
  std::sort(answer.states.begin(), answer.states.end());
  answer.states.erase(std::unique(answer.states.begin(), answer.states.end()), answer.states.end());
  return answer;
}

}  // namespace rowgate::harness
