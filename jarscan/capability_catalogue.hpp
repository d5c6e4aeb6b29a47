// What a connector can be to Spark, as data: one row for each interface or class of Spark that a
// connector implements or hooks into, with what Spark needs it for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rowgate::jarscan {

enum class CapabilityGroup : std::uint8_t {
  table,
  write,
  read,
  stream,
  catalog,
  provider,
  extension
};

const char* to_string(CapabilityGroup group);

struct Capability {
  std::string_view id;             // "SupportsRowLevelOperations": the last part of the name
  std::string_view internal_name;  // "org/apache/spark/sql/connector/catalog/SupportsRowLevel…"
  CapabilityGroup group;
  std::string_view purpose;  // one sentence without a full stop: what Spark needs it for
  // Ids of the rows that it extends in Spark 4.2, separated by spaces: enough to follow subtypes
  // when no Spark jar was given.
  std::string_view extends;
};

// In the order of reports. At most 64, so that a set of them fits into a CapabilitySet.
std::span<const Capability> capability_catalogue();

// Bit i is row i of the catalogue.
using CapabilitySet = std::uint64_t;

std::optional<std::uint32_t> find_capability(std::string_view internal_name);
// The row of an id that is known to be there; std::logic_error otherwise.
std::uint32_t capability_index(std::string_view id);
inline CapabilitySet capability_bit(std::uint32_t index) {
  return CapabilitySet{1} << index;
}

}  // namespace rowgate::jarscan
