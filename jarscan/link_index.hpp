// The class index: what linkage needs of a jar, kept in a cache folder, so that a second run opens
// no central directory and inflates no class of Spark. One file a jar, named by a fingerprint of
// the jar's central directory (which holds every entry's name, size and CRC-32) and its size, so it
// does not matter where the jar lies. A file holds the names of all classes and the declarations of
// those that some run asked for; it grows when a run asks for more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "jarscan/link.hpp"

namespace rowgate::jarscan {

struct LinkIndexOptions {
  std::filesystem::path cache_folder;  // empty: nothing is kept
  unsigned java_release = 17;          // multi-release jars differ by it
};

struct LinkIndexStats {
  std::uint64_t jars = 0;
  std::uint64_t from_cache = 0;    // jars whose index was found and is sound
  std::uint64_t classes_read = 0;  // inflated because no index had them
  std::uint64_t bytes = 0;         // of the index files that were used or written
};

// A class path with its indexes. Safe to use from several threads; providers are one a thread and
// must not outlive it.
class IndexedSource final : public ClassSource, public std::enable_shared_from_this<IndexedSource> {
 public:
  // Jars in class path order; parallel over context.jobs. A damaged index file counts as none.
  // Errors: those of JarFile::open.
  static Result<std::shared_ptr<IndexedSource>> open(const std::vector<std::filesystem::path>& jars,
                                                     const LinkIndexOptions& options,
                                                     const RunContext& context);
  ~IndexedSource() override;

  std::unique_ptr<ClassProvider> provider() const override;
  std::vector<std::string> jars() const override;
  std::string jar_of(std::string_view internal_name) const override;
  std::optional<Contents> contents() const override;
  // Writes what this run learnt, atomically, file by file. Nothing to do without a cache folder.
  // Errors: io. Call when no provider is in use.
  Result<void> save(const RunContext& context);
  LinkIndexStats stats() const;

 private:
  IndexedSource();
  friend class IndexedProvider;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rowgate::jarscan
