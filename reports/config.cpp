// This file and lock_file.cpp alone include toml++. Reading goes on after a problem, so that all of
// them are known and the first by line can be told.
#include "reports/config.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>

#include "base/checks.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "reports/layout.hpp"

namespace rowgate::reports {
namespace {

constexpr std::size_t kMaxBytes = 4 << 20;
constexpr std::array<std::string_view, 5> kFailOnWords = {"new", "error", "warning", "undecidable",
                                                          "never"};
constexpr std::array<std::string_view, 8> kKeys = {"target",         "connectors",
                                                   "spark-defaults", "repositories",
                                                   "fail-on",        "fail-on-unused-ignores",
                                                   "baselines",      "ignore"};
constexpr std::array<std::string_view, 6> kIgnoreKeys = {"check", "symbol", "connector",
                                                         "spark", "reason", "expires"};

struct Problem {
  std::uint32_t line;
  std::string message;
  std::string remedy;
};

std::string quoted(std::string_view text) {
  return fmt::format("'{}'", printable_start(text, 80));
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view near = base::nearest(word, known);
  return near.empty() ? fmt::format("known are {}", fmt::join(known.begin(), known.end(), ", "))
                      : fmt::format("did you mean '{}'?", near);
}

std::string type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::none: return "nothing";
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer:
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "a boolean";
    case toml::node_type::date: return "a date";
    case toml::node_type::time: return "a time";
    case toml::node_type::date_time: return "a date and time";
  }
  return "something else";
}

class Reader {
 public:
  Reader(Config& config, std::vector<Problem>& problems) : config_(config), problems_(problems) {}

  void read(const toml::table& root) {
    for (const auto& [key, node] : root) {
      const std::string_view name = key.str();
      if (name == "target")
        read_text(node, name, config_.target);
      else if (name == "connectors")
        config_.connectors = texts(node, name);
      else if (name == "spark-defaults")
        read_text(node, name, config_.spark_defaults);
      else if (name == "repositories")
        config_.repositories = texts(node, name);
      else if (name == "fail-on")
        read_fail_on(node);
      else if (name == "fail-on-unused-ignores")
        read_unused(node);
      else if (name == "baselines")
        config_.baselines = texts(node, name);
      else if (name == "ignore")
        read_ignores(node);
      else
        problem(key, fmt::format("unknown key {}", quoted(name)), suggestion(name, kKeys));
    }
  }

 private:
  static std::uint32_t line_of(const toml::source_region& region) { return region.begin.line; }

  void problem(const toml::key& key, std::string message, std::string remedy = "") {
    problems_.push_back({line_of(key.source()), std::move(message), std::move(remedy)});
  }
  void problem(const toml::node& node, std::string message, std::string remedy = "") {
    problems_.push_back({line_of(node.source()), std::move(message), std::move(remedy)});
  }
  void wrong_type(const toml::node& node, std::string_view key, std::string_view wanted) {
    problem(node, fmt::format("'{}' is {}, not {}", key, type_name(node), wanted));
  }

  // A string that says something; nothing and a problem otherwise.
  std::optional<std::string> text(const toml::node& node, std::string_view key) {
    const auto* value = node.as_string();
    if (value == nullptr) {
      wrong_type(node, key, "a string");
      return std::nullopt;
    }
    if (value->get().empty() || (key == "reason" && base::trim(value->get()).empty())) {
      problem(node, fmt::format("'{}' is empty", key),
              key == "reason" ? "say why the finding is accepted" : "");
      return std::nullopt;
    }
    return value->get();
  }

  void read_text(const toml::node& node, std::string_view key, std::optional<std::string>& into) {
    if (auto value = text(node, key)) into = std::move(value);
  }

  // A string or an array of them.
  std::vector<std::string> texts(const toml::node& node, std::string_view key) {
    std::vector<std::string> values;
    if (node.is_string()) {
      if (auto value = text(node, key)) values.push_back(std::move(*value));
    } else if (const auto* array = node.as_array()) {
      for (const toml::node& element : *array)
        if (auto value = text(element, key)) values.push_back(std::move(*value));
    } else {
      wrong_type(node, key, "a string or an array of strings");
    }
    return values;
  }

  void read_fail_on(const toml::node& node) {
    config_.fail_on.emplace();
    const std::vector<std::string> words = texts(node, "fail-on");
    for (const std::string& word : words) {
      if (auto parsed = parse_fail_on(word))
        config_.fail_on->push_back(*parsed);
      else
        problem(node, parsed.error().message, parsed.error().remedy);
    }
    if (words.empty() && node.is_array())
      problem(node, "'fail-on' names nothing", "write \"never\" for a gate that never fails");
    else if (config_.fail_on->size() > 1 &&
             std::find(config_.fail_on->begin(), config_.fail_on->end(), FailOn::never) !=
                 config_.fail_on->end())
      problem(node, "'fail-on' has 'never' beside other words");
  }

  void read_unused(const toml::node& node) {
    if (const auto* value = node.as_boolean())
      config_.fail_on_unused_ignores = value->get();
    else
      wrong_type(node, "fail-on-unused-ignores", "true or false");
  }

  void read_ignores(const toml::node& node) {
    const auto* array = node.as_array();
    if (array == nullptr) {
      wrong_type(node, "ignore", "an array of tables");
      problems_.back().remedy = "begin each entry with [[ignore]]";
      return;
    }
    for (const toml::node& element : *array) {
      if (const auto* table = element.as_table())
        read_ignore(*table);
      else
        wrong_type(element, "ignore", "a table");
    }
  }

  void read_ignore(const toml::table& table) {
    Ignore ignore;
    ignore.line = line_of(table.source());
    for (const auto& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == "expires")
        read_expires(node, ignore);
      else if (std::find(kIgnoreKeys.begin(), kIgnoreKeys.end(), name) == kIgnoreKeys.end())
        problem(key, fmt::format("unknown key {} in an ignore entry", quoted(name)),
                suggestion(name, kIgnoreKeys));
      else if (auto value = text(node, name))
        read_ignore_text(node, name, std::move(*value), ignore);
    }
    for (std::string_view required : {"check", "reason", "expires"})
      if (!table.contains(required))
        problem(table, fmt::format("this ignore entry has no '{}'", required),
                required == "expires"  ? "give the last day on which it holds: expires = 2027-01-31"
                : required == "reason" ? "say why the finding is accepted: reason = \"…\""
                                       : "name the check that it is about: check = \"RG1101\"");
    config_.ignores.push_back(std::move(ignore));
  }

  void read_ignore_text(const toml::node& node, std::string_view key, std::string value,
                        Ignore& ignore) {
    if (key == "check") {
      if (base::find_check(value) == nullptr) unknown_check(node, value);
      ignore.check = std::move(value);
    } else if (key == "symbol") {
      ignore.symbol = std::move(value);
    } else if (key == "connector") {
      ignore.connector = std::move(value);
    } else if (key == "reason") {
      ignore.reason = std::move(value);
    } else if (auto range = SparkRange::parse(value)) {
      ignore.spark = std::move(*range);
    } else {
      problem(node, range.error().message, range.error().remedy);
    }
  }

  void unknown_check(const toml::node& node, std::string_view id) {
    std::vector<std::string_view> ids;
    for (const base::Check& check : base::check_catalogue()) ids.push_back(check.id);
    const std::string_view near = base::nearest(id, ids);
    problem(node, fmt::format("there is no check {}", quoted(id)),
            near.empty() ? "see `rowgate explain --list`"
                         : fmt::format("did you mean '{}'? See `rowgate explain --list`", near));
  }

  void read_expires(const toml::node& node, Ignore& ignore) {
    if (const auto* date = node.as_date()) {
      const auto value = date->get();
      ignore.expires =
          std::chrono::year_month_day{std::chrono::year{value.year},
                                      std::chrono::month{value.month}, std::chrono::day{value.day}};
    } else if (const auto* text_node = node.as_string()) {
      if (auto parsed = parse_date(text_node->get()))
        ignore.expires = *parsed;
      else
        problem(node, fmt::format("'expires': {}", parsed.error().message), parsed.error().remedy);
    } else {
      wrong_type(node, "expires", "a date such as 2027-01-31");
    }
  }

  Config& config_;
  std::vector<Problem>& problems_;
};

tl::unexpected<Error> first_of(std::vector<Problem> problems, std::string_view file) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.line < b.line; });
  Problem& first = problems[0];
  if (problems.size() > 1)
    first.message += fmt::format(" (and {} more problem{})", problems.size() - 1,
                                 problems.size() == 2 ? "" : "s");
  return fail(ErrorCode::malformed, std::move(first.message),
              first.line == 0 ? std::string(file) : fmt::format("{}:{}", file, first.line),
              std::nullopt, std::move(first.remedy));
}

}  // namespace

// Bytes that no TOML file can hold become `?`, which as a glob matches any byte; characters that a
// terminal acts on or hides become escapes.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    std::size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    length = std::min(length, text.size());
    const std::string_view character = text.substr(0, length);
    if (!base::is_utf8(character)) {
      out += '?';
      length = 1;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else if (byte == '"' || byte == '\\') {
      out += fmt::format("\\{}", text[0]);
    } else if (const std::string shown = base::printable(character); shown != character) {
      // printable() gave \u{202E}; TOML writes \u202E. All such characters have up to four digits.
      out += fmt::format("\\u{:0>4}", std::string_view(shown).substr(3, shown.size() - 4));
    } else {
      out += character;
    }
    text.remove_prefix(length);
  }
  return out + '"';
}

const char* to_string(FailOn fail_on) {
  return kFailOnWords[static_cast<std::size_t>(fail_on)].data();
}

Result<FailOn> parse_fail_on(std::string_view text) {
  for (std::size_t i = 0; i < kFailOnWords.size(); ++i)
    if (text == kFailOnWords[i]) return static_cast<FailOn>(i);
  return fail(ErrorCode::usage, fmt::format("fail-on cannot be {}", quoted(text)), {}, {},
              suggestion(text, kFailOnWords));
}

std::string to_string(std::chrono::year_month_day date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

Result<std::chrono::year_month_day> parse_date(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorCode::malformed, fmt::format("{} is no date", quoted(text)), {}, {},
                "write it as 2027-01-31");
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return bad();
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (std::size_t i = at; i < at + digits; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return bad();
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return bad();
  return date;
}

Result<Config> parse_config(std::string_view text, std::string_view file) {
  if (text.size() > kMaxBytes)
    return fail(ErrorCode::limit,
                fmt::format("{} of configuration, more than the limit of {}",
                            base::human_bytes(text.size()), base::human_bytes(kMaxBytes)),
                std::string(file));
  Config config;
  config.file = file;
  std::vector<Problem> problems;
  try {
    Reader(config, problems).read(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::malformed,
                fmt::format("not TOML: {}", printable_start(error.description(), 300)),
                fmt::format("{}:{}", file, error.source().begin.line));
  }
  if (!problems.empty()) return first_of(std::move(problems), file);
  return config;
}

Result<Config> read_config(const std::filesystem::path& file) {
  ROWGATE_TRY(const std::string text, base::read_file(file, kMaxBytes));
  return parse_config(text, file.string());
}

std::optional<std::filesystem::path> find_config(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::path at = folder;; at = at.parent_path()) {
    if (std::filesystem::is_regular_file(at / "rowgate.toml", error)) return at / "rowgate.toml";
    if (at == at.parent_path()) return std::nullopt;
  }
}

std::string ignore_entry(const base::Finding& finding, std::string_view expires) {
  std::string entry = fmt::format("[[ignore]]\ncheck = {}\n", toml_string(finding.check_id));
  if (!finding.symbol.empty()) entry += fmt::format("symbol = {}\n", toml_string(finding.symbol));
  if (!finding.subject.empty())
    entry += fmt::format("connector = {}\n", toml_string(finding.subject));
  entry += fmt::format("reason = \"\"  # say why this is accepted\nexpires = {}\n", expires);
  return entry;
}

}  // namespace rowgate::reports
