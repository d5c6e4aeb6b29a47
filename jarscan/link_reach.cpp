// A work list of methods. Taking one: static and special calls reach their target; a virtual call's
// name and descriptor is remembered as called; `new` makes a class instantiated, and with it its
// superclasses and interfaces; touching a class reaches its initialiser. A method of an
// instantiated class is reached once its name and descriptor is called, or at once when it
// overrides a method of a library, because then Spark may call it. Every method enters the list
// once, first in first out, so that the chain of parents is a shortest one; the cost is linear in
// the sites.
#include "jarscan/link_reach.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::string_view kServices = "META-INF/services/";
constexpr std::uint64_t kMaxServiceFile = std::uint64_t{1} << 20;

// What Spark (and Hadoop for it) loads by a name that a user writes into SQL or the configuration.
constexpr std::string_view kPluginTypes[] = {
    "org/apache/hadoop/fs/FileSystem",
    "org/apache/spark/api/plugin/SparkPlugin",
    "org/apache/spark/scheduler/SparkListenerInterface",
    "org/apache/spark/serializer/Serializer",
    "org/apache/spark/shuffle/ShuffleManager",
    "org/apache/spark/sql/SparkSessionExtensionsProvider",
    "org/apache/spark/sql/connector/catalog/CatalogPlugin",
    "org/apache/spark/sql/connector/catalog/TableProvider",
    "org/apache/spark/sql/execution/datasources/FileFormat",
    "org/apache/spark/sql/execution/streaming/checkpointing/CheckpointFileManager",
    "org/apache/spark/sql/execution/streaming/state/StateStoreProvider",
    "org/apache/spark/sql/sources/CreatableRelationProvider",
    "org/apache/spark/sql/sources/DataSourceRegister",
    "org/apache/spark/sql/sources/RelationProvider",
    "org/apache/spark/sql/sources/StreamSinkProvider",
    "org/apache/spark/sql/sources/StreamSourceProvider",
    "org/apache/spark/sql/util/QueryExecutionListener",
};
constexpr std::string_view kExtensions = "(Lorg/apache/spark/sql/SparkSessionExtensions;)";

std::string internal_name(std::string_view name) {
  std::string internal(name);
  std::replace(internal.begin(), internal.end(), '.', '/');
  return internal;
}

}  // namespace

std::string place_of(const UnitClass& type, std::uint32_t method, std::uint16_t line) {
  const std::string_view name =
      method < type.decl->methods.size() ? type.decl->methods[method].name : std::string_view();
  std::string text = fmt::format("{}.{}", dotted(type.decl->name), name);
  if (line != 0) text += fmt::format(":{}", line);
  return text;
}

std::vector<EntryPoint> entry_points(const LinkUnit& unit, ClassWorld& world,
                                     const std::vector<std::string>& configured) {
  std::vector<EntryPoint> found;
  const auto add = [&](std::string_view dotted_or_internal, EntryKind kind, std::string detail) {
    const UnitClass* type = unit.find(internal_name(dotted_or_internal));
    if (type != nullptr)
      found.push_back(
          {static_cast<std::uint32_t>(type - unit.classes.data()), kind, std::move(detail)});
  };
  EntryReader reader;
  for (std::uint32_t i = 0; i < unit.index->jar_count(); ++i) {
    const JarFile& jar = unit.index->jar(i);
    for (const JarEntry& entry : jar.entries()) {
      if (!entry.name.starts_with(kServices) || entry.is_folder()) continue;
      const auto text = reader.read(jar, entry, kMaxServiceFile);
      if (!text) continue;
      for (std::string_view line : base::split(base::as_text(*text), '\n')) {
        line = base::trim(line.substr(0, line.find('#')));
        if (!line.empty()) add(line, EntryKind::service, std::string(entry.name));
      }
    }
  }
  for (const std::string& name : configured) add(name, EntryKind::configured, name);
  std::vector<ResolvedClass*> supertypes;
  for (std::uint32_t i = 0; i < unit.classes.size(); ++i) {
    const ClassDecl& decl = *unit.classes[i].decl;
    if ((decl.access & access::kPublic) == 0 || decl.is_abstract() || decl.is_interface()) continue;
    ResolvedClass* type = world.load_connector_class(decl.name);
    if (type == nullptr || !type->loadable()) continue;
    world.supertypes(*type, supertypes);
    for (const ResolvedClass* super : supertypes)
      if (!super->connector &&
          std::binary_search(std::begin(kPluginTypes), std::end(kPluginTypes), super->name()))
        found.push_back({i, EntryKind::plugin, dotted(super->name())});
    for (const MemberDecl& method : decl.methods)
      if (method.name == "apply" && method.descriptor.starts_with(kExtensions))
        found.push_back({i, EntryKind::plugin, "SparkSessionExtensions"});
  }
  std::stable_sort(found.begin(), found.end(), [](const EntryPoint& a, const EntryPoint& b) {
    return a.type != b.type ? a.type < b.type : a.kind < b.kind;
  });
  found.erase(
      std::unique(found.begin(), found.end(),
                  [](const EntryPoint& a, const EntryPoint& b) { return a.type == b.type; }),
      found.end());
  return found;
}

class ReachabilityBuilder {
 public:
  ReachabilityBuilder(Reachability& out, const ReachPlan& plan, const LinkUnit& unit,
                      ClassWorld& world)
      : out_(out), plan_(plan), unit_(unit), world_(world) {}

  void run(const std::vector<EntryPoint>& entries);

 private:
  static constexpr std::uint32_t kNone = ReachPlan::kNone;

  void prepare();
  void reach(std::uint32_t flat, std::uint32_t from);
  void touch(std::uint32_t type, std::uint32_t from);
  void instantiate(std::uint32_t type, std::uint32_t from);
  void call(std::uint32_t key, std::uint32_t from);
  void follow(std::uint32_t flat);
  void follow_reference(const ReachPlan::Ref& ref, std::uint32_t from);
  void push_supertypes(std::uint32_t type, std::vector<std::uint32_t>& stack) const;
  // A class of the unit that this world uses; kNone for a shadowed one.
  std::uint32_t usable(std::uint32_t type) const {
    return type != kNone && usable_[type] ? type : kNone;
  }
  // The library's types right above a class and its superclasses and interfaces in the unit.
  const std::vector<ResolvedClass*>& library_types(std::uint32_t type);
  // The keys of all methods that a library type has or inherits.
  const std::unordered_set<std::uint64_t>& library_keys(ResolvedClass& type);
  bool overrides_library(std::uint32_t type, const MemberDecl& method);

  Reachability& out_;
  const ReachPlan& plan_;
  const LinkUnit& unit_;
  ClassWorld& world_;
  std::vector<bool> usable_;
  std::vector<ResolvedClass*> types_;   // nullptr: cannot be loaded
  std::vector<std::uint32_t> callers_;  // by key: the first caller
  std::unordered_map<std::uint32_t, std::vector<ResolvedClass*>> library_types_;
  std::unordered_map<const ResolvedClass*, std::unordered_set<std::uint64_t>> library_keys_;
  std::deque<std::uint32_t> queue_;
};

void ReachabilityBuilder::prepare() {
  const auto count = static_cast<std::uint32_t>(unit_.classes.size());
  types_.assign(count, nullptr);
  usable_.assign(count, false);
  callers_.assign(plan_.key_count, Reachability::kUnreached);
  for (std::uint32_t i = 0; i < count; ++i) {
    const UnitClass& type = unit_.classes[i];
    ResolvedClass* loaded = world_.load_connector_class(type.decl->name);
    if (loaded == nullptr || loaded->decl != type.decl) continue;
    usable_[i] = true;
    if (loaded->loadable()) types_[i] = loaded;
  }
}

void ReachabilityBuilder::reach(std::uint32_t flat, std::uint32_t from) {
  std::uint32_t& parent = out_.parents_[flat];
  if (parent != Reachability::kUnreached) return;
  parent = from;
  queue_.push_back(flat);
}

void ReachabilityBuilder::push_supertypes(std::uint32_t type,
                                          std::vector<std::uint32_t>& stack) const {
  if (usable(plan_.super[type]) != kNone) stack.push_back(plan_.super[type]);
  for (const std::uint32_t interface : plan_.interfaces.of(type))
    if (usable_[interface]) stack.push_back(interface);
}

void ReachabilityBuilder::touch(std::uint32_t type, std::uint32_t from) {
  if (out_.loaded_by_[type] != Reachability::kUnreached) return;
  std::vector<std::uint32_t> stack = {type};
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    if (out_.loaded_by_[at] != Reachability::kUnreached) continue;
    out_.loaded_by_[at] = from;
    const ClassDecl& decl = *unit_.classes[at].decl;
    for (std::uint32_t m = 0; m < decl.methods.size(); ++m)
      if (decl.methods[m].name == "<clinit>") reach(plan_.first_method[at] + m, from);
    push_supertypes(at, stack);
  }
}

const std::unordered_set<std::uint64_t>& ReachabilityBuilder::library_keys(ResolvedClass& type) {
  const auto [place, is_new] = library_keys_.try_emplace(&type);
  if (!is_new) return place->second;
  std::vector<ResolvedClass*> all;
  world_.supertypes(type, all);
  for (const ResolvedClass* super : all)
    for (const MemberDecl& method : super->decl->methods)
      if (!method.is(access::kStatic) && !method.is(access::kPrivate))
        place->second.insert(method.key);
  return place->second;
}

const std::vector<ResolvedClass*>& ReachabilityBuilder::library_types(std::uint32_t type) {
  const auto [place, is_new] = library_types_.try_emplace(type);
  std::vector<ResolvedClass*>& found = place->second;
  if (!is_new) return found;
  std::vector<ResolvedClass*> stack = {types_[type]};
  std::unordered_set<const ResolvedClass*> seen;
  while (!stack.empty()) {
    ResolvedClass* at = stack.back();
    stack.pop_back();
    if (!seen.insert(at).second) continue;
    if (!at->connector) {
      found.push_back(at);
      continue;
    }
    if (at->super != nullptr) stack.push_back(at->super);
    stack.insert(stack.end(), at->interfaces.begin(), at->interfaces.end());
  }
  return found;
}

bool ReachabilityBuilder::overrides_library(std::uint32_t type, const MemberDecl& method) {
  if (types_[type] == nullptr) return true;  // its supertypes are unknown
  const std::vector<ResolvedClass*>& above = library_types(type);
  return std::any_of(above.begin(), above.end(), [&](ResolvedClass* at) {
    return at->assumed || library_keys(*at).contains(method.key);
  });
}

void ReachabilityBuilder::instantiate(std::uint32_t type, std::uint32_t from) {
  touch(type, from);
  std::vector<std::uint32_t> stack = {type};
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    if (out_.instantiated_[at]) continue;
    out_.instantiated_[at] = true;
    const ClassDecl& decl = *unit_.classes[at].decl;
    for (std::uint32_t m = 0; m < decl.methods.size(); ++m) {
      const MemberDecl& method = decl.methods[m];
      if (method.is(access::kStatic) || method.is(access::kPrivate) || method.name.starts_with('<'))
        continue;
      const std::uint32_t flat = plan_.first_method[at] + m;
      if (out_.parents_[flat] != Reachability::kUnreached) continue;
      if (const std::uint32_t caller = callers_[plan_.key_of[flat]];
          caller != Reachability::kUnreached)
        reach(flat, caller);
      else if (overrides_library(at, method))
        reach(flat, from);
    }
    push_supertypes(at, stack);
  }
}

void ReachabilityBuilder::call(std::uint32_t key, std::uint32_t from) {
  if (callers_[key] != Reachability::kUnreached) return;
  callers_[key] = from;
  for (const std::uint32_t flat : plan_.by_key.of(key))
    if (out_.instantiated_[plan_.methods[flat].first]) reach(flat, from);
}

void ReachabilityBuilder::follow_reference(const ReachPlan::Ref& ref, std::uint32_t from) {
  const std::uint32_t owner = usable(ref.owner);
  if (owner != kNone) touch(owner, from);
  if (ref.kind == RefKind::instantiate || ref.kind == RefKind::invoke_constructor)
    if (owner != kNone) instantiate(owner, from);
  if (ref.key == kNone) return;
  const bool is_virtual =
      ref.kind == RefKind::invoke_virtual || ref.kind == RefKind::invoke_interface;
  if (is_virtual) call(ref.key, from);
  // The declaration that the call names: up the connector's own superclasses.
  for (std::uint32_t at = owner; at != kNone; at = usable(plan_.super[at])) {
    const auto first = plan_.key_of.begin() + plan_.first_method[at];
    const auto last = plan_.key_of.begin() + plan_.first_method[at + 1];
    const auto found = std::find(first, last, ref.key);
    if (found == last) {
      if (types_[at] == nullptr) break;  // a chain that cannot be loaded may be a circle
      continue;
    }
    const auto flat = static_cast<std::uint32_t>(found - plan_.key_of.begin());
    const MemberDecl& method = unit_.classes[at].decl->methods[plan_.methods[flat].second];
    if (!is_virtual || (!method.is(access::kAbstract) && out_.instantiated_[at])) reach(flat, from);
    break;
  }
}

void ReachabilityBuilder::follow(std::uint32_t flat) {
  touch(plan_.methods[flat].first, flat);
  for (const std::uint32_t symbol : plan_.uses.of(flat)) follow_reference(plan_.refs[symbol], flat);
  for (const std::uint32_t named : plan_.named.of(flat)) {
    if (!usable_[named] || out_.instantiated_[named]) continue;
    instantiate(named, flat);
    const auto methods = unit_.classes[named].decl->methods;
    for (std::uint32_t m = 0; m < methods.size(); ++m)
      if (methods[m].name == "<init>") reach(plan_.first_method[named] + m, flat);
  }
}

void ReachabilityBuilder::run(const std::vector<EntryPoint>& entries) {
  prepare();
  for (const EntryPoint& entry : entries) {
    instantiate(entry.type, Reachability::kEntry);
    const auto methods = unit_.classes[entry.type].decl->methods;
    for (std::uint32_t m = 0; m < methods.size(); ++m)
      if (methods[m].is(access::kPublic) || methods[m].name == "<init>")
        reach(plan_.first_method[entry.type] + m, Reachability::kEntry);
  }
  while (!queue_.empty()) {
    const std::uint32_t flat = queue_.front();
    queue_.pop_front();
    follow(flat);
  }
}

Reachability::Reachability(const ReachPlan& plan, const LinkUnit& unit, ClassWorld& world,
                           const std::vector<EntryPoint>& entries)
    : unit_(&unit), all_(entries.empty()), first_(plan.first_method) {
  parents_.assign(first_.back(), kUnreached);
  loaded_by_.assign(unit.classes.size(), kUnreached);
  instantiated_.assign(unit.classes.size(), false);
  if (!all_) ReachabilityBuilder(*this, plan, unit, world).run(entries);
}

std::uint32_t Reachability::type_of(std::uint32_t flat) const {
  const auto next = std::upper_bound(first_.begin(), first_.end(), flat);
  return static_cast<std::uint32_t>(next - first_.begin()) - 1;
}

std::vector<std::string> Reachability::path(std::uint32_t flat) const {
  std::vector<std::string> steps;
  while (flat != kEntry && flat != kUnreached && steps.size() <= parents_.size()) {
    const std::uint32_t type = type_of(flat);
    steps.push_back(place_of(unit_->classes[type], flat - first_[type], 0));
    flat = parents_[flat];
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::vector<std::string> Reachability::path_to_method(std::uint32_t type,
                                                      std::uint32_t method) const {
  if (all_) return {};
  const std::uint32_t flat = first_[type] + method;
  return parents_[flat] == kUnreached ? std::vector<std::string>() : path(flat);
}

std::vector<std::string> Reachability::path_to_class(std::uint32_t type) const {
  if (all_ || loaded_by_[type] == kUnreached) return {};
  std::vector<std::string> steps = path(loaded_by_[type]);
  steps.push_back(dotted(unit_->classes[type].decl->name));
  return steps;
}

std::size_t Reachability::reached_methods() const {
  if (all_) return parents_.size();
  return static_cast<std::size_t>(std::count_if(parents_.begin(), parents_.end(),
                                                [](std::uint32_t p) { return p != kUnreached; }));
}

}  // namespace rowgate::jarscan
