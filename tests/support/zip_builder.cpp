#include "tests/support/zip_builder.hpp"

#include <libdeflate.h>

#include <stdexcept>

namespace rowgate::test {
namespace {

class LittleEndian {
 public:
  LittleEndian& u2(std::uint64_t value) { return number(value, 2); }
  LittleEndian& u4(std::uint64_t value) { return number(value, 4); }
  LittleEndian& u8(std::uint64_t value) { return number(value, 8); }
  LittleEndian& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  LittleEndian& number(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }
  std::string bytes_;
};

constexpr std::uint64_t kMagic32 = 0xFFFFFFFF;

struct Written {
  std::uint64_t offset, compressed, size;
  std::uint32_t crc;
  unsigned method, flags;
};

}  // namespace

std::string deflated(std::string_view contents) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  if (compressor == nullptr) throw std::bad_alloc();
  std::string out(libdeflate_deflate_compress_bound(compressor, contents.size()), '\0');
  out.resize(libdeflate_deflate_compress(compressor, contents.data(), contents.size(), out.data(),
                                         out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

std::uint32_t crc32_of(std::string_view contents) {
  return libdeflate_crc32(0, contents.data(), contents.size());
}

ZipBuilder& ZipBuilder::add(std::string name, std::string contents) {
  ZipEntrySpec spec;
  spec.name = std::move(name);
  spec.contents = std::move(contents);
  return add(std::move(spec));
}
ZipBuilder& ZipBuilder::store(std::string name, std::string contents) {
  ZipEntrySpec spec;
  spec.name = std::move(name);
  spec.contents = std::move(contents);
  spec.deflate = false;
  return add(std::move(spec));
}
ZipBuilder& ZipBuilder::add(ZipEntrySpec spec) {
  entries_.push_back(std::move(spec));
  return *this;
}
ZipBuilder& ZipBuilder::prefix(std::string bytes) {
  prefix_ = std::move(bytes);
  return *this;
}
ZipBuilder& ZipBuilder::comment(std::string text) {
  comment_ = std::move(text);
  return *this;
}
ZipBuilder& ZipBuilder::zip64_end() {
  zip64_end_ = true;
  return *this;
}

std::string ZipBuilder::build() {
  local_offsets_.clear();
  data_offsets_.clear();
  directory_offsets_.clear();
  LittleEndian out;
  out.raw(prefix_);
  std::vector<Written> written;
  for (const ZipEntrySpec& spec : entries_) {
    const std::string data = spec.deflate ? deflated(spec.contents) : spec.contents;
    const std::string& local_name = spec.local_name ? *spec.local_name : spec.name;
    Written entry{out.bytes().size() - prefix_.size(),
                  data.size(),
                  spec.contents.size(),
                  crc32_of(spec.contents),
                  spec.method.value_or(spec.deflate ? 8 : 0),
                  spec.flags | (spec.data_descriptor ? 8U : 0U)};
    local_offsets_.push_back(out.bytes().size());
    const bool late = spec.data_descriptor;
    out.u4(0x04034b50).u2(20).u2(entry.flags).u2(entry.method).u4(0x00210000);
    out.u4(late ? 0 : entry.crc).u4(late ? 0 : data.size()).u4(late ? 0 : entry.size);
    out.u2(local_name.size()).u2(spec.local_extra.size()).raw(local_name).raw(spec.local_extra);
    data_offsets_.push_back(out.bytes().size());
    out.raw(data);
    if (late) out.u4(0x08074b50).u4(entry.crc).u4(data.size()).u4(entry.size);
    written.push_back(entry);
  }
  const std::uint64_t directory = out.bytes().size() - prefix_.size();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const ZipEntrySpec& spec = entries_[i];
    const std::uint64_t size = spec.size.value_or(written[i].size);
    const std::uint64_t compressed = spec.compressed_size.value_or(written[i].compressed);
    const std::uint64_t offset = spec.header_offset.value_or(written[i].offset);
    std::string extra = spec.extra;
    if (spec.zip64) extra += LittleEndian().u2(1).u2(24).u8(size).u8(compressed).u8(offset).bytes();
    directory_offsets_.push_back(out.bytes().size());
    out.u4(0x02014b50).u2(20).u2(20).u2(written[i].flags).u2(written[i].method).u4(0x00210000);
    out.u4(spec.crc32.value_or(written[i].crc));
    out.u4(spec.zip64 ? kMagic32 : compressed).u4(spec.zip64 ? kMagic32 : size);
    out.u2(spec.name.size()).u2(extra.size()).u2(spec.comment.size());
    out.u2(0).u2(0).u4(0).u4(spec.zip64 ? kMagic32 : offset);
    out.raw(spec.name).raw(extra).raw(spec.comment);
  }
  const std::uint64_t directory_bytes = out.bytes().size() - prefix_.size() - directory;
  const std::uint64_t count = entries_.size();
  if (zip64_end_) {
    const std::uint64_t at = out.bytes().size();
    out.u4(0x06064b50).u8(44).u2(45).u2(45).u4(0).u4(0).u8(count).u8(count);
    out.u8(directory_bytes).u8(directory);
    out.u4(0x07064b50).u4(0).u8(at).u4(1);
  }
  end_offset_ = out.bytes().size();
  out.u4(0x06054b50).u2(0).u2(0).u2(zip64_end_ ? 0xFFFF : count).u2(zip64_end_ ? 0xFFFF : count);
  out.u4(zip64_end_ ? kMagic32 : directory_bytes).u4(zip64_end_ ? kMagic32 : directory);
  out.u2(comment_.size()).raw(comment_);
  return out.bytes();
}

}  // namespace rowgate::test
