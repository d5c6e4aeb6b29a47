// Opening: each jar is fingerprinted and its index file looked for, in parallel; a jar without one
// is opened and listed. Then one table maps each package to the jars that have it, in class path
// order: a class is looked for in those, by the hash of its name, which each index holds in order.
// Two names of one hash would be taken for one; with 64 bits and a few hundred thousand names that
// does not happen by chance, and a declaration's name is compared before it is used.
#include "jarscan/link_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <unordered_map>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "jarscan/link_index_file.hpp"
#include "jarscan/link_numbers.hpp"

namespace rowgate::jarscan {

namespace fs = std::filesystem;

namespace {

// One jar of the class path.
struct IndexedJar {
  fs::path path;
  JarFingerprint key;
  base::MappedFile mapped;  // of the index file
  std::optional<LinkIndexFile> index;
  std::mutex opening;
  std::shared_ptr<const ClassIndex> listed;  // opened when a class is not in the index
  std::optional<Error> error;
  // What this run read, to be saved.
  DeclPool pool;
  std::vector<const ClassDecl*> learnt;
};

}  // namespace

struct IndexedSource::State {
  LinkIndexOptions options;
  std::vector<std::unique_ptr<IndexedJar>> jars;
  // The jars that have a package, ascending; the names are those of the jars.
  std::unordered_map<std::string_view, std::vector<std::uint32_t>, TextHash> packages;
  std::atomic<std::uint64_t> classes_read{0};
  std::uint64_t bytes = 0;
  std::mutex learning;

  Result<void> prepare(IndexedJar& jar) const;
  Result<std::shared_ptr<const ClassIndex>> list(IndexedJar& jar) const;
  void add_packages(std::uint32_t number);
  std::optional<std::uint32_t> jar_of(std::string_view name) const;
};

Result<std::shared_ptr<const ClassIndex>> IndexedSource::State::list(IndexedJar& jar) const {
  const std::lock_guard lock(jar.opening);
  if (jar.listed == nullptr) {
    ROWGATE_TRY(auto opened, JarFile::open(jar.path));
    jar.listed = std::make_shared<ClassIndex>(
        ClassIndex::build({{std::move(opened), {}}}, {options.java_release}, RunContext::quiet()));
  }
  return jar.listed;
}

Result<void> IndexedSource::State::prepare(IndexedJar& jar) const {
  if (!options.cache_folder.empty()) {
    ROWGATE_TRY(const base::MappedFile file, base::MappedFile::open(jar.path));
    auto key = fingerprint(file.bytes());
    if (!key) {
      key.error().subject = jar.path.string();
      return tl::unexpected<Error>(std::move(key).error());
    }
    jar.key = *key;
    if (auto mapped = base::MappedFile::open(options.cache_folder / key->file_name())) {
      jar.mapped = std::move(*mapped);
      jar.index = LinkIndexFile::read(jar.mapped.bytes(), *key, options.java_release);
    }
  }
  if (!jar.index) ROWGATE_CHECK(list(jar));
  return {};
}

void IndexedSource::State::add_packages(std::uint32_t number) {
  const IndexedJar& jar = *jars[number];
  const auto add = [&](std::string_view package) {
    std::vector<std::uint32_t>& list = packages[package];
    if (list.empty() || list.back() != number) list.push_back(number);
  };
  if (jar.index)
    for (const std::string_view package : jar.index->packages()) add(package);
  else
    for (const auto& [name, location] : jar.listed->classes()) add(package_of(name));
}

std::optional<std::uint32_t> IndexedSource::State::jar_of(std::string_view name) const {
  const auto having = packages.find(package_of(name));
  if (having == packages.end()) return std::nullopt;
  const std::uint64_t hash = text_hash(name);
  for (const std::uint32_t number : having->second) {
    const IndexedJar& jar = *jars[number];
    if (jar.index ? jar.index->has_class(hash) : jar.listed->find(name).has_value()) return number;
  }
  return std::nullopt;
}

IndexedSource::IndexedSource() : state_(std::make_unique<State>()) {}
IndexedSource::~IndexedSource() = default;

Result<std::shared_ptr<IndexedSource>> IndexedSource::open(const std::vector<fs::path>& jars,
                                                           const LinkIndexOptions& options,
                                                           const RunContext& context) {
  std::shared_ptr<IndexedSource> source(new IndexedSource());
  State& state = *source->state_;
  state.options = options;
  for (const fs::path& path : jars) {
    state.jars.push_back(std::make_unique<IndexedJar>());
    state.jars.back()->path = path;
  }
  base::parallel_for(jars.size(), context.jobs, [&](unsigned, std::size_t i) {
    if (auto prepared = state.prepare(*state.jars[i]); !prepared)
      state.jars[i]->error = std::move(prepared).error();
  });
  for (std::uint32_t i = 0; i < state.jars.size(); ++i) {
    IndexedJar& jar = *state.jars[i];
    if (jar.error) return tl::unexpected<Error>(*jar.error);
    state.bytes += jar.mapped.bytes().size();
    state.add_packages(i);
  }
  return source;
}

// Looks into the index of the jar that has the class, then into the jar.
class IndexedProvider final : public ClassProvider {
 public:
  IndexedProvider(std::shared_ptr<const IndexedSource> source, IndexedSource::State& state)
      : source_(std::move(source)), state_(state) {}
  ~IndexedProvider() override;
  IndexedProvider(const IndexedProvider&) = delete;
  IndexedProvider& operator=(const IndexedProvider&) = delete;

  const ClassDecl* find(std::string_view name) override;
  bool has_package(std::string_view package) override { return state_.packages.contains(package); }
  std::vector<std::string> find_simple(std::string_view simple_name, std::size_t limit) override;
  std::span<const Error> unreadable() const override { return unreadable_; }

 private:
  void list_names();
  void note_error(Error error) { unreadable_.push_back(std::move(error)); }

  std::shared_ptr<const IndexedSource> source_;
  IndexedSource::State& state_;
  EntryReader reader_;
  ClassFile scratch_;
  DeclPool pool_;
  std::vector<std::pair<std::uint32_t, const ClassDecl*>> learnt_;
  // All names by the hash of the part after the last '/', made when the first is asked for.
  std::deque<std::string> names_;
  std::vector<std::pair<std::uint64_t, std::string_view>> by_simple_name_;
  std::vector<Error> unreadable_;
};

const ClassDecl* IndexedProvider::find(std::string_view name) {
  const auto number = state_.jar_of(name);
  if (!number) return nullptr;
  IndexedJar& jar = *state_.jars[*number];
  if (jar.index)
    if (const ClassDecl* decl = jar.index->find(name, pool_)) return decl;
  const auto listed = state_.list(jar);
  if (!listed) {
    note_error(listed.error());
    return nullptr;
  }
  const auto location = (*listed)->find(name);
  if (!location) return nullptr;
  if (auto loaded = (*listed)->load(*location, ClassDepth::members, reader_, scratch_); !loaded) {
    note_error(std::move(loaded).error());
    return nullptr;
  }
  ++state_.classes_read;
  const ClassDecl* decl = pool_.declare(scratch_);
  learnt_.emplace_back(*number, decl);
  return decl;
}

void IndexedProvider::list_names() {
  const auto consider = [&](std::string_view name) {
    const std::size_t slash = name.rfind('/');
    by_simple_name_.emplace_back(
        text_hash(name.substr(slash == std::string_view::npos ? 0 : slash + 1)), name);
  };
  for (const auto& jar : state_.jars) {
    if (jar->index) {
      names_.push_back(jar->index->names());
      for (const std::string_view name : base::split(names_.back(), '\n')) consider(name);
    } else {
      for (const auto& [name, location] : jar->listed->classes()) consider(name);
    }
  }
  std::sort(by_simple_name_.begin(), by_simple_name_.end());
  by_simple_name_.erase(std::unique(by_simple_name_.begin(), by_simple_name_.end()),
                        by_simple_name_.end());
}

std::vector<std::string> IndexedProvider::find_simple(std::string_view simple_name,
                                                      std::size_t limit) {
  if (by_simple_name_.empty()) list_names();
  std::vector<std::string> found;
  const std::uint64_t hash = text_hash(simple_name);
  for (auto at = std::lower_bound(by_simple_name_.begin(), by_simple_name_.end(),
                                  std::pair<std::uint64_t, std::string_view>{hash, {}});
       at != by_simple_name_.end() && at->first == hash && found.size() < limit; ++at)
    if (at->second.ends_with(simple_name)) found.emplace_back(at->second);
  return found;
}

// What was read from jars outlives the provider in the source, until it is saved.
IndexedProvider::~IndexedProvider() {
  if (state_.options.cache_folder.empty() || learnt_.empty()) return;
  const std::lock_guard lock(state_.learning);
  for (const auto& [number, decl] : learnt_) {
    IndexedJar& jar = *state_.jars[number];
    jar.learnt.push_back(jar.pool.copy(*decl));
  }
}

std::unique_ptr<ClassProvider> IndexedSource::provider() const {
  return std::make_unique<IndexedProvider>(shared_from_this(), *state_);
}

std::vector<std::string> IndexedSource::jars() const {
  std::vector<std::string> names;
  for (const auto& jar : state_->jars) names.push_back(jar->path.filename().string());
  return names;
}

std::string IndexedSource::jar_of(std::string_view internal_name) const {
  const auto number = state_->jar_of(internal_name);
  return number ? state_->jars[*number]->path.filename().string() : std::string();
}

std::optional<ClassSource::Contents> IndexedSource::contents() const {
  if (state_->options.cache_folder.empty()) return std::nullopt;
  std::string text;
  put_number(text, state_->options.java_release);
  for (const auto& jar : state_->jars)
    for (const std::uint64_t part :
         {jar->key.size_bytes, jar->key.directory, jar->key.directory_again})
      put_little(text, part, 8);
  return Contents{text_hash(text, 1), text_hash(text, 0x5DEECE66D)};
}

Result<void> IndexedSource::save(const RunContext& context) {
  if (state_->options.cache_folder.empty()) return {};
  std::atomic<std::uint64_t> written{0};
  base::parallel_for(state_->jars.size(), context.jobs, [&](unsigned, std::size_t i) {
    IndexedJar& jar = *state_->jars[i];
    if (jar.index && jar.learnt.empty()) return;
    DeclPool pool;
    std::vector<const ClassDecl*> decls =
        jar.index ? jar.index->all(pool) : std::vector<const ClassDecl*>();
    decls.insert(decls.end(), jar.learnt.begin(), jar.learnt.end());
    std::sort(decls.begin(), decls.end(),
              [](const ClassDecl* a, const ClassDecl* b) { return a->name < b->name; });
    decls.erase(
        std::unique(decls.begin(), decls.end(),
                    [](const ClassDecl* a, const ClassDecl* b) { return a->name == b->name; }),
        decls.end());
    std::string text;
    std::vector<std::string_view> names;
    if (jar.index) {
      text = jar.index->names();
      for (const std::string_view name : base::split(text, '\n'))
        if (!name.empty()) names.push_back(name);
    } else {
      for (const auto& [name, location] : jar.listed->classes()) names.push_back(name);
    }
    const std::string file = write_link_index(jar.key, state_->options.java_release, names, decls);
    written += file.size();
    if (auto saved =
            base::write_file_atomically(state_->options.cache_folder / jar.key.file_name(), file);
        !saved)
      jar.error = std::move(saved).error();
  });
  state_->bytes += written;
  for (const auto& jar : state_->jars)
    if (jar->error) return tl::unexpected<Error>(*jar->error);
  return {};
}

LinkIndexStats IndexedSource::stats() const {
  LinkIndexStats stats;
  stats.jars = state_->jars.size();
  for (const auto& jar : state_->jars) stats.from_cache += jar->index ? 1 : 0;
  stats.classes_read = state_->classes_read;
  stats.bytes = state_->bytes;
  return stats;
}

}  // namespace rowgate::jarscan
