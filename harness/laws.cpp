// Histories are grouped by their set of events: for each key the operations by rank, keys in sorted
// order of these, so that it does not matter which key came first. The first history of a set that
// is seen is the measure for the others. What differs between the two tells which law is broken:
// only the cuts (batching), the order too (permutation), or also how often events came
// (duplication).
#include "harness/laws.hpp"

#include <algorithm>

namespace rowgate::harness {
namespace {

// The keys' operations by rank; `order[key]` is the key's place among them.
std::string set_of(const CompactHistory& history, std::vector<std::size_t>& order) {
  std::vector<std::pair<std::string, std::size_t>> keys;
  for (unsigned i = 0; i < history.size; ++i) {
    const CompactEvent& event = history.events[i];
    while (keys.size() <= event.key) keys.emplace_back(std::string(), keys.size());
    std::string& text = keys[event.key].first;
    if (text.size() < event.rank) text.resize(event.rank, '?');
    text[event.rank - 1U] = event.kind == EventKind::remove       ? 'D'
                            : event.kind == EventKind::null_value ? 'N'
                                                                  : 'U';
  }
  std::sort(keys.begin(), keys.end());
  std::string set;
  order.assign(keys.size(), 0);
  for (std::size_t place = 0; place < keys.size(); ++place) {
    order[keys[place].second] = place;
    set += keys[place].first + '|';
  }
  return set;
}

bool same_arrival(const CompactHistory& a, const CompactHistory& b) {
  if (a.size != b.size) return false;
  for (unsigned i = 0; i < a.size; ++i) {
    CompactEvent left = a.events[i], right = b.events[i];
    left.batch = right.batch = 0;
    if (!(left == right)) return false;
  }
  return true;
}

Law law_of(const CompactHistory& a, const CompactHistory& b) {
  if (a.size != b.size || a.replay >= 0 || b.replay >= 0) return Law::duplication;
  return same_arrival(a, b) ? Law::batching : Law::permutation;
}

}  // namespace

std::string_view to_string(Law law) {
  switch (law) {
    case Law::permutation: return "permutation";
    case Law::batching: return "batching";
    case Law::duplication: return "duplication";
  }
  return "";
}

void LawBook::add(std::span<const CompactHistory> histories, std::span<const RunOutcome> outcomes,
                  const Schema& schema) {
  for (std::size_t i = 0; i < histories.size(); ++i) {
    if (!outcomes[i]) continue;  // a loud refusal is counted by the caller
    // Renumber the keys by their place in the set, so that rows of unlike arrival can be compared.
    CompactHistory history = histories[i];
    std::vector<std::size_t> order;
    const std::string set = set_of(history, order);
    Rows rows = *outcomes[i];
    for (Row& row : rows) {
      const std::optional<std::uint64_t> key = key_number(row.front());
      if (!key || *key == 0 || *key > order.size()) continue;
      const std::size_t place = order[*key - 1];
      for (std::size_t column = 0; column < schema.keys.size(); ++column)
        row[column] = key_value(schema.keys[column].type, place + 1);
      // The payload's text names the key too.
      const std::size_t first = schema.keys.size();
      for (std::size_t column = 0; column < schema.payload.size(); ++column) {
        for (unsigned e = 0; e < history.size; ++e) {
          CompactEvent event = history.events[e];
          const Type& type = schema.payload[column].type;
          if (event.key + 1U != *key || payload_value(type, event, column) != row[first + column])
            continue;
          event.key = static_cast<std::uint8_t>(place);
          row[first + column] = payload_value(type, event, column);
          break;
        }
      }
    }
    sort_rows(rows);
    for (unsigned e = 0; e < history.size; ++e)
      history.events[e].key = static_cast<std::uint8_t>(order[history.events[e].key]);
    Entry entry{history, std::move(rows)};
    const auto [known, fresh] = by_set_.emplace(set, entry);
    if (fresh || known->second.rows == entry.rows) continue;
    const Law law = law_of(known->second.history, entry.history);
    const auto breach = breaches_.find(law);
    if (breach == breaches_.end())
      breaches_.emplace(law, Breach{known->second, std::move(entry)});
    else if (measure(entry.history) < measure(breach->second.second.history))
      breach->second = Breach{known->second, std::move(entry)};
  }
}

std::vector<LawBreach> LawBook::breaches(const Schema& schema) const {
  std::vector<LawBreach> result;
  for (const auto& [law, breach] : breaches_)
    result.push_back({law, schema, to_history(breach.first.history, schema),
                      to_history(breach.second.history, schema), breach.first.rows,
                      breach.second.rows});
  return result;
}

}  // namespace rowgate::harness
