// Reading a run of a jar's entries: the part of a scan that one thread does at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "jarscan/arena.hpp"
#include "jarscan/class_file.hpp"
#include "jarscan/scan.hpp"

namespace rowgate::jarscan {

// What a run of entries gave; a jar's runs are joined in order.
struct RunFacts {
  std::vector<ClassFacts> classes;
  std::vector<EmbeddedPom> poms;
  std::vector<ServiceProviders> services;
  std::vector<Shim> shims;
  std::vector<base::Finding> findings;
  std::uint64_t classes_read = 0, classes_skipped = 0, class_bytes = 0;
  std::uint16_t min_major = UINT16_MAX, max_major = 0;
  bool has_module_info = false;
};

// One for each thread.
class RunScanner {
 public:
  explicit RunScanner(TextArena& arena) : arena_(arena) {}

  RunFacts scan(const JarFile& jar, std::uint32_t first_entry, std::uint32_t end_entry);

 private:
  void read_class(const JarFile& jar, std::uint32_t entry, RunFacts& out);
  void read_text(const JarFile& jar, std::uint32_t entry, RunFacts& out);
  void check_place(const JarFile& jar, const JarEntry& entry, RunFacts& out) const;
  bool takes_extensions();

  TextArena& arena_;
  EntryReader reader_;
  ClassFile file_;
};

// The catalogue's rows whose types are Class constants of `pool`.
CapabilitySet named_capabilities(const ConstantPool& pool);

// Lines of META-INF/services/<service>: comments and blanks left out.
std::vector<std::string> parse_providers(std::string_view text);
// The three keys of pom.properties; missing ones stay empty.
EmbeddedPom parse_pom_properties(std::string_view text);

}  // namespace rowgate::jarscan
