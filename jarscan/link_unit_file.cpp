// The file, numbers as in link_numbers.hpp unless a width is given:
//
//   magic, version                        4 bytes each
//   checksum of all that follows          8 bytes (text_hash)
//   key                                   2 * 8 bytes
//   count of texts, their lengths, bytes of all texts, the texts
//   instruction sites, references, unfollowed methods, old classes
//   count of symbols, then each
//   count of classes, then each: declaration, location, references with their sites, receivers,
//   questions, lambdas, strings
//
// Texts are numbered from 1 in the order in which they are met; 0 is none. Reading checks the
// checksum, then each number when it is used; it is linear, and allocates at most a small multiple
// of the file's size, because everything counted takes a byte at least.
#include "jarscan/link_unit_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "jarscan/link_index_file.hpp"
#include "jarscan/link_numbers.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint32_t kMagic = 0x31554C52;  // "RLU1"
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeader = kFileHead + 16;
constexpr std::size_t kMaxLine = 65536, kMaxGuard = 65536, kMaxAccess = 65536;
constexpr auto kKinds = static_cast<std::uint64_t>(RefKind::invoke_constructor) + 1;

class UnitWriter {
 public:
  std::string write(const LinkUnit& unit, const UnitKey& key);

 private:
  void number(std::uint64_t value) { put_number(body_, value); }
  void text(std::string_view value) {
    if (value.empty()) return number(0);
    const auto [place, is_new] = numbers_.emplace(value, texts_.size() + 1);
    if (is_new) texts_.push_back(value);
    number(place->second);
  }
  void texts(std::span<const std::string_view> list) {
    number(list.size());
    for (const std::string_view value : list) text(value);
  }
  void site(const LinkSite& at) {
    number(at.method);
    number(at.line);
    number(at.guard);
  }
  void declaration(const ClassDecl& decl);
  void symbol(const Reference& symbol);
  void reference(const UnitClass& type, const LinkRef& ref);
  void one_class(const UnitClass& type);

  std::string body_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, std::size_t, TextHash> numbers_;
};

void UnitWriter::declaration(const ClassDecl& decl) {
  number(decl.access);
  number(decl.major);
  number((decl.sealed ? 1U : 0U) | (decl.scala ? 2U : 0U));
  text(decl.name);
  text(decl.super_name);
  text(decl.nest_host);
  for (const auto list : {decl.interfaces, decl.nest_members, decl.permitted}) texts(list);
  for (const auto list : {decl.fields, decl.methods}) {
    number(list.size());
    for (const MemberDecl& member : list) {
      text(member.name);
      text(member.descriptor);
      number(member.access);
    }
  }
}

void UnitWriter::symbol(const Reference& symbol) {
  number(static_cast<std::uint64_t>(symbol.kind));
  number((symbol.interface_constant ? 1U : 0U) | (symbol.via_handle ? 2U : 0U));
  text(symbol.owner);
  text(symbol.name);
  text(symbol.descriptor);
  text(symbol.from_method);
}

void UnitWriter::reference(const UnitClass& type, const LinkRef& ref) {
  number(ref.symbol);
  number(ref.sites.count);
  for (std::uint32_t i = 0; i < ref.sites.count; ++i) site(type.sites[ref.sites.first + i]);
  number(ref.receivers.first);
  number(ref.receivers.count);
}

void UnitWriter::one_class(const UnitClass& type) {
  declaration(*type.decl);
  number(type.location.jar);
  number(type.location.entry);
  texts(type.receivers);
  number(type.sites.size());
  number(type.refs.size());
  for (const LinkRef& ref : type.refs) reference(type, ref);
  number(type.questions.size());
  for (const LinkQuestion& question : type.questions) {
    text(question.from);
    text(question.to);
    number(question.method);
    number(question.caught ? 1 : 0);
  }
  number(type.lambdas.size());
  for (const LinkLambda& lambda : type.lambdas) {
    text(lambda.interface);
    text(lambda.name);
    text(lambda.descriptor);
    texts(lambda.markers);
    texts(lambda.bridges);
    site(lambda.site);
  }
  number(type.strings.size());
  for (const auto& [method, value] : type.strings) {
    number(method);
    text(value);
  }
}

std::string UnitWriter::write(const LinkUnit& unit, const UnitKey& key) {
  for (const std::uint64_t count :
       {unit.instruction_sites, unit.references, std::uint64_t{unit.unfollowed},
        std::uint64_t{unit.old_classes}})
    number(count);
  number(unit.symbols.size());
  for (const Reference& each : unit.symbols) symbol(each);
  number(unit.classes.size());
  for (const UnitClass& type : unit.classes) one_class(type);
  std::string checked;
  put_little(checked, key.first, 8);
  put_little(checked, key.second, 8);
  put_number(checked, texts_.size());
  std::size_t size = 0;
  for (const std::string_view value : texts_) {
    put_number(checked, value.size());
    size += value.size();
  }
  put_number(checked, size);
  for (const std::string_view value : texts_) checked += value;
  checked += body_;
  return with_file_head(kMagic, kVersion, checked);
}

class UnitFileReader {
 public:
  UnitFileReader(base::Bytes bytes, LinkUnit& unit, DeclPool& pool)
      : in_(bytes), unit_(unit), pool_(pool) {}

  bool read();

 private:
  std::string_view text() { return texts_[in_.below(texts_.size())]; }
  std::span<const std::string_view> texts() {
    const auto list = pool_.array<std::string_view>(in_.count());
    for (std::string_view& value : list) value = text();
    return list;
  }
  std::vector<std::string_view> text_list() {
    const auto list = texts();
    return {list.begin(), list.end()};
  }
  std::uint16_t u2(std::size_t limit) { return static_cast<std::uint16_t>(in_.below(limit)); }
  LinkSite site(const ClassDecl& decl) {
    LinkSite at;
    at.method = in_.below(decl.methods.size());
    at.line = u2(kMaxLine);
    at.guard = u2(kMaxGuard);
    return at;
  }
  void read_texts();
  void read_symbols();
  const ClassDecl* declaration();
  void references(UnitClass& type);
  void one_class(UnitClass& type);

  NumberReader in_;
  LinkUnit& unit_;
  DeclPool& pool_;
  std::vector<std::string_view> texts_ = {{}};
};

void UnitFileReader::read_texts() {
  std::vector<std::size_t> sizes(in_.count());
  for (std::size_t& size : sizes) size = static_cast<std::size_t>(in_.next());
  const std::string_view all = base::as_text(in_.take(in_.count()));
  std::size_t at = 0;
  texts_.reserve(sizes.size() + 1);
  for (const std::size_t size : sizes) {
    if (in_.failed() || size == 0 || size > all.size() - at) return in_.fail();
    texts_.push_back(all.substr(at, size));
    at += size;
  }
}

const ClassDecl* UnitFileReader::declaration() {
  ClassDecl& decl = pool_.array<ClassDecl>(1)[0];
  decl.access = u2(kMaxAccess);
  decl.major = u2(kMaxAccess);
  const std::uint64_t flags = in_.next();
  decl.sealed = (flags & 1) != 0;
  decl.scala = (flags & 2) != 0;
  decl.name = text();
  decl.super_name = text();
  decl.nest_host = text();
  for (auto* list : {&decl.interfaces, &decl.nest_members, &decl.permitted}) *list = texts();
  for (auto* list : {&decl.fields, &decl.methods}) {
    const auto members = pool_.array<MemberDecl>(in_.count(3));
    for (MemberDecl& member : members) {
      member.name = text();
      member.descriptor = text();
      member.access = u2(kMaxAccess);
      member.key = member_key(member.name, member.descriptor);
    }
    *list = members;
  }
  return &decl;
}

void UnitFileReader::read_symbols() {
  unit_.symbols.resize(in_.count(6));
  for (Reference& symbol : unit_.symbols) {
    symbol.kind = static_cast<RefKind>(in_.below(kKinds));
    const std::uint64_t flags = in_.next();
    symbol.interface_constant = (flags & 1) != 0;
    symbol.via_handle = (flags & 2) != 0;
    symbol.owner = text();
    symbol.name = text();
    symbol.descriptor = text();
    symbol.from_method = text();
  }
}

void UnitFileReader::references(UnitClass& type) {
  type.receivers = texts();
  const auto sites = pool_.array<LinkSite>(in_.count(3));
  const auto refs = pool_.array<LinkRef>(in_.count(4));
  std::size_t filled = 0;
  for (LinkRef& ref : refs) {
    ref.symbol = in_.below(unit_.symbols.size());
    const std::size_t count = in_.count();
    if (count > sites.size() - filled) return in_.fail();
    ref.sites = {static_cast<std::uint32_t>(filled), static_cast<std::uint32_t>(count)};
    for (std::size_t i = 0; i < count; ++i) sites[filled++] = site(*type.decl);
    ref.receivers.first = in_.below(type.receivers.size() + 1);
    ref.receivers.count = in_.below(type.receivers.size() - ref.receivers.first + 1);
    if (in_.failed()) return;
  }
  type.sites = sites;
  type.refs = refs;
}

void UnitFileReader::one_class(UnitClass& type) {
  type.decl = declaration();
  type.location.jar = in_.below(UINT32_MAX);
  type.location.entry = in_.below(UINT32_MAX);
  references(type);
  const auto questions = pool_.array<LinkQuestion>(in_.count(4));
  for (LinkQuestion& question : questions) {
    question.from = text();
    question.to = text();
    question.method = in_.below(type.decl->methods.size());
    question.caught = in_.below(2) == 1;
  }
  type.questions = questions;
  type.lambdas.resize(in_.count(8));
  for (LinkLambda& lambda : type.lambdas) {
    lambda.interface = text();
    lambda.name = text();
    lambda.descriptor = text();
    lambda.markers = text_list();
    lambda.bridges = text_list();
    lambda.site = site(*type.decl);
  }
  type.strings.resize(in_.count(2));
  for (auto& [method, value] : type.strings) {
    method = in_.below(type.decl->methods.size());
    value = text();
  }
}

bool UnitFileReader::read() {
  read_texts();
  unit_.instruction_sites = in_.next();
  unit_.references = in_.next();
  unit_.unfollowed = in_.below(UINT32_MAX);
  unit_.old_classes = in_.below(UINT32_MAX);
  read_symbols();
  unit_.classes.resize(in_.count(18));
  for (UnitClass& type : unit_.classes) {
    one_class(type);
    if (in_.failed()) return false;
  }
  for (std::size_t i = 1; i < unit_.classes.size(); ++i)
    if (unit_.classes[i - 1].decl->name >= unit_.classes[i].decl->name) return false;
  return !in_.failed() && in_.at_end();
}

}  // namespace

std::string UnitKey::file_name() const {
  return fmt::format("{:016x}{:016x}.rglu", first, second);
}

Result<UnitKey> unit_key(const ClassIndex& connectors) {
  std::string text;
  for (std::uint32_t i = 0; i < connectors.jar_count(); ++i) {
    auto print = fingerprint(connectors.jar(i).bytes());
    if (!print) {
      print.error().subject = connectors.jar(i).name();
      return tl::unexpected<Error>(std::move(print).error());
    }
    for (const std::uint64_t part : {print->size_bytes, print->directory, print->directory_again})
      put_little(text, part, 8);
  }
  for (const auto& [name, location] : connectors.classes()) {
    put_little(text, text_hash(name), 8);
    put_number(text, location.jar);
    put_number(text, location.entry);
  }
  return UnitKey{text_hash(text, 1), text_hash(text, 0x5DEECE66D)};
}

std::unique_ptr<LinkUnit> read_unit_file(base::Bytes bytes, const UnitKey& wanted) {
  if (!has_file_head(bytes, kMagic, kVersion, kHeader)) return nullptr;
  const UnitKey held{get_little(bytes, kFileHead, 8), get_little(bytes, kFileHead + 8, 8)};
  if (held != wanted) return nullptr;
  if (!is_undamaged(bytes)) return nullptr;
  auto unit = std::make_unique<LinkUnit>();
  unit->pools.push_back(std::make_unique<DeclPool>());
  if (!UnitFileReader(bytes.subspan(kHeader), *unit, *unit->pools.front()).read()) return nullptr;
  return unit;
}

std::string write_unit_file(const LinkUnit& unit, const UnitKey& key) {
  return UnitWriter().write(unit, key);
}

std::shared_ptr<const LinkUnit> cached_link_unit(std::shared_ptr<const ClassIndex> connectors,
                                                 const std::filesystem::path& cache_folder,
                                                 const RunContext& context) {
  const Result<UnitKey> key = cache_folder.empty() ? UnitKey{} : unit_key(*connectors);
  if (cache_folder.empty() || !key) return read_link_unit(std::move(connectors), context);
  const std::filesystem::path path = cache_folder / key->file_name();
  if (auto mapped = base::MappedFile::open(path)) {
    std::unique_ptr<LinkUnit> unit = read_unit_file(mapped->bytes(), *key);
    const bool fits =
        unit != nullptr &&
        std::all_of(unit->classes.begin(), unit->classes.end(), [&](const UnitClass& type) {
          return connectors->find(type.decl->name) == type.location;
        });
    if (fits) {
      unit->index = std::move(connectors);
      unit->file = std::move(*mapped);
      return unit;
    }
  }
  std::shared_ptr<const LinkUnit> unit = read_link_unit(std::move(connectors), context);
  // Of classes that could not be read the error is told each time, from the jar.
  if (!unit->unreadable.empty() || context.stopped()) return unit;
  if (auto kept = base::write_file_atomically(path, write_unit_file(*unit, *key)); !kept)
    context.warn(kept.error().to_string());
  return unit;
}

}  // namespace rowgate::jarscan
