// Fixtures are line-oriented: a word at the margin opens a section, indented lines below it are a
// table whose first line names the columns. One pass; every count has a limit.
#include "harness/fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.hpp"
#include "harness/embedded_files.hpp"
#include "harness/fixture_head.hpp"
#include "harness/text_table.hpp"

namespace rowgate::harness {
namespace {

constexpr std::size_t kMaxEvents = 10'000;
constexpr std::size_t kMaxBatches = 1'000;

class FixtureReader {
 public:
  FixtureReader(std::string_view text, std::string_view file) : lines_(text, file), file_(file) {}

  Result<Fixture> run() {
    fixture_.file = std::string(file_);
    while (lines_.next()) {
      if (lines_.is_indented())
        return lines_.error(1, "this line is indented, and no table is open here",
                            "begin a section (batch, right, expect) before it");
      ROWGATE_CHECK(section());
    }
    ROWGATE_CHECK(check_complete());
    return std::move(fixture_);
  }

 private:
  Result<void> section() {
    const std::string word(lines_.word());
    const std::string_view rest = lines_.rest();
    ROWGATE_TRY(const bool head,
                read_fixture_head(lines_, {fixture_.name, fixture_.title, fixture_.about, "merge",
                                           "S05-stale-delete"}));
    if (head) return {};
    if (word == "columns") return columns();
    if (word != "batch" && word != "replay" && word != "right" && word != "or" && word != "expect")
      return lines_.error(1, fmt::format("unknown word '{}'", base::printable(word.substr(0, 40))),
                          "use fixture, title, about, columns, batch, replay, right, or, expect");
    if (fixture_.schema.keys.empty())
      return lines_.error(1, fmt::format("'{}' before the columns", word),
                          "declare the table with 'columns' first");
    if (word == "batch") return batch();
    if (word == "replay") return replay(rest);
    if (word == "right") return right(rest);
    if (word == "or") return alternative();
    return expectation(rest);
  }

  // id INT key / val STRING / seq BIGINT sequence
  Result<void> columns() {
    if (!fixture_.schema.keys.empty())
      return lines_.error(1, "the columns are declared twice", "remove one of the two");
    const std::size_t section_line = lines_.number();
    bool sequence = false;
    while (lines_.next()) {
      if (!lines_.is_indented()) {
        lines_.unread();
        break;
      }
      ROWGATE_TRY(const std::vector<TextCell> cells, read_cells(lines_));
      if (cells.size() < 2 || cells.size() > 3 ||
          (cells.size() == 3 && cells[2].text != "key" && cells[2].text != "sequence"))
        return lines_.error(cells.back().column, "a column is: name, type, and what it is for",
                            "write for example: order_id INT key");
      const Result<Type> type = parse_type(cells[1].text);
      if (!type) return lines_.error(cells[1].column, type.error().message, type.error().remedy);
      const Column column{cells[0].text, *type};
      if (column.name.size() > kMaxNameLength || ++column_count_ > kMaxTableColumns)
        return lines_.error(1, "too many columns, or too long a name",
                            fmt::format("use at most {} columns", kMaxTableColumns));
      if (cells.size() == 2) {
        fixture_.schema.payload.push_back(column);
      } else if (cells[2].text == "key") {
        fixture_.schema.keys.push_back(column);
      } else {
        if (sequence) return lines_.error(1, "two sequence columns", "keep one of them");
        sequence = true;
        fixture_.schema.sequence = column;
      }
    }
    if (!sequence)
      return lines_.error_at(section_line, 1, "the table has no sequence column",
                             "add one, for example: seq BIGINT sequence");
    const Result<void> checked = check_schema(fixture_.schema);
    if (!checked)
      return lines_.error_at(section_line, 1, checked.error().message, checked.error().remedy);
    return {};
  }

  Result<Operation> operation(const TextRow& row, const TextCell& cell) const {
    constexpr std::pair<std::string_view, Operation> kWords[] = {
        {"upsert", Operation::upsert},
        {"delete", Operation::remove},
        {"truncate", Operation::truncate},
        {"pre-image", Operation::pre_image},
        {"snapshot", Operation::snapshot}};
    for (const auto& [word, op] : kWords)
      if (cell.text == word) return op;
    return lines_.error_at(
        row.line, cell.column,
        fmt::format("'{}' is no operation", base::printable(cell.text.substr(0, 40))),
        "use upsert, delete, truncate, pre-image or snapshot");
  }

  Result<void> batch() {
    ROWGATE_CHECK(count_batch());
    std::vector<Column> columns = {{"op", {}}};
    for (const Column& column : fixture_.schema.table_columns()) columns.push_back(column);
    ROWGATE_TRY(const TextTable table, read_table(lines_));
    ROWGATE_TRY(const std::vector<std::size_t> places, column_places(lines_, table, columns));
    const std::size_t keys = fixture_.schema.keys.size();
    Batch batch;
    for (const TextRow& row : table.rows) {
      Event event;
      ROWGATE_TRY(event.op, operation(row, row.cells[places[0]]));
      for (std::size_t i = 1; i < columns.size(); ++i) {
        const TextCell& cell = row.cells[places[i]];
        ROWGATE_TRY(Value value, cell_value(lines_, row, cell, columns[i].type));
        if (value.is_absent() && (i <= keys || i + 1 == columns.size()))
          return lines_.error_at(row.line, cell.column, "a key or a sequence cannot be absent",
                                 "write NULL if it is null");
        if (i <= keys)
          event.key.push_back(std::move(value));
        else if (i + 1 == columns.size())
          event.sequence = std::move(value);
        else
          event.payload.push_back(std::move(value));
      }
      batch.events.push_back(std::move(event));
    }
    event_count_ += batch.events.size();
    if (event_count_ > kMaxEvents)
      return lines_.error(1, fmt::format("more than {} events", kMaxEvents),
                          "use a smaller scenario");
    fixture_.history.batches.push_back(std::move(batch));
    return {};
  }

  Result<void> count_batch() {
    if (fixture_.history.batches.size() >= kMaxBatches)
      return lines_.error(1, fmt::format("more than {} batches", kMaxBatches),
                          "use a smaller scenario");
    return {};
  }

  Result<void> replay(std::string_view rest) {
    ROWGATE_CHECK(count_batch());
    const Result<Value> number = parse_value(rest, {TypeKind::int32, 0, 0});
    const std::int64_t wanted = number ? std::get<std::int64_t>(number->data()) : std::int64_t{0};
    if (wanted < 1 || wanted > static_cast<std::int64_t>(fixture_.history.batches.size()))
      return lines_.error(lines_.rest_column(), "replay names a batch that is not there",
                          "give the number of an earlier batch, counted from 1");
    Batch batch = fixture_.history.batches[static_cast<std::size_t>(wanted - 1)];
    batch.replay_of = static_cast<std::size_t>(wanted - 1);
    event_count_ += batch.events.size();
    if (event_count_ > kMaxEvents)
      return lines_.error(1, fmt::format("more than {} events", kMaxEvents),
                          "use a smaller scenario");
    fixture_.history.batches.push_back(std::move(batch));
    return {};
  }

  Result<void> right(std::string_view rest) {
    const std::vector<std::string_view> words = base::split(rest, ' ');
    const bool reject = words.size() == 2 && words[1] == "reject";
    if ((words[0] != "scd1" && words[0] != "scd2") || (words.size() > 1 && !reject))
      return lines_.error(
          lines_.rest_column(), "this is no right state",
          "write 'right scd1' or 'right scd2' above a table, or 'right scd1 reject'");
    RightState state;
    state.state = words[0] == "scd1" ? StateKind::scd1 : StateKind::scd2;
    state.reject = reject;
    for (const RightState& other : fixture_.right)
      if (other.state == state.state)
        return lines_.error(1, "the right state is given twice", "use 'or' for an alternative");
    if (!reject) {
      ROWGATE_TRY(const TextTable table, read_table(lines_));
      ROWGATE_TRY(Rows rows,
                  typed_rows(lines_, table, state_columns(state.state, fixture_.schema)));
      state.states.push_back(std::move(rows));
    }
    fixture_.right.push_back(std::move(state));
    return {};
  }

  Result<void> alternative() {
    if (fixture_.right.empty() || fixture_.right.back().reject)
      return lines_.error(1, "'or' without a right state before it", "begin with 'right scd1'");
    RightState& state = fixture_.right.back();
    ROWGATE_TRY(const TextTable table, read_table(lines_));
    ROWGATE_TRY(Rows rows, typed_rows(lines_, table, state_columns(state.state, fixture_.schema)));
    state.states.push_back(std::move(rows));
    std::sort(state.states.begin(), state.states.end());
    return {};
  }

  // expect STRATEGY OUTCOME [how, …| ERROR_NAME] [on TARGET]
  Result<void> expectation(std::string_view rest) {
    const std::string remedy =
        "write for example: expect naive wrong stale, or: expect guarded right";
    std::vector<std::string_view> words;
    for (const std::string_view word : base::split(rest, ' '))
      if (!word.empty()) words.push_back(word);
    Expectation expectation;
    expectation.line = lines_.number();
    if (words.size() >= 4 && words[words.size() - 2] == "on") {
      expectation.target = words.back();
      words.resize(words.size() - 2);
    }
    if (words.size() < 2)
      return lines_.error(lines_.rest_column(), "an expectation names a strategy and an outcome",
                          remedy);
    expectation.strategy = words[0];
    const std::optional<Outcome> outcome = outcome_from_string(words[1]);
    if (!outcome)
      return lines_.error(lines_.rest_column(),
                          fmt::format("'{}' is no outcome", base::printable(words[1])),
                          "use right, ambiguous, wrong, refused, unsupported or not-run");
    expectation.outcome = *outcome;
    for (std::size_t i = 2; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (!word.empty() && word.back() == ',') word.remove_suffix(1);
      if (*outcome != Outcome::wrong) {
        expectation.error_name = word;
        continue;
      }
      const std::optional<Wrong> how = wrong_from_string(word);
      if (!how)
        return lines_.error(lines_.rest_column(),
                            fmt::format("'{}' is no way to be wrong", base::printable(word)),
                            "use duplicate, overlap, resurrected, lost-delete, ghost-null, "
                            "lost-update, stale, accepted or other");
      expectation.how.push_back(*how);
    }
    std::sort(expectation.how.begin(), expectation.how.end());
    ROWGATE_TRY(const TextTable table, read_table(lines_));
    if (!table.header.empty()) {
      const Strategy* strategy = find_strategy(expectation.strategy);
      const StateKind state = strategy == nullptr ? StateKind::scd1 : strategy->state;
      ROWGATE_TRY(expectation.rows,
                  typed_rows(lines_, table, state_columns(state, fixture_.schema)));
    }
    fixture_.expectations.push_back(std::move(expectation));
    return {};
  }

  Result<void> check_complete() {
    if (fixture_.name.empty())
      return lines_.error(1, "the fixture has no name", "begin with: fixture NAME");
    if (fixture_.schema.keys.empty())
      return lines_.error(1, "the fixture declares no table", "add a 'columns' section");
    if (fixture_.history.batches.empty())
      return lines_.error(1, "the fixture has no batch", "add a 'batch' section");
    if (fixture_.right.empty())
      return lines_.error(1, "the fixture does not say what is right", "add a 'right' section");
    return {};
  }

  Lines lines_;
  std::string_view file_;
  Fixture fixture_;
  std::size_t column_count_ = 0;
  std::size_t event_count_ = 0;
};

std::vector<Fixture> load_builtin() {
  std::vector<Fixture> fixtures;
  for (const EmbeddedFile& file : embedded_fixtures()) {
    Result<Fixture> fixture = parse_fixture(file.text, fmt::format("(built in)/{}", file.name));
    if (!fixture) throw std::logic_error(fixture.error().to_string());
    fixtures.push_back(std::move(*fixture));
  }
  std::sort(fixtures.begin(), fixtures.end(),
            [](const Fixture& a, const Fixture& b) { return a.name < b.name; });
  return fixtures;
}

}  // namespace

Result<Fixture> parse_fixture(std::string_view text, std::string_view file) {
  ROWGATE_CHECK(check_fixture_size(text, file));
  return FixtureReader(text, file).run();
}

std::span<const Fixture> builtin_fixtures() {
  static const std::vector<Fixture> fixtures = load_builtin();
  return fixtures;
}

}  // namespace rowgate::harness
