// Reading fixtures of the Change Data Feed: sections at the margin, options, tables and SQL in the
// indented lines below them. One pass; every count has a limit.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "harness/change_feed.hpp"
#include "harness/fixture_head.hpp"
#include "harness/text_table.hpp"

namespace rowgate::harness {
namespace {

constexpr std::size_t kMaxCommits = 100;
constexpr std::size_t kMaxSteps = 100;
constexpr std::size_t kMaxStatements = 20;
constexpr std::size_t kMaxOptions = 20;

// Whether the text has this placeholder, and no other.
std::optional<std::string> placeholder_problem(const std::string& sql,
                                               std::span<const std::string_view> known) {
  for (std::size_t at = sql.find("${"); at != std::string::npos; at = sql.find("${", at + 2)) {
    const std::size_t end = sql.find('}', at);
    const std::string name = sql.substr(at, end == std::string::npos ? end : end + 1 - at);
    if (std::find(known.begin(), known.end(), name) == known.end())
      return fmt::format("there is no placeholder {}", base::printable(name.substr(0, 40)));
  }
  return std::nullopt;
}

// Statements that end with a semicolon at the end of a line.
std::vector<std::string> statements_of(const std::string& block) {
  std::vector<std::string> statements;
  std::string statement;
  for (const std::string_view line : base::split(block, '\n')) {
    const std::string_view trimmed = base::trim(line);
    const bool last = trimmed.ends_with(';');
    std::string_view kept = last ? trimmed.substr(0, trimmed.size() - 1) : line;
    if (!statement.empty()) statement += '\n';
    statement += kept;
    if (last || line.data() + line.size() == block.data() + block.size()) {
      if (!base::trim(statement).empty()) statements.push_back(statement);
      statement.clear();
    }
  }
  return statements;
}

class FeedFixtureReader {
 public:
  FeedFixtureReader(std::string_view text, std::string_view file) : lines_(text, file) {
    fixture_.file = std::string(file);
  }

  Result<FeedFixture> run() {
    while (lines_.next()) {
      if (lines_.is_indented())
        return lines_.error(1, "this line is indented, and no section is open here",
                            "begin a section (commit, read, consume, expect) before it");
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
                read_fixture_head(lines_, {fixture_.name, fixture_.title, fixture_.about,
                                           "change-feed", "cdf-pre-images"}));
    if (head) return {};
    if (word == "columns") return columns();
    if (word == "commit") return commit(rest);
    if (word == "read") return read(rest);
    if (word == "consume") return consume(rest);
    if (word == "expect") return expect(rest);
    return lines_.error(1, fmt::format("unknown word '{}'", base::printable(word.substr(0, 40))),
                        "use fixture, kind, title, about, columns, commit, read, consume, expect");
  }

  Result<void> columns() {
    if (!fixture_.columns.empty())
      return lines_.error(1, "the columns are declared twice", "remove one of the two");
    while (lines_.next()) {
      if (!lines_.is_indented()) {
        lines_.unread();
        break;
      }
      ROWGATE_TRY(const std::vector<TextCell> cells, read_cells(lines_));
      if (cells.size() != 2)
        return lines_.error(cells.back().column, "a column is: name, type",
                            "write for example: id INT");
      const Result<Type> type = parse_type(cells[1].text);
      if (!type) return lines_.error(cells[1].column, type.error().message, type.error().remedy);
      for (const Column& other : feed_columns(fixture_))
        if (base::equals_ignoring_case(other.name, cells[0].text))
          return lines_.error(cells[0].column, fmt::format("a second column '{}'", other.name),
                              "names differ in more than case, and from the feed's own columns");
      if (cells[0].text.size() > kMaxNameLength || fixture_.columns.size() >= kMaxTableColumns)
        return lines_.error(1, "too many columns, or too long a name",
                            fmt::format("use at most {} columns", kMaxTableColumns));
      fixture_.columns.push_back({cells[0].text, *type});
    }
    return {};
  }

  // commit 2 / the SQL of version 2
  Result<void> commit(std::string_view rest) {
    const std::size_t line = lines_.number();
    if (rest != fmt::format("{}", fixture_.commits.size()) ||
        fixture_.commits.size() >= kMaxCommits)
      return lines_.error(lines_.rest_column(), "commits are numbered as the table's versions are",
                          fmt::format("write: commit {}", fixture_.commits.size()));
    std::string sql = lines_.block();
    constexpr std::string_view kKnown[] = {"${table}"};
    if (const auto problem = placeholder_problem(sql, kKnown))
      return lines_.error_at(line, 1, *problem, "a commit has ${table}");
    if (sql.empty() || statements_of(sql).size() != 1)
      return lines_.error_at(line, 1, "a commit is one statement",
                             "indent it below, and begin the next version with the next 'commit'");
    fixture_.commits.push_back(std::move(statements_of(sql).front()));
    return {};
  }

  Result<void> begin_step(FeedStep::Kind kind, std::string_view name) {
    ROWGATE_CHECK(check_last_step());
    if (!is_plain_name(name) || fixture_.steps.size() >= kMaxSteps)
      return lines_.error(
          lines_.rest_column(), "a step has a name, and there are not too many",
          fmt::format("write for example: read from-the-beginning; at most {}", kMaxSteps));
    if (find(name) != nullptr)
      return lines_.error(lines_.rest_column(), fmt::format("a second step '{}'", name),
                          "give each step a name of its own");
    FeedStep step;
    step.kind = kind;
    step.name = name;
    fixture_.steps.push_back(std::move(step));
    expected_ = false;
    return {};
  }

  Result<void> read(std::string_view rest) {
    ROWGATE_CHECK(begin_step(FeedStep::Kind::read, rest));
    FeedStep& step = fixture_.steps.back();
    while (lines_.next()) {
      if (!lines_.is_indented()) {
        lines_.unread();
        break;
      }
      ROWGATE_CHECK(option(step));
    }
    return {};
  }

  Result<void> option(FeedStep& step) {
    const std::string word(lines_.word());
    const std::string_view rest = lines_.rest();
    constexpr std::string_view kOptions[] = {"startingVersion", "endingVersion",
                                             "startingTimestamp", "endingTimestamp"};
    if (step.options.size() + step.conf.size() >= kMaxOptions || !base::is_utf8(lines_.line()))
      return lines_.error(1, "too many options, or no UTF-8", "use fewer");
    if (word == "stream" && rest.empty()) {
      step.stream = true;
      return {};
    }
    if (word == "conf") {
      const std::size_t space = rest.find_first_of(" \t");
      const std::string name(rest.substr(0, space));
      if (space == std::string_view::npos || !name.starts_with("spark.") || !is_plain_name(name))
        return lines_.error(lines_.rest_column(), "a setting is: conf NAME VALUE",
                            "names begin with spark.");
      step.conf[name] = base::trim(rest.substr(space));
      return {};
    }
    const bool known =
        std::find(std::begin(kOptions), std::end(kOptions), word) != std::end(kOptions);
    if (!known || rest.empty())
      return lines_.error(
          1, fmt::format("'{}' is no option of a read", base::printable(word.substr(0, 40))),
          "use startingVersion, endingVersion, startingTimestamp, endingTimestamp "
          "(each with a value), stream, conf");
    if (rest.starts_with("commit ")) ROWGATE_CHECK(check_commit(word, rest.substr(7)));
    if (!step.options.emplace(word, rest).second)
      return lines_.error(1, fmt::format("{} is given twice", word), "remove one of the two");
    return {};
  }

  Result<void> check_commit(const std::string& option, std::string_view number) const {
    const Result<Value> value = parse_value(number, {TypeKind::int32, 0, 0});
    const std::int64_t wanted = value ? std::get<std::int64_t>(value->data()) : std::int64_t{-1};
    if (!option.ends_with("Timestamp") || wanted < 0 ||
        wanted >= static_cast<std::int64_t>(fixture_.commits.size()))
      return lines_.error(lines_.rest_column(), "there is no such commit's time",
                          "write for example: startingTimestamp commit 2, below the commits");
    return {};
  }

  // consume NAME of READ / statements
  Result<void> consume(std::string_view rest) {
    std::vector<std::string_view> words;
    for (const std::string_view word : base::split(rest, ' '))
      if (!word.empty()) words.push_back(word);
    if (words.size() != 3 || words[1] != "of")
      return lines_.error(lines_.rest_column(), "a consumer takes the rows of a read",
                          "write: consume NAME of READ");
    const FeedStep* source = find(words[2]);
    if (source == nullptr || source->kind != FeedStep::Kind::read)
      return lines_.error(lines_.rest_column(), "there is no such read before this line",
                          "name a read that stands above");
    const std::size_t line = lines_.number();
    ROWGATE_CHECK(begin_step(FeedStep::Kind::consume, words[0]));
    FeedStep& step = fixture_.steps.back();
    step.of = words[2];
    const std::string sql = lines_.block();
    constexpr std::string_view kKnown[] = {"${changes}", "${target}"};
    if (const auto problem = placeholder_problem(sql, kKnown))
      return lines_.error_at(line, 1, *problem, "a consumer has ${changes} and ${target}");
    step.statements = statements_of(sql);
    if (step.statements.empty() || step.statements.size() > kMaxStatements)
      return lines_.error_at(line, 1, "a consumer is SQL",
                             fmt::format("indent 1 to {} statements below, each but the last with "
                                         "a semicolon at the end of its line",
                                         kMaxStatements));
    return {};
  }

  // expect rows / table; expect no rows; expect error NAME
  Result<void> expect(std::string_view rest) {
    if (fixture_.steps.empty() || expected_)
      return lines_.error(1, "an expectation belongs to the step above it",
                          "write one 'expect' below each read or consume");
    expected_ = true;
    FeedStep& step = fixture_.steps.back();
    step.expected.line = lines_.number();
    if (rest == "no rows") {
      step.expected.rows = Rows{};
      return {};
    }
    if (rest.starts_with("error ")) {
      step.expected.error_name = base::trim(rest.substr(6));
      if (!is_plain_name(step.expected.error_name))
        return lines_.error(lines_.rest_column(), "an error is expected by its name",
                            "write for example: expect error DELTA_MISSING_CHANGE_DATA");
      return {};
    }
    if (rest != "rows")
      return lines_.error(lines_.rest_column(), "an expectation is rows or an error",
                          "write 'expect rows' above a table, 'expect no rows', or 'expect error "
                          "NAME'");
    ROWGATE_TRY(const TextTable table, read_table(lines_));
    const bool feed = step.kind == FeedStep::Kind::read;
    ROWGATE_TRY(step.expected.rows,
                present_rows(lines_, table, feed ? feed_columns(fixture_) : fixture_.columns));
    if (step.expected.rows->empty())
      return lines_.error_at(step.expected.line, 1, "there are no rows", "write: expect no rows");
    return {};
  }

  Result<void> check_last_step() const {
    if (!fixture_.steps.empty() && !expected_)
      return lines_.error(
          1, fmt::format("the step '{}' does not say how it must end", fixture_.steps.back().name),
          "write an 'expect' below it");
    return {};
  }

  const FeedStep* find(std::string_view name) const {
    for (const FeedStep& step : fixture_.steps)
      if (step.name == name) return &step;
    return nullptr;
  }

  Result<void> check_complete() const {
    if (fixture_.name.empty())
      return lines_.error(1, "the fixture has no name", "begin with: fixture NAME");
    if (fixture_.columns.empty())
      return lines_.error(1, "the fixture declares no columns", "add a 'columns' section");
    if (fixture_.commits.empty())
      return lines_.error(1, "the fixture has no commit", "add: commit 0, with CREATE TABLE below");
    if (fixture_.steps.empty())
      return lines_.error(1, "the fixture reads nothing", "add a 'read' section");
    return check_last_step();
  }

  Lines lines_;
  FeedFixture fixture_;
  bool expected_ = false;  // the last step has its expectation
};

}  // namespace

std::vector<Column> feed_columns(const FeedFixture& fixture) {
  std::vector<Column> columns = {{"_commit_version", {TypeKind::int64, 0, 0}},
                                 {"_change_type", {TypeKind::string, 0, 0}}};
  columns.insert(columns.end(), fixture.columns.begin(), fixture.columns.end());
  return columns;
}

Result<FeedFixture> parse_feed_fixture(std::string_view text, std::string_view file) {
  ROWGATE_CHECK(check_fixture_size(text, file));
  return FeedFixtureReader(text, file).run();
}

}  // namespace rowgate::harness
