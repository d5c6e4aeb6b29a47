// Reading the constant pool: one pass finds where each entry starts, a second one checks what
// entries say about each other, so that the getters need no checks. Both are linear. Nothing is
// copied; an entry costs five bytes: its tag, which is asked for most, and the offset of its
// contents.
#include "jarscan/constant_pool.hpp"

#include <fmt/format.h>

#include <iterator>

#include "jarscan/class_parser.hpp"
#include "jarscan/descriptor.hpp"
#include "jarscan/modified_utf8.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint16_t kJava7 = 51, kJava8 = 52, kJava9 = 53, kJava11 = 55;

// Bytes of an entry's contents (for a Utf8: of its length field) and the first class-file version
// that knows it. Width 0: there is no such tag.
struct TagTraits {
  std::uint8_t width;
  std::uint8_t major;
};

constexpr TagTraits kTags[] = {
    {0, 0}, {2, 0},      {0, 0},      {4, 0},       {4, 0},      {8, 0},      {8, 0},
    {2, 0}, {2, 0},      {4, 0},      {4, 0},       {4, 0},      {4, 0},      {0, 0},
    {0, 0}, {3, kJava7}, {2, kJava7}, {4, kJava11}, {4, kJava7}, {2, kJava9}, {2, kJava9},
};

constexpr std::uint32_t kAny = UINT32_MAX;

// What the first and the second u2 of an entry's contents have to point at, as bits of tags, and
// what it is to the entry; in the order of tags. MethodHandle: see check_method_handle.
struct TagReference {
  std::uint32_t wanted = kAny;
  const char* role = "";
};

struct TagReferences {
  TagReference first, second;
};

constexpr TagReference kName{bit(Tag::utf8), "name"}, kText{bit(Tag::utf8), "text"},
    kDescriptor{bit(Tag::utf8), "descriptor"}, kClass{bit(Tag::class_), "class"},
    kNameAndType{bit(Tag::name_and_type), "name and type"}, kNothing{kAny, ""};

constexpr TagReferences kReferences[] = {
    {kNothing, kNothing},      // none
    {kNothing, kNothing},      // Utf8
    {kNothing, kNothing},      // no such tag
    {kNothing, kNothing},      // Integer
    {kNothing, kNothing},      // Float
    {kNothing, kNothing},      // Long
    {kNothing, kNothing},      // Double
    {kName, kNothing},         // Class
    {kText, kNothing},         // String
    {kClass, kNameAndType},    // Fieldref
    {kClass, kNameAndType},    // Methodref
    {kClass, kNameAndType},    // InterfaceMethodref
    {kName, kDescriptor},      // NameAndType
    {kNothing, kNothing},      // no such tag
    {kNothing, kNothing},      // no such tag
    {kNothing, kNothing},      // MethodHandle
    {kDescriptor, kNothing},   // MethodType
    {kNothing, kNameAndType},  // Dynamic
    {kNothing, kNameAndType},  // InvokeDynamic
    {kName, kNothing},         // Module
    {kName, kNothing},         // Package
};
static_assert(std::size(kReferences) == std::size(kTags));

}  // namespace

const char* to_string(Tag tag) {
  switch (tag) {
    case Tag::none: return "no entry";
    case Tag::utf8: return "Utf8";
    case Tag::integer: return "Integer";
    case Tag::float_: return "Float";
    case Tag::long_: return "Long";
    case Tag::double_: return "Double";
    case Tag::class_: return "Class";
    case Tag::string: return "String";
    case Tag::field_ref: return "Fieldref";
    case Tag::method_ref: return "Methodref";
    case Tag::interface_method_ref: return "InterfaceMethodref";
    case Tag::name_and_type: return "NameAndType";
    case Tag::method_handle: return "MethodHandle";
    case Tag::method_type: return "MethodType";
    case Tag::dynamic: return "Dynamic";
    case Tag::invoke_dynamic: return "InvokeDynamic";
    case Tag::module: return "Module";
    case Tag::package: return "Package";
  }
  return "unknown";
}

std::string_view ConstantPool::name(std::uint16_t index) const {
  switch (tag(index)) {
    case Tag::class_:
    case Tag::string:
    case Tag::method_type:
    case Tag::module:
    case Tag::package: return utf8(u2(offsets_[index]));
    default: return {};
  }
}

NameAndType ConstantPool::name_and_type(std::uint16_t index) const {
  if (tag(index) != Tag::name_and_type) return {};
  const std::uint32_t at = offsets_[index];
  return {utf8(u2(at)), utf8(u2(at + 2))};
}

MemberRef ConstantPool::member(std::uint16_t index) const {
  switch (tag(index)) {
    case Tag::field_ref:
    case Tag::method_ref:
    case Tag::interface_method_ref: {
      const std::uint32_t at = offsets_[index];
      const NameAndType nat = name_and_type(u2(at + 2));
      return {name(u2(at)), nat.name, nat.descriptor};
    }
    default: return {};
  }
}

MethodHandleConstant ConstantPool::method_handle(std::uint16_t index) const {
  if (tag(index) != Tag::method_handle) return {};
  const std::uint32_t at = offsets_[index];
  return {static_cast<std::uint8_t>(bytes_[at]), u2(at + 1)};
}

DynamicConstant ConstantPool::dynamic(std::uint16_t index) const {
  if (tag(index) != Tag::dynamic && tag(index) != Tag::invoke_dynamic) return {};
  const std::uint32_t at = offsets_[index];
  const NameAndType nat = name_and_type(u2(at + 2));
  return {u2(at), nat.name, nat.descriptor};
}

// The same as the loops of read_pool for pools without a fault, on plain pointers and with few
// branches that depend on what is read: pools are most of what a scan looks at. On any oddity it
// gives up, and the careful loops find out what is wrong.
bool ClassParser::read_sound_pool(std::uint16_t count) {
  constexpr std::size_t kPadding = 8;  // what may be read behind an entry
  ConstantPool& pool = out_.pool;
  const std::byte* const bytes = bytes_.data();
  const std::size_t size = bytes_.size();
  Tag* const tags = pool.tags_.data();
  std::uint32_t* const offsets = pool.offsets_.data();
  std::size_t at = in_.offset();
  for (std::uint32_t i = 1; i < count; ++i) {
    if (size - at < 3) return false;
    const auto tag = static_cast<unsigned>(bytes[at]);
    if (tag >= std::size(kTags) || kTags[tag].width == 0 || out_.major < kTags[tag].major)
      return false;
    ++at;
    tags[i] = static_cast<Tag>(tag);
    offsets[i] = static_cast<std::uint32_t>(at);
    std::size_t width = kTags[tag].width;
    if (tags[i] == Tag::utf8) {
      const std::size_t length = pool.u2(static_cast<std::uint32_t>(at));
      width = 2 + length;
      if (size - at < width + kPadding) return false;
      const std::string_view text = base::as_text(bytes_.subspan(at + 2, length));
      if (!is_plain_ascii_padded(text) && !is_modified_utf8(text)) return false;
    } else if (width == 8) {  // a Long or Double, which takes two indexes
      ++i;
    }
    if (size - at < width + kPadding || i >= count) return false;
    at += width;
  }
  std::uint32_t sound = 1;
  const auto target_is = [&](std::uint32_t offset, std::uint32_t wanted) {
    const std::uint16_t target = pool.u2(offset);
    // Index 0 is of no tag, as is all that is out of range.
    return wanted >> static_cast<unsigned>(tags[target < count ? target : 0]);
  };
  for (std::uint16_t i = 1; i < count; ++i) {
    const TagReferences& references = kReferences[static_cast<unsigned>(tags[i])];
    sound &= target_is(offsets[i], references.first.wanted) &
             target_is(offsets[i] + 2, references.second.wanted);
    if (tags[i] == Tag::method_handle && !check_pool_entry(i)) return false;
  }
  if (sound == 0) return false;
  in_.skip(at - in_.offset());
  return true;
}

bool ClassParser::read_pool() {
  const std::size_t count_offset = in_.offset();
  const std::uint16_t count = in_.u2();
  if (in_.failed()) return cut_off("the constant pool's count");
  if (count == 0) return wrong(count_offset, "the constant pool's count is 0");
  ConstantPool& pool = out_.pool;
  pool.reset(bytes_, count);
  if (read_sound_pool(count)) return true;
  pool.reset(bytes_, count);
  for (std::uint16_t i = 1; i < count; ++i) {
    const std::size_t start = in_.offset();
    const std::uint8_t tag = in_.u1();
    if (in_.failed()) return cut_off("the constant pool");
    if (tag >= std::size(kTags) || kTags[tag].width == 0)
      return wrong(start, fmt::format("constant {} has unknown tag {}", i, tag));
    if (out_.major < kTags[tag].major)
      return wrong(start, fmt::format("constant {} is a {}, which class files of version {} do not "
                                      "have",
                                      i, to_string(static_cast<Tag>(tag)), out_.major));
    pool.tags_[i] = static_cast<Tag>(tag);
    pool.offsets_[i] = static_cast<std::uint32_t>(in_.offset());
    if (static_cast<Tag>(tag) == Tag::utf8) {
      const Bytes text = in_.take(in_.u2());
      if (!in_.failed() && !is_modified_utf8(base::as_text(text)))
        return wrong(start + 3, fmt::format("constant {} is not modified UTF-8", i));
    } else {
      in_.skip(kTags[tag].width);
    }
    if (in_.failed())
      return cut_off(fmt::format("constant {} ({})", i, to_string(static_cast<Tag>(tag))).c_str());
    if (tag == static_cast<std::uint8_t>(Tag::long_) ||
        tag == static_cast<std::uint8_t>(Tag::double_)) {
      if (++i >= count)
        return wrong(start, fmt::format("constant {} ({}) has no room for its second slot", i - 1,
                                        to_string(static_cast<Tag>(tag))));
    }
  }
  for (std::uint16_t i = 1; i < count; ++i)
    if (!check_pool_entry(i)) return false;
  return true;
}

bool ClassParser::check_pool_reference(std::uint16_t index, std::uint32_t offset, unsigned wanted,
                                       const char* role) {
  if (wanted == kAny) return true;
  const std::uint16_t target = out_.pool.u2(offset);
  const Tag tag = out_.pool.tag(target);
  if ((bit(tag) & wanted) != 0) return true;
  return wrong(offset, fmt::format("constant {} ({}) has constant {} ({}) as its {}", index,
                                   to_string(out_.pool.tag(index)), target, to_string(tag), role));
}

bool ClassParser::check_pool_entry(std::uint16_t index) {
  const Tag tag = out_.pool.tag(index);
  const std::uint32_t at = out_.pool.offset(index);
  if (tag == Tag::method_handle) return check_method_handle(index, at);
  const auto& [first, second] = kReferences[static_cast<unsigned>(tag)];
  return check_pool_reference(index, at, first.wanted, first.role) &&
         check_pool_reference(index, at + 2, second.wanted, second.role);
}

bool ClassParser::check_method_handle(std::uint16_t index, std::uint32_t offset) {
  const auto kind = static_cast<unsigned>(bytes_[offset]);
  unsigned wanted = 0;
  if (kind >= 1 && kind <= 4) {
    wanted = bit(Tag::field_ref);
  } else if (kind == 5 || kind == 8) {
    wanted = bit(Tag::method_ref);
  } else if (kind == 6 || kind == 7) {
    wanted = bit(Tag::method_ref);
    if (out_.major >= kJava8) wanted |= bit(Tag::interface_method_ref);
  } else if (kind == 9) {
    wanted = bit(Tag::interface_method_ref);
  } else {
    return wrong(offset,
                 fmt::format("constant {} (MethodHandle) is of unknown kind {}", index, kind));
  }
  return check_pool_reference(index, offset + 1, wanted, "reference");
}

// Names and descriptors of every Class, MethodType and member reference, checked from depth
// `members` on: whoever follows references may rely on them.
bool ClassParser::check_pool_names() {
  const ConstantPool& pool = out_.pool;
  for (std::uint16_t i = 1; i < pool.size(); ++i) {
    switch (pool.tag(i)) {
      case Tag::class_:
        if (!is_class_name(pool.name(i)))
          return wrong(pool.offset(i), fmt::format("constant {} (Class) has an illegal name", i));
        break;
      case Tag::method_type:
        if (!is_method_descriptor(pool.name(i)))
          return wrong(pool.offset(i),
                       fmt::format("constant {} (MethodType) has an illegal descriptor", i));
        break;
      case Tag::field_ref:
      case Tag::method_ref:
      case Tag::interface_method_ref:
      case Tag::dynamic:
      case Tag::invoke_dynamic:
        if (!check_member_names(i)) return false;
        break;
      default: break;
    }
  }
  return true;
}

bool ClassParser::check_member_names(std::uint16_t index) {
  const ConstantPool& pool = out_.pool;
  const Tag tag = pool.tag(index);
  const std::uint32_t at = pool.offset(index) + 2;
  const NameAndType nat = pool.name_and_type(pool.u2(at));
  const bool is_field = tag == Tag::field_ref || tag == Tag::dynamic;
  if (is_field ? !is_unqualified_name(nat.name) : !is_method_name(nat.name))
    return wrong(at, fmt::format("constant {} ({}) has an illegal name", index, to_string(tag)));
  if (is_field ? !is_field_descriptor(nat.descriptor) : !is_method_descriptor(nat.descriptor))
    return wrong(at,
                 fmt::format("constant {} ({}) has an illegal descriptor", index, to_string(tag)));
  // Only instance initialisers are called by a special name, and they return nothing.
  if (!is_field && nat.name.starts_with('<') &&
      (tag != Tag::method_ref || nat.name != "<init>" || !nat.descriptor.ends_with(")V")))
    return wrong(at, fmt::format("constant {} ({}) names {}{}", index, to_string(tag), nat.name,
                                 nat.descriptor));
  return true;
}

}  // namespace rowgate::jarscan
