// Jars: the central directory, read once, and entries, inflated one at a time when asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"

namespace rowgate::jarscan {

using base::Bytes;

struct JarLimits {
  std::uint64_t entry_bytes = std::uint64_t{256} << 20;  // inflated size of one entry
  std::uint64_t nested_bytes = std::uint64_t{1} << 30;   // inflated size of a nested jar
  std::uint32_t entries = 4'000'000;                     // of one jar
  unsigned nesting = 2;                                  // a jar in a jar in a jar
};

enum class EntryProblem : std::uint8_t { none, overlaps, outside };

// As the central directory says, which is what the JVM goes by; local headers are not trusted.
struct JarEntry {
  std::string_view name;  // as it stands in the central directory; not checked for UTF-8
  std::uint64_t compressed_bytes = 0, size_bytes = 0;
  std::uint64_t header_offset = 0;  // of the local header
  std::uint32_t crc32 = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflated; others cannot be read
  std::uint16_t flags = 0;   // general purpose bits; bit 0: encrypted
  // Its bytes overlap those of an entry before it, or lie outside of the file: it cannot be read.
  EntryProblem problem = EntryProblem::none;

  bool is_folder() const { return name.ends_with('/'); }
  bool is_class() const { return name.ends_with(".class"); }
};

// An open jar. Immutable once opened and safe to use from several threads. Names of entries are
// views that live as long as the jar.
class JarFile {
 public:
  // Maps the file and reads its central directory; inflates nothing but the manifest.
  // Errors: not_found, io, malformed (not a zip, cut off, a directory that contradicts itself: with
  // the offset), limit. A single entry that cannot be read is no error here.
  static Result<std::shared_ptr<const JarFile>> open(const std::filesystem::path& path,
                                                     const JarLimits& limits = {});
  // A jar whose bytes are in memory; `name` is for messages.
  static Result<std::shared_ptr<const JarFile>> from_bytes(std::string name,
                                                           std::vector<std::byte> bytes,
                                                           const JarLimits& limits = {});
  // A jar that is an entry of another one. A stored entry is not copied: the parent is kept alive.
  // Errors: also those of EntryReader::read, and limit when it is nested too deep.
  static Result<std::shared_ptr<const JarFile>> open_nested(std::shared_ptr<const JarFile> parent,
                                                            std::uint32_t entry);
  ~JarFile();

  const std::string& name() const { return name_; }  // "a.jar", "a.jar!/BOOT-INF/lib/b.jar"
  Bytes bytes() const { return bytes_; }
  const JarLimits& limits() const { return limits_; }

  // In the central directory's order, folders and duplicates included.
  std::span<const JarEntry> entries() const { return entries_; }
  // The entry that the JVM would read: of several of the same name, the one that java.util.zip
  // takes.
  // (of JDK 8 to 25: the last one).
  std::optional<std::uint32_t> find(std::string_view name) const;
  // Indices of entries that find() never returns, because another one has their name. Ascending.
  std::span<const std::uint32_t> shadowed() const { return shadowed_; }

  // The name that an entry's local header carries; empty when there is no local header.
  std::string_view local_name(const JarEntry& entry) const;
  // Compressed contents; empty with an error from EntryReader::read when they cannot be had.
  Result<Bytes> raw(const JarEntry& entry) const;

  // Gives the pages of a mapped file back to the system; they are read again when they are needed.
  void release_pages() const;

  // "Multi-Release: true" in the manifest's main section.
  bool is_multi_release() const { return multi_release_; }
  // The manifest's text; empty when there is none or it cannot be read.
  std::string_view manifest() const { return manifest_; }

 private:
  JarFile() = default;
  friend class JarOpener;
  // Where `name` stands in table_, or the free place where it would.
  std::size_t slot_of(std::string_view name) const;

  std::string name_;
  JarLimits limits_;
  base::MappedFile mapped_;
  std::vector<std::byte> owned_;
  std::shared_ptr<const JarFile> parent_;
  unsigned depth_ = 0;              // 0: not nested
  std::uint64_t prefix_bytes_ = 0;  // in front of the zip, such as a shell script
  std::uint64_t directory_offset_ = 0;
  Bytes bytes_;
  std::vector<JarEntry> entries_;
  std::vector<std::uint32_t> table_;  // open addressing: entry index + 1, by hash of the name
  std::vector<std::uint32_t> shadowed_;
  std::string manifest_;
  bool multi_release_ = false;
};

// Reads entries. One for each thread: it owns the inflater and the buffer.
class EntryReader {
 public:
  EntryReader();
  ~EntryReader();
  EntryReader(EntryReader&&) noexcept;
  EntryReader& operator=(EntryReader&&) noexcept;

  // The entry's contents, valid until the next call and while the jar lives; size and CRC are
  // checked. Errors, with "a.jar!/entry" as subject: malformed, unsupported (encrypted, unknown
  // method), limit (larger than `max_size_bytes`, or than deflate can make of its compressed
  // bytes), checksum.
  Result<Bytes> read(const JarFile& jar, const JarEntry& entry, std::uint64_t max_size_bytes);
  Result<Bytes> read(const JarFile& jar, const JarEntry& entry) {
    return read(jar, entry, jar.limits().entry_bytes);
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The names of a jar's nested jars, as indices of entries: `*.jar` below BOOT-INF/lib, WEB-INF/lib,
// META-INF/jars and lib.
std::vector<std::uint32_t> nested_jars(const JarFile& jar);

// "META-INF/versions/11/p/C.class" -> 11 and "p/C.class". nullopt for any other name.
struct VersionedName {
  unsigned release;
  std::string_view name;
};
std::optional<VersionedName> versioned_name(std::string_view entry_name);

}  // namespace rowgate::jarscan
