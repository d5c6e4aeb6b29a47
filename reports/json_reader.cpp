// JSON -> Report. The text is checked for size and depth before the parser sees it (one pass over
// the bytes, no recursion), then parsed, then read by a cursor that knows the path of the value it
// is at, so that an error names `findings[3].severity` rather than a line of generated text.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "reports/json.hpp"
#include "reports/layout.hpp"

namespace rowgate::reports {
namespace {

using Json = nlohmann::json;
using base::Report;

// Offset of the bracket that goes deeper than `max_depth`.
std::optional<std::size_t> too_deep_at(std::string_view text, std::size_t max_depth) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return i;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

// The first thing found wrong. Readers go on with defaults after it, so that they need no error
// handling of their own; the caller looks at the end.
class Problems {
 public:
  void add(const std::string& path, std::string what) {
    if (!first_) first_ = fmt::format("{}: {}", path.empty() ? "the document" : path, what);
  }
  const std::optional<std::string>& first() const { return first_; }

 private:
  std::optional<std::string> first_;
};

// A value and where it stands. `value` is null where the member is missing.
class Cursor {
 public:
  Cursor(const Json* value, std::string path, Problems& problems)
      : value_(value), path_(std::move(path)), problems_(&problems) {}

  const std::string& path() const { return path_; }
  void problem(std::string what) const { problems_->add(path_, std::move(what)); }
  bool present() const { return value_ != nullptr; }
  bool is_null() const { return value_ == nullptr || value_->is_null(); }

  Cursor operator[](const char* key) const {
    std::string path = path_.empty() ? key : fmt::format("{}.{}", path_, key);
    const Json* found = nullptr;
    if (value_ != nullptr && value_->is_object()) {
      const auto at = value_->find(key);
      if (at != value_->end()) found = &*at;
    }
    return {found, std::move(path), *problems_};
  }

  bool expect_object() const {
    if (value_ != nullptr && value_->is_object()) return true;
    mismatch("an object");
    return false;
  }

  // Calls `read(element)` for each element of an array. An absent member is an empty array.
  template <class Read>
  void each(Read read) const {
    if (value_ == nullptr) return;
    if (!value_->is_array()) {
      mismatch("an array");
      return;
    }
    std::size_t index = 0;
    for (const Json& element : *value_) {
      if (problems_->first()) return;
      read(Cursor(&element, fmt::format("{}[{}]", path_, index++), *problems_));
    }
  }

  std::string text() const {
    if (value_ != nullptr && value_->is_string()) return value_->get_ref<const std::string&>();
    mismatch("a string");
    return {};
  }
  std::string text_or_empty() const { return value_ == nullptr ? std::string() : text(); }

  bool boolean_or(bool fallback) const {
    if (value_ == nullptr) return fallback;
    if (value_->is_boolean()) return value_->get<bool>();
    mismatch("true or false");
    return fallback;
  }

  std::uint64_t count(std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) const {
    if (value_ != nullptr && value_->is_number_unsigned()) {
      const auto number = value_->get<std::uint64_t>();
      if (number <= max) return number;
    }
    mismatch(fmt::format("a whole number of at most {}", max).c_str());
    return 0;
  }

  double number() const {  // null stands for NaN
    if (value_ != nullptr && value_->is_number()) return value_->get<double>();
    if (value_ != nullptr && value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
    mismatch("a number or null");
    return 0;
  }

 private:
  void mismatch(const char* wanted) const {
    problem(value_ == nullptr ? fmt::format("is missing; {} is needed", wanted)
                              : fmt::format("is {}; {} is needed", value_->type_name(), wanted));
  }

  const Json* value_;
  std::string path_;
  Problems* problems_;
};

std::vector<std::pair<std::string, std::string>> read_pairs(const Cursor& at) {
  std::vector<std::pair<std::string, std::string>> pairs;
  at.each(
      [&](const Cursor& pair) { pairs.emplace_back(pair["name"].text(), pair["value"].text()); });
  return pairs;
}

std::vector<std::string> read_strings(const Cursor& at) {
  std::vector<std::string> texts;
  at.each([&](const Cursor& text) { texts.push_back(text.text()); });
  return texts;
}

std::vector<double> read_numbers(const Cursor& at) {
  std::vector<double> numbers;
  at.each([&](const Cursor& number) { numbers.push_back(number.number()); });
  return numbers;
}

// One of the names that `to_name` gives to `values`.
template <class T, std::size_t N, class ToName>
T read_one_of(const Cursor& at, const std::array<T, N>& values, ToName to_name) {
  const std::string text = at.text();
  std::string names;
  for (const T value : values) {
    if (text == to_name(value)) return value;
    if (!names.empty()) names += ", ";
    names += to_name(value);
  }
  at.problem(fmt::format("'{}' is none of {}", printable_start(text, 60), names));
  return values[0];
}

base::Tone read_tone(const Cursor& at) {
  using base::Tone;
  if (!at.present()) return Tone::plain;
  constexpr std::array kTones = {Tone::plain,   Tone::good,    Tone::bad,
                                 Tone::caution, Tone::unknown, Tone::muted};
  return read_one_of(at, kTones, [](Tone tone) { return base::to_string(tone); });
}

base::Finding read_finding(const Cursor& at) {
  base::Finding finding;
  if (!at.expect_object()) return finding;
  using base::Severity;
  constexpr std::array kSeverities = {Severity::error, Severity::warning, Severity::undecidable,
                                      Severity::note};
  finding.check_id = at["check"].text();
  finding.severity = read_one_of(at["severity"], kSeverities,
                                 [](Severity severity) { return base::to_string(severity); });
  finding.subject = at["subject"].text();
  finding.message = at["message"].text();
  finding.symbol = at["symbol"].text_or_empty();
  const Cursor location = at["location"];
  finding.location.file = location["file"].text_or_empty();
  if (const Cursor line = location["line"]; !line.is_null())
    finding.location.line =
        static_cast<std::uint32_t>(line.count(std::numeric_limits<std::uint32_t>::max()));
  if (const Cursor offset = location["offset"]; !offset.is_null())
    finding.location.offset = offset.count();
  finding.location.member = location["member"].text_or_empty();
  finding.evidence = read_strings(at["evidence"]);
  finding.sparks = read_strings(at["sparks"]);
  finding.help = at["help"].text_or_empty();
  return finding;
}

base::Table read_table(const Cursor& at) {
  base::Table table;
  if (!at.expect_object()) return table;
  table.id = at["id"].text();
  table.title = at["title"].text();
  table.detail = at["detail"].boolean_or(false);
  table.matrix = at["matrix"].boolean_or(false);
  at["columns"].each([&](const Cursor& column) {
    using base::Align;
    table.columns.push_back(
        {column["name"].text(),
         read_one_of(column["align"], std::array{Align::left, Align::right},
                     [](Align align) { return align == Align::left ? "left" : "right"; })});
  });
  at["rows"].each([&](const Cursor& row) {
    std::vector<base::Cell> cells;
    row.each([&](const Cursor& cell) {
      cells.push_back({cell["text"].text(), read_tone(cell["tone"])});
    });
    if (cells.size() != table.columns.size())
      row.problem(fmt::format("has {} cells where the table has {} columns", cells.size(),
                              table.columns.size()));
    table.rows.push_back(std::move(cells));
  });
  table.notes = read_strings(at["notes"]);
  return table;
}

base::Scale read_scale(const Cursor& at) {
  using base::Scale;
  return read_one_of(at, std::array{Scale::linear, Scale::logarithmic},
                     [](Scale scale) { return scale == Scale::linear ? "linear" : "logarithmic"; });
}

base::Series read_series(const Cursor& at) {
  base::Series series;
  if (!at.expect_object()) return series;
  series.id = at["id"].text();
  series.title = at["title"].text();
  series.x_label = at["x_label"].text();
  series.y_label = at["y_label"].text();
  series.x_scale = read_scale(at["x_scale"]);
  series.y_scale = read_scale(at["y_scale"]);
  series.x = read_numbers(at["x"]);
  at["lines"].each([&](const Cursor& line) {
    base::Line read = {line["name"].text(), read_numbers(line["y"]), read_numbers(line["low"]),
                       read_numbers(line["high"])};
    const auto fits = [&](const std::vector<double>& values) {
      return values.empty() || values.size() == series.x.size();
    };
    if (read.y.size() != series.x.size() || !fits(read.low) || !fits(read.high) ||
        read.low.size() != read.high.size())
      line.problem(
          fmt::format("y, low and high do not go with the {} values of x", series.x.size()));
    series.lines.push_back(std::move(read));
  });
  return series;
}

Report read_report(const Cursor& at) {
  Report report;
  report.command = at["command"].text();
  report.title = at["title"].text();
  report.inputs = read_pairs(at["inputs"]);
  if (const Cursor gate = at["gate"]; !gate.is_null())
    report.gate = base::GateOutcome{gate["failed"].boolean_or(true), read_strings(gate["fail_on"]),
                                    gate["text"].text()};
  at["summary"].each([&](const Cursor& line) {
    report.summary.push_back({line["subject"].text(), line["verdict"].text(), line["text"].text(),
                              read_tone(line["tone"])});
  });
  at["tables"].each([&](const Cursor& table) { report.tables.push_back(read_table(table)); });
  at["series"].each([&](const Cursor& series) { report.series.push_back(read_series(series)); });
  at["findings"].each(
      [&](const Cursor& finding) { report.findings.push_back(read_finding(finding)); });
  at["suppressed"].each([&](const Cursor& entry) {
    using base::SuppressionKind;
    report.suppressed.push_back(
        {read_finding(entry["finding"]),
         read_one_of(entry["kind"], std::array{SuppressionKind::ignore, SuppressionKind::baseline},
                     [](SuppressionKind kind) { return base::to_string(kind); }),
         entry["reason"].text(), entry["expires"].text_or_empty()});
  });
  at["coverage"].each([&](const Cursor& entry) {
    report.coverage.push_back(
        {entry["what"].text(), entry["done"].count(), entry["skipped"].count()});
  });
  const Cursor provenance = at["provenance"];
  report.provenance.tool_version = provenance["tool_version"].text_or_empty();
  report.provenance.started_at = provenance["started_at"].text_or_empty();
  if (provenance["elapsed_ms"].present())
    report.provenance.elapsed_ms = provenance["elapsed_ms"].number();
  report.provenance.facts = read_pairs(provenance["facts"]);
  return report;
}

Result<Json> parse(std::string_view text, std::string_view name) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // The library's message is "[json.exception…] parse error at line 1, column 2: why".
    std::string_view why = error.what();
    if (const std::size_t at = why.find("] "); at != std::string_view::npos)
      why.remove_prefix(at + 2);
    return fail(ErrorCode::malformed, printable_start(why, 300), std::string(name),
                error.byte == 0 ? 0 : error.byte - 1);
  } catch (const Json::exception& error) {  // a number that no double holds
    return fail(ErrorCode::malformed, printable_start(error.what(), 300), std::string(name));
  }
}

}  // namespace

Result<Report> read_json(std::string_view text, std::string_view name, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    return fail(ErrorCode::limit,
                fmt::format("{} of JSON, more than the limit of {}", base::human_bytes(text.size()),
                            base::human_bytes(limits.max_bytes)),
                std::string(name));
  if (const auto offset = too_deep_at(text, limits.max_depth))
    return fail(ErrorCode::limit, fmt::format("nested more than {} deep", limits.max_depth),
                std::string(name), *offset);
  ROWGATE_TRY(const Json json, parse(text, name));

  Problems problems;
  const Cursor document(&json, "", problems);
  if (!json.is_object() || document["tool"].is_null() || document["tool"].text() != "rowgate")
    return fail(ErrorCode::malformed, "not a report of rowgate (\"tool\" is not \"rowgate\")",
                std::string(name), std::nullopt, "give a file written with --format json");
  const std::uint64_t version = document["schema_version"].count();
  if (!problems.first() && version != kReportSchemaVersion)
    return fail(
        ErrorCode::unsupported,
        fmt::format("schema_version is {}, this rowgate reads {}", version, kReportSchemaVersion),
        std::string(name), std::nullopt, "use the version of rowgate that wrote it");
  Report report = read_report(document);
  if (problems.first())
    return fail(ErrorCode::malformed, printable_start(*problems.first(), 400), std::string(name));
  return report;
}

}  // namespace rowgate::reports
