// Shared by tests that scan jars made on the spot.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "jarscan/class_index.hpp"
#include "jarscan/jar_file.hpp"
#include "tests/support/class_builder.hpp"
#include "tests/support/zip_builder.hpp"

namespace rowgate::test {

struct ClassSpec {
  std::string name;
  std::string super = "java/lang/Object";
  std::vector<std::string> interfaces = {};
  unsigned access = 0x0021;
  std::vector<std::string> names = {};  // further Class constants
};

inline constexpr unsigned kInterfaceAccess = 0x0601, kAbstractAccess = 0x0421;

inline std::string class_bytes(const ClassSpec& spec) {
  ClassBuilder builder(spec.name, spec.super, spec.access);
  for (const std::string& interface : spec.interfaces) builder.interface(interface);
  for (const std::string& name : spec.names) builder.class_(name);
  return builder.build();
}

inline ZipBuilder jar_of(const std::vector<ClassSpec>& classes) {
  ZipBuilder builder;
  for (const ClassSpec& spec : classes) builder.add(spec.name + ".class", class_bytes(spec));
  return builder;
}

// A folder of jars that is gone when the test ends.
class JarFolder {
 public:
  JarFolder() : folder_(*base::TempDir::create(std::filesystem::temp_directory_path(), "jars")) {}
  std::filesystem::path add(const std::string& name, ZipBuilder builder) {
    return add_bytes(name, builder.build());
  }
  std::filesystem::path add_bytes(const std::string& name, std::string_view bytes) {
    const std::filesystem::path path = folder_.path() / name;
    REQUIRE(base::write_file_atomically(path, bytes));
    return path;
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  base::TempDir folder_;
};

inline jarscan::ClassIndex class_path_of(const std::vector<std::filesystem::path>& jars) {
  std::vector<jarscan::ClassPathJar> opened;
  for (const auto& path : jars) opened.push_back({*jarscan::JarFile::open(path), {}});
  return jarscan::ClassIndex::build(std::move(opened), {}, RunContext::quiet());
}

}  // namespace rowgate::test
