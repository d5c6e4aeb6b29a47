// Every history up to a bound, once each, without isomorphic repeats.
//
// Keys and payloads are interchangeable, and sequences matter by their order within a key only, so:
//   - keys are numbered by their first appearance;
//   - the d distinct events of a key have the ranks 1..d in some order (ties: a weak order), and a
//     position that repeats an earlier event of its key repeats it exactly;
//   - every distinct event has a payload of its own, so that order bugs cannot hide;
//   - the n events are cut into at most `batches` non-empty micro-batches.
//
// How many there are. For a key with m events let
//   E(m) = sum over d of S(m,d) * R(d)     with duplicates (S: Stirling numbers of the second kind)
//   E(m) = R(m)                            without
//   R(d) = d! * c^d                        without ties, c = 1 + deletes + null payloads
//   R(d) = sum over j=1..d of C(d,j) * B(j) * R(d-j), R(0) = 1    with ties, where B(j) counts the
//          operations of j tied events: at most one delete and one null payload among them.
// Then the number of histories is, over n = 1..events and over the ways to give n positions to
// k <= keys keys (set partitions with block sizes m_i),
//   product of E(m_i) * sum over b = 1..min(batches,n) of C(n-1,b-1) * V(n,b)
// with the variants V = 1 + b [replays: one of the b batches comes again at the end] + n [null
// sequence: one event has none, and keeps the payload of its rank] + n [null key].
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "harness/history.hpp"

namespace rowgate::harness {

inline constexpr unsigned kMaxBoundEvents = 8;
inline constexpr unsigned kMaxBoundKeys = 4;

struct Bounds {
  unsigned keys = 2;     // 1..kMaxBoundKeys
  unsigned events = 5;   // 1..kMaxBoundEvents
  unsigned batches = 3;  // at least 1
  bool deletes = true;
  bool duplicates = true;
  bool ties = false;
  bool replays = false;
  bool null_sequence = false;
  bool null_key = false;
  bool null_payload = false;
};

// "≤2 keys, ≤5 events, ≤3 batches, deletes, duplicates, ties excluded"
std::string to_text(const Bounds& bounds);

// Errors: usage, with what is allowed.
Result<void> check_bounds(const Bounds& bounds);

// The formula above. Saturates at the largest number.
std::uint64_t history_count(const Bounds& bounds);

enum class EventKind : std::uint8_t { value, null_value, remove };

struct CompactEvent {
  std::uint8_t key = 0;   // 0-based
  std::uint8_t rank = 1;  // 1-based, within the key; equal ranks of unlike events are a tie
  std::uint8_t tie = 0;   // which of the tied events, in order of first arrival
  EventKind kind = EventKind::value;
  std::uint8_t batch = 0;
  bool null_sequence = false;
  bool null_key = false;

  friend bool operator==(const CompactEvent&, const CompactEvent&) = default;
};

struct CompactHistory {
  std::array<CompactEvent, kMaxBoundEvents> events{};
  std::uint8_t size = 0;
  std::uint8_t batches = 0;
  std::int8_t replay = -1;  // the batch that comes again at the end, or -1

  friend bool operator==(const CompactHistory&, const CompactHistory&) = default;
};

// Calls `visit` for each history, smaller ones (by events) first, until it returns false. Always in
// the same order. Precondition: check_bounds.
void enumerate(const Bounds& bounds, const std::function<bool(const CompactHistory&)>& visit);

// A random history within the bounds, not uniform over classes. The same generator state gives the
// same history.
CompactHistory sample(const Bounds& bounds, std::mt19937_64& random);

// Renumbers keys, ranks and ties so that isomorphic histories become equal, and drops empty
// batches.
CompactHistory canonical(CompactHistory history);

// fewest keys, then events, then batches, then disorder (pairs that arrive against their sequence,
// nulls, replays), then the smallest sequences: what is "shorter". Also a total order.
std::array<std::uint32_t, 6> measure(const CompactHistory& history);

// Values for a table's columns. `key_offset` moves the keys, so that many histories fit in one
// table. The texts are k1v2 for rank 2 of the first key; a tie adds a letter.
Value key_value(const Type& type, std::uint64_t key);
Value payload_value(const Type& type, const CompactEvent& event, std::size_t column);
Value sequence_value(const Type& type, unsigned rank);

History to_history(const CompactHistory& history, const Schema& schema,
                   std::uint64_t key_offset = 0);

// The number behind `key_value`, or nullopt when the value is not one of its.
std::optional<std::uint64_t> key_number(const Value& value);

}  // namespace rowgate::harness
