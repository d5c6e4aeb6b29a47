#include "jarscan/link_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint16_t bit(LinkRule rule) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(rule));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The sites of a reference, or the one of a lambda.
template <class Visit>
void for_each_site(const LinkBreak& broken, const UnitClass& type, Visit visit) {
  if (broken.place == BreakPlace::lambda) {
    visit(type.lambdas[broken.index].site);
  } else if (broken.place == BreakPlace::reference &&
             broken.problem != LinkProblem::interface_lost) {
    const Range range = type.refs[broken.index].sites;
    for (std::uint32_t i = 0; i < range.count; ++i) visit(type.sites[range.first + i]);
  } else if (broken.problem == LinkProblem::interface_lost) {
    visit(LinkSite{type.questions[broken.index].method, 0, 0});
  }
}

bool is_reached(const LinkBreak& broken, const RuleContext& context) {
  if (broken.place == BreakPlace::implementation) return context.reach->instantiated(broken.user);
  if (broken.place == BreakPlace::loading || broken.place == BreakPlace::linking)
    return context.reach->loaded(broken.user);
  bool reached = false;
  for_each_site(broken, context.unit->classes[broken.user], [&](const LinkSite& site) {
    reached = reached || context.reach->method(broken.user, site.method);
  });
  return reached;
}

bool is_guarded(const LinkBreak& broken, const RuleContext& context) {
  const std::uint16_t guards = guards_against(broken.problem);
  if (guards == 0 || broken.place != BreakPlace::reference) return false;
  bool all = true;
  for_each_site(broken, context.unit->classes[broken.user],
                [&](const LinkSite& site) { all = all && (site.guard & guards) != 0; });
  return all;
}

// A method of Spark's class whose descriptor names a class that only the connector has: the
// connector's build relocated a library's classes in descriptors of calls to classes that it did
// not relocate. That call cannot work anywhere.
bool has_shaded_descriptor(const LinkBreak& broken, const RuleContext& context) {
  if (broken.problem != LinkProblem::method_missing && broken.problem != LinkProblem::field_missing)
    return false;
  const ResolvedClass* owner = context.world->load(broken.culprit, LoaderKind::child);
  if (owner == nullptr || owner->connector) return false;
  bool shaded = false;
  const std::size_t start = broken.member.find_first_of("(:");
  if (start == std::string::npos) return false;
  for_each_class(std::string_view(broken.member).substr(start), [&](std::string_view name) {
    const ResolvedClass* type = context.world->load(name, LoaderKind::child);
    const bool only_here =
        type == nullptr ? !context.known_package(package_of(name)) : type->connector;
    shaded = shaded || only_here;
  });
  return shaded;
}

// scalac adds bridges and accessors for the traits that a class mixes in; javac does not know them,
// so a Java class that implements a Scala trait always lacks them, and nothing calls them on it.
bool is_latent(const LinkBreak& broken, const RuleContext& context) {
  if (broken.place != BreakPlace::implementation && broken.place != BreakPlace::lambda)
    return false;
  if (context.unit->classes[broken.user].decl->scala) return false;
  return broken.culprit.starts_with("scala/") ||
         broken.member.find("$$super$") != std::string::npos;
}

}  // namespace

std::string version_token(std::string_view name) {
  // "spark" or "v", then one or two groups of digits: spark3, Spark33, spark_3_5, v24, v3_5.
  for (std::size_t at = 0; at < name.size(); ++at) {
    std::size_t digits = 0;
    const bool starts_word = at == 0 || !std::isalpha(static_cast<unsigned char>(name[at - 1]));
    if (name.substr(at, 5) == "spark" || name.substr(at, 5) == "Spark")
      digits = at + 5;
    else if (name[at] == 'v' && starts_word)
      digits = at + 1;
    else
      continue;
    if (digits < name.size() && name[digits] == '_') ++digits;
    if (digits >= name.size() || !is_digit(name[digits])) continue;
    std::size_t end = digits;
    std::string version(1, name[end++]);
    if (version < "2" || version > "9") continue;
    if (end < name.size() && (name[end] == '_' || name[end] == '.') && end + 1 < name.size() &&
        is_digit(name[end + 1]))
      ++end;
    if (end < name.size() && is_digit(name[end])) version += fmt::format(".{}", name[end++]);
    if (name[at] == 'v' && version.size() == 1) continue;  // v1, v2: a connector's own numbers
    // A longer number is no version of Spark.
    const bool more = end < name.size() && is_digit(name[end]) &&
                      !(end + 1 >= name.size() || !is_digit(name[end + 1]));
    if (!more) return version;
  }
  return {};
}

std::uint16_t rules_for(const LinkBreak& broken, const RuleContext& context) {
  std::uint16_t rules = 0;
  const auto apply = [&](LinkRule rule, bool applies) {
    if (applies) rules |= bit(rule);
  };
  const UnitClass& user = context.unit->classes[broken.user];
  apply(LinkRule::unreached, !is_reached(broken, context));
  apply(LinkRule::guarded, is_guarded(broken, context));
  apply(LinkRule::latent, is_latent(broken, context));
  apply(LinkRule::shaded_descriptor, has_shaded_descriptor(broken, context));
  apply(LinkRule::split_package, broken.split_package);
  apply(LinkRule::optional_package, broken.problem == LinkProblem::class_missing &&
                                        !context.known_package(package_of(broken.culprit)));
  const std::string token = version_token(user.decl->name);
  apply(LinkRule::version_shim, context.has_shims && !token.empty() &&
                                    !context.target.starts_with(token) &&
                                    is_digit(context.target.front()));
  return rules;
}

std::string artifact_of(std::string_view name) {
  if (name.ends_with(".jar")) name.remove_suffix(4);
  for (std::size_t at = 1; at + 1 < name.size(); ++at)
    if (name[at] == '-' && is_digit(name[at + 1])) return std::string(name.substr(0, at));
  return std::string(name);
}

std::string missing_artifact(const LinkBreak& broken, const RuleContext& context) {
  if (broken.problem != LinkProblem::class_missing || context.spark->missing.empty()) return {};
  const std::string jar =
      context.baseline != nullptr ? context.baseline->spark->jar_of(broken.culprit) : "";
  if (!jar.empty()) {
    std::string artifact = artifact_of(jar);
    const bool there =
        std::binary_search(context.artifacts.begin(), context.artifacts.end(), artifact);
    return there ? std::string() : artifact;
  }
  // Nobody has the class. One of Spark's own in a package that no jar has may be in any hole.
  if (!broken.culprit.starts_with("org/apache/spark/") ||
      context.world->has_package(package_of(broken.culprit)))
    return {};
  constexpr std::size_t kNamed = 4;
  const std::vector<std::string>& missing = context.spark->missing;
  const std::size_t named = std::min(kNamed, missing.size());
  const std::vector<std::string> first(missing.begin(),
                                       missing.begin() + static_cast<std::ptrdiff_t>(named));
  std::string any = base::join(first, " or ");
  if (named < missing.size()) any += fmt::format(" or {} others", missing.size() - named);
  return any;
}

bool is_undecidable(const LinkBreak& broken, const RuleContext& context) {
  // A class whose supertype was not given: what it has is unknown, and so is every answer about it.
  return broken.problem == LinkProblem::class_missing &&
         !context.known_package(package_of(broken.culprit)) &&
         (broken.place == BreakPlace::loading || broken.place == BreakPlace::linking);
}

}  // namespace rowgate::jarscan
