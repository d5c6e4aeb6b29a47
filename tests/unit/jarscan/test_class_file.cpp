#include "class_file_support.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

namespace {

ClassBuilder sample() {
  ClassBuilder builder("p/C", "p/B", 0x0031);
  builder.version(65);
  builder.interface("p/I").interface("p/J");
  builder.field(0x001A, "LIMIT", "I").field(0x0002, "name", "Ljava/lang/String;");
  builder.constructor();
  builder.method(0x0101, "nativeOne", "(IJ)V");
  builder.source_file("C.scala");
  builder.attribute("InnerClasses", BigEndian()
                                        .u2(2)
                                        .u2(builder.class_("p/C$D"))
                                        .u2(builder.class_("p/C"))
                                        .u2(builder.utf8("D"))
                                        .u2(0x0009)
                                        .u2(builder.class_("p/C$1"))
                                        .u2(0)
                                        .u2(0)
                                        .u2(0)
                                        .bytes());
  builder.attribute("NestMembers", BigEndian().u2(1).u2(builder.class_("p/C$D")).bytes());
  builder.attribute("PermittedSubclasses", BigEndian().u2(1).u2(builder.class_("p/E")).bytes());
  builder.attribute("Record", BigEndian()
                                  .u2(1)
                                  .u2(builder.utf8("name"))
                                  .u2(builder.utf8("Ljava/lang/String;"))
                                  .u2(0)
                                  .bytes());
  builder.attribute("ScalaSig", "abc");
  return builder;
}

}  // namespace

TEST_CASE("header, members and attributes") {
  const std::string bytes = sample().build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::members, file));
  CHECK(file.major == 65);
  CHECK(file.access == 0x0031);
  CHECK(file.this_name == "p/C");
  CHECK(file.super_name == "p/B");
  CHECK(file.interfaces == std::vector<std::string_view>{"p/I", "p/J"});
  REQUIRE(file.fields.size() == 2);
  CHECK(file.fields[0].name == "LIMIT");
  CHECK(file.fields[1].descriptor == "Ljava/lang/String;");
  REQUIRE(file.methods.size() == 2);
  CHECK(file.methods[0].has_code());
  CHECK(file.methods[1].name == "nativeOne");
  CHECK_FALSE(file.methods[1].has_code());
  CHECK(file.codes.size() == 1);
  CHECK(file.refs.empty());
  CHECK(file.source_file == "C.scala");
  REQUIRE(file.inner_classes.size() == 2);
  CHECK(file.inner_classes[0].outer == "p/C");
  CHECK(file.inner_classes[0].name == "D");
  CHECK(file.inner_classes[1].outer.empty());
  CHECK(file.nest_members == std::vector<std::string_view>{"p/C$D"});
  CHECK(file.nest_host.empty());
  CHECK(file.has_permitted_subclasses);
  CHECK(file.permitted_subclasses == std::vector<std::string_view>{"p/E"});
  CHECK(file.is_record);
  CHECK(file.record_components.at(0).name == "name");
  CHECK(file.attributes.back() == "ScalaSig");
  // The views point into the bytes: nothing was copied.
  CHECK(file.this_name.data() >= bytes.data());
  CHECK(file.this_name.data() < bytes.data() + bytes.size());
}

TEST_CASE("an object that is used again remembers nothing") {
  ClassFile file;
  const std::string first = sample().build(), second = ClassBuilder("q/D").build();
  REQUIRE(parse_class(base::as_bytes(first), ClassDepth::code, file));
  REQUIRE(parse_class(base::as_bytes(second), ClassDepth::code, file));
  CHECK(file.this_name == "q/D");
  CHECK(file.interfaces.empty());
  CHECK(file.methods.empty());
  CHECK(file.source_file.empty());
  CHECK_FALSE(file.has_permitted_subclasses);
  CHECK_FALSE(file.is_record);
}

TEST_CASE("attributes that a class-file version does not have yet are skipped") {
  ClassBuilder builder = sample();
  builder.version(52);
  const std::string bytes = builder.build();
  ClassFile file;
  REQUIRE(parse_class(base::as_bytes(bytes), ClassDepth::members, file));
  CHECK_FALSE(file.has_permitted_subclasses);
  CHECK_FALSE(file.is_record);
  CHECK(file.nest_members.empty());
}

TEST_CASE("newer class files are not refused, nor the oldest") {
  for (const unsigned major : {45U, 52U, 69U, 70U, 65535U}) {
    const std::string bytes = ClassBuilder("p/C").version(major).build();
    CHECK(parse_error(bytes).message == "no error");
  }
  CHECK(parse_error(ClassBuilder("p/C").version(44).build()) ==
        Wrong{"class-file version 44 is older than Java 1.0's 45", 6});
}

TEST_CASE("what is wrong in the header is named with its offset") {
  ClassBuilder builder("p/C");
  builder.interface("p/I");
  const unsigned name = builder.utf8("p/C"), array = builder.class_("[I");
  const std::string good = builder.build();
  REQUIRE(parse_error(good).message == "no error");
  const std::size_t at = builder.access_offset();
  CHECK(parse_error(patched(good, 0, u4(0x504B0304))) ==
        Wrong{"not a class file: it starts with 0x504B0304", 0});
  CHECK(parse_error("") == Wrong{"the class file ends inside the version", 0});
  CHECK(parse_error(patched(good, at, u2(0x0411))) ==
        Wrong{"illegal class access flags 0x0411", at});  // final and abstract
  CHECK(parse_error(patched(good, at, u2(0x0201))) ==
        Wrong{"illegal class access flags 0x0201", at});  // an interface that is not abstract
  CHECK(parse_error(patched(good, at + 2, u2(name))) ==
        Wrong{"the class's name names constant 1 (Utf8), not a Class", at + 2});
  CHECK(parse_error(patched(good, at + 2, u2(0))) ==
        Wrong{"the class's name names no constant", at + 2});
  CHECK(parse_error(patched(good, at + 2, u2(array))) ==
        Wrong{"the class has an illegal name", at + 2});
  CHECK(parse_error(patched(good, at + 4, u2(0))) == Wrong{"the class has no superclass", at + 4});
  CHECK(parse_error(patched(good, at + 4, u2(array))) ==
        Wrong{"the superclass has an illegal name", at + 4});
  CHECK(parse_error(patched(good, at + 8, u2(array))) ==
        Wrong{"interface 0 has an illegal name", at + 8});
  CHECK(parse_error(patched(good, at + 6, u2(60000)), ClassDepth::header).message ==
        "an interface names no constant");
  CHECK(parse_error(good + "xy") == Wrong{"2 bytes follow the class file", good.size()});
  CHECK(parse_error(good + "xy", ClassDepth::header).message == "no error");
  CHECK(parse_error(ClassBuilder("p/I", "p/B", 0x0601).build()).message ==
        "an interface has another superclass than java/lang/Object");
  CHECK(parse_error(ClassBuilder("java/lang/Object", "").build()).message == "no error");
  CHECK(parse_error(ClassBuilder("module-info", "", 0x8000).version(53).build()).message ==
        "no error");
}

TEST_CASE("what is wrong with members is named with its offset") {
  ClassBuilder builder("p/C");
  builder.field(1, "f", "I").constructor().source_file("C.java");
  const unsigned bad_name = builder.utf8("a/b"), bad_type = builder.utf8("X");
  const std::string good = builder.build();
  REQUIRE(parse_error(good).message == "no error");
  const std::size_t field = builder.fields_offset() + 2, method = builder.methods_offset() + 2;
  CHECK(parse_error(patched(good, field + 2, u2(bad_name))) ==
        Wrong{"field 0 has an illegal name", field + 2});
  CHECK(parse_error(patched(good, field + 2, u2(2))) ==
        Wrong{"a field names constant 2 (Class), not a Utf8", field + 2});
  CHECK(parse_error(patched(good, field + 4, u2(bad_type))) ==
        Wrong{"field 0 has an illegal descriptor", field + 4});
  CHECK(parse_error(patched(good, method + 2, u2(bad_name))) ==
        Wrong{"method 0 has an illegal name", method + 2});
  CHECK(parse_error(patched(good, method + 4, u2(bad_type))) ==
        Wrong{"method 0 has an illegal descriptor", method + 4});
  CHECK(parse_error(patched(good, method, u2(0x0401))) ==
        Wrong{"method 0 is abstract or native and has a Code attribute", method + 6});
  CHECK(parse_error(patched(good, method + 6, u2(0))).offset == method + 6);
  const std::size_t length = method + 10;
  CHECK(parse_error(patched(good, length, u4(0x7FFFFFFF))).offset == length);
  CHECK(parse_error(patched(good, length, u4(18))) ==
        Wrong{"attribute Code is 1 bytes longer than its contents", length + 4 + 17});
  const std::size_t source = builder.attributes_offset() + 2;
  CHECK(parse_error(patched(good, source + 2, u4(1))) ==
        Wrong{"attribute SourceFile is shorter than its contents", source + 7});

  CHECK(parse_error(ClassBuilder("p/C").method(1, "m", "()V").build()).message ==
        "method 0 is neither abstract nor native and has no Code attribute");
  CHECK(parse_error(ClassBuilder("p/C").source_file("A").source_file("B").build()).message ==
        "the class has two SourceFile attributes");
}

TEST_CASE("counts that lie cost no memory and end with an error") {
  ClassBuilder builder("p/C");
  const std::string good = builder.build();
  for (const std::size_t offset :
       {builder.fields_offset(), builder.methods_offset(), builder.attributes_offset()})
    CHECK(parse_error(patched(good, offset, u2(65535))).message != "no error");
}

TEST_CASE("bootstrap methods") {
  ClassBuilder builder("p/C");
  const unsigned method = builder.method_ref("p/D", "m", "()V");
  const unsigned handle = builder.method_handle(6, method);
  builder.bootstrap_method(handle, {handle});
  const std::string good = builder.build();
  REQUIRE(parse_error(good).message == "no error");
  const std::size_t at = builder.attributes_offset() + 2 + 6 + 2;
  CHECK(parse_error(patched(good, at, u2(method))) ==
        Wrong{"bootstrap method 0 is constant 10 (Methodref), not a MethodHandle", at});
  CHECK(parse_error(patched(good, at + 4, u2(method))) ==
        Wrong{"argument 0 of bootstrap method 0 is constant 10 (Methodref), which cannot be loaded",
              at + 4});
  CHECK(parse_error(patched(good, at + 2, u2(9))).message != "no error");
}

TEST_CASE("dotted names") {
  CHECK(dotted("java/lang/String") == "java.lang.String");
}
