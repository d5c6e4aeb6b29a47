#include "harness/fixture_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/embedded_files.hpp"
#include "harness/lines.hpp"

namespace rowgate::harness {
namespace {

template <class Item>
Result<void> add(std::vector<Item>& items, Result<Item> item) {
  ROWGATE_TRY(Item read, std::move(item));
  for (const Item& other : items)
    if (other.name == read.name)
      return fail(ErrorCode::malformed,
                  fmt::format("the name '{}' is taken by {}", read.name, other.file), read.file,
                  std::nullopt, "rename one of the two");
  items.push_back(std::move(read));
  return {};
}

template <class Item>
void sort_by_name(std::vector<Item>& items) {
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.name < b.name; });
}

FixtureSet load_builtin() {
  FixtureSet set;
  const std::span<const Fixture> merges = builtin_fixtures();
  set.merges.assign(merges.begin(), merges.end());
  for (const auto files : {embedded_feed_fixtures(), embedded_drift_fixtures()})
    for (const EmbeddedFile& file : files)
      if (const auto added = add_fixture(file.text, fmt::format("(built in)/{}", file.name), set);
          !added)
        throw std::logic_error(added.error().to_string());
  sort_by_name(set.feeds);
  sort_by_name(set.drifts);
  return set;
}

}  // namespace

const FixtureSet& builtin_fixture_set() {
  static const FixtureSet set = load_builtin();
  return set;
}

Result<void> add_fixture(std::string_view text, std::string_view file, FixtureSet& set) {
  Lines lines(text, file);
  while (lines.next()) {
    if (lines.is_indented() || lines.word() != "kind") continue;
    if (lines.rest() == "merge") break;
    if (lines.rest() == "change-feed") return add(set.feeds, parse_feed_fixture(text, file));
    if (lines.rest() == "drift") return add(set.drifts, parse_drift_fixture(text, file));
    return lines.error(
        lines.rest_column(),
        fmt::format("'{}' is no kind of fixture", base::printable(lines.rest().substr(0, 40))),
        "use merge (which need not be said), change-feed or drift");
  }
  return add(set.merges, parse_fixture(text, file));
}

Result<FixtureSet> load_fixture_set(const std::string& path) {
  std::vector<std::filesystem::path> files = {path};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    ROWGATE_TRY(files, base::list_files(path, ".fixture"));
    if (files.empty())
      return fail(ErrorCode::not_found, "the folder holds no *.fixture file", path);
  }
  FixtureSet set;
  for (const std::filesystem::path& file : files) {
    ROWGATE_TRY(const std::string text, base::read_file(file, kMaxFixtureBytes));
    ROWGATE_CHECK(add_fixture(text, file.string(), set));
  }
  return set;
}

}  // namespace rowgate::harness
