#include "pomcheck/cache_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::string_view kFirstLine = "rowgate-cache 1";
constexpr std::string_view kLastLine = "end";

const char* name_of(CachedAnswer answer) {
  switch (answer) {
    case CachedAnswer::file: return "file";
    case CachedAnswer::exists: return "exists";
    case CachedAnswer::absent: return "absent";
  }
  return "absent";
}

// Validators go back to the server as headers; one that is not plain text is not kept.
std::string plain(const std::string& value) {
  const bool fits = value.size() <= 512 && std::all_of(value.begin(), value.end(), [](char c) {
                      return c >= 0x20 && c < 0x7F;
                    });
  return fits ? value : std::string();
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_field(std::string_view key, std::string_view value, CacheEntry& entry) {
  if (key == "answer") {
    for (CachedAnswer answer : {CachedAnswer::file, CachedAnswer::exists, CachedAnswer::absent})
      if (value == name_of(answer)) {
        entry.answer = answer;
        return true;
      }
    return false;
  }
  if (key == "asked-at") {
    const auto time = base::from_rfc3339(value);
    if (time) entry.asked_at = *time;
    return time.has_value();
  }
  if (key == "credentials") {
    entry.with_credentials = value == "yes";
    return value == "yes" || value == "no";
  }
  if (key == "size") return read_number(value, entry.size_bytes);
  if (key == "modified") return read_number(value, entry.modified_ns);
  if (key == "sha256")
    entry.sha256 = value;
  else if (key == "checked-by")
    entry.checked_by = value;
  else if (key == "etag")
    entry.etag = value;
  else if (key == "last-modified")
    entry.last_modified = value;
  else
    return false;
  return true;
}

}  // namespace

std::string to_text(const CacheEntry& entry) {
  std::string text =
      fmt::format("{}\nanswer {}\nasked-at {}\ncredentials {}\n", kFirstLine, name_of(entry.answer),
                  base::to_rfc3339(entry.asked_at), entry.with_credentials ? "yes" : "no");
  if (entry.answer == CachedAnswer::file)
    text +=
        fmt::format("size {}\nmodified {}\nsha256 {}\nchecked-by {}\netag {}\nlast-modified {}\n",
                    entry.size_bytes, entry.modified_ns, entry.sha256, entry.checked_by,
                    plain(entry.etag), plain(entry.last_modified));
  text += kLastLine;
  text += '\n';
  return text;
}

std::optional<CacheEntry> parse_cache_entry(std::string_view text) {
  const auto lines = base::split(text, '\n');
  const std::size_t count = lines.size();
  if (count < 3 || lines[0] != kFirstLine || lines[count - 2] != kLastLine || !lines.back().empty())
    return std::nullopt;
  CacheEntry entry;
  for (std::size_t i = 1; i + 2 < count; ++i) {
    const std::size_t space = lines[i].find(' ');
    if (space == std::string_view::npos ||
        !read_field(lines[i].substr(0, space), lines[i].substr(space + 1), entry))
      return std::nullopt;
  }
  if (entry.answer == CachedAnswer::file &&
      entry.sha256.size() != base::hex_length(base::DigestKind::sha256))
    return std::nullopt;
  return entry;
}

}  // namespace rowgate::pomcheck
