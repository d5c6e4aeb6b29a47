#include "jarscan/link_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/byte_reader.hpp"
#include "base/parallel.hpp"
#include "jarscan/link_types.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::size_t kClassesAtOnce = 64;
constexpr std::size_t kMaxBridges = 255;

constexpr struct {
  std::string_view name;
  std::uint16_t guard;
} kGuards[] = {
    {"java/lang/LinkageError", kGuardLinkage},
    {"java/lang/IncompatibleClassChangeError", kGuardIncompatible},
    {"java/lang/NoSuchMethodError", kGuardNoMethod},
    {"java/lang/NoSuchFieldError", kGuardNoField},
    {"java/lang/NoClassDefFoundError", kGuardNoClass},
    {"java/lang/AbstractMethodError", kGuardAbstract},
    {"java/lang/IllegalAccessError", kGuardAccess},
    {"java/lang/InstantiationError", kGuardInstantiation},
};

// "org.apache.spark.Foo", "p/C": what Class.forName and service files are given.
bool may_name_class(std::string_view text) {
  if (text.size() < 3 || text.size() > 200) return false;
  bool separated = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    const bool digit = c >= '0' && c <= '9';
    if (c == '.' || c == '/')
      separated = true;
    else if (!letter && !digit)
      return false;
  }
  return separated;
}

struct ReferenceHash {
  std::size_t operator()(const Reference& reference) const {
    const std::uint64_t flags = static_cast<std::uint64_t>(reference.kind) << 2 |
                                (reference.interface_constant ? 2U : 0U) |
                                (reference.via_handle ? 1U : 0U);
    return text_hash(reference.owner, member_key(reference.name, reference.descriptor) ^ flags);
  }
};

// Reads the references of one class after another into one pool.
class UnitReader {
 public:
  explicit UnitReader(DeclPool& pool) : pool_(pool) {}

  void read(const ClassFile& file, Bytes bytes, UnitClass& out);
  std::uint64_t instruction_sites = 0;
  std::uint32_t unfollowed = 0, old_classes = 0;
  std::vector<Reference> symbols;  // of all classes read so far; their references name these
  std::span<LinkRef> class_refs;   // of the class read last

 private:
  struct Pending {
    Reference reference;
    std::uint16_t constant = 0;
    std::vector<LinkSite> sites;
  };

  void read_code(const Code& code);
  void instruction(const CodeRef& ref, LinkSite site, std::string_view method_name);
  void constant(std::uint16_t index, LinkSite site);
  void handle(std::uint16_t index, LinkSite site);
  void dynamic(std::uint16_t index, LinkSite site);
  void lambda(const BootstrapMethod& bootstrap, const DynamicConstant& call, LinkSite site);
  void add(RefKind kind, std::uint16_t constant, const MemberRef& member, LinkSite site,
           bool via_handle, std::string_view from_method);
  void add_class(std::string_view name, LinkSite site);
  void add_types(std::string_view descriptor, LinkSite site);
  void finish(UnitClass& out);
  std::uint32_t symbol(const Reference& reference);
  std::uint16_t guard_at(const Code& code, std::uint32_t bci) const;
  std::int64_t integer(std::uint16_t index) const;

  DeclPool& pool_;
  const ClassFile* file_ = nullptr;
  Bytes bytes_;
  UnitClass* out_ = nullptr;
  std::vector<Pending> pending_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;       // of member references
  std::unordered_map<std::string_view, std::uint32_t> by_class_;  // of class_use
  std::unordered_map<std::string_view, std::uint32_t> by_new_;    // of instantiate
  std::unordered_map<Reference, std::uint32_t, ReferenceHash> symbol_numbers_;
  std::vector<std::uint16_t> handler_guards_;  // of the method's handlers
  bool has_guards_ = false;
  TypeFlowAnalysis analysis_;
  TypeFlow flow_;
};

std::uint16_t UnitReader::guard_at(const Code& code, std::uint32_t bci) const {
  std::uint16_t guard = 0;
  if (!has_guards_) return guard;
  const auto handlers = file_->handlers_of(code);
  for (std::size_t i = 0; i < handlers.size(); ++i)
    if (bci >= handlers[i].start && bci < handlers[i].end) guard |= handler_guards_[i];
  return guard;
}

std::int64_t UnitReader::integer(std::uint16_t index) const {
  if (file_->pool.tag(index) != Tag::integer) return 0;
  return base::ByteReader(bytes_.subspan(file_->pool.offset(index), 4)).s4();
}

void UnitReader::add(RefKind kind, std::uint16_t constant, const MemberRef& member, LinkSite site,
                     bool via_handle, std::string_view from_method) {
  const bool writes = kind == RefKind::put_field || kind == RefKind::put_static;
  if (!writes) from_method = {};
  const unsigned place = from_method == "<init>" ? 1 : from_method == "<clinit>" ? 2 : 0;
  const std::uint64_t key = std::uint64_t{constant} << 16 | static_cast<unsigned>(kind) << 8 |
                            place << 1 | (via_handle ? 1U : 0U);
  const auto [slot, is_new] = by_key_.emplace(key, static_cast<std::uint32_t>(pending_.size()));
  if (is_new) {
    Pending& ref = pending_.emplace_back();
    ref.constant = constant;
    ref.reference = {kind,
                     file_->pool.tag(constant) == Tag::interface_method_ref,
                     via_handle,
                     pool_.intern(member.owner),
                     pool_.intern(member.name),
                     pool_.intern(member.descriptor),
                     pool_.intern(from_method)};
  }
  pending_[slot->second].sites.push_back(site);
}

void UnitReader::add_class(std::string_view name, LinkSite site) {
  const std::string_view element = element_class(name);
  if (element.empty()) return;
  const auto [slot, is_new] =
      by_class_.emplace(element, static_cast<std::uint32_t>(pending_.size()));
  if (is_new) {
    Pending& ref = pending_.emplace_back();
    ref.reference.owner = pool_.intern(element);
  }
  pending_[slot->second].sites.push_back(site);
}

// The classes of a method type are loaded when the type or a handle of it is resolved (5.4.3.5).
void UnitReader::add_types(std::string_view descriptor, LinkSite site) {
  for_each_class(descriptor, [&](std::string_view name) { add_class(name, site); });
}

void UnitReader::constant(std::uint16_t index, LinkSite site) {
  switch (file_->pool.tag(index)) {
    case Tag::class_: return add_class(file_->pool.name(index), site);
    case Tag::method_type: return add_types(file_->pool.name(index), site);
    case Tag::method_handle: return handle(index, site);
    case Tag::dynamic: return dynamic(index, site);
    case Tag::string: {
      const std::string_view text = file_->pool.name(index);
      if (may_name_class(text)) out_->strings.emplace_back(site.method, pool_.intern(text));
      return;
    }
    default: return;
  }
}

void UnitReader::handle(std::uint16_t index, LinkSite site) {
  const MethodHandleConstant constant = file_->pool.method_handle(index);
  constexpr RefKind kKinds[] = {
      RefKind::get_field,      RefKind::get_static,         RefKind::put_field,
      RefKind::put_static,     RefKind::invoke_virtual,     RefKind::invoke_static,
      RefKind::invoke_special, RefKind::invoke_constructor, RefKind::invoke_interface};
  if (constant.kind < 1 || constant.kind > std::size(kKinds)) return;
  const MemberRef member = file_->pool.member(constant.reference);
  add(kKinds[constant.kind - 1], constant.reference, member, site, true, {});
  add_types(member.descriptor, site);
}

void UnitReader::dynamic(std::uint16_t index, LinkSite site) {
  const DynamicConstant call = file_->pool.dynamic(index);
  if (call.bootstrap >= file_->bootstrap_methods.size()) return;
  const BootstrapMethod& bootstrap = file_->bootstrap_methods[call.bootstrap];
  handle(bootstrap.method_handle, site);
  // A dynamic constant may name another one; the JVM refuses circles only when it meets them, so
  // the arguments of nested ones are not followed here: they are sites of their own bootstrap.
  for (const std::uint16_t argument : file_->arguments_of(bootstrap))
    if (file_->pool.tag(argument) != Tag::dynamic) constant(argument, site);
  add_types(call.descriptor, site);
  lambda(bootstrap, call, site);
}

void UnitReader::lambda(const BootstrapMethod& bootstrap, const DynamicConstant& call,
                        LinkSite site) {
  const MemberRef factory =
      file_->pool.member(file_->pool.method_handle(bootstrap.method_handle).reference);
  if (factory.owner != "java/lang/invoke/LambdaMetafactory") return;
  const auto arguments = file_->arguments_of(bootstrap);
  const std::size_t close = call.descriptor.rfind(")L");
  if (arguments.size() < 3 || close == std::string_view::npos) return;
  LinkLambda made;
  made.interface = pool_.intern(
      element_class(call.descriptor.substr(close + 2, call.descriptor.size() - close - 3)));
  made.name = pool_.intern(call.name);
  made.descriptor = pool_.intern(file_->pool.name(arguments[0]));
  made.site = site;
  if (factory.name == "altMetafactory" && arguments.size() >= 4) {
    constexpr std::int64_t kMarkers = 2, kBridges = 4;
    const std::int64_t flags = integer(arguments[3]);
    std::size_t at = 4;
    const auto list = [&](std::vector<std::string_view>& into) {
      if (at >= arguments.size()) return;
      const auto count = static_cast<std::size_t>(
          std::clamp<std::int64_t>(integer(arguments[at++]), 0, kMaxBridges));
      for (std::size_t i = 0; i < count && at < arguments.size(); ++i)
        into.push_back(pool_.intern(file_->pool.name(arguments[at++])));
    };
    if ((flags & kMarkers) != 0) list(made.markers);
    if ((flags & kBridges) != 0) list(made.bridges);
  }
  out_->lambdas.push_back(std::move(made));
}

void UnitReader::instruction(const CodeRef& ref, LinkSite site, std::string_view method_name) {
  ++instruction_sites;
  const auto member = [&](RefKind kind) {
    add(kind, ref.index, file_->pool.member(ref.index), site, false, method_name);
  };
  switch (ref.opcode) {
    case 18:
    case 19:
    case 20: return constant(ref.index, site);
    case 178: return member(RefKind::get_static);
    case 179: return member(RefKind::put_static);
    case 180: return member(RefKind::get_field);
    case 181: return member(RefKind::put_field);
    case 182: return member(RefKind::invoke_virtual);
    case 183: return member(RefKind::invoke_special);
    case 184: return member(RefKind::invoke_static);
    case 185: return member(RefKind::invoke_interface);
    case 186: return dynamic(ref.index, site);
    case 187: {
      const std::string_view name = file_->pool.name(ref.index);
      const auto [slot, is_new] =
          by_new_.emplace(name, static_cast<std::uint32_t>(pending_.size()));
      if (is_new) {
        Pending& fresh = pending_.emplace_back();
        fresh.reference.kind = RefKind::instantiate;
        fresh.reference.owner = pool_.intern(name);
      }
      pending_[slot->second].sites.push_back(site);
      return;
    }
    default: return add_class(file_->pool.name(ref.index), site);
  }
}

void UnitReader::read_code(const Code& code) {
  const auto handlers = file_->handlers_of(code);
  handler_guards_.assign(handlers.size(), 0);
  has_guards_ = false;
  for (std::size_t i = 0; i < handlers.size(); ++i) {
    if (handlers[i].catch_type == 0) continue;
    const std::string_view caught = file_->pool.name(handlers[i].catch_type);
    for (const auto& guard : kGuards)
      if (guard.name == caught) handler_guards_[i] = guard.guard;
    has_guards_ = has_guards_ || handler_guards_[i] != 0;
  }
  const std::string_view name = file_->methods[code.method].name;
  for (const CodeRef& ref : file_->refs_of(code)) {
    const LinkSite site{code.method, file_->line_at(code, ref.bci).value_or(std::uint16_t{0}),
                        guard_at(code, ref.bci)};
    instruction(ref, site, name);
  }
}

std::uint32_t UnitReader::symbol(const Reference& reference) {
  const auto [place, is_new] =
      symbol_numbers_.emplace(reference, static_cast<std::uint32_t>(symbols.size()));
  if (is_new) symbols.push_back(reference);
  return place->second;
}

void UnitReader::finish(UnitClass& out) {
  // The object's static types, by the constant that the reference was made of.
  std::sort(flow_.receivers.begin(), flow_.receivers.end(),
            [](const Receiver& a, const Receiver& b) {
              return a.constant != b.constant ? a.constant < b.constant : a.type < b.type;
            });
  const auto receivers = pool_.array<std::string_view>(flow_.receivers.size());
  for (std::size_t i = 0; i < receivers.size(); ++i)
    receivers[i] = pool_.intern(flow_.receivers[i].type);
  std::size_t site_count = 0;
  for (const Pending& ref : pending_) site_count += ref.sites.size();
  const auto sites = pool_.array<LinkSite>(site_count);
  const auto refs = pool_.array<LinkRef>(pending_.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    Pending& from = pending_[i];
    refs[i].symbol = symbol(from.reference);
    refs[i].sites = {next, static_cast<std::uint32_t>(from.sites.size())};
    std::copy(from.sites.begin(), from.sites.end(), sites.begin() + next);
    next += refs[i].sites.count;
    const RefKind kind = from.reference.kind;
    const bool has_object = kind == RefKind::get_field || kind == RefKind::put_field ||
                            kind == RefKind::invoke_virtual || kind == RefKind::invoke_special;
    if (!has_object || from.reference.via_handle) continue;
    const auto [first, last] = std::equal_range(
        flow_.receivers.begin(), flow_.receivers.end(), Receiver{from.constant, {}},
        [](const Receiver& a, const Receiver& b) { return a.constant < b.constant; });
    refs[i].receivers = {static_cast<std::uint32_t>(first - flow_.receivers.begin()),
                         static_cast<std::uint32_t>(last - first)};
  }
  const auto questions = pool_.array<LinkQuestion>(flow_.questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const TypeQuestion& from = flow_.questions[i];
    questions[i] = {pool_.intern(from.from), pool_.intern(from.to), from.method, from.caught};
  }
  class_refs = refs;
  out.refs = refs;
  out.sites = sites;
  out.receivers = receivers;
  out.questions = questions;
}

void UnitReader::read(const ClassFile& file, Bytes bytes, UnitClass& out) {
  file_ = &file;
  bytes_ = bytes;
  out_ = &out;
  pending_.clear();
  by_key_.clear();
  by_class_.clear();
  by_new_.clear();
  out.decl = pool_.declare(file);
  for (const Code& code : file.codes) read_code(code);
  analysis_.run(file, flow_);
  unfollowed += flow_.unfollowed;
  if (file.major < 50) ++old_classes;
  finish(out);
}

}  // namespace

std::uint16_t guards_against(LinkProblem problem) {
  const std::string_view error = jvm_error(problem);
  if (error.empty() || error == "VerifyError" || error == "LambdaConversionException") return 0;
  std::uint16_t guards = kGuardLinkage;
  for (const auto& guard : kGuards)
    if (guard.name.substr(10) == error) guards |= guard.guard;
  if (error != "NoClassDefFoundError" && error != "ClassCircularityError")
    guards |= kGuardIncompatible;
  return guards;
}

const UnitClass* LinkUnit::find(std::string_view internal_name) const {
  const auto found = std::lower_bound(
      classes.begin(), classes.end(), internal_name,
      [](const UnitClass& type, std::string_view name) { return type.decl->name < name; });
  return found != classes.end() && found->decl->name == internal_name ? &*found : nullptr;
}

std::shared_ptr<const LinkUnit> read_link_unit(std::shared_ptr<const ClassIndex> connectors,
                                               const RunContext& context) {
  auto unit = std::make_shared<LinkUnit>();
  unit->index = std::move(connectors);
  const auto names = unit->index->classes();
  struct Slot {
    UnitClass type;
    std::optional<Error> error;
    unsigned worker = 0;
    std::span<LinkRef> refs;
  };
  std::vector<Slot> slots(names.size());
  struct Worker {
    std::unique_ptr<DeclPool> pool = std::make_unique<DeclPool>();
    UnitReader reader{*pool};
    EntryReader entries;
    ClassFile file;
  };
  std::vector<std::unique_ptr<Worker>> workers(std::max(1U, context.jobs));
  const std::size_t batches = (names.size() + kClassesAtOnce - 1) / kClassesAtOnce;
  base::parallel_for(batches, context.jobs, [&](unsigned number, std::size_t batch) {
    if (context.stopped()) return;
    std::unique_ptr<Worker>& worker = workers[number];
    if (worker == nullptr) worker = std::make_unique<Worker>();
    const std::size_t end = std::min(names.size(), (batch + 1) * kClassesAtOnce);
    for (std::size_t i = batch * kClassesAtOnce; i < end; ++i) {
      const ClassLocation location = names[i].second;
      slots[i].type.location = location;
      const JarFile& jar = unit->index->jar(location.jar);
      const JarEntry& entry = unit->index->entry(location);
      const auto fails = [&](Error error) {
        if (error.subject.empty()) error.subject = fmt::format("{}!/{}", jar.name(), entry.name);
        slots[i].error = std::move(error);
      };
      const auto bytes = worker->entries.read(jar, entry);
      if (!bytes) {
        fails(bytes.error());
        continue;
      }
      if (const auto parsed = parse_class(*bytes, ClassDepth::code, worker->file); !parsed)
        fails(parsed.error());
      else if (worker->file.this_name != names[i].first)
        fails(Error{ErrorCode::malformed,
                    fmt::format("the class file holds {}, its path says {}", worker->file.this_name,
                                names[i].first),
                    {},
                    0,
                    {}});
      else
        worker->reader.read(worker->file, *bytes, slots[i].type);
      slots[i].worker = number;
      slots[i].refs = worker->reader.class_refs;
    }
  });
  // Each worker numbered the symbols that it met; the unit numbers them in the order of the
  // classes.
  std::unordered_map<Reference, std::uint32_t, ReferenceHash> numbers;
  std::vector<std::vector<std::uint32_t>> renumbered(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (workers[i] != nullptr) renumbered[i].assign(workers[i]->reader.symbols.size(), UINT32_MAX);
  const auto renumber = [&](const Slot& slot) {
    for (LinkRef& ref : slot.refs) {
      std::uint32_t& number = renumbered[slot.worker][ref.symbol];
      if (number == UINT32_MAX) {
        const Reference& symbol = workers[slot.worker]->reader.symbols[ref.symbol];
        const auto [place, is_new] =
            numbers.emplace(symbol, static_cast<std::uint32_t>(unit->symbols.size()));
        if (is_new) unit->symbols.push_back(symbol);
        number = place->second;
      }
      ref.symbol = number;
    }
  };
  unit->classes.reserve(slots.size());
  for (Slot& slot : slots) {
    if (slot.error) {
      unit->unreadable.push_back(std::move(*slot.error));
    } else if (slot.type.decl != nullptr) {
      renumber(slot);
      unit->classes.push_back(std::move(slot.type));
    }
  }
  for (auto& worker : workers) {
    if (worker == nullptr) continue;
    unit->instruction_sites += worker->reader.instruction_sites;
    unit->unfollowed += worker->reader.unfollowed;
    unit->old_classes += worker->reader.old_classes;
    unit->pools.push_back(std::move(worker->pool));
  }
  for (const UnitClass& type : unit->classes) unit->references += type.refs.size();
  return unit;
}

const ClassDecl* JarProvider::find(std::string_view internal_name) {
  const auto location = index_->find(internal_name);
  if (!location) return nullptr;
  if (auto loaded = index_->load(*location, ClassDepth::members, reader_, scratch_); !loaded) {
    unreadable_.push_back(std::move(loaded).error());
    return nullptr;
  }
  return pool_.declare(scratch_);
}

namespace {

std::vector<std::string> simple_matches(const ClassIndex& index, std::string_view simple_name,
                                        std::size_t limit) {
  std::vector<std::string> found;
  for (const auto& [name, location] : index.classes()) {
    const std::size_t slash = name.rfind('/');
    if (name.substr(slash == std::string_view::npos ? 0 : slash + 1) != simple_name) continue;
    if (found.size() == limit) break;
    found.emplace_back(name);
  }
  return found;
}

}  // namespace

std::vector<std::string> JarProvider::find_simple(std::string_view simple_name, std::size_t limit) {
  return simple_matches(*index_, simple_name, limit);
}

const ClassDecl* UnitProvider::find(std::string_view internal_name) {
  const UnitClass* type = unit_->find(internal_name);
  return type != nullptr ? type->decl : nullptr;
}

std::vector<std::string> UnitProvider::find_simple(std::string_view simple_name,
                                                   std::size_t limit) {
  return simple_matches(*unit_->index, simple_name, limit);
}

}  // namespace rowgate::jarscan
