#include "jarscan/manifest.hpp"

#include "base/text.hpp"

namespace rowgate::jarscan {
namespace {

// The next line, without its end: CR LF, LF or CR.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos)
    text = {};
  else
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  return line;
}

}  // namespace

Manifest Manifest::parse(std::string_view text) {
  Manifest manifest;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;  // the main section ends
    if (line.front() == ' ') {
      if (!manifest.main_attributes.empty())
        manifest.main_attributes.back().second += line.substr(1);
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    manifest.main_attributes.emplace_back(line.substr(0, colon), value);
  }
  return manifest;
}

std::optional<std::string_view> Manifest::find(std::string_view name) const& {
  for (auto i = main_attributes.rbegin(); i != main_attributes.rend(); ++i)
    if (base::equals_ignoring_case(i->first, name)) return i->second;
  return std::nullopt;
}

}  // namespace rowgate::jarscan
