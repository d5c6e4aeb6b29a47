// The constant pool of a class file (JVMS 4.4).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"

namespace rowgate::jarscan {

using base::Bytes;

enum class Tag : std::uint8_t {
  none = 0,  // index 0, and the second slot of a long or double
  utf8 = 1,
  integer = 3,
  float_ = 4,
  long_ = 5,
  double_ = 6,
  class_ = 7,
  string = 8,
  field_ref = 9,
  method_ref = 10,
  interface_method_ref = 11,
  name_and_type = 12,
  method_handle = 15,
  method_type = 16,
  dynamic = 17,
  invoke_dynamic = 18,
  module = 19,
  package = 20,
};

struct NameAndType {
  std::string_view name, descriptor;
};

struct MemberRef {
  std::string_view owner;  // internal name, or an array descriptor ("[I")
  std::string_view name, descriptor;
};

struct MethodHandleConstant {
  std::uint8_t kind;        // 1..9, JVMS table 5.4.3.5-A
  std::uint16_t reference;  // index of a field_ref, method_ref or interface_method_ref
};

struct DynamicConstant {
  std::uint16_t bootstrap;  // index into ClassFile::bootstrap_methods; checked from depth `members`
  std::string_view name, descriptor;
};

// After a successful parse each index that the pool itself holds is in range and of the right tag,
// so the getters of an entry of the right tag cannot fail. Asking an entry of another tag, or an
// index out of range, gives empty views: check tag() first where the index comes from elsewhere.
class ConstantPool {
 public:
  std::uint16_t size() const { return static_cast<std::uint16_t>(tags_.size()); }
  Tag tag(std::uint16_t index) const { return index < tags_.size() ? tags_[index] : Tag::none; }
  // One for each index.
  const std::vector<Tag>& tags() const { return tags_; }
  // Byte offset of the entry's contents (just after its tag); 0 for Tag::none.
  std::uint32_t offset(std::uint16_t index) const {
    return index < offsets_.size() ? offsets_[index] : 0;
  }
  std::string_view utf8(std::uint16_t index) const {  // modified UTF-8, as it stands
    if (tag(index) != Tag::utf8) return {};
    const std::uint32_t at = offsets_[index];
    return base::as_text(bytes_.subspan(at + 2, u2(at)));
  }
  std::string_view name(
      std::uint16_t index) const;  // of class_, string, method_type, module, package
  NameAndType name_and_type(std::uint16_t index) const;
  MemberRef member(std::uint16_t index) const;  // field_ref, method_ref, interface_method_ref
  MethodHandleConstant method_handle(std::uint16_t index) const;
  DynamicConstant dynamic(std::uint16_t index) const;  // dynamic, invoke_dynamic

 private:
  friend class ClassParser;
  std::uint16_t u2(std::uint32_t offset) const {
    return static_cast<std::uint16_t>(static_cast<unsigned>(bytes_[offset]) << 8 |
                                      static_cast<unsigned>(bytes_[offset + 1]));
  }
  // Pools of later classes reuse the memory.
  void reset(Bytes bytes, std::uint16_t count) {
    bytes_ = bytes;
    tags_.assign(count, Tag::none);
    offsets_.assign(count, 0);
  }

  Bytes bytes_;
  std::vector<Tag> tags_;
  std::vector<std::uint32_t> offsets_;
};

}  // namespace rowgate::jarscan
