// A class path: jars in order, and for each class name the entry that a class loader would take.
// Opening reads central directories only; a class is inflated when somebody loads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"
#include "base/run_context.hpp"
#include "jarscan/class_file.hpp"
#include "jarscan/jar_file.hpp"

namespace rowgate::jarscan {

struct ClassPathJar {
  std::shared_ptr<const JarFile> jar;
  // Prefixes ("BOOT-INF/classes/", "spark350/") below which classes are seen as if they stood at
  // the root, in order of precedence before the root itself. Usually empty.
  std::vector<std::string> overlays;
};

struct ClassPathOptions {
  // META-INF/versions/N counts for 9 <= N <= java_release, in jars with the manifest's flag.
  unsigned java_release = 17;
};

struct ClassLocation {
  std::uint32_t jar = 0;    // position on the class path
  std::uint32_t entry = 0;  // index into that jar's entries()

  friend bool operator==(const ClassLocation&, const ClassLocation&) = default;
};

// A class with the bytes that its views point into. Movable; moving keeps the views valid.
struct LoadedClass {
  LoadedClass() = default;
  LoadedClass(LoadedClass&&) noexcept = default;
  LoadedClass& operator=(LoadedClass&&) noexcept = default;
  LoadedClass(const LoadedClass&) = delete;
  LoadedClass& operator=(const LoadedClass&) = delete;

  std::vector<std::byte> bytes;
  ClassFile file;
  ClassLocation location;
};

// Immutable once built, safe to use from several threads.
class ClassIndex {
 public:
  static ClassIndex build(std::vector<ClassPathJar> jars, const ClassPathOptions& options,
                          const RunContext& context);
  ClassIndex();
  ~ClassIndex();
  ClassIndex(ClassIndex&&) noexcept;
  ClassIndex& operator=(ClassIndex&&) noexcept;

  std::size_t jar_count() const;
  const JarFile& jar(std::uint32_t index) const;
  const JarEntry& entry(ClassLocation location) const;
  std::size_t class_count() const;  // different names

  // By internal name ("java/lang/Object"). The first jar of the class path that has it; names are
  // those of the entries' paths, so a class whose contents carry another name is found by its path
  // (and a JVM would refuse it: load() says so).
  std::optional<ClassLocation> find(std::string_view internal_name) const;
  // All places in class path order: the first is find()'s, the others are shadowed by it.
  std::vector<ClassLocation> find_all(std::string_view internal_name) const;
  // Whether any jar has a class directly in this package ("org/apache/spark/sql", "" for the
  // unnamed).
  bool has_package(std::string_view package) const;
  // The class's name as the index has it, for a location that find() or for_each gave.
  std::string_view name(ClassLocation location) const;

  // Every class name once, in ascending order, with find()'s location.
  std::vector<std::pair<std::string_view, ClassLocation>> classes() const;
  // The names of one jar that the class path takes from it (not shadowed), ascending.
  std::vector<std::pair<std::string_view, ClassLocation>> classes_of(std::uint32_t jar) const;

  // Inflates and parses; nothing is cached. Errors: those of EntryReader::read and parse_class, and
  // malformed when the contents carry another name than the path.
  Result<LoadedClass> load(ClassLocation location, ClassDepth depth) const;
  // The same without owning: into the caller's reader and file, valid until their next use.
  Result<void> load(ClassLocation location, ClassDepth depth, EntryReader& reader,
                    ClassFile& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The part of an internal name before its last '/', "" when there is none.
std::string_view package_of(std::string_view internal_name);

}  // namespace rowgate::jarscan
