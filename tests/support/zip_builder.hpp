// Builds zip files, right ones and wrong ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::test {

struct ZipEntrySpec {
  std::string name, contents;
  bool deflate = true;
  bool data_descriptor = false;  // sizes and CRC of the local header are 0 and follow the data
  bool zip64 = false;            // sizes and offset stand in the zip64 extra field
  // What the directory says instead of the truth.
  std::optional<std::string> local_name;
  std::optional<std::uint32_t> crc32;
  std::optional<std::uint64_t> size, compressed_size, header_offset;
  std::optional<unsigned> method;
  unsigned flags = 0;
  std::string local_extra, extra, comment;
};

class ZipBuilder {
 public:
  ZipBuilder& add(std::string name, std::string contents);  // deflated
  ZipBuilder& store(std::string name, std::string contents);
  ZipBuilder& add(ZipEntrySpec spec);
  ZipBuilder& prefix(std::string bytes);  // in front of everything; offsets do not count it
  ZipBuilder& comment(std::string text);
  ZipBuilder& zip64_end();

  std::string build();

  // Of the last build().
  std::size_t local_offset(std::size_t entry) const { return local_offsets_.at(entry); }
  std::size_t data_offset(std::size_t entry) const { return data_offsets_.at(entry); }
  std::size_t directory_offset(std::size_t entry) const { return directory_offsets_.at(entry); }
  std::size_t end_offset() const { return end_offset_; }

 private:
  std::vector<ZipEntrySpec> entries_;
  std::string prefix_, comment_;
  bool zip64_end_ = false;
  std::vector<std::size_t> local_offsets_, data_offsets_, directory_offsets_;
  std::size_t end_offset_ = 0;
};

// Raw deflate.
std::string deflated(std::string_view contents);
std::uint32_t crc32_of(std::string_view contents);

}  // namespace rowgate::test
