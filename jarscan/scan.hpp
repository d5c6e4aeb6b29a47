// Scanning jars: every class file of every jar is inflated once, and what the later questions need
// of it is kept: its name, its supertypes, and which of the catalogue's types it names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "base/result.hpp"
#include "base/run_context.hpp"
#include "jarscan/capability_catalogue.hpp"
#include "jarscan/hierarchy.hpp"
#include "jarscan/jar_file.hpp"

namespace rowgate::jarscan {

struct ClassFacts {
  TypeFacts type;  // views that live as long as the ScanResult
  std::uint16_t major = 0;
  std::uint32_t entry = 0;    // index into the jar's entries
  CapabilitySet named = 0;    // rows whose type is a Class constant of this class
  bool is_extension = false;  // has a method apply(SparkSessionExtensions)
};

struct EmbeddedPom {  // META-INF/maven/<group>/<artifact>/pom.properties
  std::string group_id, artifact_id, version;
};

struct ServiceProviders {  // META-INF/services/<service>
  std::string service;
  std::vector<std::string> providers;  // in file order
};

struct Shim {  // a folder whose classes are named as if it were the root: "spark350/"
  std::string prefix;
  std::uint64_t classes = 0;
};

struct JarScan {
  std::shared_ptr<const JarFile> jar;
  std::string name;  // path as given; "a.jar!/lib/b.jar" for a nested one
  std::uint64_t size_bytes = 0;
  std::string sha1;  // empty unless asked for, and for nested jars
  std::uint64_t entries = 0;
  std::uint64_t classes_read = 0;     // module-info included, duplicates not
  std::uint64_t classes_skipped = 0;  // each has a finding
  std::uint64_t class_bytes = 0;      // inflated
  std::uint16_t min_major = 0,
                max_major = 0;  // without META-INF/versions; 0 when there are no classes
  bool is_multi_release = false;
  bool has_module_info = false;
  std::vector<std::pair<std::string, std::string>> manifest;  // main attributes, in file order
  std::vector<EmbeddedPom> poms;                              // sorted; an uber jar has many
  std::vector<ServiceProviders> services;                     // sorted by service
  std::vector<Shim> shims;                                    // sorted by prefix
  std::vector<ClassFacts> classes;  // in the directory's order, without module-info
};

enum class Hashing : std::uint8_t { none, sha1 };

struct ScanOptions {
  JarLimits limits;
  Hashing hashing = Hashing::sha1;
};

class TextArena;

struct ScanResult {
  ScanResult();
  ~ScanResult();
  ScanResult(ScanResult&&) noexcept;
  ScanResult& operator=(ScanResult&&) noexcept;

  std::vector<JarScan> jars;            // in the order given; nested ones follow their parent
  std::vector<base::Finding> findings;  // in report order
  std::uint64_t jars_skipped = 0;       // could not be opened; each has a finding
  std::vector<std::unique_ptr<TextArena>> arenas;  // what the views of `jars` point into
};

// Jars, or folders that are searched for *.jar. Uses context.jobs threads, across jars and within
// large ones; the result is the same for any number. What cannot be read is a finding (RG1001 to
// RG1007). Errors: interrupted.
Result<ScanResult> scan(const std::vector<std::filesystem::path>& paths, const ScanOptions& options,
                        const RunContext& context);

// Java's release for a class-file major version: 52 -> 8, 69 -> 25.
unsigned java_release_of(std::uint16_t major);

}  // namespace rowgate::jarscan
