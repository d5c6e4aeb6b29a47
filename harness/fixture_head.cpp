#include "harness/fixture_head.hpp"

#include <fmt/format.h>

#include "harness/fixture.hpp"
#include "harness/text_table.hpp"

namespace rowgate::harness {

Result<bool> read_fixture_head(const Lines& lines, const FixtureHead& head) {
  const std::string_view word = lines.word();
  const std::string_view rest = lines.rest();
  if (word == "fixture") {
    if (!is_plain_name(rest) || !head.name.empty())
      return lines.error(
          lines.rest_column(), "a fixture has one name",
          fmt::format("use letters, digits, '-', '_' and '.', as in {}", head.example));
    head.name = rest;
  } else if (word == "kind") {
    if (rest != head.kind)
      return lines.error(lines.rest_column(), "a fixture of another kind",
                         fmt::format("write: kind {}", head.kind));
  } else if (word == "title") {
    head.title = rest;
  } else if (word == "about") {
    head.about.emplace_back(rest);
  } else {
    return false;
  }
  return true;
}

Result<void> check_fixture_size(std::string_view text, std::string_view file) {
  if (text.size() <= kMaxFixtureBytes) return {};
  return fail(ErrorCode::limit, fmt::format("a fixture of {} bytes", text.size()),
              std::string(file), std::nullopt,
              fmt::format("a fixture has at most {} bytes", kMaxFixtureBytes));
}

}  // namespace rowgate::harness
