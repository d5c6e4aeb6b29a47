#include "class_file_support.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

namespace {

// A class with one static method m()V of these instructions, built after `add` made constants.
struct CodeCase {
  ClassBuilder builder{"p/C"};
  CodeSpec code;

  std::string build() {
    ClassBuilder copy = builder;
    return copy.method(0x0009, "m", "()V", code).build();
  }
  // Where the code stands in the bytes: behind the attribute's header, maxima and length.
  std::size_t code_offset() {
    ClassBuilder copy = builder;
    copy.method(0x0009, "m", "()V", code).build();
    return copy.methods_offset() + 2 + 8 + 6 + 8;
  }
};

}  // namespace

TEST_CASE("each kind of reference is found with its place") {
  CodeCase c;
  c.builder.version(61);
  const unsigned string = c.builder.string("s");
  const unsigned wide = c.builder.long_(5);
  const unsigned field = c.builder.field_ref("p/D", "f", "I");
  const unsigned method = c.builder.method_ref("p/D", "m", "()V");
  const unsigned interface = c.builder.interface_method_ref("p/I", "i", "()V");
  const unsigned class_ = c.builder.class_("p/D");
  const unsigned array = c.builder.class_("[[I");
  const unsigned indy = c.builder.invoke_dynamic(0, "run", "()V");
  c.builder.bootstrap_method(c.builder.method_handle(6, method), {});
  BigEndian code;
  std::vector<std::pair<unsigned, unsigned>> expected;  // bci, opcode
  const auto ref = [&](unsigned opcode, unsigned index, unsigned trailing = 0) {
    expected.emplace_back(code.bytes().size(), opcode);
    code.u1(opcode).u2(index);
    for (unsigned i = 0; i < trailing; ++i) code.u1(1);
  };
  code.u1(0);  // nop
  expected.emplace_back(code.bytes().size(), 18);
  code.u1(18).u1(string);
  ref(19, string);
  ref(20, wide);
  for (unsigned opcode = 178; opcode <= 181; ++opcode) ref(opcode, field);
  ref(182, method);
  ref(183, method);
  ref(184, interface);
  ref(185, interface, 2);
  ref(186, indy, 2);
  ref(187, class_);
  code.u1(188).u1(10);  // newarray
  ref(189, class_);
  ref(192, class_);
  ref(193, class_);
  ref(197, array, 1);
  code.u1(196).u1(21).u2(300);         // wide iload
  code.u1(196).u1(132).u2(300).u2(1);  // wide iinc
  while (code.bytes().size() % 4 != 3) code.u1(0);
  code.u1(170).u4(0).u4(0).u4(1).u4(0).u4(0);  // tableswitch 0..1, no padding
  code.u1(171);
  while (code.bytes().size() % 4 != 0) code.u1(0);
  code.u4(0).u4(0);  // lookupswitch without pairs
  ref(184, method);
  code.u1(177);
  c.code.bytes = code.bytes();
  const std::string bytes = c.build();
  ClassFile file;
  const auto parsed = parse_class(base::as_bytes(bytes), ClassDepth::code, file);
  REQUIRE_MESSAGE(parsed, parsed.error().to_string());
  REQUIRE(file.codes.size() == 1);
  const auto refs = file.refs_of(file.codes[0]);
  REQUIRE(refs.size() == expected.size());
  for (std::size_t i = 0; i < refs.size(); ++i) {
    CHECK(refs[i].bci == expected[i].first);
    CHECK(refs[i].opcode == expected[i].second);
  }
  CHECK(file.pool.member(refs[3].index).name == "f");
  CHECK(file.codes[0].bytes.size() == c.code.bytes.size());
  CHECK(file.codes[0].offset == c.code_offset());
}

TEST_CASE("lines: the greatest start that is not behind the instruction") {
  CodeCase c;
  c.code.bytes = std::string(10, '\0') + "\xB1";
  c.code.lines = {{0, 10}, {6, 12}, {3, 11}};  // not in order, as javac sometimes writes loops
  const std::string bytes = c.build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::code, file));
  const Code& code = file.codes[0];
  CHECK(file.line_at(code, 0) == 10);
  CHECK(file.line_at(code, 2) == 10);
  CHECK(file.line_at(code, 5) == 11);
  CHECK(file.line_at(code, 10) == 12);
  c.code.lines.clear();
  const std::string without = c.build();
  REQUIRE(parse_class(base::as_bytes(without), ClassDepth::code, file));
  CHECK_FALSE(file.line_at(file.codes[0], 0));
}

TEST_CASE("exception handlers") {
  CodeCase c;
  c.code.bytes = std::string(4, '\0') + "\xB1";
  c.code.handlers = {{0, 4, 4, c.builder.class_("java/lang/Throwable")}, {0, 5, 0, 0}};
  const std::string bytes = c.build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::code, file));
  const auto handlers = file.handlers_of(file.codes[0]);
  REQUIRE(handlers.size() == 2);
  CHECK(file.pool.name(handlers[0].catch_type) == "java/lang/Throwable");
  CHECK(handlers[1].catch_type == 0);
  const auto error = [&](HandlerSpec handler) {
    c.code.handlers = {handler};
    return parse_error(c.build()).message;
  };
  CHECK(error({2, 2, 0, 0}) ==
        "exception handler 0 of method 0 covers 2..2 and starts at 0, of 5 bytes of code");
  CHECK(error({0, 6, 0, 0}) ==
        "exception handler 0 of method 0 covers 0..6 and starts at 0, of 5 bytes of code");
  CHECK(error({0, 5, 5, 0}) ==
        "exception handler 0 of method 0 covers 0..5 and starts at 5, of 5 bytes of code");
  CHECK(error({0, 5, 0, 1}) == "exception handler 0 of method 0 catches constant 1 (Utf8)");
}

TEST_CASE("broken instructions are named with their place") {
  CodeCase c;
  const unsigned field = c.builder.field_ref("p/D", "f", "I");
  const auto error = [&](const BigEndian& code) {
    c.code.bytes = code.bytes();
    Wrong wrong = parse_error(c.build());
    wrong.offset -= c.code_offset();
    return wrong;
  };
  CHECK(error(BigEndian().u1(0).u1(202)) ==
        Wrong{"method 0 has no instruction at 1: opcode 202", 1});
  CHECK(error(BigEndian().u1(0).u1(196)) ==
        Wrong{"method 0 has no instruction at 1: opcode 196", 1});
  CHECK(error(BigEndian().u1(0).u1(184).u1(0)) ==
        Wrong{"the code of method 0 ends inside the instruction at 1", 1});
  CHECK(error(BigEndian().u1(184).u2(field)) ==
        Wrong{"the instruction at 0 of method 0 (opcode 184) refers to constant 10 (Fieldref)", 1});
  CHECK(
      error(BigEndian().u1(187).u2(9999)) ==
      Wrong{"the instruction at 0 of method 0 (opcode 187) refers to constant 9999 (no entry)", 1});
  CHECK(error(BigEndian().u1(170).u2(0).u1(0).u4(0).u4(5).u4(4)) ==
        Wrong{"the tableswitch at 0 of method 0 has bounds 5..4", 8});
  CHECK(error(BigEndian().u1(170).u2(0).u1(0).u4(0).u4(0x80000000).u4(0x7FFFFFFF)) ==
        Wrong{"the code of method 0 ends inside the switch at 0", 0});
  CHECK(error(BigEndian().u1(171).u2(0).u1(0).u4(0).u4(0xFFFFFFFF)) ==
        Wrong{"the lookupswitch at 0 of method 0 has -1 pairs", 8});
  CHECK(error(BigEndian().u1(171).u2(0).u1(0).u4(0).u4(0x10000000)) ==
        Wrong{"the code of method 0 ends inside the switch at 0", 0});
  CHECK(error(BigEndian().u1(171)) == Wrong{"the code of method 0 ends inside the switch at 0", 0});
  c.code.bytes.clear();
  CHECK(parse_error(c.build()).message == "the code of method 0 is 0 bytes long");
  c.code.bytes = std::string(65536, '\0');
  CHECK(parse_error(c.build()).message == "the code of method 0 is 65536 bytes long");
}

TEST_CASE("code before version 45.3 has narrow fields") {
  ClassBuilder builder("p/C");
  builder.version(45, 0);
  std::string bytes = builder.build();
  const unsigned name = builder.utf8("m"), type = builder.utf8("()V"),
                 attribute = builder.utf8("Code");
  bytes = builder.build();
  const std::string method = BigEndian()
                                 .u2(1)
                                 .u2(0x0009)
                                 .u2(name)
                                 .u2(type)
                                 .u2(1)
                                 .u2(attribute)
                                 .u4(9)
                                 .u1(1)
                                 .u1(2)
                                 .u2(1)
                                 .u1(177)
                                 .u2(0)
                                 .u2(0)
                                 .bytes();
  bytes = bytes.substr(0, builder.methods_offset()) + method +
          bytes.substr(builder.methods_offset() + 2);
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::code, file));
  CHECK(file.codes.at(0).max_locals == 2);
  CHECK(file.codes.at(0).bytes.size() == 1);
}

TEST_CASE("frames are expanded") {
  CodeCase c;
  const unsigned class_ = c.builder.class_("p/D");
  c.code.bytes = std::string(400, '\0') + "\xB1";
  c.code.max_locals = 8;
  c.code.stack_map = BigEndian()
                         .u2(8)
                         .u1(3)  // same, bci 3
                         .u1(64 + 1)
                         .u1(1)  // one int on the stack, bci 5
                         .u1(253)
                         .u2(0)
                         .u1(7)
                         .u2(class_)
                         .u1(4)  // append an object and a long, 6
                         .u1(250)
                         .u2(9)  // chop one, 16
                         .u1(251)
                         .u2(99)  // same, extended, 116
                         .u1(247)
                         .u2(0)
                         .u1(8)
                         .u2(3)  // `new` of bci 3 on the stack, 117
                         .u1(255)
                         .u2(1)
                         .u2(1)
                         .u1(6)
                         .u2(2)
                         .u1(5)
                         .u1(0)  // full, 119
                         .u1(0)  // same, 120
                         .bytes();
  const std::string bytes = c.build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::code, file));
  const auto frames = decode_frames(file, file.codes[0], {{TypeKind::object, 2}});
  REQUIRE_MESSAGE(frames, frames.error().to_string());
  REQUIRE(frames->size() == 8);
  const std::vector<std::uint32_t> places = {3, 5, 6, 16, 116, 117, 119, 120};
  for (std::size_t i = 0; i < places.size(); ++i) CHECK((*frames)[i].bci == places[i]);
  CHECK((*frames)[0].locals.size() == 1);
  CHECK((*frames)[1].stack.at(0).kind == TypeKind::integer);
  CHECK((*frames)[2].locals.size() == 3);
  CHECK((*frames)[2].locals.at(1).class_index == class_);
  CHECK((*frames)[3].locals.size() == 2);
  CHECK((*frames)[4].stack.empty());
  CHECK((*frames)[5].stack.at(0).kind == TypeKind::uninitialized);
  CHECK((*frames)[5].stack.at(0).class_index == 3);
  CHECK((*frames)[6].locals.at(0).kind == TypeKind::uninitialized_this);
  CHECK((*frames)[6].stack.size() == 2);
  CHECK((*frames)[7].stack.empty());

  const auto error = [&](const BigEndian& map) {
    c.code.stack_map = map.bytes();
    const std::string broken = c.build();
    ClassFile again;
    REQUIRE(parse_class(base::as_bytes(broken), ClassDepth::code, again));
    const auto decoded = decode_frames(again, again.codes[0], {});
    return decoded ? "no error" : decoded.error().message;
  };
  CHECK(error(BigEndian().u2(1).u1(128)) ==
        "StackMapTable of method 0: a frame that cannot be read");
  CHECK(error(BigEndian().u2(1).u1(248).u2(0)) ==
        "StackMapTable of method 0: a frame that cannot be read");
  CHECK(error(BigEndian().u2(1).u1(64).u1(7).u2(1)) ==
        "StackMapTable of method 0: a frame that cannot be read");
  CHECK(error(BigEndian().u2(1).u1(251).u2(401)) ==
        "StackMapTable of method 0: frame 0 is at 401, behind the code");
  CHECK(error(BigEndian().u2(1).u1(0).u1(0)) ==
        "StackMapTable of method 0: its length differs from its contents");
  CHECK(error(BigEndian().u2(3).u1(0)) == "StackMapTable of method 0: a frame that cannot be read");
}
