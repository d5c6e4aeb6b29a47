// Reading fixtures of schema drift: the schema that ingest begins with, files of JSON lines in
// order of arrival, Silver's contract, and what each policy must end with. One pass; every count
// has a limit, and JSON is held to a small depth.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "harness/drift.hpp"
#include "harness/fixture_head.hpp"
#include "harness/text_table.hpp"

namespace rowgate::harness {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFiles = 100;
constexpr std::size_t kMaxLines = 1'000;
constexpr int kMaxDepth = 16;

const Type kString{TypeKind::string, 0, 0};

bool is_identifier(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameLength && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

// Below a folder: parts that begin with a letter or digit (Spark skips files that begin with '.' or
// '_'), separated by '/'.
bool is_file_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameLength) return false;
  for (const std::string_view part : base::split(name, '/'))
    if (!is_plain_name(part) || part[0] == '.' || part[0] == '_' || part[0] == '-') return false;
  return true;
}

bool is_metadata(std::string_view name) {
  const std::string_view kOurs[] = {kRescued, kIngestTime, kSourceFile, kBatchId};
  return std::any_of(std::begin(kOurs), std::end(kOurs),
                     [&](std::string_view ours) { return base::equals_ignoring_case(name, ours); });
}

// What is wrong with a line of a file; empty: it is an object that all engines read alike.
std::string record_problem(std::string_view line) {
  std::string problem;
  std::vector<std::set<std::string>> names;
  const auto look = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) problem = fmt::format("more than {} levels", kMaxDepth);
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::object_end) names.pop_back();
    if (event != json::parse_event_t::key) return true;
    const std::string name = parsed.get<std::string>();
    if (!is_identifier(name)) problem = "a name that is no identifier";
    if (!names.back().insert(name).second) problem = "a name twice in one object";
    return true;
  };
  const json record = json::parse(line, look, false);
  if (!problem.empty()) return "the record has " + problem;
  if (record.is_discarded() || !record.is_object()) return "this is no JSON object";
  for (const auto& [name, value] : record.items())
    if (is_metadata(name)) return fmt::format("the record has a name of ours: {}", name);
  return {};
}

class DriftFixtureReader {
 public:
  DriftFixtureReader(std::string_view text, std::string_view file) : lines_(text, file) {
    fixture_.file = std::string(file);
  }

  Result<DriftFixture> run() {
    while (lines_.next()) {
      if (lines_.is_indented())
        return lines_.error(1, "this line is indented, and no section is open here",
                            "begin a section (columns, file, silver, expect) before it");
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
                read_fixture_head(lines_, {fixture_.name, fixture_.title, fixture_.about, "drift",
                                           "drift-added-column"}));
    if (head) return {};
    if (word == "columns") return columns();
    if (word == "file") return file(rest);
    if (word == "silver") return silver();
    if (word == "expect") return expect(rest);
    return lines_.error(1, fmt::format("unknown word '{}'", base::printable(word.substr(0, 40))),
                        "use fixture, kind, title, about, columns, file, silver, expect");
  }

  Result<Column> column(const std::vector<TextCell>& cells) const {
    if (!is_identifier(cells[0].text) || is_metadata(cells[0].text))
      return lines_.error(cells[0].column, "this is no name for a column",
                          "use letters, digits and '_', and none of _rescued_data, ingest_time, "
                          "source_file, batch_id");
    const Result<Type> type = parse_type(cells[1].text);
    if (!type) return lines_.error(cells[1].column, type.error().message, type.error().remedy);
    constexpr TypeKind kKnown[] = {TypeKind::boolean, TypeKind::int32,  TypeKind::int64,
                                   TypeKind::float64, TypeKind::string, TypeKind::date};
    if (std::find(std::begin(kKnown), std::end(kKnown), type->kind) == std::end(kKnown))
      return lines_.error(cells[1].column, "engines read this type from JSON in ways of their own",
                          "use BOOLEAN, INT, BIGINT, DOUBLE, STRING or DATE");
    return Column{cells[0].text, *type};
  }

  Result<void> check_new_name(const std::string& name, std::size_t column,
                              const std::vector<Column>& others) const {
    for (const Column& other : others)
      if (base::equals_ignoring_case(other.name, name))
        return lines_.error(column, fmt::format("a second column '{}'", other.name),
                            "names differ in more than case");
    if (others.size() >= kMaxTableColumns)
      return lines_.error(1, "too many columns",
                          fmt::format("use at most {} columns", kMaxTableColumns));
    return {};
  }

  bool next_indented() {
    if (!lines_.next()) return false;
    if (lines_.is_indented()) return true;
    lines_.unread();
    return false;
  }

  Result<void> columns() {
    if (!fixture_.columns.empty())
      return lines_.error(1, "the columns are declared twice", "remove one of the two");
    while (next_indented()) {
      ROWGATE_TRY(const std::vector<TextCell> cells, read_cells(lines_));
      if (cells.size() != 2)
        return lines_.error(cells.back().column, "a column is: name, type",
                            "write for example: amount INT");
      ROWGATE_TRY(Column one, column(cells));
      ROWGATE_CHECK(check_new_name(one.name, cells[0].column, fixture_.columns));
      fixture_.columns.push_back(std::move(one));
    }
    return {};
  }

  // file NAME / JSON lines
  Result<void> file(std::string_view name) {
    if (!is_file_name(name) || fixture_.files.size() >= kMaxFiles)
      return lines_.error(lines_.rest_column(), "this is no name for a file, or one too many",
                          fmt::format("write for example: file crm/1.json; at most {}", kMaxFiles));
    for (const DriftFile& other : fixture_.files)
      if (other.name == name)
        return lines_.error(lines_.rest_column(), fmt::format("a second file '{}'", name),
                            "a file arrives once: give it a name of its own");
    DriftFile file{std::string(name), {}};
    const std::size_t section_line = lines_.number();
    while (next_indented()) {
      const std::string_view line = base::trim(lines_.line());
      const std::size_t place = static_cast<std::size_t>(line.data() - lines_.line().data()) + 1;
      if (const std::string problem = record_problem(line); !problem.empty())
        return lines_.error(place, problem,
                            "write one object a line, with identifiers as names: {\"id\":1}");
      if (++line_count_ > kMaxLines)
        return lines_.error(1, fmt::format("more than {} records", kMaxLines),
                            "use a smaller scenario");
      file.lines.emplace_back(line);
    }
    if (file.lines.empty())
      return lines_.error_at(section_line, 1, "the file is empty", "indent its records below");
    fixture_.files.push_back(std::move(file));
    return {};
  }

  // id INT required from customer.id
  Result<void> silver() {
    if (!fixture_.contract.empty())
      return lines_.error(1, "Silver's contract is given twice", "remove one of the two");
    std::vector<Column> known;
    while (next_indented()) {
      ROWGATE_TRY(const std::vector<TextCell> cells, read_cells(lines_));
      const std::string remedy = "write for example: city STRING required from address.city";
      if (cells.size() < 2)
        return lines_.error(cells.back().column, "a column is: name, type", remedy);
      ContractColumn one;
      ROWGATE_TRY(one.column, column(cells));
      ROWGATE_CHECK(check_new_name(one.column.name, cells[0].column, known));
      known.push_back(one.column);
      std::size_t at = 2;
      if (at < cells.size() && cells[at].text == "required") {
        one.required = true;
        ++at;
      }
      one.from = {one.column.name};
      if (at + 2 == cells.size() && cells[at].text == "from") {
        one.from.clear();
        for (const std::string_view part : base::split(cells[at + 1].text, '.')) {
          if (!is_identifier(part) || one.from.size() >= kMaxDepth)
            return lines_.error(cells[at + 1].column, "this is no path to a value", remedy);
          one.from.emplace_back(part);
        }
        at += 2;
      }
      if (at != cells.size())
        return lines_.error(cells[at].column, "this does not belong to a column", remedy);
      fixture_.contract.push_back(std::move(one));
    }
    return {};
  }

  // expect POLICY OUTCOME / Bronze's rows; expect POLICY silver holds|broken / Silver's rows
  Result<void> expect(std::string_view rest) {
    std::vector<std::string_view> words;
    for (const std::string_view word : base::split(rest, ' '))
      if (!word.empty()) words.push_back(word);
    const std::size_t line = lines_.number();
    const std::optional<DriftPolicy> policy =
        words.empty() ? std::nullopt : drift_policy_from_string(words[0]);
    if (!policy)
      return lines_.error(lines_.rest_column(), "an expectation names a policy",
                          "use addNewColumns, rescue, failOnNewColumns or none");
    const auto found =
        std::find_if(fixture_.expectations.begin(), fixture_.expectations.end(),
                     [&](const DriftExpectation& each) { return each.policy == *policy; });
    if (words.size() == 3 && words[1] == "silver")
      return expect_silver(words[2], found == fixture_.expectations.end() ? nullptr : &*found);
    DriftExpectation expectation;
    expectation.policy = *policy;
    expectation.line = line;
    constexpr DriftOutcome kStated[] = {DriftOutcome::kept, DriftOutcome::restarted,
                                        DriftOutcome::stopped, DriftOutcome::lost};
    const auto outcome = std::find_if(
        std::begin(kStated), std::end(kStated),
        [&](DriftOutcome each) { return words.size() == 2 && to_string(each) == words[1]; });
    if (outcome == std::end(kStated))
      return lines_.error(
          lines_.rest_column(), "an expectation names how it ends",
          "write 'expect POLICY kept', or restarted, stopped or lost, above Bronze's "
          "rows, and 'expect POLICY silver holds' or broken above Silver's");
    expectation.outcome = *outcome;
    if (found != fixture_.expectations.end())
      return lines_.error(1, fmt::format("a second expectation of {}", words[0]),
                          "keep one of the two");
    ROWGATE_TRY(const TextTable table, read_table(lines_));
    if (table.header.empty())
      return lines_.error_at(
          line, 1, "an expectation says what is in Bronze",
          "indent a table below: the data's columns, _rescued_data, source_file, "
          "batch_id");
    ROWGATE_TRY(expectation.columns, bronze_columns(table));
    ROWGATE_TRY(expectation.bronze, present_rows(lines_, table, expectation.columns));
    fixture_.expectations.push_back(std::move(expectation));
    return {};
  }

  // The header's columns: those of the schema, metadata, and STRINGs that the policy added.
  Result<std::vector<Column>> bronze_columns(const TextTable& table) const {
    std::vector<Column> columns;
    for (const TextCell& cell : table.header) {
      const auto declared =
          std::find_if(fixture_.columns.begin(), fixture_.columns.end(),
                       [&](const Column& each) { return each.name == cell.text; });
      if (cell.text == kIngestTime || !is_identifier(cell.text))
        return lines_.error_at(table.line, cell.column, "no such column can be expected",
                               "leave ingest_time out: it is another one each time");
      if (std::any_of(columns.begin(), columns.end(),
                      [&](const Column& other) { return other.name == cell.text; }))
        return lines_.error_at(table.line, cell.column, "a column twice", "name it once");
      if (declared != fixture_.columns.end())
        columns.push_back(*declared);
      else if (cell.text == kBatchId)
        columns.push_back({cell.text, {TypeKind::int64, 0, 0}});
      else
        columns.push_back({cell.text, kString});
    }
    return columns;
  }

  Result<void> expect_silver(std::string_view word, DriftExpectation* expectation) {
    if (expectation == nullptr || expectation->contract_holds || fixture_.contract.empty() ||
        (word != "holds" && word != "broken"))
      return lines_.error(lines_.rest_column(), "this is no expectation of Silver",
                          "write 'expect POLICY silver holds' or broken once, below the contract "
                          "and the policy's expectation of Bronze");
    expectation->contract_holds = word == "holds";
    std::vector<Column> columns;
    for (const ContractColumn& each : fixture_.contract) columns.push_back(each.column);
    ROWGATE_TRY(const TextTable table, read_table(lines_));
    if (table.header.empty())
      return lines_.error(1, "Silver's rows are not given",
                          "indent a table below, at least its head");
    ROWGATE_TRY(expectation->silver, present_rows(lines_, table, columns));
    return {};
  }

  Result<void> check_complete() const {
    if (fixture_.name.empty())
      return lines_.error(1, "the fixture has no name", "begin with: fixture NAME");
    if (fixture_.columns.empty())
      return lines_.error(1, "the fixture declares no columns", "add a 'columns' section");
    if (fixture_.files.empty())
      return lines_.error(1, "no file arrives", "add: file 1.json, with its records below");
    return {};
  }

  Lines lines_;
  DriftFixture fixture_;
  std::size_t line_count_ = 0;
};

}  // namespace

std::string_view to_string(DriftPolicy policy) {
  switch (policy) {
    case DriftPolicy::add_new_columns: return "addNewColumns";
    case DriftPolicy::rescue: return "rescue";
    case DriftPolicy::fail_on_new_columns: return "failOnNewColumns";
    case DriftPolicy::none: return "none";
  }
  return "";
}

std::optional<DriftPolicy> drift_policy_from_string(std::string_view text) {
  for (const DriftPolicy policy : kDriftPolicies)
    if (to_string(policy) == text) return policy;
  return std::nullopt;
}

std::string_view to_string(DriftOutcome outcome) {
  switch (outcome) {
    case DriftOutcome::kept: return "kept";
    case DriftOutcome::restarted: return "restarted";
    case DriftOutcome::stopped: return "stopped";
    case DriftOutcome::lost: return "lost";
    case DriftOutcome::not_run: return "not run";
  }
  return "";
}

Result<DriftFixture> parse_drift_fixture(std::string_view text, std::string_view file) {
  ROWGATE_CHECK(check_fixture_size(text, file));
  return DriftFixtureReader(text, file).run();
}

}  // namespace rowgate::harness
