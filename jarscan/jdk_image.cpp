// The jimage format, version 1.0 (OpenJDK src/java.base/share/native/libjimage/imageFile.hpp):
//
//   header      seven u4 in the machine's byte order: magic, version, flags, number of resources,
//               length of the table, size of the locations, size of the strings
//   redirect    s4 for each slot of the table
//   offsets     u4 for each slot, into the locations
//   locations   attributes: a byte kind << 3 | (length - 1), then the value, big-endian; kind 0
//   ends strings     zero-terminated modified UTF-8 resources   the contents
//
// The table is a perfect hash: slot hash(path, seed) % length of `redirect` holds 0 (no such path),
// a negative number -1 - slot, or a positive seed with which to hash again. One look-up costs two
// hashes and one comparison of the path's four parts, whatever the bytes are; every offset is
// checked.
#include "jarscan/jdk_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.hpp"
#include "jarscan/class_index.hpp"

namespace rowgate::jarscan {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMagic = 0xCAFEDADA;
constexpr std::uint32_t kVersion = 1U << 16;
constexpr std::uint32_t kHashSeed = 0x01000193;
constexpr std::size_t kHeaderSize = 28;

enum Attribute : unsigned {
  end,
  module,
  parent,
  base,
  extension,
  offset,
  compressed,
  uncompressed
};

std::uint32_t hash(std::string_view path, std::uint32_t seed) {
  for (const char c : path) seed = (seed * kHashSeed) ^ static_cast<unsigned char>(c);
  return seed & 0x7FFFFFFF;
}

// JAVA_VERSION="17.0.15" of the file `release`.
unsigned release_of(const fs::path& home) {
  const auto text = base::read_file(home / "release", std::uint64_t{1} << 20);
  if (!text) return 0;
  for (const std::string_view line : base::split(*text, '\n')) {
    constexpr std::string_view kKey = "JAVA_VERSION=\"";
    if (!line.starts_with(kKey)) continue;
    std::string_view version = line.substr(kKey.size());
    if (version.starts_with("1.")) version.remove_prefix(2);
    unsigned feature = 0;
    std::from_chars(version.data(), version.data() + version.size(), feature);
    return feature;
  }
  return 0;
}

}  // namespace

std::uint32_t JdkImage::word(std::size_t at) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes_.data() + at, sizeof value);
  return value;
}

Result<std::shared_ptr<const JdkImage>> JdkImage::open(const fs::path& home) {
  ROWGATE_TRY(auto opened, open_image(home / "lib" / "modules"));
  const auto image = std::const_pointer_cast<JdkImage>(opened);
  image->release_ = release_of(home);
  return std::shared_ptr<const JdkImage>(image);
}

Result<std::shared_ptr<const JdkImage>> JdkImage::open_image(const fs::path& file) {
  auto image = std::make_shared<JdkImage>();
  image->name_ = file.string();
  ROWGATE_TRY(image->file_, base::MappedFile::open(file));
  image->bytes_ = image->file_.bytes();
  ROWGATE_CHECK(image->read_header());
  return std::shared_ptr<const JdkImage>(image);
}

Result<void> JdkImage::read_header() {
  const std::uint64_t size = bytes_.size();
  if (size < kHeaderSize) return fail(ErrorCode::malformed, "is no run-time image", name_, 0);
  if (word(0) != kMagic) {
    const bool swapped = word(0) == __builtin_bswap32(kMagic);
    return fail(swapped ? ErrorCode::unsupported : ErrorCode::malformed,
                swapped ? "is a run-time image for another byte order" : "is no run-time image",
                name_, 0);
  }
  if (word(4) != kVersion)
    return fail(ErrorCode::unsupported,
                fmt::format("has version {}.{} of the run-time image format, not 1.0",
                            word(4) >> 16, word(4) & 0xFFFF),
                name_, 4);
  table_length_ = word(16);
  locations_size_ = word(20);
  strings_size_ = word(24);
  const std::uint64_t tables = kHeaderSize + std::uint64_t{table_length_} * 8;
  const std::uint64_t index = tables + locations_size_ + strings_size_;
  if (table_length_ == 0 || index > size)
    return fail(ErrorCode::malformed, "tables of the run-time image reach past its end", name_, 16);
  redirect_ = kHeaderSize;
  offsets_ = kHeaderSize + std::size_t{table_length_} * 4;
  locations_ = static_cast<std::size_t>(tables);
  strings_ = locations_ + locations_size_;
  resources_ = static_cast<std::size_t>(index);
  return {};
}

std::string_view JdkImage::string_at(std::uint64_t at) const {
  if (at >= strings_size_) return {};
  const std::string_view rest = base::as_text(bytes_.subspan(
      strings_ + static_cast<std::size_t>(at), strings_size_ - static_cast<std::size_t>(at)));
  const std::size_t length = rest.find('\0');
  return length == std::string_view::npos ? std::string_view() : rest.substr(0, length);
}

bool JdkImage::decode(std::uint32_t at, std::string_view wanted, Location& out) const {
  std::uint64_t values[8] = {};
  std::uint64_t position = at;
  while (true) {
    if (position >= locations_size_) return false;
    const auto head = static_cast<unsigned>(bytes_[locations_ + position++]);
    const unsigned kind = head >> 3, length = (head & 7) + 1;
    if (kind == Attribute::end) break;
    if (kind > Attribute::uncompressed || position + length > locations_size_) return false;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < length; ++i)
      value = value << 8 | static_cast<std::uint64_t>(bytes_[locations_ + position++]);
    values[kind] = value;
  }
  // "/module/parent/base.extension", compared part by part.
  const auto take = [&](std::string_view part) {
    if (!wanted.starts_with(part)) return false;
    wanted.remove_prefix(part.size());
    return true;
  };
  const std::string_view module = string_at(values[Attribute::module]);
  if (!module.empty() && !(take("/") && take(module) && take("/"))) return false;
  const std::string_view parent = string_at(values[Attribute::parent]);
  if (!parent.empty() && !(take(parent) && take("/"))) return false;
  if (!take(string_at(values[Attribute::base]))) return false;
  const std::string_view extension = string_at(values[Attribute::extension]);
  if (!extension.empty() && !(take(".") && take(extension))) return false;
  if (!wanted.empty()) return false;
  out = {values[Attribute::offset], values[Attribute::compressed], values[Attribute::uncompressed]};
  return true;
}

std::optional<JdkImage::Location> JdkImage::find(std::string_view path) const {
  std::uint32_t slot = hash(path, kHashSeed) % table_length_;
  const auto redirect = static_cast<std::int32_t>(word(redirect_ + std::size_t{slot} * 4));
  if (redirect == 0) return std::nullopt;
  if (redirect < 0) {
    slot = static_cast<std::uint32_t>(-1 - redirect);
    if (slot >= table_length_) return std::nullopt;
  } else {
    slot = hash(path, static_cast<std::uint32_t>(redirect)) % table_length_;
  }
  Location location;
  if (!decode(word(offsets_ + std::size_t{slot} * 4), path, location)) return std::nullopt;
  return location;
}

// The resource "/packages/java.util" holds pairs of u4: whether the package is empty in the module,
// and the module's name as an offset into the strings.
std::vector<std::string_view> JdkImage::modules_of(std::string_view package) const {
  std::string path = "/packages/";
  for (const char c : package) path.push_back(c == '/' ? '.' : c);
  const auto location = find(path);
  std::vector<std::string_view> modules;
  if (!location || location->compressed != 0) return modules;
  const std::uint64_t room = bytes_.size() - resources_;
  if (location->offset > room || location->size > room - location->offset) return modules;
  const auto start = resources_ + static_cast<std::size_t>(location->offset);
  for (std::uint64_t at = 0; at + 8 <= location->size; at += 8) {
    const bool empty = word(start + static_cast<std::size_t>(at)) != 0;
    const std::string_view module = string_at(word(start + static_cast<std::size_t>(at) + 4));
    if (!empty && !module.empty()) modules.push_back(module);
  }
  return modules;
}

bool JdkImage::has_package(std::string_view package) const {
  return !package.empty() && !modules_of(package).empty();
}

Result<base::Bytes> JdkImage::find_class(std::string_view internal_name) const {
  for (const std::string_view module : modules_of(package_of(internal_name))) {
    const std::string path = fmt::format("/{}/{}.class", module, internal_name);
    const auto location = find(path);
    if (!location) continue;
    if (location->compressed != 0)
      return fail(ErrorCode::unsupported, "is compressed in the run-time image", name_ + path,
                  std::nullopt, "give a JDK whose image was not made with jlink --compress");
    const std::uint64_t room = bytes_.size() - resources_;
    if (location->offset > room || location->size > room - location->offset)
      return fail(ErrorCode::malformed, "resource reaches past the end of the image", name_ + path);
    return bytes_.subspan(resources_ + static_cast<std::size_t>(location->offset),
                          static_cast<std::size_t>(location->size));
  }
  return fail(ErrorCode::not_found, "no such class in the run-time image",
              std::string(internal_name));
}

const ClassDecl* JdkProvider::find(std::string_view internal_name) {
  const auto bytes = image_->find_class(internal_name);
  if (!bytes) {
    if (bytes.error().code != ErrorCode::not_found) unreadable_.push_back(bytes.error());
    return nullptr;
  }
  if (const auto parsed = parse_class(*bytes, ClassDepth::members, scratch_); !parsed) {
    unreadable_.push_back(parsed.error());
    unreadable_.back().subject = fmt::format("{}!/{}", image_->name(), internal_name);
    return nullptr;
  }
  return pool_.declare(scratch_);
}

std::optional<fs::path> find_jdk(std::span<const fs::path> candidates) {
  for (const fs::path& candidate : candidates)
    if (!candidate.empty() && JdkImage::open(candidate)) return candidate;
  return std::nullopt;
}

}  // namespace rowgate::jarscan
