// The central directory of a zip file (APPNOTE.TXT 6.3.10, sections 4.3 and 4.5), read as
// java.util.zip.ZipFile of JDK 17 reads it, because what the JVM sees is what counts: the end
// record is searched from the end of the file, the directory lies right before it, bytes in front
// of the first entry are skipped, the number of entries is not believed, and of entries of one name
// the last counts. Local headers are read only when an entry is. The walk is linear, since each
// entry takes at least 46 bytes of the file; finding overlaps sorts the entries that are out of
// order.
#include "jarscan/jar_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "jarscan/manifest.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50, kDirectorySignature = 0x02014b50,
                        kEndSignature = 0x06054b50, kZip64LocatorSignature = 0x07064b50,
                        kZip64EndSignature = 0x06064b50;
constexpr std::uint64_t kLocalSize = 30, kDirectorySize = 46, kEndSize = 22, kZip64LocatorSize = 20,
                        kZip64EndSize = 56;
constexpr std::uint32_t kMagic32 = 0xFFFFFFFF;
constexpr std::uint16_t kMagic16 = 0xFFFF, kZip64ExtraId = 1;
constexpr std::uint64_t kMaxComment = 0xFFFF, kMaxManifest = std::uint64_t{16} << 20;

// Little-endian numbers; past the end they are 0, and callers check has() where that could mislead.
class Zip {
 public:
  explicit Zip(Bytes bytes) : bytes_(bytes) {}
  std::uint64_t size() const { return bytes_.size(); }
  bool has(std::uint64_t at, std::uint64_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }
  std::uint16_t u2(std::uint64_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t u4(std::uint64_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }
  std::uint64_t u8(std::uint64_t at) const { return number(at, 8); }
  std::string_view text(std::uint64_t at, std::uint64_t count) const {
    return has(at, count) ? base::as_text(bytes_.subspan(at, count)) : std::string_view();
  }

 private:
  std::uint64_t number(std::uint64_t at, unsigned width) const {
    if (!has(at, width)) return 0;
    std::uint64_t value = 0;
    for (unsigned i = width; i > 0; --i)
      value = value << 8 | static_cast<std::uint64_t>(bytes_[at + i - 1]);
    return value;
  }
  Bytes bytes_;
};

struct EndRecord {
  std::uint64_t offset = 0;  // where it starts; the directory ends there
  std::uint64_t directory_bytes = 0, directory_offset = 0, entries = 0;
};

EndRecord end_record_at(const Zip& zip, std::uint64_t at) {
  return {at, zip.u4(at + 12), zip.u4(at + 16), zip.u2(at + 10)};
}

// The last end record whose comment ends with the file, or that leads to a directory and a first
// entry in spite of bytes behind it.
std::optional<EndRecord> find_end_record(const Zip& zip) {
  if (zip.size() < kEndSize) return std::nullopt;
  const std::uint64_t last = zip.size() - kEndSize;
  const std::uint64_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (std::uint64_t at = last + 1; at-- > first;) {
    if (zip.u4(at) != kEndSignature) continue;
    const EndRecord end = end_record_at(zip, at);
    if (at + kEndSize + zip.u2(at + 20) == zip.size()) return end;
    if (end.directory_bytes > at) continue;
    const std::uint64_t directory = at - end.directory_bytes;
    if (end.directory_offset > directory) continue;
    if (zip.u4(directory) == kDirectorySignature &&
        zip.u4(directory - end.directory_offset) == kLocalSignature)
      return end;
  }
  return std::nullopt;
}

// The zip64 end record is used where it agrees with what the old one still can say.
EndRecord with_zip64(const Zip& zip, const EndRecord& end) {
  if (end.offset < kZip64LocatorSize) return end;
  const std::uint64_t locator = end.offset - kZip64LocatorSize;
  if (zip.u4(locator) != kZip64LocatorSignature) return end;
  const std::uint64_t at = zip.u8(locator + 8);
  if (!zip.has(at, kZip64EndSize) || at >= locator || zip.u4(at) != kZip64EndSignature) return end;
  const EndRecord wide{at, zip.u8(at + 40), zip.u8(at + 48), zip.u8(at + 32)};
  const auto agrees = [](std::uint64_t narrow, std::uint64_t full, std::uint64_t magic) {
    return narrow == full || narrow == magic;
  };
  if (!agrees(end.directory_bytes, wide.directory_bytes, kMagic32) ||
      !agrees(end.directory_offset, wide.directory_offset, kMagic32) ||
      !agrees(end.entries, wide.entries, kMagic16))
    return end;
  return wide;
}

// Sizes and offset that do not fit into 32 bits stand in an extra field, in this order, each only
// if its narrow field is all ones.
bool apply_zip64_extra(const Zip& zip, std::uint64_t at, std::uint64_t size, JarEntry& entry) {
  const std::uint64_t end = at + size;
  while (at + 4 <= end) {
    const std::uint16_t id = zip.u2(at), length = zip.u2(at + 2);
    at += 4;
    if (length > end - at) return false;
    if (id == kZip64ExtraId) {
      const std::uint64_t field_end = at + length;
      for (std::uint64_t* value :
           {&entry.size_bytes, &entry.compressed_bytes, &entry.header_offset}) {
        if (*value != kMagic32) continue;
        if (at + 8 > field_end) return false;
        *value = zip.u8(at);
        at += 8;
      }
      return true;
    }
    at += length;
  }
  return true;
}

std::string entry_subject(const JarFile& jar, const JarEntry& entry) {
  return fmt::format("{}!/{}", jar.name(), base::printable(entry.name));
}

bool is_manifest_name(std::string_view name) {
  constexpr std::string_view kManifest = "META-INF/MANIFEST.MF";
  return name.size() == kManifest.size() && base::equals_ignoring_case(name, kManifest);
}

}  // namespace

class JarOpener {
 public:
  explicit JarOpener(std::string name, const JarLimits& limits) : jar_(new JarFile()) {
    jar_->name_ = std::move(name);
    jar_->limits_ = limits;
  }

  Result<std::shared_ptr<const JarFile>> open(const std::filesystem::path& path) {
    auto mapped = base::MappedFile::open(path);
    if (!mapped) return tl::unexpected<Error>(std::move(mapped).error());
    jar_->mapped_ = std::move(*mapped);
    return read(jar_->mapped_.bytes());
  }

  Result<std::shared_ptr<const JarFile>> own(std::vector<std::byte> bytes) {
    jar_->owned_ = std::move(bytes);
    return read(jar_->owned_);
  }

  Result<std::shared_ptr<const JarFile>> nested(std::shared_ptr<const JarFile> parent,
                                                const JarEntry& entry) {
    jar_->depth_ = parent->depth_ + 1;
    if (jar_->depth_ > jar_->limits_.nesting)
      return fail(ErrorCode::limit,
                  fmt::format("jars are nested more than {} deep", jar_->limits_.nesting),
                  jar_->name_);
    EntryReader reader;
    auto bytes = reader.read(*parent, entry, jar_->limits_.nested_bytes);
    if (!bytes) return tl::unexpected<Error>(std::move(bytes).error());
    if (entry.method != 0) return own({bytes->begin(), bytes->end()});
    jar_->parent_ = std::move(parent);
    return read(*bytes);
  }

 private:
  Result<std::shared_ptr<const JarFile>> read(Bytes bytes) {
    jar_->bytes_ = bytes;
    const Zip zip(bytes);
    const auto narrow_end = find_end_record(zip);
    if (!narrow_end) return no_end_record(zip);
    const EndRecord end = with_zip64(zip, *narrow_end);
    if (end.directory_bytes > end.offset)
      return wrong(end.offset,
                   "the end record gives the directory more bytes than stand before it");
    jar_->directory_offset_ = end.offset - end.directory_bytes;
    if (end.directory_offset > jar_->directory_offset_)
      return wrong(end.offset, "the end record places the directory behind its own bytes");
    jar_->prefix_bytes_ = jar_->directory_offset_ - end.directory_offset;
    ROWGATE_CHECK(read_directory(zip, end));
    find_overlaps();
    index_names();
    read_manifest();
    return std::shared_ptr<const JarFile>(std::move(jar_));
  }

  tl::unexpected<Error> no_end_record(const Zip& zip) const {
    if (zip.size() == 0) return wrong(0, "the file is empty");
    if (zip.u4(0) == kLocalSignature)
      return wrong(zip.size(), "the zip is cut off: it has no end record");
    return wrong(0, "not a zip file: it has no end record");
  }

  Result<void> read_directory(const Zip& zip, const EndRecord& end) {
    std::uint64_t at = jar_->directory_offset_;
    const std::uint64_t stop = end.offset;
    jar_->entries_.reserve(
        static_cast<std::size_t>(std::min(end.entries, end.directory_bytes / kDirectorySize)));
    while (at < stop) {
      if (stop - at < kDirectorySize || zip.u4(at) != kDirectorySignature)
        return wrong(at,
                     fmt::format("entry {} of the directory has no header", jar_->entries_.size()));
      const std::uint64_t name = zip.u2(at + 28), extra = zip.u2(at + 30),
                          comment = zip.u2(at + 32);
      if (name + extra + comment > stop - at - kDirectorySize)
        return wrong(at + 28,
                     fmt::format("entry {} of the directory is cut off", jar_->entries_.size()));
      if (jar_->entries_.size() >= jar_->limits_.entries)
        return fail(ErrorCode::limit,
                    fmt::format("the jar has more than {} entries", jar_->limits_.entries),
                    jar_->name_, at);
      JarEntry entry;
      entry.name = zip.text(at + kDirectorySize, name);
      entry.flags = zip.u2(at + 8);
      entry.method = zip.u2(at + 10);
      entry.crc32 = zip.u4(at + 16);
      entry.compressed_bytes = zip.u4(at + 20);
      entry.size_bytes = zip.u4(at + 24);
      entry.header_offset = zip.u4(at + 42);
      if (!apply_zip64_extra(zip, at + kDirectorySize + name, extra, entry))
        return wrong(at + kDirectorySize + name,
                     fmt::format("entry {} of the directory has a broken extra field",
                                 jar_->entries_.size()));
      place(entry);
      jar_->entries_.push_back(entry);
      at += kDirectorySize + name + extra + comment;
    }
    return {};
  }

  // Makes the offset absolute, and checks that at least the entry's smallest form fits before the
  // directory.
  void place(JarEntry& entry) const {
    const std::uint64_t room = jar_->directory_offset_;
    const std::uint64_t smallest = kLocalSize + entry.name.size();
    if (entry.header_offset > room - jar_->prefix_bytes_) {
      entry.problem = EntryProblem::outside;
      return;
    }
    entry.header_offset += jar_->prefix_bytes_;
    const std::uint64_t left = room - entry.header_offset;
    if (smallest > left || entry.compressed_bytes > left - smallest)
      entry.problem = EntryProblem::outside;
  }

  // Zip bombs share compressed bytes between entries. An entry that starts before another one's
  // smallest possible end is marked; the first of them stays readable. So all readable entries
  // together inflate to at most 1032 times the file.
  void find_overlaps() {
    std::vector<JarEntry>& entries = jar_->entries_;
    const auto before = [](const JarEntry& a, const JarEntry& b) {
      return a.header_offset < b.header_offset;
    };
    if (std::is_sorted(entries.begin(), entries.end(), before)) {
      std::uint64_t taken = 0;
      for (JarEntry& entry : entries) mark_overlap(entry, taken);
      return;
    }
    std::vector<JarEntry*> sorted;
    sorted.reserve(entries.size());
    for (JarEntry& entry : entries) sorted.push_back(&entry);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const JarEntry* a, const JarEntry* b) { return before(*a, *b); });
    std::uint64_t taken = 0;
    for (JarEntry* entry : sorted) mark_overlap(*entry, taken);
  }

  static void mark_overlap(JarEntry& entry, std::uint64_t& taken) {
    if (entry.problem != EntryProblem::none) return;
    if (entry.header_offset < taken) {
      entry.problem = EntryProblem::overlaps;
      return;
    }
    taken = entry.header_offset + kLocalSize + entry.name.size() + entry.compressed_bytes;
  }

  void index_names() {
    const std::size_t count = jar_->entries_.size();
    std::size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    jar_->table_.assign(slots, 0);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t& slot = jar_->table_[jar_->slot_of(jar_->entries_[i].name)];
      if (slot != 0) jar_->shadowed_.push_back(slot - 1);
      slot = static_cast<std::uint32_t>(i + 1);
    }
    std::sort(jar_->shadowed_.begin(), jar_->shadowed_.end());
  }

  void read_manifest() {
    const auto& entries = jar_->entries_;
    for (std::size_t i = entries.size(); i-- > 0;) {
      if (!is_manifest_name(entries[i].name)) continue;
      EntryReader reader;
      if (const auto bytes = reader.read(*jar_, entries[i], kMaxManifest)) {
        jar_->manifest_ = base::as_text(*bytes);
        const Manifest manifest = Manifest::parse(jar_->manifest_);
        const auto flag = manifest.find("Multi-Release");
        jar_->multi_release_ = flag && base::equals_ignoring_case(base::trim(*flag), "true");
      }
      return;
    }
  }

  tl::unexpected<Error> wrong(std::uint64_t offset, std::string message) const {
    return fail(ErrorCode::malformed, std::move(message), jar_->name_, offset,
                "fetch the jar again and compare its checksum with the repository's");
  }

  std::shared_ptr<JarFile> jar_;
};

JarFile::~JarFile() = default;

Result<std::shared_ptr<const JarFile>> JarFile::open(const std::filesystem::path& path,
                                                     const JarLimits& limits) {
  return JarOpener(path.string(), limits).open(path);
}

Result<std::shared_ptr<const JarFile>> JarFile::from_bytes(std::string name,
                                                           std::vector<std::byte> bytes,
                                                           const JarLimits& limits) {
  return JarOpener(std::move(name), limits).own(std::move(bytes));
}

Result<std::shared_ptr<const JarFile>> JarFile::open_nested(std::shared_ptr<const JarFile> parent,
                                                            std::uint32_t entry) {
  const JarEntry& inner = parent->entries_.at(entry);
  JarOpener opener(entry_subject(*parent, inner), parent->limits_);
  return opener.nested(std::move(parent), inner);
}

std::size_t JarFile::slot_of(std::string_view name) const {
  std::size_t slot = std::hash<std::string_view>{}(name) & (table_.size() - 1);
  while (table_[slot] != 0 && entries_[table_[slot] - 1].name != name)
    slot = (slot + 1) & (table_.size() - 1);
  return slot;
}

std::optional<std::uint32_t> JarFile::find(std::string_view name) const {
  const std::uint32_t found = table_[slot_of(name)];
  if (found == 0) return std::nullopt;
  return found - 1;
}

std::string_view JarFile::local_name(const JarEntry& entry) const {
  const Zip zip(bytes_);
  if (entry.problem != EntryProblem::none || zip.u4(entry.header_offset) != kLocalSignature)
    return {};
  return zip.text(entry.header_offset + kLocalSize, zip.u2(entry.header_offset + 26));
}

Result<Bytes> JarFile::raw(const JarEntry& entry) const {
  const auto wrong = [&](std::string message) {
    return fail(ErrorCode::malformed, std::move(message), entry_subject(*this, entry),
                entry.header_offset);
  };
  if (entry.problem == EntryProblem::overlaps)
    return wrong("the entry's bytes overlap those of another entry");
  if (entry.problem == EntryProblem::outside) return wrong("the entry lies outside of the jar");
  const Zip zip(bytes_);
  const std::uint64_t at = entry.header_offset;
  if (zip.u4(at) != kLocalSignature) return wrong("there is no local header at the entry's offset");
  const std::uint64_t data = at + kLocalSize + zip.u2(at + 26) + zip.u2(at + 28);
  if (data > directory_offset_ || entry.compressed_bytes > directory_offset_ - data)
    return wrong("the entry's bytes reach into the central directory");
  return bytes_.subspan(data, entry.compressed_bytes);
}

void JarFile::release_pages() const {
  const Bytes mapped = mapped_.bytes();  // starts at a page
  if (!mapped.empty())
    ::madvise(const_cast<std::byte*>(mapped.data()), mapped.size(), MADV_DONTNEED);
}

std::vector<std::uint32_t> nested_jars(const JarFile& jar) {
  std::vector<std::uint32_t> found;
  const auto entries = jar.entries();
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    const std::string_view name = entries[i].name;
    if (!name.ends_with(".jar")) continue;
    for (const std::string_view folder :
         {"BOOT-INF/lib/", "WEB-INF/lib/", "META-INF/jars/", "lib/"})
      if (name.starts_with(folder) && jar.find(name) == i) found.push_back(i);
  }
  return found;
}

std::optional<VersionedName> versioned_name(std::string_view entry_name) {
  constexpr std::string_view kFolder = "META-INF/versions/";
  if (!entry_name.starts_with(kFolder)) return std::nullopt;
  std::string_view rest = entry_name.substr(kFolder.size());
  unsigned release = 0;
  std::size_t digits = 0;
  while (digits < rest.size() && digits < 4 && rest[digits] >= '0' && rest[digits] <= '9')
    release = release * 10 + static_cast<unsigned>(rest[digits++] - '0');
  if (digits == 0 || digits == rest.size() || rest[digits] != '/' || rest.front() == '0')
    return std::nullopt;
  return VersionedName{release, rest.substr(digits + 1)};
}

}  // namespace rowgate::jarscan
