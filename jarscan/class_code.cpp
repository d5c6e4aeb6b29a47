// The Code attribute (JVMS 4.7.3): one walk over the instructions that keeps only those which refer
// to the constant pool. Each instruction is at least one byte long, so the walk ends; it is linear.
// At depth `members` instructions are skipped, and only the attribute's own lengths are checked.
#include <fmt/format.h>

#include <array>

#include "jarscan/class_parser.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint16_t kJava8 = 52;
constexpr std::uint32_t kMaxCodeLength = 65535;

constexpr std::uint8_t kLdc = 18, kLdcW = 19, kLdc2W = 20, kTableSwitch = 170, kLookupSwitch = 171,
                       kGetStatic = 178, kPutField = 181, kInvokeVirtual = 182,
                       kInvokeSpecial = 183, kInvokeStatic = 184, kInvokeInterface = 185,
                       kInvokeDynamic = 186, kNew = 187, kANewArray = 189, kCheckCast = 192,
                       kInstanceOf = 193, kWide = 196, kMultiANewArray = 197, kIinc = 132;

// Length in bytes of each instruction (JVMS 6.5); 0: no such opcode, or of varying length.
constexpr std::array<std::uint8_t, 256> lengths() {
  std::array<std::uint8_t, 256> table{};
  const auto set = [&](unsigned first, unsigned last, std::uint8_t length) {
    for (unsigned opcode = first; opcode <= last; ++opcode) table[opcode] = length;
  };
  set(0, 201, 1);
  set(16, 16, 2);    // bipush
  set(17, 17, 3);    // sipush
  set(18, 18, 2);    // ldc
  set(19, 20, 3);    // ldc_w, ldc2_w
  set(21, 25, 2);    // loads with an index
  set(54, 58, 2);    // stores with an index
  set(132, 132, 3);  // iinc
  set(153, 168, 3);  // branches, jsr
  set(169, 169, 2);  // ret
  set(170, 171, 0);  // switches
  set(178, 184, 3);  // field access, invokes
  set(185, 186, 5);  // invokeinterface, invokedynamic
  set(187, 187, 3);  // new
  set(188, 188, 2);  // newarray
  set(189, 189, 3);  // anewarray
  set(192, 193, 3);  // checkcast, instanceof
  set(196, 196, 0);  // wide
  set(197, 197, 4);  // multianewarray
  set(198, 199, 3);  // ifnull, ifnonnull
  set(200, 201, 5);  // goto_w, jsr_w
  return table;
}
constexpr std::array<std::uint8_t, 256> kLengths = lengths();

// The tags that the operand of an opcode may have; 0: its operand is no constant.
unsigned operand_tags(std::uint8_t opcode, std::uint16_t major) {
  constexpr unsigned kOneSlot = bit(Tag::integer) | bit(Tag::float_) | bit(Tag::string) |
                                bit(Tag::class_) | bit(Tag::method_handle) | bit(Tag::method_type) |
                                bit(Tag::dynamic);
  if (opcode == kLdc || opcode == kLdcW) return kOneSlot;
  if (opcode == kLdc2W) return bit(Tag::long_) | bit(Tag::double_) | bit(Tag::dynamic);
  if (opcode >= kGetStatic && opcode <= kPutField) return bit(Tag::field_ref);
  if (opcode == kInvokeVirtual) return bit(Tag::method_ref);
  if (opcode == kInvokeSpecial || opcode == kInvokeStatic)
    return major >= kJava8 ? bit(Tag::method_ref) | bit(Tag::interface_method_ref)
                           : bit(Tag::method_ref);
  if (opcode == kInvokeInterface) return bit(Tag::interface_method_ref);
  if (opcode == kInvokeDynamic) return bit(Tag::invoke_dynamic);
  if (opcode == kNew || opcode == kANewArray || opcode == kCheckCast || opcode == kInstanceOf ||
      opcode == kMultiANewArray)
    return bit(Tag::class_);
  return 0;
}

std::uint32_t u4_at(Bytes bytes, std::size_t at) {
  return base::ByteReader(bytes.subspan(at, 4)).u4();
}

}  // namespace

bool ClassParser::read_code(Member& member, std::uint32_t method, std::size_t end) {
  Code code;
  code.method = method;
  // Before class-file version 45.3 three of the fields were narrower.
  const bool narrow = out_.major == 45 && out_.minor <= 2;
  code.max_stack = narrow ? in_.u1() : in_.u2();
  code.max_locals = narrow ? in_.u1() : in_.u2();
  const std::size_t length_offset = in_.offset();
  const std::uint32_t length = narrow ? in_.u2() : in_.u4();
  if (in_.failed() || in_.offset() > end)
    return wrong(length_offset, "a Code attribute is cut off");
  if (length == 0 || length > kMaxCodeLength)
    return wrong(length_offset,
                 fmt::format("the code of method {} is {} bytes long", method, length));
  if (length > end - in_.offset())
    return wrong(length_offset,
                 fmt::format("the code of method {} is {} bytes long, its attribute has {} left",
                             method, length, end - in_.offset()));
  code.offset = static_cast<std::uint32_t>(in_.offset());
  code.bytes = in_.take(length);
  if (depth_ == ClassDepth::code) {
    if (!read_instructions(code) || !read_handlers(code) || !read_code_attributes(code))
      return false;
  } else {
    in_.skip(end - in_.offset());
  }
  member.code = static_cast<std::uint32_t>(out_.codes.size());
  out_.codes.push_back(code);
  return true;
}

bool ClassParser::read_instructions(Code& code) {
  const Bytes bytes = code.bytes;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const auto u1 = [&](std::uint32_t at) { return static_cast<std::uint8_t>(bytes[at]); };
  code.refs.first = static_cast<std::uint32_t>(out_.refs.size());
  for (std::uint32_t bci = 0; bci < size;) {
    const std::uint8_t opcode = u1(bci);
    std::uint32_t length = kLengths[opcode];
    if (opcode == kTableSwitch || opcode == kLookupSwitch) {
      if (!skip_switch(code, bci)) return false;
      continue;
    }
    if (opcode == kWide && bci + 1 < size) length = u1(bci + 1) == kIinc ? 6 : 4;
    if (length == 0)
      return wrong(code.offset + bci, fmt::format("method {} has no instruction at {}: opcode {}",
                                                  code.method, bci, opcode));
    if (length > size - bci)
      return wrong(
          code.offset + bci,
          fmt::format("the code of method {} ends inside the instruction at {}", code.method, bci));
    if (const unsigned wanted = operand_tags(opcode, out_.major); wanted != 0) {
      const auto index = opcode == kLdc
                             ? std::uint16_t{u1(bci + 1)}
                             : static_cast<std::uint16_t>(u1(bci + 1) << 8 | u1(bci + 2));
      if ((bit(out_.pool.tag(index)) & wanted) == 0)
        return wrong(
            code.offset + bci + 1,
            fmt::format("the instruction at {} of method {} (opcode {}) refers to constant "
                        "{} ({})",
                        bci, code.method, opcode, index, to_string(out_.pool.tag(index))));
      out_.refs.push_back({bci, index, opcode});
    }
    bci += length;
  }
  code.refs.count = static_cast<std::uint32_t>(out_.refs.size()) - code.refs.first;
  return true;
}

bool ClassParser::skip_switch(const Code& code, std::uint32_t& bci) {
  const Bytes bytes = code.bytes;
  const std::uint64_t size = bytes.size();
  const bool is_table = static_cast<std::uint8_t>(bytes[bci]) == kTableSwitch;
  const std::uint64_t operands = (std::uint64_t{bci} + 4) & ~std::uint64_t{3};
  const auto cut = [&] {
    return wrong(
        code.offset + bci,
        fmt::format("the code of method {} ends inside the switch at {}", code.method, bci));
  };
  if (operands + (is_table ? 12 : 8) > size) return cut();
  std::uint64_t end = 0;
  if (is_table) {
    const auto low = static_cast<std::int32_t>(u4_at(bytes, operands + 4));
    const auto high = static_cast<std::int32_t>(u4_at(bytes, operands + 8));
    if (low > high)
      return wrong(code.offset + operands + 4,
                   fmt::format("the tableswitch at {} of method {} has bounds {}..{}", bci,
                               code.method, low, high));
    const auto count = static_cast<std::uint64_t>(std::int64_t{high} - low) + 1;
    end = operands + 12 + 4 * count;
  } else {
    const auto pairs = static_cast<std::int32_t>(u4_at(bytes, operands + 4));
    if (pairs < 0)
      return wrong(
          code.offset + operands + 4,
          fmt::format("the lookupswitch at {} of method {} has {} pairs", bci, code.method, pairs));
    end = operands + 8 + 8 * static_cast<std::uint64_t>(pairs);
  }
  if (end > size) return cut();
  bci = static_cast<std::uint32_t>(end);
  return true;
}

bool ClassParser::read_handlers(Code& code) {
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off("an exception table");
  code.handlers.first = static_cast<std::uint32_t>(out_.handlers.size());
  code.handlers.count = count;
  for (std::uint16_t i = 0; i < count; ++i) {
    const std::size_t offset = in_.offset();
    ExceptionHandler handler{in_.u2(), in_.u2(), in_.u2(), in_.u2()};
    if (in_.failed()) return cut_off("an exception table");
    const std::size_t size = code.bytes.size();
    if (handler.start >= handler.end || handler.end > size || handler.handler >= size)
      return wrong(offset,
                   fmt::format("exception handler {} of method {} covers {}..{} and starts "
                               "at {}, of {} bytes of code",
                               i, code.method, handler.start, handler.end, handler.handler, size));
    if (handler.catch_type != 0 && out_.pool.tag(handler.catch_type) != Tag::class_)
      return wrong(
          offset + 6,
          fmt::format("exception handler {} of method {} catches constant {} ({})", i, code.method,
                      handler.catch_type, to_string(out_.pool.tag(handler.catch_type))));
    out_.handlers.push_back(handler);
  }
  return true;
}

bool ClassParser::read_code_attributes(Code& code) {
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off("a Code attribute");
  code.line_tables.first = static_cast<std::uint32_t>(out_.line_tables.size());
  bool has_stack_map = false;
  for (std::uint16_t i = 0; i < count; ++i) {
    const std::size_t offset = in_.offset();
    std::string_view name;
    std::size_t end = 0;
    if (!read_attribute_start("a Code attribute", name, end)) return false;
    const Bytes contents = in_.take(end - in_.offset());
    if (name == "LineNumberTable") {
      base::ByteReader table(contents);
      const std::size_t wanted = std::size_t{4} * table.u2();
      if (table.failed() || table.remaining() != wanted)
        return wrong(offset, fmt::format("LineNumberTable of method {} is {} bytes long, its count "
                                         "says {}",
                                         code.method, contents.size(), wanted + 2));
      out_.line_tables.push_back(contents.subspan(2));
      ++code.line_tables.count;
    } else if (name == "StackMapTable") {
      if (has_stack_map)
        return wrong(offset,
                     fmt::format("method {} has two StackMapTable attributes", code.method));
      has_stack_map = true;
      code.stack_map = contents;
    }
  }
  return true;
}

std::optional<std::uint16_t> ClassFile::line_at(const Code& code, std::uint32_t bci) const {
  std::optional<std::uint16_t> line;
  std::uint32_t best = 0;
  for (std::uint32_t i = 0; i < code.line_tables.count; ++i) {
    base::ByteReader table(line_tables[code.line_tables.first + i]);
    while (table.remaining() >= 4) {
      const std::uint32_t start = table.u2();
      const std::uint16_t number = table.u2();
      if (start <= bci && (!line || start >= best)) {
        best = start;
        line = number;
      }
    }
  }
  return line;
}

}  // namespace rowgate::jarscan
