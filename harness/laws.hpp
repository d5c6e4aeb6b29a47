// The laws of a right strategy, checked without any oracle: histories of one set of events must end
// in the same rows, whatever the order of arrival, the cuts and the repetitions. Internal to prove.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/prove.hpp"
#include "harness/runner.hpp"

namespace rowgate::harness {

class LawBook {
 public:
  // Payloads follow from key and rank alone (no ties), so equal sets have equal rows.
  void add(std::span<const CompactHistory> histories, std::span<const RunOutcome> outcomes,
           const Schema& schema);

  // The shortest breach of each law.
  std::vector<LawBreach> breaches(const Schema& schema) const;

 private:
  struct Entry {
    CompactHistory history;
    Rows rows;
  };
  struct Breach {
    Entry first;
    Entry second;
  };

  std::map<std::string, Entry> by_set_;  // the set of events -> its first history
  std::map<Law, Breach> breaches_;
};

}  // namespace rowgate::harness
