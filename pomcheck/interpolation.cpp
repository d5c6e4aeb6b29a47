// Source: plexus-interpolation's StringSearchInterpolator as Maven's model builder uses it.
//
// Text is searched for "${"; the name ends at the next "}". Values are expanded before they are put
// in; each name is expanded once and remembered, so that a text costs what its result is long. A
// name met again while it is being expanded is a cycle; `project.x` and `pom.x` are one name.
#include "pomcheck/interpolation.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

constexpr std::size_t kMaxResult = 64u << 10;
constexpr std::size_t kMaxRemembered = 8u << 20;
constexpr std::size_t kMaxDepth = 100;

std::string_view synonym(std::string_view name) {
  if (name.starts_with("pom.")) return name.substr(4);
  if (name.starts_with("project.")) return name.substr(8);
  return {};
}

}  // namespace

bool has_expression(std::string_view text) {
  return text.find("${") != std::string_view::npos;
}

Result<std::string> Interpolator::interpolate(std::string_view text) {
  if (!has_expression(text)) return std::string(text);
  open_.clear();
  return expand(text, 0);
}

Result<std::string> Interpolator::expand(std::string_view text, std::size_t depth) {
  if (depth > kMaxDepth)
    return fail(ErrorCode::limit, "more than 100 expressions refer to each other");
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t start = text.find("${", at);
    const std::size_t end =
        start == std::string_view::npos ? std::string_view::npos : text.find('}', start);
    if (end == std::string_view::npos) break;
    out += text.substr(at, start - at);
    ROWGATE_TRY(const std::string* value, value_of(text.substr(start + 2, end - start - 2), depth));
    if (value == nullptr)
      out += text.substr(start, end - start + 1);
    else
      out += *value;
    if (out.size() > kMaxResult)
      return fail(ErrorCode::limit, "an interpolated value is larger than 64 KiB");
    at = end + 1;
  }
  out += text.substr(at);
  return out;
}

Result<const std::string*> Interpolator::value_of(std::string_view name, std::size_t depth) {
  if (name.starts_with('.')) name.remove_prefix(1);
  const auto pointer = [](const std::optional<std::string>& value) {
    return value ? &*value : nullptr;
  };
  if (const auto found = known_.find(name); found != known_.end()) return pointer(found->second);
  const std::string_view bare = synonym(name);
  const std::string key(bare.empty() ? std::string(name) : fmt::format("project.{}", bare));
  if (open_.contains(key)) {
    std::string names;
    for (const std::string& open : open_)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", open);
    return fail(ErrorCode::malformed,
                fmt::format("the expression ${{{}}} refers to itself (through {})",
                            base::printable(name), base::printable(names)));
  }
  const std::optional<std::string> raw = lookup_(name);
  std::optional<std::string> expanded;
  if (raw) {
    open_.insert(key);
    ROWGATE_TRY(expanded, expand(*raw, depth + 1));
    open_.erase(key);
    remembered_bytes_ += expanded->size();
    if (remembered_bytes_ > kMaxRemembered)
      return fail(ErrorCode::limit, "the POM's interpolated values are larger than 8 MiB");
  }
  return pointer(known_.emplace(std::string(name), std::move(expanded)).first->second);
}

}  // namespace rowgate::pomcheck
