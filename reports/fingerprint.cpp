#include "reports/fingerprint.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/digest.hpp"

namespace rowgate::reports {
namespace {

// "/home/a/libs/x.jar!/p/C.class" -> "x.jar!/p/C.class"
std::string_view without_folders(std::string_view file) {
  const std::size_t inside = file.find("!/");
  const std::size_t slash = file.substr(0, inside).find_last_of("/\\");
  return slash == std::string_view::npos ? file : file.substr(slash + 1);
}

}  // namespace

std::string fingerprint(const base::Finding& finding) {
  std::string identity;
  const auto add = [&](std::string_view part) {
    identity += fmt::format("{}:", part.size());  // lengths keep "ab"+"c" and "a"+"bc" apart
    identity += part;
  };
  add(finding.check_id);
  add(finding.subject);
  add(finding.symbol);
  add(without_folders(finding.location.file));
  add(finding.location.member);
  if (finding.symbol.empty() && finding.location.member.empty()) add(finding.message);
  return base::digest(base::DigestKind::sha256, base::as_bytes(identity)).substr(0, 32);
}

}  // namespace rowgate::reports
