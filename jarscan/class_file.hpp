// Class files (JVMS 4), read without copying: every name is a view into the class's own bytes,
// which the caller keeps alive. One parser with three depths, because most questions need little.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"
#include "jarscan/constant_pool.hpp"

namespace rowgate::jarscan {

enum class ClassDepth : std::uint8_t {
  header,   // constant pool, flags, this, super, interfaces; what follows is not looked at
  members,  // + fields, methods, and the attributes that linkage needs; code bytes are skipped
  code,     // + instructions' constant-pool references, exception tables, line numbers
};

namespace access {  // JVMS tables 4.1-B, 4.5-A, 4.6-A
inline constexpr std::uint16_t kPublic = 0x0001, kPrivate = 0x0002, kProtected = 0x0004,
                               kStatic = 0x0008, kFinal = 0x0010, kSuper = 0x0020, kBridge = 0x0040,
                               kVarargs = 0x0080, kNative = 0x0100, kInterface = 0x0200,
                               kAbstract = 0x0400, kSynthetic = 0x1000, kAnnotation = 0x2000,
                               kEnum = 0x4000, kModule = 0x8000;
}  // namespace access

// A run of elements of one of ClassFile's vectors.
struct Range {
  std::uint32_t first = 0, count = 0;
};

struct Member {  // a field or a method
  std::uint16_t access = 0;
  std::string_view name, descriptor;
  std::uint32_t offset = 0;         // of its access flags in the file
  std::uint32_t code = UINT32_MAX;  // index into ClassFile::codes; UINT32_MAX: no Code attribute
  bool has_code() const { return code != UINT32_MAX; }
};

struct CodeRef {
  std::uint32_t bci;    // offset of the opcode in the method's code
  std::uint16_t index;  // constant pool
  std::uint8_t
      opcode;  // ldc (as ldc_w's tag decides), getstatic, …, invokedynamic, new, checkcast, …
  std::uint8_t unused = 0;
};

struct ExceptionHandler {
  std::uint16_t start, end, handler;  // bytecode indices, end exclusive
  std::uint16_t catch_type;           // constant pool index of a class_, 0 catches everything
};

struct Code {
  std::uint32_t method = 0;  // index into ClassFile::methods
  std::uint16_t max_stack = 0, max_locals = 0;
  std::uint32_t offset = 0;  // of the first instruction in the file
  Bytes bytes;               // the instructions
  Range refs;                // into ClassFile::refs, by bci (depth code)
  Range handlers;            // into ClassFile::handlers, in file order (depth code)
  Range line_tables;         // into ClassFile::line_tables (depth code)
  Bytes stack_map;           // contents of StackMapTable, unread; see decode_frames
};

struct InnerClass {
  std::string_view inner, outer, name;  // outer and name are empty for local and anonymous classes
  std::uint16_t access = 0;
};

struct BootstrapMethod {
  std::uint16_t method_handle = 0;  // constant pool
  Range arguments;                  // into ClassFile::bootstrap_arguments
};

struct RecordComponent {
  std::string_view name, descriptor;
};

// Reuse one object for many classes: parsing clears the vectors and keeps their memory.
struct ClassFile {
  std::uint16_t minor = 0, major = 0;  // 52 = Java 8, 69 = Java 25; newer ones are not refused
  std::uint16_t access = 0;
  ConstantPool pool;
  std::string_view this_name;
  std::string_view super_name;  // empty for java/lang/Object and module-info
  std::vector<std::string_view> interfaces;

  // From depth `members`.
  std::vector<Member> fields, methods;
  std::vector<Code> codes;  // max_stack, max_locals, bytes; the rest from depth `code`
  std::vector<InnerClass> inner_classes;
  std::string_view source_file, nest_host;
  std::vector<std::string_view> nest_members, permitted_subclasses;
  bool has_permitted_subclasses = false, is_record = false;
  std::vector<BootstrapMethod> bootstrap_methods;
  std::vector<std::uint16_t> bootstrap_arguments;  // constant pool
  std::vector<RecordComponent> record_components;
  std::vector<std::string_view> attributes;  // names of the class's attributes (Scala, ScalaSig, …)

  // From depth `code`.
  std::vector<CodeRef> refs;
  std::vector<ExceptionHandler> handlers;
  std::vector<Bytes> line_tables;  // u2 pairs (start_pc, line); read with line_at

  void clear();  // keeps the memory
  bool is_interface() const { return (access & access::kInterface) != 0; }
  bool is_abstract() const { return (access & access::kAbstract) != 0; }
  bool is_module() const { return (access & access::kModule) != 0; }
  std::span<const CodeRef> refs_of(const Code& code) const {
    return std::span(refs).subspan(code.refs.first, code.refs.count);
  }
  std::span<const ExceptionHandler> handlers_of(const Code& code) const {
    return std::span(handlers).subspan(code.handlers.first, code.handlers.count);
  }
  std::span<const std::uint16_t> arguments_of(const BootstrapMethod& method) const {
    return std::span(bootstrap_arguments).subspan(method.arguments.first, method.arguments.count);
  }
  // The line that `bci` stands on: of the entry with the greatest start_pc <= bci.
  std::optional<std::uint16_t> line_at(const Code& code, std::uint32_t bci) const;
};

// Reads `bytes` into `out`, whose views point into `bytes`. On an error `out` holds nothing useful.
// Errors: malformed, with the offset of the field that is wrong and no subject (the caller knows
// the entry's name). Cost: linear in the size of the bytes; memory is bounded by a small multiple
// of it.
Result<void> parse_class(Bytes bytes, ClassDepth depth, ClassFile& out);

enum class TypeKind : std::uint8_t {
  top,
  integer,
  float_,
  double_,
  long_,
  null,
  uninitialized_this,
  object,
  uninitialized,
};

struct VerificationType {
  TypeKind kind = TypeKind::top;
  std::uint16_t class_index = 0;  // object: constant pool; uninitialized: bci of its `new`
};

struct StackFrame {
  std::uint32_t bci = 0;
  std::vector<VerificationType> locals, stack;
};

// The explicit frames of a method's StackMapTable, expanded (JVMS 4.7.4); `initial` are the locals
// at bci 0, from which chop, append and same frames start. Errors: malformed.
Result<std::vector<StackFrame>> decode_frames(const ClassFile& file, const Code& code,
                                              const std::vector<VerificationType>& initial);

// "java/lang/String" -> "java.lang.String": for messages.
std::string dotted(std::string_view internal_name);

}  // namespace rowgate::jarscan
