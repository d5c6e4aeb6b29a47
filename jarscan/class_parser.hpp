// The parser behind parse_class: not for users of the library.
#pragma once

#include <string>
#include <utility>

#include "base/byte_reader.hpp"
#include "jarscan/class_file.hpp"

namespace rowgate::jarscan {

// Every step returns false once something is wrong, with the first error kept in error_.
class ClassParser {
 public:
  ClassParser(Bytes bytes, ClassFile& out) : bytes_(bytes), in_(bytes), out_(out) {}

  bool parse(ClassDepth depth);
  Error take_error() { return std::move(error_); }

 private:
  // constant_pool.cpp
  bool read_pool();
  bool read_sound_pool(std::uint16_t count);
  bool check_pool_entry(std::uint16_t index);
  bool check_pool_reference(std::uint16_t index, std::uint32_t offset, unsigned wanted,
                            const char* role);
  bool check_method_handle(std::uint16_t index, std::uint32_t offset);
  bool check_pool_names();
  bool check_member_names(std::uint16_t index);

  // class_file.cpp
  bool read_header();
  bool read_members();
  bool read_fields();
  bool read_methods();
  bool read_member_start(Member& member, const char* kind);
  bool read_method_attributes(Member& member, std::uint32_t method);
  bool skip_attributes(const char* owner);
  bool read_class_attributes();
  bool read_class_attribute(std::string_view name, std::size_t end);
  bool read_inner_classes();
  bool read_bootstrap_methods();
  bool read_record();
  bool read_class_list(std::vector<std::string_view>& list, const char* what);
  // Name and end of the next attribute; its contents come next.
  bool read_attribute_start(const char* owner, std::string_view& name, std::size_t& end);
  bool at_attribute_end(std::string_view name, std::size_t end);
  bool read_utf8(std::string_view& text, const char* what);
  bool read_class(std::string_view& name, const char* what);
  bool read_optional_class(std::string_view& name, const char* what);
  bool check_bootstrap_indices();

  // class_code.cpp
  bool read_code(Member& member, std::uint32_t method, std::size_t end);
  bool read_instructions(Code& code);
  bool add_ref(const Code& code, std::uint32_t bci, std::uint8_t opcode, std::uint16_t index);
  bool skip_switch(const Code& code, std::uint32_t& bci);
  bool read_handlers(Code& code);
  bool read_code_attributes(Code& code);

  // The reader ran out of bytes: says while reading what.
  bool cut_off(const char* what);
  bool wrong(std::size_t offset, std::string message);

  Bytes bytes_;
  base::ByteReader in_;
  ClassFile& out_;
  ClassDepth depth_ = ClassDepth::header;
  Error error_;
};

// "Utf8", as JVMS table 4.4-A calls it.
const char* to_string(Tag tag);

constexpr unsigned bit(Tag tag) {
  return 1U << static_cast<unsigned>(tag);
}

}  // namespace rowgate::jarscan
