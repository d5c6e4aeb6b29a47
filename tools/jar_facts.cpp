#include "tools/jar_facts.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "jarscan/jar_file.hpp"
#include "jarscan/scan.hpp"

namespace rowgate::tools {
namespace {

constexpr std::uint64_t kMaxMetadataBytes = 4u << 20;
constexpr std::size_t kMaxMetadataFiles = 2'000;  // a shaded jar holds a hundred
// Enough to meet a class of every module that was shaded in, without inflating a large jar.
constexpr std::size_t kClassesRead = 1'000;

bool is_maven_file(std::string_view name) {
  return name.starts_with("META-INF/maven/") &&
         (name.ends_with("/pom.properties") || name.ends_with("/pom.xml"));
}

bool counts(const jarscan::JarEntry& entry) {
  return entry.is_class() && !entry.name.starts_with("META-INF/") &&
         !entry.name.ends_with("module-info.class");
}

unsigned java_of(base::Bytes bytes) {
  if (bytes.size() < 8 || std::to_integer<unsigned>(bytes[0]) != 0xCA) return 0;
  const unsigned major =
      std::to_integer<unsigned>(bytes[6]) << 8 | std::to_integer<unsigned>(bytes[7]);
  return major < 200 ? jarscan::java_release_of(static_cast<std::uint16_t>(major)) : 0;
}

unsigned java_level(const jarscan::JarFile& jar) {
  std::vector<const jarscan::JarEntry*> classes;
  for (const jarscan::JarEntry& entry : jar.entries())
    if (counts(entry)) classes.push_back(&entry);
  const std::size_t step = std::max<std::size_t>(1, classes.size() / kClassesRead);
  jarscan::EntryReader reader;
  unsigned java = 0;
  for (std::size_t i = 0; i < classes.size(); i += step)
    if (const auto bytes = reader.read(jar, *classes[i])) java = std::max(java, java_of(*bytes));
  return java;
}

}  // namespace

Result<JarFacts> read_jar_facts(const std::filesystem::path& path) {
  ROWGATE_TRY(const auto jar, jarscan::JarFile::open(path));
  pomcheck::JarContent content;
  content.file_name = path.filename().string();
  content.manifest = jar->manifest();
  jarscan::EntryReader reader;
  for (const jarscan::JarEntry& entry : jar->entries()) {
    content.entries.push_back(entry.name);
    if (!is_maven_file(entry.name) || content.maven.size() == kMaxMetadataFiles) continue;
    if (const auto bytes = reader.read(*jar, entry, kMaxMetadataBytes))
      content.maven.push_back({std::string(entry.name), std::string(base::as_text(*bytes))});
  }
  return JarFacts{pomcheck::identify_jar(content), java_level(*jar)};
}

}  // namespace rowgate::tools
