// Enumeration by nested choices, each in a fixed order: number of events, key of each position
// (restricted growth: a new key is the next number), which earlier event of its key a position
// repeats, ranks and operations of each key's distinct events, cuts, variants. The recursion is as
// deep as there are events (at most kMaxBoundEvents). Each choice yields a different canonical
// form, so no history comes twice; tests compare the count with brute force over all labelled
// histories.
#include "harness/enumerate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

namespace rowgate::harness {
namespace {

using Count = std::uint64_t;
constexpr Count kMax = std::numeric_limits<Count>::max();

Count add(Count a, Count b) {
  return a > kMax - b ? kMax : a + b;
}
Count multiply(Count a, Count b) {
  return a != 0 && b > kMax / a ? kMax : a * b;
}

Count binomial(unsigned n, unsigned k) {
  if (k > n) return 0;
  Count result = 1;
  for (unsigned i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

Count stirling(unsigned n, unsigned k) {
  if (n == 0 && k == 0) return 1;
  if (n == 0 || k == 0) return 0;
  return k * stirling(n - 1, k) + stirling(n - 1, k - 1);
}

// Operations of j tied events: at most one delete, at most one null payload.
Count tied_operations(const Bounds& bounds, unsigned j) {
  const Count deletes = bounds.deletes ? j : 0;
  const Count nulls = bounds.null_payload ? j : 0;
  const Count both = bounds.deletes && bounds.null_payload ? Count{j} * (j - 1) : 0;
  return 1 + deletes + nulls + both;
}

Count ranked(const Bounds& bounds, unsigned d) {
  if (d == 0) return 1;
  if (!bounds.ties) return multiply(multiply(ranked(bounds, d - 1), d), tied_operations(bounds, 1));
  Count total = 0;
  for (unsigned j = 1; j <= d; ++j)
    total = add(total, multiply(multiply(binomial(d, j), tied_operations(bounds, j)),
                                ranked(bounds, d - j)));
  return total;
}

Count of_key(const Bounds& bounds, unsigned m) {
  if (!bounds.duplicates) return ranked(bounds, m);
  Count total = 0;
  for (unsigned d = 1; d <= m; ++d) total = add(total, multiply(stirling(m, d), ranked(bounds, d)));
  return total;
}

// Ways to fill n positions with at most k keys: the first position's key takes j of the others.
Count of_positions(const Bounds& bounds, unsigned n, unsigned k) {
  if (n == 0) return 1;
  if (k == 0) return 0;
  Count total = 0;
  for (unsigned m = 1; m <= n; ++m)
    total = add(total, multiply(multiply(binomial(n - 1, m - 1), of_key(bounds, m)),
                                of_positions(bounds, n - m, k - 1)));
  return total;
}

class Enumerator {
 public:
  Enumerator(const Bounds& bounds, const std::function<bool(const CompactHistory&)>& visit)
      : bounds_(bounds), visit_(visit) {}

  void run() {
    for (unsigned n = 1; n <= bounds_.events && going_; ++n) {
      history_ = {};
      history_.size = static_cast<std::uint8_t>(n);
      choose_key(0, 0);
    }
  }

 private:
  void choose_key(unsigned position, unsigned used) {
    if (position == history_.size) {
      key_count_ = used;
      distinct_.assign(used, 0);
      choose_repeat(0);
      return;
    }
    const unsigned choices = std::min(used + 1, bounds_.keys);
    for (unsigned key = 0; key < choices && going_; ++key) {
      history_.events[position].key = static_cast<std::uint8_t>(key);
      choose_key(position + 1, std::max(used, key + 1));
    }
  }

  // Which distinct event of its key a position is: a new one, or one that was there before.
  void choose_repeat(unsigned position) {
    if (position == history_.size) {
      choose_ranks(0);
      return;
    }
    const unsigned key = history_.events[position].key;
    const unsigned known = distinct_[key];
    identity_[position] = known;
    ++distinct_[key];
    choose_repeat(position + 1);
    --distinct_[key];
    if (!bounds_.duplicates) return;
    for (unsigned earlier = 0; earlier < known && going_; ++earlier) {
      identity_[position] = earlier;
      choose_repeat(position + 1);
    }
  }

  struct Distinct {
    std::uint8_t rank = 1;
    std::uint8_t tie = 0;
    EventKind kind = EventKind::value;
  };

  void choose_ranks(unsigned key) {
    if (key == key_count_) {
      choose_operations(0, 0);
      return;
    }
    const unsigned d = distinct_[key];
    std::array<std::uint8_t, kMaxBoundEvents> ranks{};
    if (!bounds_.ties) {
      for (unsigned i = 0; i < d; ++i) ranks[i] = static_cast<std::uint8_t>(i + 1);
      do {
        for (unsigned i = 0; i < d; ++i) events_[key][i].rank = ranks[i];
        choose_ranks(key + 1);
      } while (going_ && std::next_permutation(ranks.begin(), ranks.begin() + d));
      return;
    }
    choose_weak_order(key, 0, ranks);
  }

  // All rank vectors over 1..d whose ranks have no gap.
  void choose_weak_order(unsigned key, unsigned i,
                         std::array<std::uint8_t, kMaxBoundEvents>& ranks) {
    const unsigned d = distinct_[key];
    if (i < d) {
      for (unsigned rank = 1; rank <= d && going_; ++rank) {
        ranks[i] = static_cast<std::uint8_t>(rank);
        choose_weak_order(key, i + 1, ranks);
      }
      return;
    }
    unsigned seen = 0, highest = 0;
    for (unsigned j = 0; j < d; ++j) {
      seen |= 1U << ranks[j];
      highest = std::max<unsigned>(highest, ranks[j]);
    }
    if (seen != (1U << (highest + 1)) - 2) return;
    for (unsigned j = 0; j < d; ++j) {
      events_[key][j].rank = ranks[j];
      events_[key][j].tie =
          static_cast<std::uint8_t>(std::count(ranks.begin(), ranks.begin() + j, ranks[j]));
    }
    choose_ranks(key + 1);
  }

  void choose_operations(unsigned key, unsigned i) {
    if (key == key_count_) {
      finish_events();
      return;
    }
    if (i == distinct_[key]) {
      choose_operations(key + 1, 0);
      return;
    }
    Distinct& event = events_[key][i];
    for (const EventKind kind : {EventKind::value, EventKind::remove, EventKind::null_value}) {
      if (!going_) return;
      if (kind == EventKind::remove && !bounds_.deletes) continue;
      if (kind == EventKind::null_value && !bounds_.null_payload) continue;
      bool same = false;  // a tied event that does the same
      for (unsigned j = 0; j < i; ++j)
        same = same || (kind != EventKind::value && events_[key][j].rank == event.rank &&
                        events_[key][j].kind == kind);
      if (same) continue;
      event.kind = kind;
      choose_operations(key, i + 1);
    }
  }

  void finish_events() {
    for (unsigned i = 0; i < history_.size; ++i) {
      CompactEvent& event = history_.events[i];
      const Distinct& distinct = events_[event.key][identity_[i]];
      event.rank = distinct.rank;
      event.tie = distinct.tie;
      event.kind = distinct.kind;
    }
    const unsigned most = std::min<unsigned>(bounds_.batches, history_.size);
    for (unsigned batches = 1; batches <= most && going_; ++batches) choose_cuts(batches);
  }

  // All ways to cut n events into `batches` pieces, as bit sets of the positions that begin one.
  void choose_cuts(unsigned batches) {
    history_.batches = static_cast<std::uint8_t>(batches);
    for (unsigned cuts = 0; cuts < (1U << (history_.size - 1)) && going_; ++cuts) {
      unsigned batch = 0;
      for (unsigned i = 0; i < history_.size; ++i) {
        if (i > 0 && ((cuts >> (i - 1)) & 1U) != 0) ++batch;
        history_.events[i].batch = static_cast<std::uint8_t>(batch);
      }
      if (batch + 1 == batches) variants();
    }
  }

  void variants() {
    emit();
    for (int batch = 0; bounds_.replays && batch < history_.batches && going_; ++batch) {
      history_.replay = static_cast<std::int8_t>(batch);
      emit();
      history_.replay = -1;
    }
    for (unsigned i = 0; i < history_.size && going_; ++i) {
      if (bounds_.null_sequence) {
        history_.events[i].null_sequence = true;
        emit();
        history_.events[i].null_sequence = false;
      }
      if (bounds_.null_key && going_) {
        history_.events[i].null_key = true;
        emit();
        history_.events[i].null_key = false;
      }
    }
  }

  void emit() { going_ = going_ && visit_(history_); }

  const Bounds& bounds_;
  const std::function<bool(const CompactHistory&)>& visit_;
  CompactHistory history_;
  unsigned key_count_ = 0;
  std::vector<unsigned> distinct_;                    // distinct events a key
  std::array<unsigned, kMaxBoundEvents> identity_{};  // position -> distinct event of its key
  std::array<std::array<Distinct, kMaxBoundEvents>, kMaxBoundKeys> events_{};
  bool going_ = true;
};

std::uint64_t below(std::mt19937_64& random, std::uint64_t limit) {
  return random() % limit;
}

}  // namespace

std::string to_text(const Bounds& bounds) {
  std::string text =
      fmt::format("≤{} keys, ≤{} events, ≤{} batches", bounds.keys, bounds.events, bounds.batches);
  text += bounds.deletes ? ", deletes" : ", no deletes";
  text += bounds.duplicates ? ", duplicates" : ", no duplicates";
  text += bounds.ties ? ", ties" : ", ties excluded";
  if (bounds.replays) text += ", replayed batches";
  if (bounds.null_payload) text += ", null payloads";
  if (bounds.null_sequence) text += ", null sequences";
  if (bounds.null_key) text += ", null keys";
  return text;
}

Result<void> check_bounds(const Bounds& bounds) {
  if (bounds.keys >= 1 && bounds.keys <= kMaxBoundKeys && bounds.events >= 1 &&
      bounds.events <= kMaxBoundEvents && bounds.batches >= 1)
    return {};
  return fail(ErrorCode::usage, "the bound is out of range", {}, std::nullopt,
              fmt::format("use 1 to {} keys, 1 to {} events, at least 1 batch", kMaxBoundKeys,
                          kMaxBoundEvents));
}

std::uint64_t history_count(const Bounds& bounds) {
  Count total = 0;
  for (unsigned n = 1; n <= bounds.events; ++n) {
    const Count filled = of_positions(bounds, n, bounds.keys);
    for (unsigned b = 1; b <= std::min(bounds.batches, n); ++b) {
      const Count variants =
          1 + (bounds.replays ? b : 0) + (bounds.null_sequence ? n : 0) + (bounds.null_key ? n : 0);
      total = add(total, multiply(multiply(filled, binomial(n - 1, b - 1)), variants));
    }
  }
  return total;
}

void enumerate(const Bounds& bounds, const std::function<bool(const CompactHistory&)>& visit) {
  Enumerator(bounds, visit).run();
}

CompactHistory sample(const Bounds& bounds, std::mt19937_64& random) {
  CompactHistory history;
  history.size = static_cast<std::uint8_t>(1 + below(random, bounds.events));
  for (unsigned i = 0; i < history.size; ++i) {
    CompactEvent& event = history.events[i];
    if (i > 0 && bounds.duplicates && below(random, 5) == 0) {
      event = history.events[below(random, i)];
      continue;
    }
    event.key = static_cast<std::uint8_t>(below(random, bounds.keys));
    // Without ties: a place between the ranks so far, kept apart by doubling and renumbering below.
    event.rank = static_cast<std::uint8_t>(1 + below(random, 2 * kMaxBoundEvents));
    if (bounds.deletes && below(random, 4) == 0) event.kind = EventKind::remove;
    if (bounds.null_payload && event.kind == EventKind::value && below(random, 5) == 0)
      event.kind = EventKind::null_value;
    for (unsigned j = 0; j < i; ++j) {
      const CompactEvent& other = history.events[j];
      if (other.key != event.key || other.rank != event.rank) continue;
      if (!bounds.ties || (event.kind != EventKind::value && event.kind == other.kind))
        event = other;  // it becomes a duplicate
      else
        event.tie = std::max(event.tie, static_cast<std::uint8_t>(other.tie + 1));
    }
  }
  if (!bounds.duplicates) {  // duplicates that chance made are dropped
    unsigned kept = 0;
    for (unsigned i = 0; i < history.size; ++i) {
      bool seen = false;
      for (unsigned j = 0; j < kept; ++j) seen = seen || history.events[j] == history.events[i];
      if (!seen) history.events[kept++] = history.events[i];
    }
    history.size = static_cast<std::uint8_t>(kept);
  }
  std::uint8_t batch = 0;
  for (unsigned i = 0; i < history.size; ++i) {
    if (i > 0 && batch + 1U < bounds.batches && below(random, 2) == 0) ++batch;
    history.events[i].batch = batch;
  }
  history.batches = static_cast<std::uint8_t>(batch + 1);
  if (bounds.replays && below(random, 4) == 0)
    history.replay = static_cast<std::int8_t>(below(random, history.batches));
  return canonical(history);
}

CompactHistory canonical(CompactHistory history) {
  std::map<unsigned, std::uint8_t> keys;
  std::map<unsigned, std::set<unsigned>> ranks;
  std::map<std::array<unsigned, 3>, std::uint8_t> ties;
  std::map<std::array<unsigned, 2>, std::uint8_t> next_tie;
  std::map<unsigned, std::uint8_t> batches;
  for (unsigned i = 0; i < history.size; ++i) {
    const CompactEvent& event = history.events[i];
    keys.emplace(event.key, static_cast<std::uint8_t>(keys.size()));
    ranks[event.key].insert(event.rank);
    batches.emplace(event.batch, static_cast<std::uint8_t>(batches.size()));
  }
  for (unsigned i = 0; i < history.size; ++i) {
    CompactEvent& event = history.events[i];
    const std::set<unsigned>& own = ranks[event.key];
    const auto rank =
        static_cast<std::uint8_t>(1 + std::distance(own.begin(), own.find(event.rank)));
    const std::array<unsigned, 3> identity = {event.key, event.rank, event.tie};
    auto found = ties.find(identity);
    if (found == ties.end())
      found = ties.emplace(identity, next_tie[{event.key, event.rank}]++).first;
    event.tie = found->second;
    event.rank = rank;
    event.key = keys[event.key];
    event.batch = batches[event.batch];
  }
  if (history.replay >= 0) {
    const auto found = batches.find(static_cast<unsigned>(history.replay));
    history.replay =
        found == batches.end() ? std::int8_t{-1} : static_cast<std::int8_t>(found->second);
  }
  history.batches = static_cast<std::uint8_t>(batches.size());
  for (unsigned i = history.size; i < kMaxBoundEvents; ++i) history.events[i] = {};
  return history;
}

std::array<std::uint32_t, 6> measure(const CompactHistory& history) {
  std::uint32_t keys = 0, disorder = 0, ranks = 0, shape = 0;
  for (unsigned i = 0; i < history.size; ++i) {
    const CompactEvent& event = history.events[i];
    keys = std::max<std::uint32_t>(keys, event.key + 1U);
    ranks = ranks * 9 + event.rank;
    disorder += (event.null_sequence ? 4U : 0U) + (event.null_key ? 4U : 0U) +
                (event.kind == EventKind::null_value ? 1U : 0U);
    for (unsigned j = 0; j < i; ++j)
      if (history.events[j].key == event.key && history.events[j].rank >= event.rank) ++disorder;
    shape = shape * 3 + (event.kind == EventKind::remove ? 1U : 0U) + (event.batch % 2U);
  }
  const std::uint32_t replay = history.replay >= 0 ? 1 : 0;
  return {keys, history.size, history.batches + replay, disorder, ranks, shape};
}

Value key_value(const Type& type, std::uint64_t key) {
  const auto number = static_cast<std::int64_t>(key);
  switch (type.kind) {
    case TypeKind::boolean: return Value(Value::Data(key % 2 == 1));
    case TypeKind::decimal: {
      Int128 unscaled = number;
      for (unsigned i = 0; i < type.scale; ++i) unscaled *= 10;
      return Value(Value::Data(Decimal{unscaled, type.scale}));
    }
    case TypeKind::float64: return Value(Value::Data(static_cast<double>(number)));
    case TypeKind::string: return Value::text(fmt::format("k{}", key));
    case TypeKind::timestamp: return Value(Value::Data(Timestamp{number * 1'000'000}));
    case TypeKind::date: return Value(Value::Data(Date{static_cast<std::int32_t>(number)}));
    default: return Value::integer(number);
  }
}

std::optional<std::uint64_t> key_number(const Value& value) {
  const Value::Data& held = value.data();
  if (const auto* number = std::get_if<std::int64_t>(&held))
    return *number < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(*number));
  if (const auto* text = std::get_if<std::string>(&held)) {
    std::uint64_t number = 0;
    if (text->size() < 2 || text->front() != 'k') return std::nullopt;
    const auto read = std::from_chars(text->data() + 1, text->data() + text->size(), number);
    if (read.ec != std::errc() || read.ptr != text->data() + text->size()) return std::nullopt;
    return number;
  }
  if (const auto* decimal = std::get_if<Decimal>(&held)) {
    Int128 unscaled = decimal->unscaled;
    for (unsigned i = 0; i < decimal->scale; ++i) unscaled /= 10;
    return unscaled < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(unscaled));
  }
  if (const auto* number = std::get_if<double>(&held))
    return *number >= 0 && *number < 1e15 ? std::optional(static_cast<std::uint64_t>(*number))
                                          : std::nullopt;
  if (const auto* time = std::get_if<Timestamp>(&held))
    return time->micros < 0 ? std::nullopt
                            : std::optional(static_cast<std::uint64_t>(time->micros / 1'000'000));
  if (const auto* date = std::get_if<Date>(&held))
    return date->days < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(date->days));
  return std::nullopt;
}

Value payload_value(const Type& type, const CompactEvent& event, std::size_t column) {
  if (event.kind != EventKind::value) return Value();
  if (type.kind == TypeKind::string) {
    std::string text = fmt::format("k{}v{}", event.key + 1, event.rank);
    if (event.tie > 0) text.push_back(static_cast<char>('a' + event.tie));
    if (column > 0) text += fmt::format("_{}", column + 1);
    return Value::text(std::move(text));
  }
  // At most 3 * 26 + 8 * 3 + 7 / 3 < 127, so that a TINYINT holds it; unique while ties are few.
  const unsigned number = event.key * 26U + event.rank * 3U + event.tie % 3U;
  return key_value(type, number);
}

Value sequence_value(const Type& type, unsigned rank) {
  if (type.kind == TypeKind::string) return Value::text(fmt::format("{:04}", rank));
  if (type.kind == TypeKind::boolean) return Value(Value::Data(rank % 2 == 0));
  return key_value(type, rank);
}

History to_history(const CompactHistory& compact, const Schema& schema, std::uint64_t key_offset) {
  History history;
  history.batches.resize(compact.batches);
  for (unsigned i = 0; i < compact.size; ++i) {
    const CompactEvent& from = compact.events[i];
    Event event;
    for (const Column& column : schema.keys)
      event.key.push_back(from.null_key ? Value()
                                        : key_value(column.type, key_offset + from.key + 1U));
    event.sequence = from.null_sequence ? Value() : sequence_value(schema.sequence.type, from.rank);
    event.op = from.kind == EventKind::remove ? Operation::remove : Operation::upsert;
    for (std::size_t column = 0; column < schema.payload.size(); ++column)
      event.payload.push_back(payload_value(schema.payload[column].type, from, column));
    history.batches[from.batch].events.push_back(std::move(event));
  }
  if (compact.replay >= 0) {
    Batch again = history.batches[static_cast<std::size_t>(compact.replay)];
    again.replay_of = static_cast<std::size_t>(compact.replay);
    history.batches.push_back(std::move(again));
  }
  return history;
}

}  // namespace rowgate::harness
