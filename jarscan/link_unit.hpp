// Everything that a connector's classes ask of other classes, read from their code once: references
// with their sites, the verifier's questions, lambdas, and strings that name classes. What is here
// does not depend on a Spark version, so a sweep over many shares it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/run_context.hpp"
#include "jarscan/class_index.hpp"
#include "jarscan/resolve.hpp"
#include "jarscan/resolve_class.hpp"

namespace rowgate::jarscan {

// Which LinkageErrors a handler around the site catches by name. Handlers of Error, Throwable and
// Exception catch anything and guard nothing.
enum Guard : std::uint16_t {
  kGuardNone = 0,
  kGuardLinkage = 1,         // LinkageError
  kGuardIncompatible = 2,    // IncompatibleClassChangeError
  kGuardNoMethod = 4,        // NoSuchMethodError
  kGuardNoField = 8,         // NoSuchFieldError
  kGuardNoClass = 16,        // NoClassDefFoundError
  kGuardAbstract = 32,       // AbstractMethodError
  kGuardAccess = 64,         // IllegalAccessError
  kGuardInstantiation = 128  // InstantiationError
};
// The bits that catch what the JVM throws for `problem`.
std::uint16_t guards_against(LinkProblem problem);

struct LinkSite {
  std::uint32_t method = 0;  // index into the class's methods
  std::uint16_t line = 0;    // 0: the class file has no line numbers
  std::uint16_t guard = 0;
};

struct LinkRef {
  std::uint32_t symbol = 0;  // index into LinkUnit::symbols
  Range sites;               // into UnitClass::sites, in the order of the code
  Range
      receivers;  // into UnitClass::receivers: static types of the object, but for the class itself
};

struct LinkQuestion {
  std::string_view from, to;
  std::uint32_t method = 0;
  bool caught = false;
};

// invokedynamic of the JDK's LambdaMetafactory: an object of a hidden class that implements these
// interfaces with one method (and bridges).
struct LinkLambda {
  std::string_view interface, name, descriptor;
  std::vector<std::string_view> markers, bridges;  // other interfaces; descriptors of bridges
  LinkSite site;
};

struct UnitClass {
  const ClassDecl* decl = nullptr;
  ClassLocation location;
  std::span<const LinkRef> refs;
  std::span<const LinkSite> sites;
  std::span<const std::string_view> receivers;
  std::span<const LinkQuestion> questions;
  std::vector<LinkLambda> lambdas;
  std::vector<std::pair<std::uint32_t, std::string_view>>
      strings;  // method, text that may name a class
};

// Immutable once read, safe to use from several threads.
struct LinkUnit {
  std::shared_ptr<const ClassIndex> index;  // the connectors' jars
  std::vector<UnitClass> classes;           // by name
  std::vector<Reference> symbols;           // each once, in the order of the classes
  std::vector<Error> unreadable;            // classes that are not judged, and why
  std::uint64_t instruction_sites = 0;
  std::uint64_t references = 0;   // different ones, summed over classes
  std::uint32_t unfollowed = 0;   // methods whose types could not be followed
  std::uint32_t old_classes = 0;  // before version 50: the verifier's questions are not known

  const UnitClass* find(std::string_view internal_name) const;
  const Reference& reference(const LinkRef& ref) const { return symbols[ref.symbol]; }

  std::vector<std::unique_ptr<DeclPool>> pools;
  base::MappedFile file;  // that views point into, of a unit out of the cache
};

// Reads every class that the connectors' class path takes (not the shadowed ones). Parallel over
// context.jobs; the result does not depend on it.
std::shared_ptr<const LinkUnit> read_link_unit(std::shared_ptr<const ClassIndex> connectors,
                                               const RunContext& context);

// The same, kept in `cache_folder` (empty: not kept): a connector that was read before is not
// inflated again. A damaged file in the cache counts as none. What cannot be kept is warned of.
std::shared_ptr<const LinkUnit> cached_link_unit(std::shared_ptr<const ClassIndex> connectors,
                                                 const std::filesystem::path& cache_folder,
                                                 const RunContext& context);

// Declarations of the classes of an index, inflated when asked for. One for each world.
class JarProvider final : public ClassProvider {
 public:
  explicit JarProvider(std::shared_ptr<const ClassIndex> index) : index_(std::move(index)) {}

  const ClassDecl* find(std::string_view internal_name) override;
  bool has_package(std::string_view package) override { return index_->has_package(package); }
  std::vector<std::string> find_simple(std::string_view simple_name, std::size_t limit) override;
  std::span<const Error> unreadable() const override { return unreadable_; }

 private:
  std::shared_ptr<const ClassIndex> index_;
  EntryReader reader_;
  ClassFile scratch_;
  DeclPool pool_;
  std::vector<Error> unreadable_;
};

// Declarations that a unit holds already.
class UnitProvider final : public ClassProvider {
 public:
  explicit UnitProvider(std::shared_ptr<const LinkUnit> unit) : unit_(std::move(unit)) {}

  const ClassDecl* find(std::string_view internal_name) override;
  bool has_package(std::string_view package) override { return unit_->index->has_package(package); }
  std::vector<std::string> find_simple(std::string_view simple_name, std::size_t limit) override;

 private:
  std::shared_ptr<const LinkUnit> unit_;
};

}  // namespace rowgate::jarscan
