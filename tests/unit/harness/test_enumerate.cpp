// The enumeration against brute force: all labelled histories of small bounds are made, brought to
// canonical form, and counted.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "harness/enumerate.hpp"
#include "harness/prove.hpp"

namespace rowgate::harness {
namespace {

using Signature = std::vector<int>;

Signature signature(const CompactHistory& history) {
  Signature text = {history.batches, history.replay};
  for (unsigned i = 0; i < history.size; ++i) {
    const CompactEvent& event = history.events[i];
    for (const int part :
         {int{event.key}, int{event.rank}, int{event.tie}, static_cast<int>(event.kind),
          int{event.batch}, event.null_sequence ? 1 : 0, event.null_key ? 1 : 0})
      text.push_back(part);
  }
  return text;
}

// Every assignment of key, rank, payload identity and operation to n positions, with every cut.
class BruteForce {
 public:
  explicit BruteForce(const Bounds& bounds) : bounds_(bounds) {}

  std::set<Signature> run() {
    for (unsigned n = 1; n <= bounds_.events; ++n) {
      history_ = {};
      history_.size = static_cast<std::uint8_t>(n);
      fill(0);
    }
    return std::move(found_);
  }

 private:
  void fill(unsigned position) {
    if (position == history_.size) {
      cut();
      return;
    }
    CompactEvent& event = history_.events[position];
    for (unsigned key = 0; key < bounds_.keys; ++key)
      for (unsigned rank = 1; rank <= history_.size; ++rank)
        for (unsigned tie = 0; tie < (bounds_.ties ? history_.size : 1U); ++tie)
          for (const EventKind kind :
               {EventKind::value, EventKind::null_value, EventKind::remove}) {
            if (kind == EventKind::remove && !bounds_.deletes) continue;
            if (kind == EventKind::null_value && !bounds_.null_payload) continue;
            event.key = static_cast<std::uint8_t>(key);
            event.rank = static_cast<std::uint8_t>(rank);
            event.tie = static_cast<std::uint8_t>(tie);
            event.kind = kind;
            if (allowed(position)) fill(position + 1);
          }
  }

  // One identity has one content; without ties a rank is one event; two tied deletes are one event.
  bool allowed(unsigned position) const {
    const CompactEvent& event = history_.events[position];
    for (unsigned i = 0; i < position; ++i) {
      const CompactEvent& other = history_.events[i];
      if (other.key != event.key || other.rank != event.rank) continue;
      const bool same_event = other.tie == event.tie;
      if (same_event && (other.kind != event.kind || !bounds_.duplicates)) return false;
      if (!same_event && event.kind != EventKind::value && event.kind == other.kind) return false;
    }
    return true;
  }

  void cut() {
    for (unsigned cuts = 0; cuts < (1U << (history_.size - 1)); ++cuts) {
      unsigned batch = 0;
      for (unsigned i = 0; i < history_.size; ++i) {
        if (i > 0 && ((cuts >> (i - 1)) & 1U) != 0) ++batch;
        history_.events[i].batch = static_cast<std::uint8_t>(batch);
      }
      if (batch + 1 > bounds_.batches) continue;
      history_.batches = static_cast<std::uint8_t>(batch + 1);
      found_.insert(signature(canonical(history_)));
      for (unsigned i = 0; bounds_.replays && i <= batch; ++i) {
        history_.replay = static_cast<std::int8_t>(i);
        found_.insert(signature(canonical(history_)));
        history_.replay = -1;
      }
    }
  }

  const Bounds& bounds_;
  CompactHistory history_;
  std::set<Signature> found_;
};

Bounds bounds(unsigned keys, unsigned events, unsigned batches) {
  Bounds result;
  result.keys = keys;
  result.events = events;
  result.batches = batches;
  return result;
}

void check_against_brute_force(const Bounds& bounds) {
  std::set<Signature> enumerated;
  std::uint64_t visits = 0;
  enumerate(bounds, [&](const CompactHistory& history) {
    ++visits;
    CHECK(canonical(history) == history);
    enumerated.insert(signature(history));
    return true;
  });
  CHECK_MESSAGE(visits == history_count(bounds), to_text(bounds));
  CHECK_MESSAGE(enumerated.size() == visits, to_text(bounds));
  CHECK_MESSAGE(enumerated == BruteForce(bounds).run(), to_text(bounds));
}

}  // namespace

TEST_CASE("the enumeration is brute force up to isomorphism, and the formula counts it") {
  for (unsigned flags = 0; flags < 32; ++flags) {
    // Brute force is exponential: with ties one key has to do.
    Bounds each = bounds((flags & 4U) != 0 ? 1 : 2, 3, 2);
    each.deletes = (flags & 1U) != 0;
    each.duplicates = (flags & 2U) != 0;
    each.ties = (flags & 4U) != 0;
    each.replays = (flags & 8U) != 0;
    each.null_payload = (flags & 16U) != 0;
    check_against_brute_force(each);
  }
  check_against_brute_force(bounds(3, 3, 3));
  check_against_brute_force(bounds(1, 4, 3));
  Bounds ties = bounds(2, 2, 2);
  ties.ties = ties.null_payload = true;
  check_against_brute_force(ties);
}

TEST_CASE("null variants are counted too") {
  Bounds nulls = bounds(2, 3, 2);
  nulls.null_sequence = nulls.null_key = true;
  std::set<Signature> seen;
  std::uint64_t visits = 0;
  enumerate(nulls, [&](const CompactHistory& history) {
    ++visits;
    seen.insert(signature(history));
    return true;
  });
  CHECK(visits == history_count(nulls));
  CHECK(seen.size() == visits);
}

TEST_CASE("counts by hand") {
  // One key, two events, no deletes, no duplicates: two orders, together or in two batches.
  Bounds small = bounds(1, 2, 2);
  small.deletes = small.duplicates = false;
  CHECK(history_count(small) == 1 + 2 * 2);
  // With deletes each event is one of two.
  small.deletes = true;
  CHECK(history_count(small) == 2 + 2 * 4 * 2);
  // With duplicates the second may repeat the first: two more a cut.
  small.duplicates = true;
  CHECK(history_count(small) == 2 + (2 * 4 + 2) * 2);
  Bounds huge = bounds(4, 8, 8);
  huge.ties = huge.null_payload = huge.replays = true;
  CHECK(history_count(huge) > 1'000'000'000ULL);
}

TEST_CASE("samples are canonical, within the bound, and repeat with their seed") {
  Bounds each = bounds(3, 8, 4);
  each.ties = true;
  std::mt19937_64 first(7), second(7);
  for (int i = 0; i < 2000; ++i) {
    const CompactHistory history = sample(each, first);
    CHECK(history == sample(each, second));
    CHECK(canonical(history) == history);
    CHECK(history.size >= 1);
    CHECK(history.size <= each.events);
    CHECK(history.batches <= each.batches);
  }
}

TEST_CASE("keys are found again in values of every type") {
  for (const TypeKind kind : {TypeKind::int8, TypeKind::int32, TypeKind::int64, TypeKind::float64,
                              TypeKind::string, TypeKind::timestamp, TypeKind::date})
    CHECK(key_number(key_value({kind, 0, 0}, 113)) == 113);
  CHECK(key_number(key_value({TypeKind::decimal, 12, 2}, 113)) == 113);
  CHECK(!key_number(Value()).has_value());
  CHECK(!key_number(Value::text("k1x")).has_value());
}

TEST_CASE("bounds out of range are refused") {
  CHECK(check_bounds(Bounds{}).has_value());
  CHECK(!check_bounds(bounds(0, 3, 2)).has_value());
  CHECK(!check_bounds(bounds(kMaxBoundKeys + 1, 3, 2)).has_value());
  CHECK(!check_bounds(bounds(1, kMaxBoundEvents + 1, 2)).has_value());
  CHECK(!check_bounds(bounds(1, 1, 0)).has_value());
}

}  // namespace rowgate::harness
