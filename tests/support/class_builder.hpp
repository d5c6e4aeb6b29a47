// Builds class files byte by byte, right ones and wrong ones, without a compiler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowgate::test {

// Appends big-endian numbers.
class BigEndian {
 public:
  BigEndian& u1(unsigned value);
  BigEndian& u2(unsigned value);
  BigEndian& u4(std::uint32_t value);
  BigEndian& raw(std::string_view bytes);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct HandlerSpec {
  unsigned start = 0, end = 0, handler = 0;
  unsigned catch_type = 0;  // constant pool index
};

struct CodeSpec {
  std::string bytes;
  unsigned max_stack = 4, max_locals = 4;
  std::vector<HandlerSpec> handlers;
  std::vector<std::pair<unsigned, unsigned>> lines;  // start_pc, line
  std::string stack_map;                             // contents of a StackMapTable; empty: none
};

// Constants are added once each; indices start at 1. Nothing is checked, so that any broken class
// can be made.
class ClassBuilder {
 public:
  explicit ClassBuilder(std::string_view name, std::string_view super = "java/lang/Object",
                        unsigned access = 0x0021);

  unsigned utf8(std::string_view text);
  unsigned class_(std::string_view name);
  unsigned string(std::string_view text);
  unsigned integer(std::uint32_t value);
  unsigned float_(std::uint32_t bits);
  unsigned long_(std::uint64_t value);
  unsigned double_(std::uint64_t bits);
  unsigned name_and_type(std::string_view name, std::string_view descriptor);
  unsigned field_ref(std::string_view owner, std::string_view name, std::string_view descriptor);
  unsigned method_ref(std::string_view owner, std::string_view name, std::string_view descriptor);
  unsigned interface_method_ref(std::string_view owner, std::string_view name,
                                std::string_view descriptor);
  unsigned method_handle(unsigned kind, unsigned reference);
  unsigned method_type(std::string_view descriptor);
  unsigned dynamic(unsigned bootstrap, std::string_view name, std::string_view descriptor);
  unsigned invoke_dynamic(unsigned bootstrap, std::string_view name, std::string_view descriptor);
  unsigned module(std::string_view name);
  unsigned package(std::string_view name);
  // Any bytes as one constant that takes `slots` indices.
  unsigned constant(std::string bytes, unsigned slots = 1);

  ClassBuilder& version(unsigned major, unsigned minor = 0);
  ClassBuilder& interface(std::string_view name);
  ClassBuilder& field(unsigned access, std::string_view name, std::string_view descriptor);
  // Without code: for abstract and native methods.
  ClassBuilder& method(unsigned access, std::string_view name, std::string_view descriptor);
  ClassBuilder& method(unsigned access, std::string_view name, std::string_view descriptor,
                       const CodeSpec& code);
  ClassBuilder& attribute(std::string_view name, std::string_view contents);
  ClassBuilder& source_file(std::string_view name);
  ClassBuilder& bootstrap_method(unsigned method_handle, const std::vector<unsigned>& arguments);
  // A public constructor that calls the superclass's.
  ClassBuilder& constructor();

  std::string build();

  // Of the last build(): where a constant's tag stands, and where the parts behind the pool start.
  std::size_t constant_offset(unsigned index) const { return constant_offsets_.at(index); }
  std::size_t access_offset() const { return access_offset_; }
  std::size_t fields_offset() const { return fields_offset_; }    // of the fields' count
  std::size_t methods_offset() const { return methods_offset_; }  // of the methods' count
  std::size_t attributes_offset() const { return attributes_offset_; }

 private:
  std::string member(unsigned access, std::string_view name, std::string_view descriptor,
                     const std::vector<std::string>& attributes);
  std::string attribute_bytes(std::string_view name, std::string_view contents);
  std::string code_attribute(const CodeSpec& code);

  unsigned major_ = 52, minor_ = 0, access_ = 0, this_ = 0, super_ = 0;
  std::string super_name_;
  std::vector<std::string> constants_;  // by order of addition
  std::vector<unsigned> slots_;
  unsigned next_index_ = 1;
  std::map<std::string, unsigned> known_;
  std::vector<unsigned> interfaces_;
  std::vector<std::string> fields_, methods_, attributes_;
  std::string bootstrap_methods_;
  unsigned bootstrap_count_ = 0;
  std::map<unsigned, std::size_t> constant_offsets_;
  std::size_t access_offset_ = 0, fields_offset_ = 0, methods_offset_ = 0, attributes_offset_ = 0;
};

}  // namespace rowgate::test
