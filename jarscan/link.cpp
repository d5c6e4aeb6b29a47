// check_link: every world is judged by itself, in parallel; then each target is compared with the
// baseline's breaks and its breaks are folded into root causes. Two breaks have one cause when
// problem and symbol agree. A use is "on the baseline" when the same class already broke there on
// the same symbol, however it did. Linear in the breaks, but for sorting.
#include "jarscan/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "jarscan/link_baseline.hpp"
#include "jarscan/link_describe.hpp"
#include "jarscan/link_path.hpp"
#include "jarscan/link_rules.hpp"

namespace rowgate::jarscan {
namespace {

using base::Severity;

// One Spark with all that was found out about it. Its world is used by one thread at a time.
struct Side {
  LinkTarget target;
  std::unique_ptr<ClassProvider> parent;
  std::unique_ptr<JdkProvider> jdk;
  std::unique_ptr<UnitProvider> child;
  std::unique_ptr<ClassWorld> world;
  Judgement judgement;         // of a target
  BreakIdentities identities;  // of a baseline
  BreakIdentities alone;       // of a target: what breaks in each connector by itself
  std::vector<EntryPoint> entries;
  std::unique_ptr<Reachability> reach;
};

void open_world(Side& side, const std::shared_ptr<const LinkUnit>& unit,
                const LinkOptions& options) {
  side.parent = side.target.spark->provider();
  side.child = std::make_unique<UnitProvider>(unit);
  if (options.jdk != nullptr) side.jdk = std::make_unique<JdkProvider>(options.jdk);
  side.world = std::make_unique<ClassWorld>(
      WorldLayers{side.jdk.get(), side.parent.get(), side.child.get(), options.order});
}

void judge_baseline(Side& side, const LinkRequest& request, const RunContext& context) {
  const auto file = baseline_file(request);
  if (file) {
    if (auto known = read_baseline(*file)) {
      side.identities = std::move(*known);
      return;
    }
  }
  const Judgement judgement = judge(*request.unit, *side.world, context);
  for (const LinkBreak& broken : judgement.breaks)
    side.identities.insert(break_identity(*request.unit, broken));
  if (!file || !judgement.unreadable.empty() || context.stopped()) return;
  if (auto kept = write_baseline(*file, side.identities); !kept)
    context.warn(kept.error().to_string());
}

void judge_target(Side& side, const LinkRequest& request, const RunContext& context) {
  side.judgement = judge(*request.unit, *side.world, context);
  for (const auto& unit : request.alone) {
    Side by_itself;
    by_itself.target = side.target;
    open_world(by_itself, unit, request.options);
    const Judgement judgement = judge(*unit, *by_itself.world, context);
    for (const LinkBreak& broken : judgement.breaks)
      side.alone.insert(break_identity(*unit, broken));
  }
}

bool has_version_shims(const LinkUnit& unit) {
  std::string first;
  for (const UnitClass& type : unit.classes) {
    const std::string token = version_token(type.decl->name);
    if (token.empty()) continue;
    if (first.empty()) first = token;
    if (token != first) return true;
  }
  return false;
}

// Makes the result of one target out of its breaks.
class CauseBuilder {
 public:
  CauseBuilder(const LinkRequest& request, Side& side, Side* baseline, const RuleContext& rules)
      : unit_(*request.unit), side_(side), baseline_(baseline), rules_(rules) {}

  void run(LinkResult& result);

 private:
  void add(const LinkBreak& broken);
  void add_uses(const LinkBreak& broken, Severity severity, std::uint16_t rules, LinkCause& cause);
  Severity severity_of(const LinkBreak& broken, std::uint16_t rules,
                       const std::string& needed) const;
  void finish(LinkCause& cause, const LinkBreak& example);
  void explain_when(LinkCause& cause);

  const LinkUnit& unit_;
  Side& side_;
  Side* baseline_;
  const RuleContext& rules_;
  std::map<std::pair<std::string, LinkProblem>, std::pair<LinkCause, const LinkBreak*>> causes_;
};

constexpr std::uint16_t bit(LinkRule rule) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(rule));
}

Severity CauseBuilder::severity_of(const LinkBreak& broken, std::uint16_t rules,
                                   const std::string& needed) const {
  constexpr auto kNotes = static_cast<std::uint16_t>(
      bit(LinkRule::on_baseline) | bit(LinkRule::shaded_descriptor) | bit(LinkRule::latent) |
      bit(LinkRule::version_shim) | bit(LinkRule::guarded) | bit(LinkRule::alone));
  if ((rules & kNotes) != 0) return Severity::note;
  if (!needed.empty() || is_undecidable(broken, rules_))
    return (rules & bit(LinkRule::unreached)) != 0 ? Severity::note : Severity::undecidable;
  if ((rules & bit(LinkRule::optional_package)) != 0) return Severity::note;
  if ((rules & (bit(LinkRule::unreached) | bit(LinkRule::split_package))) != 0)
    return Severity::warning;
  return Severity::error;
}

void CauseBuilder::add_uses(const LinkBreak& broken, Severity severity, std::uint16_t rules,
                            LinkCause& cause) {
  const UnitClass& type = unit_.classes[broken.user];
  LinkUse use;
  use.type = broken.user;
  use.kind = broken.place;
  use.severity = severity;
  use.rules = rules;
  use.reached = (rules & bit(LinkRule::unreached)) == 0;
  const auto at = [&](const LinkSite& site) {
    use.method = site.method;
    use.place = place_of(type, site.method, site.line);
    cause.uses.push_back(use);
  };
  if (broken.problem == LinkProblem::interface_lost) {
    at({type.questions[broken.index].method, 0, 0});
  } else if (broken.place == BreakPlace::reference) {
    const Range range = type.refs[broken.index].sites;
    for (std::uint32_t i = 0; i < range.count; ++i) at(type.sites[range.first + i]);
  } else if (broken.place == BreakPlace::lambda) {
    at(type.lambdas[broken.index].site);
  } else {
    use.place = dotted(type.decl->name);
    cause.uses.push_back(use);
  }
}

void CauseBuilder::add(const LinkBreak& broken) {
  std::uint16_t rules = rules_for(broken, rules_);
  if (!broken.split_package && baseline_ != nullptr &&
      baseline_->identities.contains(break_identity(unit_, broken)))
    rules |= bit(LinkRule::on_baseline);
  if (side_.alone.contains(break_identity(unit_, broken))) rules |= bit(LinkRule::alone);
  std::string needed = missing_artifact(broken, rules_);
  const Severity severity = severity_of(broken, rules, needed);
  // All that waits for one artifact is one cause.
  if (severity != Severity::undecidable) needed.clear();
  auto& [cause, example] =
      causes_[{needed.empty() ? broken.symbol : "artifact " + needed, broken.problem}];
  if (example == nullptr) {
    cause.problem = broken.problem;
    cause.check_id = check_of(broken.problem);
    cause.symbol = needed.empty() ? dotted_symbol(broken) : needed;
    cause.severity = severity;
  }
  if (example == nullptr || severity < cause.severity) example = &broken;
  cause.severity = std::min(cause.severity, severity);
  add_uses(broken, severity, rules, cause);
  if (broken.place == BreakPlace::loading || broken.place == BreakPlace::linking)
    cause.unloadable.push_back(dotted(unit_.classes[broken.user].decl->name));
}

void CauseBuilder::explain_when(LinkCause& cause) {
  // The use that is nearest to an entry point, among the worst.
  const LinkUse* nearest = nullptr;
  for (const LinkUse& use : cause.uses) {
    if (use.severity != cause.severity) break;
    std::vector<std::string> path = use.method == UINT32_MAX
                                        ? side_.reach->path_to_class(use.type)
                                        : side_.reach->path_to_method(use.type, use.method);
    const bool is_entry = std::any_of(side_.entries.begin(), side_.entries.end(),
                                      [&](const EntryPoint& e) { return e.type == use.type; });
    const bool whole = use.kind == BreakPlace::loading || use.kind == BreakPlace::linking;
    if (is_entry && whole) {
      cause.eager = true;
      cause.when = fmt::format("at once: Spark cannot load {}", use.place);
      cause.path.clear();
      return;
    }
    if (nearest == nullptr || (!path.empty() && path.size() < cause.path.size())) {
      nearest = &use;
      cause.path = std::move(path);
    }
  }
  if (nearest == nullptr) return;
  const bool whole = nearest->kind == BreakPlace::loading || nearest->kind == BreakPlace::linking;
  if (nearest->kind == BreakPlace::implementation)
    cause.when = fmt::format("when Spark calls it on a {}", nearest->place);
  else
    cause.when = fmt::format("when {} {}", nearest->place, whole ? "is loaded" : "runs");
  for (const std::string& step : cause.path) {
    const std::string_view statement = statement_of(step.substr(step.rfind('.') + 1));
    if (statement.empty()) continue;
    cause.when += fmt::format(" ({})", statement);
    break;
  }
}

void CauseBuilder::finish(LinkCause& cause, const LinkBreak& example) {
  std::stable_sort(cause.uses.begin(), cause.uses.end(), [](const LinkUse& a, const LinkUse& b) {
    return a.severity != b.severity ? a.severity < b.severity : a.place < b.place;
  });
  std::sort(cause.unloadable.begin(), cause.unloadable.end());
  cause.unloadable.erase(std::unique(cause.unloadable.begin(), cause.unloadable.end()),
                         cause.unloadable.end());
  std::uint16_t rules = 0;
  for (const LinkUse& use : cause.uses)
    if (use.severity == cause.severity) rules |= use.rules;
  if (cause.severity != Severity::error)
    for (const LinkRule rule : all_link_rules())
      if ((rules & bit(rule)) != 0) cause.rules.push_back(rule);
  const DescribeContext words{
      side_.world.get(), baseline_ != nullptr ? baseline_->world.get() : nullptr,
      side_.target.label, baseline_ != nullptr ? baseline_->target.label : std::string()};
  cause.message = describe(example, words);
  if (cause.severity == Severity::note) return;
  cause.nearest = nearest_to(example, words);
  if (cause.severity == Severity::undecidable) {
    cause.check_id = "RG1215";
    const std::string needed = missing_artifact(example, rules_);
    cause.message = needed.empty()
                        ? fmt::format("undecidable: needs {}", dotted(example.culprit))
                        : fmt::format("undecidable: needs {}, which could not be had", needed);
    cause.needs_artifact = !needed.empty();
  }
  explain_when(cause);
}

void CauseBuilder::run(LinkResult& result) {
  for (const LinkBreak& broken : side_.judgement.breaks) add(broken);
  for (auto& [key, value] : causes_) {
    finish(value.first, *value.second);
    result.causes.push_back(std::move(value.first));
  }
  std::stable_sort(
      result.causes.begin(), result.causes.end(), [](const LinkCause& a, const LinkCause& b) {
        return a.severity != b.severity ? a.severity < b.severity : a.symbol < b.symbol;
      });
}

LinkVerdict verdict_of(const LinkResult& result) {
  const auto has = [&](Severity severity) {
    return std::any_of(result.causes.begin(), result.causes.end(),
                       [&](const LinkCause& cause) { return cause.severity == severity; }) ||
           std::any_of(result.path_findings.begin(), result.path_findings.end(),
                       [&](const base::Finding& f) { return f.severity == severity; });
  };
  if (has(Severity::error)) return LinkVerdict::breaks;
  return has(Severity::undecidable) ? LinkVerdict::undecidable : LinkVerdict::works;
}

LinkResult make_result(const LinkRequest& request, Side& side, Side* baseline,
                       const RuleContext& rules) {
  LinkResult result;
  result.target = side.target.label;
  if (baseline != nullptr) result.baseline = baseline->target.label;
  result.together = !request.alone.empty();
  CauseBuilder(request, side, baseline, rules).run(result);
  result.classes = request.unit->classes.size();
  result.shadowed = static_cast<std::uint64_t>(
      std::count(side.judgement.shadowed.begin(), side.judgement.shadowed.end(), true));
  result.references = side.judgement.references;
  result.assumed = side.judgement.assumed;
  result.sites = request.unit->instruction_sites;
  result.methods = side.reach->method_count();
  result.reached_methods = side.reach->reached_methods();
  result.entries = side.entries;
  result.path_findings =
      class_path_findings(*request.unit, side.judgement, request.options, side.target.label);
  result.verdict = verdict_of(result);
  return result;
}

}  // namespace

std::vector<std::string> JarSource::jars() const {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < index_->jar_count(); ++i)
    names.push_back(std::filesystem::path(index_->jar(i).name()).filename().string());
  return names;
}

std::string JarSource::jar_of(std::string_view internal_name) const {
  const auto location = index_->find(internal_name);
  if (!location) return {};
  return std::filesystem::path(index_->jar(location->jar).name()).filename().string();
}

const char* to_string(LinkRule rule) {
  switch (rule) {
    case LinkRule::on_baseline: return "broken on the baseline too";
    case LinkRule::unreached: return "no path from an entry point was found";
    case LinkRule::optional_package: return "optional: its package is nowhere on the class path";
    case LinkRule::shaded_descriptor: return "the descriptor names a relocated class";
    case LinkRule::latent: return "scalac's glue, which no Java class has";
    case LinkRule::version_shim: return "serves another Spark version";
    case LinkRule::guarded: return "a handler catches this error";
    case LinkRule::alone: return "breaks without the other connectors too";
    case LinkRule::split_package: return "depends on the deployment: two loaders, one package";
  }
  return "";
}

std::vector<LinkRule> all_link_rules() {
  return {LinkRule::on_baseline,       LinkRule::unreached,     LinkRule::optional_package,
          LinkRule::shaded_descriptor, LinkRule::latent,        LinkRule::version_shim,
          LinkRule::guarded,           LinkRule::split_package, LinkRule::alone};
}

const char* to_string(LinkVerdict verdict) {
  switch (verdict) {
    case LinkVerdict::works: return "works";
    case LinkVerdict::breaks: return "breaks";
    case LinkVerdict::undecidable: return "undecidable";
  }
  return "";
}

std::size_t LinkResult::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(causes.begin(), causes.end(),
                    [&](const LinkCause& cause) { return cause.severity == severity; }));
}

std::vector<LinkResult> check_link(const LinkRequest& request, const RunContext& context) {
  const std::size_t targets = request.targets.size();
  std::vector<Side> sides(targets + (request.baseline ? 1 : 0));
  for (std::size_t i = 0; i < targets; ++i) sides[i].target = request.targets[i];
  if (request.baseline) sides[targets].target = *request.baseline;
  for (Side& side : sides) open_world(side, request.unit, request.options);
  std::optional<ReachPlan> plan;
  base::parallel_for(sides.size() + 1, context.jobs, [&](unsigned, std::size_t task) {
    if (task == 0)
      plan.emplace(*request.unit);
    else if (task <= targets)
      judge_target(sides[task - 1], request, context);
    else
      judge_baseline(sides[task - 1], request, context);
  });
  base::parallel_for(targets, context.jobs, [&](unsigned, std::size_t i) {
    Side& side = sides[i];
    side.entries = entry_points(*request.unit, *side.world, request.options.entry_classes);
    side.reach = std::make_unique<Reachability>(*plan, *request.unit, *side.world, side.entries);
  });
  RuleContext rules;
  rules.unit = request.unit.get();
  rules.has_shims = has_version_shims(*request.unit);
  rules.known_package = [&](std::string_view package) {
    if (package.starts_with("org/apache/spark")) return true;
    return std::any_of(sides.begin(), sides.end(),
                       [&](Side& side) { return side.world->has_package(package); });
  };
  Side* baseline = request.baseline ? &sides[targets] : nullptr;
  rules.baseline = request.baseline ? &*request.baseline : nullptr;
  std::vector<LinkResult> results;
  for (std::size_t i = 0; i < targets; ++i) {
    rules.world = sides[i].world.get();
    rules.reach = sides[i].reach.get();
    rules.target = sides[i].target.label;
    rules.spark = &sides[i].target;
    rules.artifacts.clear();
    for (const std::string& jar : sides[i].target.spark->jars())
      rules.artifacts.push_back(artifact_of(jar));
    std::sort(rules.artifacts.begin(), rules.artifacts.end());
    results.push_back(make_result(request, sides[i], baseline, rules));
  }
  return results;
}

std::string verdict_text(const LinkResult& result) {
  if (result.verdict == LinkVerdict::breaks) {
    const std::size_t causes = result.count(Severity::error);
    return fmt::format("breaks: {} root cause{}", causes, causes == 1 ? "" : "s");
  }
  if (result.verdict == LinkVerdict::works) return "works";
  for (const LinkCause& cause : result.causes)
    if (cause.severity == Severity::undecidable) return cause.message;
  return "undecidable";
}

GoodRange good_range(const std::vector<LinkResult>& results) {
  GoodRange range;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].verdict != LinkVerdict::works) continue;
    if (!range.first) range.first = i;
    range.last = i;
  }
  return range;
}

}  // namespace rowgate::jarscan
