// Class files, JVMS chapter 4, in file order: header, fields, methods, class attributes. Every
// count is read against what is left of the bytes, so a lying count ends at the first missing byte
// and costs no memory. The order of checks and their strictness follow what HotSpot does to classes
// that it verifies: what it refuses is refused here, what it ignores is skipped.
#include "jarscan/class_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "jarscan/class_parser.hpp"
#include "jarscan/descriptor.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint32_t kMagic = 0xCAFEBABE;
constexpr std::uint16_t kOldestMajor = 45;
// First class-file versions in which HotSpot reads an attribute or applies a rule.
constexpr std::uint16_t kJava5 = 49, kJava6 = 50, kJava7 = 51, kJava9 = 53, kJava11 = 55,
                        kJava16 = 60, kJava17 = 61;

bool legal_class_access(std::uint16_t flags, std::uint16_t major) {
  const bool is_interface = (flags & access::kInterface) != 0;
  if ((flags & access::kAbstract) != 0 && (flags & access::kFinal) != 0) return false;
  if (is_interface && (flags & access::kAbstract) == 0) return false;
  if (major < kJava5) return true;
  if (is_interface) return (flags & (access::kSuper | access::kEnum)) == 0;
  return (flags & access::kAnnotation) == 0;
}

}  // namespace

bool ClassParser::wrong(std::size_t offset, std::string message) {
  error_ = Error{ErrorCode::malformed, std::move(message), {}, offset, {}};
  return false;
}

bool ClassParser::cut_off(const char* what) {
  return wrong(in_.failure_offset(), fmt::format("the class file ends inside {}", what));
}

bool ClassParser::parse(ClassDepth depth) {
  depth_ = depth;
  if (!read_header()) return false;
  if (depth == ClassDepth::header) return true;
  return check_pool_names() && read_members();
}

bool ClassParser::read_header() {
  if (bytes_.size() > UINT32_MAX) return wrong(UINT32_MAX, "a class file of 4 GiB or more");
  const std::uint32_t magic = in_.u4();
  if (!in_.failed() && magic != kMagic)
    return wrong(0, fmt::format("not a class file: it starts with 0x{:08X}", magic));
  out_.minor = in_.u2();
  out_.major = in_.u2();
  if (in_.failed()) return cut_off("the version");
  if (out_.major < kOldestMajor)
    return wrong(6, fmt::format("class-file version {} is older than Java 1.0's 45", out_.major));
  if (!read_pool()) return false;

  const std::size_t flags_offset = in_.offset();
  out_.access = in_.u2();
  if (in_.failed()) return cut_off("the access flags");
  const bool is_module = out_.major >= kJava9 && out_.is_module();
  if (out_.major < kJava6 && out_.is_interface()) out_.access |= access::kAbstract;
  if (!is_module && !legal_class_access(out_.access, out_.major))
    return wrong(flags_offset, fmt::format("illegal class access flags 0x{:04X}", out_.access));

  const std::size_t this_offset = in_.offset();
  if (!read_class(out_.this_name, "the class's name")) return false;
  if (out_.this_name.starts_with('[') || !is_class_name(out_.this_name))
    return wrong(this_offset, "the class has an illegal name");
  const std::size_t super_offset = in_.offset();
  if (!read_optional_class(out_.super_name, "the superclass")) return false;
  if (out_.super_name.empty()) {
    if (!is_module && out_.this_name != "java/lang/Object")
      return wrong(super_offset, "the class has no superclass");
  } else if (out_.super_name.starts_with('[') || !is_class_name(out_.super_name)) {
    return wrong(super_offset, "the superclass has an illegal name");
  } else if (out_.is_interface() && out_.super_name != "java/lang/Object") {
    return wrong(super_offset, "an interface has another superclass than java/lang/Object");
  }

  const std::uint16_t count = in_.u2();
  for (std::uint16_t i = 0; i < count && !in_.failed(); ++i) {
    const std::size_t offset = in_.offset();
    std::string_view name;
    if (!read_class(name, "an interface")) return false;
    if (name.starts_with('[') || !is_class_name(name))
      return wrong(offset, fmt::format("interface {} has an illegal name", i));
    out_.interfaces.push_back(name);
  }
  return !in_.failed() || cut_off("the interfaces");
}

bool ClassParser::read_members() {
  if (!read_fields() || !read_methods() || !read_class_attributes()) return false;
  if (in_.remaining() != 0)
    return wrong(in_.offset(), fmt::format("{} bytes follow the class file", in_.remaining()));
  return check_bootstrap_indices();
}

bool ClassParser::read_member_start(Member& member, const char* kind) {
  member.offset = static_cast<std::uint32_t>(in_.offset());
  member.access = in_.u2();
  return read_utf8(member.name, kind) && read_utf8(member.descriptor, kind);
}

bool ClassParser::read_fields() {
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off("the fields' count");
  for (std::uint16_t i = 0; i < count; ++i) {
    Member field;
    if (!read_member_start(field, "a field")) return false;
    if (!is_unqualified_name(field.name))
      return wrong(field.offset + 2, fmt::format("field {} has an illegal name", i));
    if (!is_field_descriptor(field.descriptor))
      return wrong(field.offset + 4, fmt::format("field {} has an illegal descriptor", i));
    if (!skip_attributes("a field")) return false;
    out_.fields.push_back(field);
  }
  return true;
}

bool ClassParser::read_methods() {
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off("the methods' count");
  for (std::uint16_t i = 0; i < count; ++i) {
    Member method;
    if (!read_member_start(method, "a method")) return false;
    if (!is_method_name(method.name))
      return wrong(method.offset + 2, fmt::format("method {} has an illegal name", i));
    if (!is_method_descriptor(method.descriptor))
      return wrong(method.offset + 4, fmt::format("method {} has an illegal descriptor", i));
    if (!read_method_attributes(method, i)) return false;
    out_.methods.push_back(method);
  }
  return true;
}

bool ClassParser::read_attribute_start(const char* owner, std::string_view& name,
                                       std::size_t& end) {
  if (!read_utf8(name, owner)) return false;
  const std::size_t length_offset = in_.offset();
  const std::uint32_t length = in_.u4();
  if (in_.failed()) return cut_off(owner);
  if (length > in_.remaining())
    return wrong(length_offset, fmt::format("attribute {} of {} is {} bytes long, {} are left",
                                            base::printable(name), owner, length, in_.remaining()));
  end = in_.offset() + length;
  return true;
}

bool ClassParser::at_attribute_end(std::string_view name, std::size_t end) {
  if (in_.failed() || in_.offset() > end)
    return wrong(end, fmt::format("attribute {} is shorter than its contents", name));
  if (in_.offset() < end)
    return wrong(in_.offset(), fmt::format("attribute {} is {} bytes longer than its contents",
                                           name, end - in_.offset()));
  return true;
}

bool ClassParser::skip_attributes(const char* owner) {
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off(owner);
  for (std::uint16_t i = 0; i < count; ++i) {
    std::string_view name;
    std::size_t end = 0;
    if (!read_attribute_start(owner, name, end)) return false;
    in_.skip(end - in_.offset());
  }
  return true;
}

bool ClassParser::read_method_attributes(Member& member, std::uint32_t method) {
  const std::size_t count_offset = in_.offset();
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off("a method");
  for (std::uint16_t i = 0; i < count; ++i) {
    const std::size_t offset = in_.offset();
    std::string_view name;
    std::size_t end = 0;
    if (!read_attribute_start("a method", name, end)) return false;
    if (name != "Code") {
      in_.skip(end - in_.offset());
      continue;
    }
    if (member.has_code())
      return wrong(offset, fmt::format("method {} has two Code attributes", method));
    if (!read_code(member, method, end) || !at_attribute_end("Code", end)) return false;
  }
  const bool must_have = (member.access & (access::kAbstract | access::kNative)) == 0;
  if (must_have && !member.has_code())
    return wrong(count_offset,
                 fmt::format("method {} is neither abstract nor native and has no Code "
                             "attribute",
                             method));
  if (!must_have && member.has_code())
    return wrong(count_offset,
                 fmt::format("method {} is abstract or native and has a Code attribute", method));
  return true;
}

bool ClassParser::read_class_attributes() {
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off("the class's attributes");
  for (std::uint16_t i = 0; i < count; ++i) {
    const std::size_t offset = in_.offset();
    std::string_view name;
    std::size_t end = 0;
    if (!read_attribute_start("the class", name, end)) return false;
    // Which of two would count is not defined, and HotSpot refuses the class.
    const auto once = {"SourceFile", "InnerClasses", "EnclosingMethod", "BootstrapMethods",
                       "NestHost",   "NestMembers",  "Record",          "PermittedSubclasses"};
    if (std::find(out_.attributes.begin(), out_.attributes.end(), name) != out_.attributes.end() &&
        std::find(once.begin(), once.end(), name) != once.end())
      return wrong(offset, fmt::format("the class has two {} attributes", name));
    out_.attributes.push_back(name);
    if (!read_class_attribute(name, end)) return false;
  }
  return true;
}

bool ClassParser::read_class_attribute(std::string_view name, std::size_t end) {
  bool good = true;
  if (name == "SourceFile") {
    good = read_utf8(out_.source_file, "SourceFile");
  } else if (name == "InnerClasses") {
    good = read_inner_classes();
  } else if (name == "BootstrapMethods" && out_.major >= kJava7) {
    good = read_bootstrap_methods();
  } else if (name == "NestHost" && out_.major >= kJava11) {
    good = read_class(out_.nest_host, "NestHost");
  } else if (name == "NestMembers" && out_.major >= kJava11) {
    good = read_class_list(out_.nest_members, "NestMembers");
  } else if (name == "PermittedSubclasses" && out_.major >= kJava17) {
    out_.has_permitted_subclasses = true;
    good = read_class_list(out_.permitted_subclasses, "PermittedSubclasses");
  } else if (name == "Record" && out_.major >= kJava16) {
    good = read_record();
  } else {
    in_.skip(end - in_.offset());
  }
  return good && at_attribute_end(name, end);
}

bool ClassParser::read_class_list(std::vector<std::string_view>& list, const char* what) {
  const std::uint16_t count = in_.u2();
  for (std::uint16_t i = 0; i < count && !in_.failed(); ++i) {
    std::string_view name;
    if (!read_class(name, what)) return false;
    list.push_back(name);
  }
  return !in_.failed() || cut_off(what);
}

bool ClassParser::read_inner_classes() {
  const std::uint16_t count = in_.u2();
  for (std::uint16_t i = 0; i < count && !in_.failed(); ++i) {
    InnerClass inner;
    if (!read_class(inner.inner, "InnerClasses") ||
        !read_optional_class(inner.outer, "InnerClasses"))
      return false;
    const std::size_t offset = in_.offset();
    const std::uint16_t name = in_.u2();
    inner.access = in_.u2();
    if (in_.failed()) break;
    if (name != 0 && out_.pool.tag(name) != Tag::utf8)
      return wrong(offset, fmt::format("the name of inner class {} is constant {} ({}), not a Utf8",
                                       i, name, to_string(out_.pool.tag(name))));
    inner.name = out_.pool.utf8(name);
    out_.inner_classes.push_back(inner);
  }
  return !in_.failed() || cut_off("InnerClasses");
}

bool ClassParser::read_bootstrap_methods() {
  constexpr unsigned kLoadable = bit(Tag::integer) | bit(Tag::float_) | bit(Tag::long_) |
                                 bit(Tag::double_) | bit(Tag::class_) | bit(Tag::string) |
                                 bit(Tag::method_handle) | bit(Tag::method_type) |
                                 bit(Tag::dynamic);
  const std::uint16_t count = in_.u2();
  for (std::uint16_t i = 0; i < count && !in_.failed(); ++i) {
    const std::size_t offset = in_.offset();
    BootstrapMethod method;
    method.method_handle = in_.u2();
    const std::uint16_t arguments = in_.u2();
    if (in_.failed()) break;
    if (out_.pool.tag(method.method_handle) != Tag::method_handle)
      return wrong(
          offset,
          fmt::format("bootstrap method {} is constant {} ({}), not a MethodHandle", i,
                      method.method_handle, to_string(out_.pool.tag(method.method_handle))));
    method.arguments.first = static_cast<std::uint32_t>(out_.bootstrap_arguments.size());
    method.arguments.count = arguments;
    for (std::uint16_t j = 0; j < arguments; ++j) {
      const std::size_t argument_offset = in_.offset();
      const std::uint16_t argument = in_.u2();
      if (in_.failed()) break;
      if ((bit(out_.pool.tag(argument)) & kLoadable) == 0)
        return wrong(argument_offset,
                     fmt::format("argument {} of bootstrap method {} is constant {} ({}), which "
                                 "cannot be loaded",
                                 j, i, argument, to_string(out_.pool.tag(argument))));
      out_.bootstrap_arguments.push_back(argument);
    }
    out_.bootstrap_methods.push_back(method);
  }
  return !in_.failed() || cut_off("BootstrapMethods");
}

bool ClassParser::read_record() {
  out_.is_record = true;
  const std::uint16_t count = in_.u2();
  for (std::uint16_t i = 0; i < count && !in_.failed(); ++i) {
    RecordComponent component;
    if (!read_utf8(component.name, "Record") || !read_utf8(component.descriptor, "Record") ||
        !skip_attributes("a record component"))
      return false;
    out_.record_components.push_back(component);
  }
  return !in_.failed() || cut_off("Record");
}

bool ClassParser::check_bootstrap_indices() {
  const ConstantPool& pool = out_.pool;
  for (std::uint16_t i = 1; i < pool.size(); ++i) {
    if (pool.tag(i) != Tag::dynamic && pool.tag(i) != Tag::invoke_dynamic) continue;
    if (const std::uint16_t bootstrap = pool.u2(pool.offset(i));
        bootstrap >= out_.bootstrap_methods.size())
      return wrong(
          pool.offset(i),
          fmt::format("constant {} ({}) names bootstrap method {}, and the class has {}", i,
                      to_string(pool.tag(i)), bootstrap, out_.bootstrap_methods.size()));
  }
  return true;
}

bool ClassParser::read_utf8(std::string_view& text, const char* what) {
  const std::size_t offset = in_.offset();
  const std::uint16_t index = in_.u2();
  if (in_.failed()) return cut_off(what);
  if (out_.pool.tag(index) != Tag::utf8)
    return wrong(offset, fmt::format("{} names constant {} ({}), not a Utf8", what, index,
                                     to_string(out_.pool.tag(index))));
  text = out_.pool.utf8(index);
  return true;
}

bool ClassParser::read_class(std::string_view& name, const char* what) {
  const std::size_t offset = in_.offset();
  if (!read_optional_class(name, what)) return false;
  if (name.empty()) return wrong(offset, fmt::format("{} names no constant", what));
  return true;
}

bool ClassParser::read_optional_class(std::string_view& name, const char* what) {
  const std::size_t offset = in_.offset();
  const std::uint16_t index = in_.u2();
  if (in_.failed()) return cut_off(what);
  name = {};
  if (index == 0) return true;
  if (out_.pool.tag(index) != Tag::class_)
    return wrong(offset, fmt::format("{} names constant {} ({}), not a Class", what, index,
                                     to_string(out_.pool.tag(index))));
  name = out_.pool.name(index);
  if (name.empty()) return wrong(offset, fmt::format("{} has an empty name", what));
  return true;
}

Result<void> parse_class(Bytes bytes, ClassDepth depth, ClassFile& out) {
  out.clear();
  ClassParser parser(bytes, out);
  if (!parser.parse(depth)) return tl::unexpected<Error>(parser.take_error());
  return {};
}

void ClassFile::clear() {
  minor = major = access = 0;
  this_name = super_name = source_file = nest_host = {};
  has_permitted_subclasses = is_record = false;
  interfaces.clear();
  fields.clear();
  methods.clear();
  codes.clear();
  inner_classes.clear();
  nest_members.clear();
  permitted_subclasses.clear();
  bootstrap_methods.clear();
  bootstrap_arguments.clear();
  record_components.clear();
  attributes.clear();
  refs.clear();
  handlers.clear();
  line_tables.clear();
}

std::string dotted(std::string_view internal_name) {
  std::string name(internal_name);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace rowgate::jarscan
