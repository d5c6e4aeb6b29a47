// The index is one array of records in class path order and one open-addressing table from a name's
// hash to its first record; later records of the same name are chained behind it. Building it is
// linear in the number of entries: jars are listed in parallel, then merged in order, so that the
// result does not depend on the number of threads. No class is opened.
#include "jarscan/class_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "base/parallel.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::string_view kSuffix = ".class";
constexpr unsigned kOldestVersionedRelease = 9;

// A class of one jar: rank says which entry wins where several give the same name.
struct Candidate {
  std::string_view name;
  std::uint32_t entry;
  std::uint32_t rank;  // smaller wins
};

bool is_loadable_name(std::string_view name) {
  return !name.empty() && name != "module-info" && !name.starts_with("META-INF/");
}

// Overlays come first, then versions from the newest, then the root.
class NameRule {
 public:
  NameRule(const ClassPathJar& jar, unsigned java_release) : jar_(jar), release_(java_release) {}

  bool is_plain() const { return jar_.overlays.empty() && !jar_.jar->is_multi_release(); }

  std::optional<Candidate> apply(std::uint32_t entry) const {
    std::string_view name = jar_.jar->entries()[entry].name;
    if (!name.ends_with(kSuffix)) return std::nullopt;
    name.remove_suffix(kSuffix.size());
    const auto overlays = static_cast<std::uint32_t>(jar_.overlays.size());
    std::uint32_t rank = overlays + release_;
    bool found = false;
    for (std::uint32_t i = 0; i < overlays && !found; ++i) {
      if (!name.starts_with(jar_.overlays[i])) continue;
      name.remove_prefix(jar_.overlays[i].size());
      rank = i;
      found = true;
    }
    if (!found && jar_.jar->is_multi_release()) {
      if (const auto versioned = versioned_name(name)) {
        if (versioned->release < kOldestVersionedRelease || versioned->release > release_)
          return std::nullopt;
        name = versioned->name;
        rank = overlays + release_ - versioned->release;
      }
    }
    if (!is_loadable_name(name)) return std::nullopt;
    return Candidate{name, entry, rank};
  }

 private:
  const ClassPathJar& jar_;
  std::uint32_t release_;
};

// A jar's classes, one candidate a name, in the order of the directory.
std::vector<Candidate> list_classes(const ClassPathJar& jar, unsigned java_release) {
  const NameRule rule(jar, java_release);
  const auto entries = jar.jar->entries();
  const auto shadowed = jar.jar->shadowed();
  std::vector<Candidate> found;
  found.reserve(entries.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    if (!shadowed.empty() && std::binary_search(shadowed.begin(), shadowed.end(), i)) continue;
    if (const auto candidate = rule.apply(i)) found.push_back(*candidate);
  }
  if (rule.is_plain()) return found;
  std::unordered_map<std::string_view, std::uint32_t> best;
  for (const Candidate& candidate : found) {
    const auto [place, is_new] = best.emplace(candidate.name, candidate.rank);
    if (!is_new) place->second = std::min(place->second, candidate.rank);
  }
  std::erase_if(found, [&](const Candidate& c) { return best.at(c.name) != c.rank; });
  return found;
}

}  // namespace

std::string_view package_of(std::string_view internal_name) {
  const std::size_t slash = internal_name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : internal_name.substr(0, slash);
}

struct ClassIndex::State {
  static constexpr std::uint32_t kEnd = UINT32_MAX;

  struct Record {
    std::string_view name;
    ClassLocation location;
    std::uint32_t next = kEnd;  // the next record of the same name
    bool is_first = true;
  };

  std::vector<ClassPathJar> jars;
  unsigned java_release = 0;
  std::vector<Record> records;  // in class path order
  std::vector<std::uint32_t>
      jar_starts;                    // jar_starts[j]: first record of jar j; one more at the end
  std::vector<std::uint32_t> table;  // record index + 1
  std::unordered_set<std::string_view> packages;
  std::size_t names = 0;

  std::size_t slot_of(std::string_view name) const {
    std::size_t slot = std::hash<std::string_view>{}(name) & (table.size() - 1);
    while (table[slot] != 0 && records[table[slot] - 1].name != name)
      slot = (slot + 1) & (table.size() - 1);
    return slot;
  }

  std::string_view name_of(ClassLocation location) const {
    const auto candidate = NameRule(jars.at(location.jar), java_release).apply(location.entry);
    return candidate ? candidate->name : std::string_view();
  }

  Result<void> parse(Bytes bytes, ClassLocation location, ClassDepth depth, ClassFile& out) const;

  void index_records() {
    std::size_t slots = 16;
    while (slots < 2 * records.size()) slots *= 2;
    table.assign(slots, 0);
    // Backwards, so that the first of each name ends up in front of its chain.
    for (std::size_t i = records.size(); i-- > 0;) {
      std::uint32_t& slot = table[slot_of(records[i].name)];
      if (slot != 0) {
        records[i].next = slot - 1;
        records[slot - 1].is_first = false;
      } else {
        ++names;
        packages.insert(package_of(records[i].name));
      }
      slot = static_cast<std::uint32_t>(i + 1);
    }
  }
};

ClassIndex::ClassIndex() : state_(std::make_unique<State>()) {
  state_->index_records();
}
ClassIndex::~ClassIndex() = default;
ClassIndex::ClassIndex(ClassIndex&&) noexcept = default;
ClassIndex& ClassIndex::operator=(ClassIndex&&) noexcept = default;

ClassIndex ClassIndex::build(std::vector<ClassPathJar> jars, const ClassPathOptions& options,
                             const RunContext& context) {
  ClassIndex index;
  State& state = *index.state_;
  state.jars = std::move(jars);
  state.java_release = options.java_release;
  const auto lists = base::parallel_map(state.jars, context.jobs, [&](const ClassPathJar& jar) {
    return list_classes(jar, options.java_release);
  });
  std::size_t total = 0;
  for (const auto& list : lists) total += list.size();
  state.records.reserve(total);
  for (std::uint32_t jar = 0; jar < lists.size(); ++jar) {
    state.jar_starts.push_back(static_cast<std::uint32_t>(state.records.size()));
    for (const Candidate& candidate : lists[jar])
      state.records.push_back({candidate.name, {jar, candidate.entry}});
  }
  state.jar_starts.push_back(static_cast<std::uint32_t>(state.records.size()));
  state.index_records();
  return index;
}

std::size_t ClassIndex::jar_count() const {
  return state_->jars.size();
}
std::size_t ClassIndex::class_count() const {
  return state_->names;
}

const JarFile& ClassIndex::jar(std::uint32_t index) const {
  return *state_->jars.at(index).jar;
}

const JarEntry& ClassIndex::entry(ClassLocation location) const {
  return jar(location.jar).entries()[location.entry];
}

std::optional<ClassLocation> ClassIndex::find(std::string_view internal_name) const {
  const std::uint32_t found = state_->table[state_->slot_of(internal_name)];
  if (found == 0) return std::nullopt;
  return state_->records[found - 1].location;
}

std::vector<ClassLocation> ClassIndex::find_all(std::string_view internal_name) const {
  std::vector<ClassLocation> places;
  const std::uint32_t found = state_->table[state_->slot_of(internal_name)];
  for (std::uint32_t i = found == 0 ? State::kEnd : found - 1; i != State::kEnd;
       i = state_->records[i].next)
    places.push_back(state_->records[i].location);
  return places;
}

bool ClassIndex::has_package(std::string_view package) const {
  return state_->packages.contains(package);
}

std::string_view ClassIndex::name(ClassLocation location) const {
  return state_->name_of(location);
}

std::vector<std::pair<std::string_view, ClassLocation>> ClassIndex::classes() const {
  std::vector<std::pair<std::string_view, ClassLocation>> list;
  list.reserve(state_->names);
  for (const auto& record : state_->records)
    if (record.is_first) list.emplace_back(record.name, record.location);
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return list;
}

std::vector<std::pair<std::string_view, ClassLocation>> ClassIndex::classes_of(
    std::uint32_t jar) const {
  std::vector<std::pair<std::string_view, ClassLocation>> list;
  for (std::uint32_t i = state_->jar_starts.at(jar); i < state_->jar_starts.at(jar + 1); ++i)
    if (state_->records[i].is_first)
      list.emplace_back(state_->records[i].name, state_->records[i].location);
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return list;
}

Result<void> ClassIndex::State::parse(Bytes bytes, ClassLocation location, ClassDepth depth,
                                      ClassFile& out) const {
  const JarFile& jar = *jars.at(location.jar).jar;
  const std::string_view entry = jar.entries()[location.entry].name;
  if (auto parsed = parse_class(bytes, depth, out); !parsed) {
    Error error = std::move(parsed).error();
    error.subject = fmt::format("{}!/{}", jar.name(), entry);
    return tl::unexpected<Error>(std::move(error));
  }
  if (const std::string_view wanted = name_of(location); out.this_name != wanted)
    return fail(ErrorCode::malformed,
                fmt::format("the class file holds {}, its path says {}", out.this_name, wanted),
                fmt::format("{}!/{}", jar.name(), entry), 0);
  return {};
}

Result<void> ClassIndex::load(ClassLocation location, ClassDepth depth, EntryReader& reader,
                              ClassFile& out) const {
  ROWGATE_TRY(const Bytes bytes, reader.read(jar(location.jar), entry(location)));
  return state_->parse(bytes, location, depth, out);
}

Result<LoadedClass> ClassIndex::load(ClassLocation location, ClassDepth depth) const {
  EntryReader reader;
  LoadedClass loaded;
  loaded.location = location;
  ROWGATE_TRY(const Bytes bytes, reader.read(jar(location.jar), entry(location)));
  loaded.bytes.assign(bytes.begin(), bytes.end());
  ROWGATE_CHECK(state_->parse(loaded.bytes, location, depth, loaded.file));
  return loaded;
}

}  // namespace rowgate::jarscan
