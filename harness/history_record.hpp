// Records as a reader finds them, before types are known. Internal to the history readers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace rowgate::harness {

struct RawValue {
  enum class Kind : std::uint8_t { null, boolean, integer, number, text } kind = Kind::null;
  std::string text;  // as it stands in the file: no digit is lost
};

// One line: names (of nested objects joined by dots) and values.
struct RawRecord {
  std::size_t line = 0;       // 1-based
  bool begins_batch = false;  // a blank line stood before it
  bool is_null = false;       // the JSON text `null`: a Kafka tombstone
  std::map<std::string, RawValue> fields;
  std::vector<std::string> order;  // of first appearance
};

// One JSON object. Errors: malformed (not an object, nested too deeply, an array), without a
// subject.
Result<RawRecord> parse_json_record(std::string_view line);

}  // namespace rowgate::harness
