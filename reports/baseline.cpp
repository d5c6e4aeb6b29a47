#include "reports/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "reports/fingerprint.hpp"
#include "reports/json_writer.hpp"
#include "reports/layout.hpp"

namespace rowgate::reports {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kMaxBytes = 64 << 20;
constexpr std::size_t kMaxTextBytes = 500;

using Json = nlohmann::json;

bool is_fingerprint(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// nullptr where the member is missing or no string.
const std::string* text_of(const Json& entry, const char* key) {
  const auto at = entry.find(key);
  return at != entry.end() && at->is_string() ? &at->get_ref<const std::string&>() : nullptr;
}

// An error text, or "" when the entry was taken.
std::string take_entry(const Json& json, Baseline& baseline) {
  if (!json.is_object()) return "is no object";
  const std::string* print = text_of(json, "fingerprint");
  if (print == nullptr || !is_fingerprint(*print)) return "has no fingerprint";
  const std::string* severity_text = text_of(json, "severity");
  const auto severity = base::severity_from_string(severity_text == nullptr ? "" : *severity_text);
  if (!severity) return "has no severity";
  BaselineEntry entry;
  entry.severity = *severity;
  if (const auto count = json.find("count"); count != json.end()) {
    if (!count->is_number_unsigned() || count->get<std::uint64_t>() == 0)
      return "has a count that is no positive number";
    entry.count = count->get<std::size_t>();
  }
  for (auto& [key, into] :
       std::initializer_list<std::pair<const char*, std::string*>>{{"check", &entry.check},
                                                                   {"subject", &entry.subject},
                                                                   {"symbol", &entry.symbol},
                                                                   {"message", &entry.message}})
    if (const std::string* text = text_of(json, key)) *into = *text;
  if (!baseline.entries.emplace(*print, std::move(entry)).second)
    return fmt::format("repeats the fingerprint {}", *print);
  return "";
}

}  // namespace

Baseline baseline_of(const base::Report& report) {
  Baseline baseline;
  const auto add = [&](const base::Finding& finding) {
    if (finding.severity == base::Severity::note || finding.check_id.starts_with("RG40")) return;
    const auto [at, added] = baseline.entries.try_emplace(fingerprint(finding));
    BaselineEntry& entry = at->second;
    if (!added) {
      ++entry.count;
      entry.severity = std::max(entry.severity, finding.severity);  // the least severe of them
      return;
    }
    entry = {finding.severity,
             1,
             finding.check_id,
             printable_start(finding.subject, kMaxTextBytes),
             printable_start(finding.symbol, kMaxTextBytes),
             printable_start(finding.message, kMaxTextBytes)};
  };
  for (const base::Finding& finding : report.findings) add(finding);
  for (const base::Suppressed& entry : report.suppressed)
    if (entry.kind == base::SuppressionKind::baseline) add(entry.finding);
  return baseline;
}

std::string render_baseline(const Baseline& baseline) {
  std::vector<const std::pair<const std::string, BaselineEntry>*> sorted;
  for (const auto& entry : baseline.entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    const auto key = [](const auto* entry) {
      return std::tie(entry->second.check, entry->second.subject, entry->second.symbol,
                      entry->first);
    };
    return key(a) < key(b);
  });
  JsonWriter json;
  json.begin_object().member("tool", "rowgate").key("baseline_version").number(kVersion);
  json.key("findings").begin_array();
  for (const auto* entry : sorted) {
    json.begin_object(JsonWriter::Layout::line)
        .member("check", entry->second.check)
        .member("severity", base::to_string(entry->second.severity))
        .member("subject", entry->second.subject)
        .member("symbol", entry->second.symbol)
        .member("message", entry->second.message);
    if (entry->second.count > 1) json.key("count").number(std::uint64_t{entry->second.count});
    json.member("fingerprint", entry->first).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

Result<Baseline> parse_baseline(std::string_view text, std::string_view file) {
  const std::string name(file);
  if (text.size() > kMaxBytes)
    return fail(ErrorCode::limit,
                fmt::format("{} of baseline, more than the limit of {}",
                            base::human_bytes(text.size()), base::human_bytes(kMaxBytes)),
                name);
  Json json;
  // A baseline is three levels deep. What goes deeper is dropped while parsing.
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= 4; };
  try {
    json = Json::parse(text, shallow);
  } catch (const Json::parse_error& error) {
    return fail(ErrorCode::malformed, "not JSON", name, error.byte == 0 ? 0 : error.byte - 1);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::malformed, printable_start(error.what(), 200), name);
  }
  const std::string* tool = json.is_object() ? text_of(json, "tool") : nullptr;
  const auto version = json.is_object() ? json.find("baseline_version") : json.end();
  if (tool == nullptr || *tool != "rowgate" || version == json.end() ||
      !version->is_number_unsigned())
    return fail(ErrorCode::malformed, "not a baseline of rowgate", name, std::nullopt,
                "write one with --write-baseline");
  if (version->get<std::uint64_t>() != kVersion)
    return fail(ErrorCode::unsupported,
                fmt::format("baseline_version is {}, this rowgate reads {}",
                            version->get<std::uint64_t>(), kVersion),
                name, std::nullopt, "use the version of rowgate that wrote it");
  const auto findings = json.find("findings");
  if (findings == json.end() || !findings->is_array())
    return fail(ErrorCode::malformed, "has no array 'findings'", name);
  Baseline baseline;
  baseline.file = name;
  std::size_t index = 0;
  for (const Json& entry : *findings) {
    if (std::string why = take_entry(entry, baseline); !why.empty())
      return fail(ErrorCode::malformed, fmt::format("findings[{}] {}", index, why), name);
    ++index;
  }
  return baseline;
}

Result<Baseline> read_baseline(const std::filesystem::path& file) {
  ROWGATE_TRY(const std::string text, base::read_file(file, kMaxBytes));
  return parse_baseline(text, file.string());
}

}  // namespace rowgate::reports
