// Good pools, then one mutation each with the error and the offset of the byte that is wrong.
#include "class_file_support.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

TEST_CASE("every constant of Java 8 to 25 can be read") {
  ClassBuilder builder("p/C");
  builder.version(69);
  const unsigned integer = builder.integer(7);
  const unsigned float_ = builder.float_(0x3F800000);
  const unsigned long_ = builder.long_(1);
  const unsigned double_ = builder.double_(2);
  const unsigned string = builder.string("text");
  const unsigned field = builder.field_ref("p/D", "f", "I");
  const unsigned method = builder.method_ref("p/D", "m", "()V");
  const unsigned interface_method = builder.interface_method_ref("p/I", "i", "(I)I");
  const unsigned handle = builder.method_handle(6, method);
  const unsigned type = builder.method_type("(J)V");
  const unsigned dynamic = builder.dynamic(0, "d", "I");
  const unsigned invoke = builder.invoke_dynamic(0, "run", "()Lp/I;");
  const unsigned module = builder.module("java.base");
  const unsigned package = builder.package("p/q");
  builder.bootstrap_method(handle, {type, string});
  const std::string bytes = builder.build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::code, file));
  const ConstantPool& pool = file.pool;
  const auto at = [](unsigned index) { return static_cast<std::uint16_t>(index); };
  CHECK(pool.tag(at(integer)) == Tag::integer);
  CHECK(pool.tag(at(float_)) == Tag::float_);
  CHECK(pool.tag(at(long_)) == Tag::long_);
  CHECK(pool.tag(at(long_ + 1)) == Tag::none);
  CHECK(pool.tag(at(double_)) == Tag::double_);
  CHECK(pool.name(at(string)) == "text");
  CHECK(pool.member(at(field)).owner == "p/D");
  CHECK(pool.member(at(field)).descriptor == "I");
  CHECK(pool.tag(at(method)) == Tag::method_ref);
  CHECK(pool.member(at(interface_method)).name == "i");
  CHECK(pool.method_handle(at(handle)).kind == 6);
  CHECK(pool.method_handle(at(handle)).reference == method);
  CHECK(pool.name(at(type)) == "(J)V");
  CHECK(pool.dynamic(at(dynamic)).name == "d");
  CHECK(pool.dynamic(at(invoke)).descriptor == "()Lp/I;");
  CHECK(pool.name(at(module)) == "java.base");
  CHECK(pool.name(at(package)) == "p/q");
  CHECK(pool.offset(at(string)) == builder.constant_offset(string) + 1);
  CHECK(file.bootstrap_methods.size() == 1);
  CHECK(file.arguments_of(file.bootstrap_methods[0]).size() == 2);
}

TEST_CASE("asking for the wrong kind of constant gives nothing") {
  ClassBuilder builder("p/C");
  const std::string bytes = builder.build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::header, file));
  CHECK(file.pool.tag(0) == Tag::none);
  CHECK(file.pool.tag(60000) == Tag::none);
  CHECK(file.pool.utf8(2).empty());
  CHECK(file.pool.name(1).empty());
  CHECK(file.pool.member(1).owner.empty());
  CHECK(file.pool.name_and_type(60000).name.empty());
  CHECK(file.pool.method_handle(1).kind == 0);
  CHECK(file.pool.dynamic(1).name.empty());
}

TEST_CASE("a broken constant is named with its offset") {
  ClassBuilder builder("p/C");
  const unsigned name = builder.utf8("p/C"), this_class = builder.class_("p/C");
  const unsigned string = builder.string("text");
  const unsigned method = builder.method_ref("p/D", "m", "()V");
  const unsigned nat = builder.name_and_type("m", "()V");
  const unsigned handle = builder.method_handle(6, method);
  const unsigned type = builder.method_type("()V");
  const std::string good = builder.build();
  REQUIRE(parse_error(good).message == "no error");
  const auto offset = [&](unsigned index) { return builder.constant_offset(index); };

  CHECK(parse_error(patched(good, 8, u2(0))) == Wrong{"the constant pool's count is 0", 8});
  CHECK(parse_error(patched(good, offset(string), u1(2))) ==
        Wrong{"constant 6 has unknown tag 2", offset(string)});
  CHECK(parse_error(patched(good, offset(string), u1(21))) ==
        Wrong{"constant 6 has unknown tag 21", offset(string)});
  CHECK(parse_error(patched(good, offset(name) + 3, u1(0))) ==
        Wrong{"constant 1 is not modified UTF-8", offset(name) + 3});
  CHECK(parse_error(patched(good, offset(this_class) + 1, u2(this_class))) ==
        Wrong{"constant 2 (Class) has constant 2 (Class) as its name", offset(this_class) + 1});
  CHECK(parse_error(patched(good, offset(this_class) + 1, u2(0))) ==
        Wrong{"constant 2 (Class) has constant 0 (no entry) as its name", offset(this_class) + 1});
  CHECK(parse_error(patched(good, offset(string) + 1, u2(65535))) ==
        Wrong{"constant 6 (String) has constant 65535 (no entry) as its text", offset(string) + 1});
  CHECK(parse_error(patched(good, offset(method) + 1, u2(name))) ==
        Wrong{"constant 12 (Methodref) has constant 1 (Utf8) as its class", offset(method) + 1});
  CHECK(parse_error(patched(good, offset(method) + 3, u2(name))) ==
        Wrong{"constant 12 (Methodref) has constant 1 (Utf8) as its name and type",
              offset(method) + 3});
  CHECK(parse_error(patched(good, offset(nat) + 3, u2(method))) ==
        Wrong{"constant 11 (NameAndType) has constant 12 (Methodref) as its descriptor",
              offset(nat) + 3});
  CHECK(parse_error(patched(good, offset(handle) + 1, u1(10))) ==
        Wrong{"constant 13 (MethodHandle) is of unknown kind 10", offset(handle) + 1});
  CHECK(parse_error(patched(good, offset(handle) + 1, u1(1))) ==
        Wrong{"constant 13 (MethodHandle) has constant 12 (Methodref) as its reference",
              offset(handle) + 2});
  CHECK(parse_error(patched(good, offset(type) + 1, u2(name))) ==
        Wrong{"constant 14 (MethodType) has an illegal descriptor", offset(type) + 1});
  // The same class seen less deeply: what is not looked at is not judged.
  CHECK(parse_error(patched(good, offset(type) + 1, u2(name)), ClassDepth::header).message ==
        "no error");
}

TEST_CASE("a length that reaches past the end ends at the constant") {
  ClassBuilder builder("p/C");
  const unsigned name = builder.utf8("p/C");
  const std::string good = builder.build();
  const std::size_t offset = builder.constant_offset(name);
  CHECK(parse_error(patched(good, offset + 1, u2(60000))) ==
        Wrong{"the class file ends inside constant 1 (Utf8)", offset + 3});
  // More constants than there are: what follows the pool is read as constants.
  CHECK(parse_error(patched(good, 8, u2(65535))).message == "constant 5 has unknown tag 0");
}

TEST_CASE("each truncation of a class file is an error that names a place inside of it") {
  ClassBuilder builder("p/C");
  builder.interface("p/I").field(1, "f", "I").constructor().source_file("C.java");
  const std::string good = builder.build();
  REQUIRE(parse_error(good).message == "no error");
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Wrong wrong = parse_error(good.substr(0, size));
    CHECK(wrong.message != "no error");
    CHECK(wrong.offset <= size);
  }
}

TEST_CASE("constants that a class-file version does not have yet") {
  const auto error = [](unsigned major, unsigned tag, std::string contents) {
    ClassBuilder builder("p/C");
    builder.version(major);
    const unsigned index = builder.constant(u1(tag) + contents);
    const std::string bytes = builder.build();
    const Wrong wrong = parse_error(bytes);
    CHECK(wrong.offset == builder.constant_offset(index));
    return wrong.message;
  };
  CHECK(error(50, 16, u2(1)) ==
        "constant 5 is a MethodType, which class files of version 50 do not have");
  CHECK(error(54, 17, u4(0)) ==
        "constant 5 is a Dynamic, which class files of version 54 do not have");
  CHECK(error(52, 19, u2(1)) ==
        "constant 5 is a Module, which class files of version 52 do not have");
}

TEST_CASE("a long in the last place has no room for its second slot") {
  ClassBuilder builder("p/C");
  const unsigned index = builder.constant(u1(5) + u4(0) + u4(0), 1);
  const std::string bytes = builder.build();
  CHECK(parse_error(bytes) ==
        Wrong{"constant 5 (Long) has no room for its second slot", builder.constant_offset(index)});
}

TEST_CASE("illegal names and descriptors of references") {
  const auto error = [](auto add) {
    ClassBuilder builder("p/C");
    builder.version(61);
    const unsigned index = add(builder);
    const std::string bytes = builder.build();
    const Wrong wrong = parse_error(bytes);
    CHECK(wrong.offset > builder.constant_offset(index));
    CHECK(wrong.offset < builder.constant_offset(index) + 5);
    return wrong.message;
  };
  CHECK(error([](auto& b) { return b.class_("p.C"); }) == "constant 6 (Class) has an illegal name");
  CHECK(error([](auto& b) { return b.field_ref("p/D", "f.g", "I"); }) ==
        "constant 10 (Fieldref) has an illegal name");
  CHECK(error([](auto& b) { return b.field_ref("p/D", "f", "()V"); }) ==
        "constant 10 (Fieldref) has an illegal descriptor");
  CHECK(error([](auto& b) { return b.method_ref("p/D", "<x>", "()V"); }) ==
        "constant 10 (Methodref) has an illegal name");
  CHECK(error([](auto& b) { return b.method_ref("p/D", "m", "I"); }) ==
        "constant 10 (Methodref) has an illegal descriptor");
  CHECK(error([](auto& b) { return b.method_ref("p/D", "<init>", "()I"); }) ==
        "constant 10 (Methodref) names <init>()I");
  CHECK(error([](auto& b) { return b.method_ref("p/D", "<clinit>", "()V"); }) ==
        "constant 10 (Methodref) names <clinit>()V");
}

TEST_CASE("a dynamic constant must have its bootstrap method") {
  ClassBuilder builder("p/C");
  const unsigned index = builder.invoke_dynamic(1, "run", "()V");
  const unsigned method = builder.method_ref("p/D", "m", "()V");
  builder.bootstrap_method(builder.method_handle(6, method), {});
  const std::string bytes = builder.build();
  CHECK(parse_error(bytes) ==
        Wrong{"constant 8 (InvokeDynamic) names bootstrap method 1, and the class has 1",
              builder.constant_offset(index) + 1});
}
