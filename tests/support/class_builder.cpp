#include "tests/support/class_builder.hpp"

namespace rowgate::test {

BigEndian& BigEndian::u1(unsigned value) {
  bytes_ += static_cast<char>(value & 0xFF);
  return *this;
}
BigEndian& BigEndian::u2(unsigned value) {
  return u1(value >> 8).u1(value);
}
BigEndian& BigEndian::u4(std::uint32_t value) {
  return u2(value >> 16).u2(value);
}
BigEndian& BigEndian::raw(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

ClassBuilder::ClassBuilder(std::string_view name, std::string_view super, unsigned access)
    : access_(access), super_name_(super) {
  this_ = class_(name);
  super_ = super.empty() ? 0 : class_(super);
}

unsigned ClassBuilder::constant(std::string bytes, unsigned slots) {
  if (const auto found = known_.find(bytes); found != known_.end()) return found->second;
  const unsigned index = next_index_;
  known_.emplace(bytes, index);
  constants_.push_back(std::move(bytes));
  slots_.push_back(slots);
  next_index_ += slots;
  return index;
}

unsigned ClassBuilder::utf8(std::string_view text) {
  return constant(BigEndian().u1(1).u2(static_cast<unsigned>(text.size())).raw(text).bytes());
}
unsigned ClassBuilder::class_(std::string_view name) {
  return constant(BigEndian().u1(7).u2(utf8(name)).bytes());
}
unsigned ClassBuilder::string(std::string_view text) {
  return constant(BigEndian().u1(8).u2(utf8(text)).bytes());
}
unsigned ClassBuilder::integer(std::uint32_t value) {
  return constant(BigEndian().u1(3).u4(value).bytes());
}
unsigned ClassBuilder::float_(std::uint32_t bits) {
  return constant(BigEndian().u1(4).u4(bits).bytes());
}
unsigned ClassBuilder::long_(std::uint64_t value) {
  return constant(BigEndian()
                      .u1(5)
                      .u4(static_cast<std::uint32_t>(value >> 32))
                      .u4(static_cast<std::uint32_t>(value))
                      .bytes(),
                  2);
}
unsigned ClassBuilder::double_(std::uint64_t bits) {
  return constant(BigEndian()
                      .u1(6)
                      .u4(static_cast<std::uint32_t>(bits >> 32))
                      .u4(static_cast<std::uint32_t>(bits))
                      .bytes(),
                  2);
}
unsigned ClassBuilder::name_and_type(std::string_view name, std::string_view descriptor) {
  const unsigned name_index = utf8(name);
  return constant(BigEndian().u1(12).u2(name_index).u2(utf8(descriptor)).bytes());
}
unsigned ClassBuilder::field_ref(std::string_view owner, std::string_view name,
                                 std::string_view descriptor) {
  const unsigned owner_index = class_(owner);
  return constant(BigEndian().u1(9).u2(owner_index).u2(name_and_type(name, descriptor)).bytes());
}
unsigned ClassBuilder::method_ref(std::string_view owner, std::string_view name,
                                  std::string_view descriptor) {
  const unsigned owner_index = class_(owner);
  return constant(BigEndian().u1(10).u2(owner_index).u2(name_and_type(name, descriptor)).bytes());
}
unsigned ClassBuilder::interface_method_ref(std::string_view owner, std::string_view name,
                                            std::string_view descriptor) {
  const unsigned owner_index = class_(owner);
  return constant(BigEndian().u1(11).u2(owner_index).u2(name_and_type(name, descriptor)).bytes());
}
unsigned ClassBuilder::method_handle(unsigned kind, unsigned reference) {
  return constant(BigEndian().u1(15).u1(kind).u2(reference).bytes());
}
unsigned ClassBuilder::method_type(std::string_view descriptor) {
  return constant(BigEndian().u1(16).u2(utf8(descriptor)).bytes());
}
unsigned ClassBuilder::dynamic(unsigned bootstrap, std::string_view name,
                               std::string_view descriptor) {
  return constant(BigEndian().u1(17).u2(bootstrap).u2(name_and_type(name, descriptor)).bytes());
}
unsigned ClassBuilder::invoke_dynamic(unsigned bootstrap, std::string_view name,
                                      std::string_view descriptor) {
  return constant(BigEndian().u1(18).u2(bootstrap).u2(name_and_type(name, descriptor)).bytes());
}
unsigned ClassBuilder::module(std::string_view name) {
  return constant(BigEndian().u1(19).u2(utf8(name)).bytes());
}
unsigned ClassBuilder::package(std::string_view name) {
  return constant(BigEndian().u1(20).u2(utf8(name)).bytes());
}

ClassBuilder& ClassBuilder::version(unsigned major, unsigned minor) {
  major_ = major;
  minor_ = minor;
  return *this;
}

ClassBuilder& ClassBuilder::interface(std::string_view name) {
  interfaces_.push_back(class_(name));
  return *this;
}

std::string ClassBuilder::attribute_bytes(std::string_view name, std::string_view contents) {
  return BigEndian()
      .u2(utf8(name))
      .u4(static_cast<std::uint32_t>(contents.size()))
      .raw(contents)
      .bytes();
}

std::string ClassBuilder::member(unsigned access, std::string_view name,
                                 std::string_view descriptor,
                                 const std::vector<std::string>& attributes) {
  BigEndian out;
  out.u2(access).u2(utf8(name)).u2(utf8(descriptor)).u2(static_cast<unsigned>(attributes.size()));
  for (const std::string& attribute : attributes) out.raw(attribute);
  return out.bytes();
}

ClassBuilder& ClassBuilder::field(unsigned access, std::string_view name,
                                  std::string_view descriptor) {
  fields_.push_back(member(access, name, descriptor, {}));
  return *this;
}

ClassBuilder& ClassBuilder::method(unsigned access, std::string_view name,
                                   std::string_view descriptor) {
  methods_.push_back(member(access, name, descriptor, {}));
  return *this;
}

ClassBuilder& ClassBuilder::method(unsigned access, std::string_view name,
                                   std::string_view descriptor, const CodeSpec& code) {
  methods_.push_back(member(access, name, descriptor, {code_attribute(code)}));
  return *this;
}

std::string ClassBuilder::code_attribute(const CodeSpec& code) {
  BigEndian out;
  out.u2(code.max_stack).u2(code.max_locals);
  out.u4(static_cast<std::uint32_t>(code.bytes.size())).raw(code.bytes);
  out.u2(static_cast<unsigned>(code.handlers.size()));
  for (const HandlerSpec& handler : code.handlers)
    out.u2(handler.start).u2(handler.end).u2(handler.handler).u2(handler.catch_type);
  std::vector<std::string> attributes;
  if (!code.lines.empty()) {
    BigEndian lines;
    lines.u2(static_cast<unsigned>(code.lines.size()));
    for (const auto& [start, line] : code.lines) lines.u2(start).u2(line);
    attributes.push_back(attribute_bytes("LineNumberTable", lines.bytes()));
  }
  if (!code.stack_map.empty())
    attributes.push_back(attribute_bytes("StackMapTable", code.stack_map));
  out.u2(static_cast<unsigned>(attributes.size()));
  for (const std::string& attribute : attributes) out.raw(attribute);
  return attribute_bytes("Code", out.bytes());
}

ClassBuilder& ClassBuilder::attribute(std::string_view name, std::string_view contents) {
  attributes_.push_back(attribute_bytes(name, contents));
  return *this;
}

ClassBuilder& ClassBuilder::source_file(std::string_view name) {
  return attribute("SourceFile", BigEndian().u2(utf8(name)).bytes());
}

ClassBuilder& ClassBuilder::bootstrap_method(unsigned method_handle,
                                             const std::vector<unsigned>& arguments) {
  BigEndian out;
  out.u2(method_handle).u2(static_cast<unsigned>(arguments.size()));
  for (const unsigned argument : arguments) out.u2(argument);
  bootstrap_methods_ += out.bytes();
  ++bootstrap_count_;
  return *this;
}

ClassBuilder& ClassBuilder::constructor() {
  CodeSpec code;
  code.bytes = BigEndian()
                   .u1(42)   // aload_0
                   .u1(183)  // invokespecial
                   .u2(method_ref(super_name_, "<init>", "()V"))
                   .u1(177)  // return
                   .bytes();
  return method(0x0001, "<init>", "()V", code);
}

std::string ClassBuilder::build() {
  std::vector<std::string> attributes = attributes_;
  if (bootstrap_count_ > 0)
    attributes.push_back(attribute_bytes(
        "BootstrapMethods", BigEndian().u2(bootstrap_count_).raw(bootstrap_methods_).bytes()));
  BigEndian out;
  out.u4(0xCAFEBABE).u2(minor_).u2(major_).u2(next_index_);
  constant_offsets_.clear();
  unsigned index = 1;
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    constant_offsets_[index] = out.bytes().size();
    out.raw(constants_[i]);
    index += slots_[i];
  }
  access_offset_ = out.bytes().size();
  out.u2(access_).u2(this_).u2(super_);
  out.u2(static_cast<unsigned>(interfaces_.size()));
  for (const unsigned interface : interfaces_) out.u2(interface);
  const auto add = [&](std::size_t& offset, const std::vector<std::string>& items) {
    offset = out.bytes().size();
    out.u2(static_cast<unsigned>(items.size()));
    for (const std::string& item : items) out.raw(item);
  };
  add(fields_offset_, fields_);
  add(methods_offset_, methods_);
  add(attributes_offset_, attributes);
  return out.bytes();
}

}  // namespace rowgate::test
