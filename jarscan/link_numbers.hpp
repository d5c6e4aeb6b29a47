// Rows of variable-length numbers (seven bits a byte, low first): what the files in the cache are
// made of. Internal to link.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "jarscan/resolve_class.hpp"

namespace rowgate::jarscan {

// Behind the end, and after a number that is longer than 64 bits, everything is 0 and failed() set.
class NumberReader {
 public:
  explicit NumberReader(base::Bytes bytes) : bytes_(bytes) {}

  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) break;
      const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
      value |= (byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    fail();
    return 0;
  }
  // A number that must be below `limit`.
  std::uint32_t below(std::uint64_t limit) {
    const std::uint64_t value = next();
    if (value >= limit) fail();
    return failed_ ? 0 : static_cast<std::uint32_t>(value);
  }
  // A count of things that take at least `bytes_each`, so that no count makes anybody allocate more
  // than a small multiple of the file's size.
  std::size_t count(std::size_t bytes_each = 1) {
    const std::uint64_t value = next();
    if (value > (bytes_.size() - at_) / bytes_each) fail();
    return failed_ ? 0 : static_cast<std::size_t>(value);
  }
  base::Bytes take(std::size_t size) {
    if (size > bytes_.size() - at_) fail();
    if (failed_) return {};
    at_ += size;
    return bytes_.subspan(at_ - size, size);
  }
  bool at_end() const { return at_ == bytes_.size(); }
  bool failed() const { return failed_; }
  void fail() {
    failed_ = true;
    at_ = bytes_.size();
  }

 private:
  base::Bytes bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

inline void put_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// `width` bytes, the lowest first.
inline void put_little(std::string& out, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

inline std::uint64_t get_little(base::Bytes bytes, std::size_t at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = width; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(bytes[at + i]);
  return value;
}

// What the files in the cache begin with: magic and version (4 bytes each), and the checksum of all
// that follows (8 bytes, text_hash).
inline constexpr std::size_t kFileHead = 16;

inline std::string with_file_head(std::uint32_t magic, std::uint32_t version,
                                  std::string_view rest) {
  std::string file;
  file.reserve(kFileHead + rest.size());
  put_little(file, magic, 4);
  put_little(file, version, 4);
  put_little(file, text_hash(rest), 8);
  return file.append(rest);
}

// `size_bytes`: of the shortest file that there is, kFileHead at least.
inline bool has_file_head(base::Bytes bytes, std::uint32_t magic, std::uint32_t version,
                          std::size_t size_bytes) {
  return bytes.size() >= size_bytes && get_little(bytes, 0, 4) == magic &&
         get_little(bytes, 4, 4) == version;
}

// Of bytes that have a file's head: whether the rest is what was written.
inline bool is_undamaged(base::Bytes bytes) {
  return text_hash(base::as_text(bytes.subspan(kFileHead))) == get_little(bytes, 8, 8);
}

}  // namespace rowgate::jarscan
