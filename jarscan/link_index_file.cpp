// Layout, little-endian, version kVersion:
//
//   magic, version                                   u4 each
//   checksum of all that follows                     u8 (text_hash)
//   fingerprint                                      3 * u8
//   Java release, counts of classes, packages, declarations, strings,
//   bytes of strings, of bodies, of names packed and unpacked            9 * u4
//   hashes of class names, ascending                 u8 each
//   hashes of declared classes, ascending            u8 each
//   offsets of their bodies, ascending from 0        u4 each
//   packages, as string numbers                      u4 each
//   offsets of strings, one more than there are      u4 each
//   strings, bodies, names (deflated)                bytes
//
// A body is a row of variable-length numbers (7 bits a byte, low first); strings are numbers, 0 is
// none. Reading checks the checksum, then that the sections fill the file exactly, then every
// number when it is used, so that neither damage nor malice reads outside.
#include "jarscan/link_index_file.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "jarscan/class_index.hpp"
#include "jarscan/link_numbers.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint32_t kMagic = 0x31584C52;  // "RLX1"
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kCounts = kFileHead + 24;  // behind the fingerprint
constexpr std::size_t kHeader = kCounts + 36;
constexpr std::uint32_t kMaxNames = std::uint32_t{1} << 28;  // bytes of names, unpacked
constexpr std::uint64_t kMaxInflation = 1032;                // what deflate can make of one byte

// The end of central directory record (APPNOTE 4.3.16), searched from the end, and its zip64 form.
struct Directory {
  std::uint64_t offset = 0, size = 0;
};
std::optional<Directory> find_directory(base::Bytes jar) {
  constexpr std::size_t kEndSize = 22, kMaxComment = 65535;
  if (jar.size() < kEndSize) return std::nullopt;
  const std::size_t lowest =
      jar.size() > kEndSize + kMaxComment ? jar.size() - kEndSize - kMaxComment : 0;
  for (std::size_t at = jar.size() - kEndSize + 1; at-- > lowest;) {
    if (get_little(jar, at, 4) != 0x06054B50) continue;
    Directory found{get_little(jar, at + 16, 4), get_little(jar, at + 12, 4)};
    if (found.offset == 0xFFFFFFFF || found.size == 0xFFFFFFFF) {
      if (at < 20 || get_little(jar, at - 20, 4) != 0x07064B50) return std::nullopt;
      const std::uint64_t end64 = get_little(jar, at - 12, 8);
      if (end64 > jar.size() || jar.size() - end64 < 56) return std::nullopt;
      found = {get_little(jar, static_cast<std::size_t>(end64) + 48, 8),
               get_little(jar, static_cast<std::size_t>(end64) + 40, 8)};
    }
    if (found.size > at) return std::nullopt;
    // Bytes before the first entry shift the directory: it ends where the end record starts.
    if (found.offset > at - found.size) found.offset = at - found.size;
    return found;
  }
  return std::nullopt;
}

// Two independent hashes in one pass over the text.
std::pair<std::uint64_t, std::uint64_t> hash_twice(std::string_view text) {
  constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15U, kSecond = 0xD1B54A32D192ED03U;
  std::uint64_t first = text.size() * kFirst, second = ~text.size() * kSecond;
  const auto mix = [&](std::uint64_t word) {
    first = (first ^ word) * kFirst;
    first ^= first >> 29;
    second = (second ^ word) * kSecond;
    second ^= second >> 31;
  };
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    mix(word);
  }
  if (at < text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, text.size() - at);
    mix(word);
  }
  first *= kFirst;
  second *= kSecond;
  return {first ^ first >> 32, second ^ second >> 32};
}

std::string deflated(const std::string& text) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_deflate_compress_bound(compressor, text.size()), '\0');
  packed.resize(libdeflate_deflate_compress(compressor, text.data(), text.size(), packed.data(),
                                            packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

// Numbers the strings of the declarations while their bodies are written.
class BodyWriter {
 public:
  std::uint32_t string(std::string_view text) {
    if (text.empty()) return 0;
    const auto [place, is_new] = numbers_.emplace(text, strings.size() + 1);
    if (is_new) strings.push_back(text);
    return static_cast<std::uint32_t>(place->second);
  }
  void write(const ClassDecl& decl) {
    put_number(bodies, decl.access);
    put_number(bodies, decl.major);
    put_number(bodies, (decl.sealed ? 1U : 0U) | (decl.scala ? 2U : 0U));
    put_number(bodies, string(decl.name));
    put_number(bodies, string(decl.super_name));
    put_number(bodies, string(decl.nest_host));
    for (const auto list : {decl.interfaces, decl.nest_members, decl.permitted}) {
      put_number(bodies, list.size());
      for (const std::string_view text : list) put_number(bodies, string(text));
    }
    for (const auto list : {decl.fields, decl.methods}) {
      put_number(bodies, list.size());
      for (const MemberDecl& member : list) {
        put_number(bodies, string(member.name));
        put_number(bodies, string(member.descriptor));
        put_number(bodies, member.access);
      }
    }
  }
  std::string bodies;
  std::vector<std::string_view> strings;

 private:
  std::unordered_map<std::string_view, std::size_t, TextHash> numbers_;
};

}  // namespace

std::string JarFingerprint::file_name() const {
  return fmt::format("{:016x}{:016x}{:x}.rglx", directory, directory_again, size_bytes);
}

Result<JarFingerprint> fingerprint(base::Bytes jar) {
  const auto directory = find_directory(jar);
  if (!directory) return fail(ErrorCode::malformed, "has no central directory");
  const std::string_view text = base::as_text(jar.subspan(
      static_cast<std::size_t>(directory->offset), static_cast<std::size_t>(directory->size)));
  const auto [first, second] = hash_twice(text);
  return JarFingerprint{jar.size(), first, second};
}

std::uint32_t LinkIndexFile::u4(std::size_t at) const {
  return static_cast<std::uint32_t>(get_little(bytes_, at, 4));
}
std::uint64_t LinkIndexFile::u8(std::size_t at) const {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes_.data() + at, sizeof value);
  return value;
}

std::optional<LinkIndexFile> LinkIndexFile::read(base::Bytes bytes, const JarFingerprint& wanted,
                                                 unsigned java_release) {
  LinkIndexFile file;
  file.bytes_ = bytes;
  if (!has_file_head(bytes, kMagic, kVersion, kHeader)) return std::nullopt;
  const JarFingerprint held{file.u8(kFileHead), file.u8(kFileHead + 8), file.u8(kFileHead + 16)};
  if (held != wanted || file.u4(kCounts) != java_release) return std::nullopt;
  if (!is_undamaged(bytes)) return std::nullopt;
  file.class_count_ = file.u4(kCounts + 4);
  file.package_count_ = file.u4(kCounts + 8);
  file.decl_count_ = file.u4(kCounts + 12);
  file.string_count_ = file.u4(kCounts + 16);
  const std::uint64_t strings_size = file.u4(kCounts + 20), bodies_size = file.u4(kCounts + 24);
  const std::uint64_t packed_size = file.u4(kCounts + 28);
  file.names_size_ = file.u4(kCounts + 32);
  std::uint64_t at = kHeader;
  const auto section = [&](std::size_t& start, std::uint64_t size) {
    start = static_cast<std::size_t>(at);
    at += size;
  };
  section(file.classes_, std::uint64_t{file.class_count_} * 8);
  section(file.decl_hashes_, std::uint64_t{file.decl_count_} * 8);
  section(file.decl_offsets_, std::uint64_t{file.decl_count_} * 4);
  section(file.packages_, std::uint64_t{file.package_count_} * 4);
  section(file.string_offsets_, (std::uint64_t{file.string_count_} + 1) * 4);
  section(file.strings_, strings_size);
  section(file.bodies_, bodies_size);
  section(file.names_, packed_size);
  if (at != bytes.size() || file.names_size_ > kMaxNames ||
      file.names_size_ > packed_size * kMaxInflation)
    return std::nullopt;
  // Bodies do not overlap, so that reading all of them is linear in the file's size.
  std::uint32_t body = 0;
  for (std::uint32_t i = 0; i < file.decl_count_; ++i) {
    const std::uint32_t next = file.u4(file.decl_offsets_ + std::size_t{i} * 4);
    if (next < body || next >= bodies_size) return std::nullopt;
    body = next;
  }
  for (std::uint32_t i = 0; i < file.string_count_; ++i)
    if (file.u4(file.string_offsets_ + std::size_t{i} * 4) >
        file.u4(file.string_offsets_ + std::size_t{i} * 4 + 4))
      return std::nullopt;
  if (file.u4(file.string_offsets_ + std::size_t{file.string_count_} * 4) != strings_size)
    return std::nullopt;
  return file;
}

std::uint64_t LinkIndexFile::class_hash(std::uint32_t index) const {
  return u8(classes_ + std::size_t{index} * 8);
}

bool LinkIndexFile::has_class(std::uint64_t hash) const {
  const std::uint32_t at = lower_bound(classes_, class_count_, hash);
  return at < class_count_ && class_hash(at) == hash;
}

// The first of `count` ascending hashes at `start` that is not below `hash`.
std::uint32_t LinkIndexFile::lower_bound(std::size_t start, std::uint32_t count,
                                         std::uint64_t hash) const {
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (u8(start + std::size_t{middle} * 8) < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::string_view LinkIndexFile::string(std::uint64_t id) const {
  if (id == 0 || id > string_count_) return {};
  const std::size_t at = string_offsets_ + static_cast<std::size_t>(id - 1) * 4;
  return base::as_text(bytes_.subspan(strings_ + u4(at), u4(at + 4) - u4(at)));
}

std::vector<std::string_view> LinkIndexFile::packages() const {
  std::vector<std::string_view> list;
  for (std::uint32_t i = 0; i < package_count_; ++i)
    list.push_back(string(u4(packages_ + std::size_t{i} * 4)));
  return list;
}

const ClassDecl* LinkIndexFile::decode(std::uint32_t index, DeclPool& pool) const {
  const std::size_t start = u4(decl_offsets_ + std::size_t{index} * 4);
  const std::size_t end =
      index + 1 < decl_count_ ? u4(decl_offsets_ + std::size_t{index} * 4 + 4) : names_ - bodies_;
  NumberReader in(bytes_.subspan(bodies_ + start, end - start));
  const auto text = [&]() -> std::string_view {
    const std::uint64_t id = in.next();
    if (id > string_count_) in.fail();
    return string(id);
  };
  ClassDecl& decl = pool.array<ClassDecl>(1)[0];
  decl.access = static_cast<std::uint16_t>(in.next());
  decl.major = static_cast<std::uint16_t>(in.next());
  const std::uint64_t flags = in.next();
  decl.sealed = (flags & 1) != 0;
  decl.scala = (flags & 2) != 0;
  decl.name = text();
  decl.super_name = text();
  decl.nest_host = text();
  for (auto* list : {&decl.interfaces, &decl.nest_members, &decl.permitted}) {
    const auto texts = pool.array<std::string_view>(in.count());
    for (std::string_view& entry : texts) entry = text();
    *list = texts;
  }
  for (auto* list : {&decl.fields, &decl.methods}) {
    const auto members = pool.array<MemberDecl>(in.count(3));
    for (MemberDecl& member : members) {
      member.name = text();
      member.descriptor = text();
      member.access = static_cast<std::uint16_t>(in.next());
      member.key = member_key(member.name, member.descriptor);
    }
    *list = members;
  }
  return in.failed() ? nullptr : &decl;
}

const ClassDecl* LinkIndexFile::find(std::string_view name, DeclPool& pool) const {
  const std::uint64_t hash = text_hash(name);
  const std::uint32_t low = lower_bound(decl_hashes_, decl_count_, hash);
  if (low == decl_count_ || u8(decl_hashes_ + std::size_t{low} * 8) != hash) return nullptr;
  const ClassDecl* decl = decode(low, pool);
  return decl != nullptr && decl->name == name ? decl : nullptr;
}

std::vector<const ClassDecl*> LinkIndexFile::all(DeclPool& pool) const {
  std::vector<const ClassDecl*> decls;
  for (std::uint32_t i = 0; i < decl_count_; ++i)
    if (const ClassDecl* decl = decode(i, pool)) decls.push_back(decl);
  return decls;
}

std::string LinkIndexFile::names() const {
  std::string text(names_size_, '\0');
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  const auto result =
      libdeflate_deflate_decompress(decompressor, bytes_.data() + names_, bytes_.size() - names_,
                                    text.data(), text.size(), nullptr);
  libdeflate_free_decompressor(decompressor);
  if (result != LIBDEFLATE_SUCCESS) text.clear();
  return text;
}

std::string write_link_index(const JarFingerprint& fingerprint, unsigned java_release,
                             std::span<const std::string_view> names,
                             std::span<const ClassDecl* const> decls) {
  BodyWriter writer;
  std::vector<std::uint64_t> classes;
  std::vector<std::string_view> packages;
  std::string list;
  for (const std::string_view name : names) {
    classes.push_back(text_hash(name));
    packages.push_back(package_of(name));
    list += name;
    list += '\n';
  }
  std::sort(classes.begin(), classes.end());
  std::sort(packages.begin(), packages.end());
  packages.erase(std::unique(packages.begin(), packages.end()), packages.end());
  std::vector<std::pair<std::uint64_t, const ClassDecl*>> sorted;
  for (const ClassDecl* decl : decls) sorted.emplace_back(text_hash(decl->name), decl);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->name < b.second->name;
  });
  std::vector<std::uint32_t> offsets;
  for (const auto& [hash, decl] : sorted) {
    offsets.push_back(static_cast<std::uint32_t>(writer.bodies.size()));
    writer.write(*decl);
  }
  std::vector<std::uint32_t> package_numbers;
  for (const std::string_view package : packages) package_numbers.push_back(writer.string(package));
  const std::string packed = deflated(list);

  std::string checked;
  put_little(checked, fingerprint.size_bytes, 8);
  put_little(checked, fingerprint.directory, 8);
  put_little(checked, fingerprint.directory_again, 8);
  std::uint64_t strings_size = 0;
  for (const std::string_view text : writer.strings) strings_size += text.size();
  for (const std::uint64_t count :
       {std::uint64_t{java_release}, std::uint64_t{classes.size()}, std::uint64_t{packages.size()},
        std::uint64_t{sorted.size()}, std::uint64_t{writer.strings.size()}, strings_size,
        std::uint64_t{writer.bodies.size()}, std::uint64_t{packed.size()},
        std::uint64_t{list.size()}})
    put_little(checked, count, 4);
  for (const std::uint64_t hash : classes) put_little(checked, hash, 8);
  for (const auto& [hash, decl] : sorted) put_little(checked, hash, 8);
  for (const std::uint32_t offset : offsets) put_little(checked, offset, 4);
  for (const std::uint32_t number : package_numbers) put_little(checked, number, 4);
  std::uint64_t offset = 0;
  put_little(checked, offset, 4);
  for (const std::string_view text : writer.strings) put_little(checked, offset += text.size(), 4);
  for (const std::string_view text : writer.strings) checked += text;
  checked += writer.bodies;
  checked += packed;
  return with_file_head(kMagic, kVersion, checked);
}

}  // namespace rowgate::jarscan
