// What was read of a connector, kept in the cache folder, so that a second run inflates none of its
// classes. One file a class path, named by the contents of its jars and by which of their classes
// the class path takes. Internal to link.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/run_context.hpp"
#include "jarscan/link_unit.hpp"

namespace rowgate::jarscan {

struct UnitKey {
  std::uint64_t first = 0, second = 0;

  std::string file_name() const;  // hexadecimal, with the extension
  friend bool operator==(const UnitKey&, const UnitKey&) = default;
};

// Of a class path. Errors: malformed (a jar without a central directory).
Result<UnitKey> unit_key(const ClassIndex& connectors);

// The unit in the file's bytes, whose views point into them; nullptr when the file is damaged, of
// another version or of another class path. Everything is checked: sites name methods that there
// are, and so on. `index` is not set.
std::unique_ptr<LinkUnit> read_unit_file(base::Bytes bytes, const UnitKey& wanted);

// The bytes of a unit's file.
std::string write_unit_file(const LinkUnit& unit, const UnitKey& key);

}  // namespace rowgate::jarscan
