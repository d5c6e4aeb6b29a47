// Any bytes as a jar: its directory, its entries, and the jars in it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "jarscan/class_index.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  JarLimits limits;
  limits.entry_bytes = 1 << 20;
  limits.nested_bytes = 1 << 20;
  limits.entries = 10'000;
  const auto jar = JarFile::from_bytes("fuzz.jar", {bytes, bytes + size}, limits);
  if (!jar) return 0;
  EntryReader reader;
  std::uint64_t inflated = 0;
  for (const JarEntry& entry : (*jar)->entries()) {
    if (!(*jar)->find(entry.name)) std::abort();
    if (const auto contents = reader.read(**jar, entry)) inflated += contents->size();
    if ((*jar)->local_name(entry).size() > size) std::abort();
  }
  // The bound that jar_file.hpp promises.
  if (inflated > 1032 * (size + 1)) std::abort();
  for (const std::uint32_t entry : nested_jars(**jar))
    if (const auto nested = JarFile::open_nested(*jar, entry))
      for (const JarEntry& inner : (*nested)->entries())
        if (const auto contents = reader.read(**nested, inner)) inflated += contents->size();
  const ClassIndex index =
      ClassIndex::build({{*jar, {"BOOT-INF/classes/"}}}, {}, RunContext::quiet());
  ClassFile file;
  for (const auto& [name, location] : index.classes()) {
    if (index.find(name) != location || index.name(location) != name) std::abort();
    if (index.load(location, ClassDepth::header, reader, file) && file.this_name != name)
      std::abort();
  }
  return 0;
}
