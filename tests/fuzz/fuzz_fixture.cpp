// Fixtures from anywhere: reading must end with a fixture or an error, and what was read must
// survive writing and reading, and have an answer or an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/fixture_set.hpp"
#include "harness/history_reader.hpp"
#include "harness/sql_text.hpp"

using namespace rowgate::harness;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tokens = tokenize_sql(text))
    if (const auto shape = parse_merge(*tokens, significant(*tokens)); !shape)
      if (shape.error().message.empty()) std::abort();
  HistoryOptions options;
  options.keys = {"id"};
  options.sequence = "seq";
  for (const HistoryFormat format :
       {HistoryFormat::json_lines, HistoryFormat::csv, HistoryFormat::debezium}) {
    options.format = format;
    if (const auto history = read_history(text, "input", options))
      if (!check_history(history->schema, history->history)) std::abort();
  }
  FixtureSet set;
  if (const auto added = add_fixture(text, "input", set); !added && added.error().message.empty())
    std::abort();
  for (const FeedFixture& feed : set.feeds)
    if (feed.steps.empty() || feed.commits.empty()) std::abort();
  // What a policy that keeps nothing leaves: all that arrived is lost, or null.
  for (const DriftFixture& drift : set.drifts)
    if (!lost_values(drift.files, drift.columns, {})) std::abort();
  const auto fixture = parse_fixture(text, "input");
  if (!fixture) return 0;
  const auto again = parse_fixture(write_fixture(*fixture), "again");
  if (!again || !(again->history == fixture->history)) std::abort();
  if (fixture->history.event_count() > 200) return 0;
  if (const auto answer = right_answer(*find_oracle("ideal"), fixture->schema, fixture->history))
    if (answer->kind == Answer::Kind::states && answer->states.empty()) std::abort();
  return 0;
}
