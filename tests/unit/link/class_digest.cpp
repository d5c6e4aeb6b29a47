// Prints one line a class of a folder's jars: a digest of each part of what parse_class read, in
// the form that tests/support/java/ClassDigest.java prints from the JDK's own class-file library.
//
//   class_digest FOLDER
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstdio>

#include "base/byte_reader.hpp"
#include "base/files.hpp"
#include "base/parallel.hpp"
#include "jarscan/class_file.hpp"
#include "jarscan/jar_file.hpp"

namespace fs = std::filesystem;
using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

class Digest {
 public:
  explicit Digest(std::string& line) : line_(line) {}

  // False when a method's frames cannot be read.
  bool write(const ClassFile& file, Bytes bytes);

 private:
  void number(std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) part_.push_back(static_cast<char>(value >> shift));
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    part_ += value;
  }
  void end_part() {
    line_ +=
        fmt::format("\t{:x}.{}", libdeflate_crc32(0, part_.data(), part_.size()), part_.size());
    part_.clear();
  }
  void constants(const ClassFile& file, Bytes bytes);
  void code(const ClassFile& file, const Code& code);
  bool frames(const ClassFile& file, const Code& code);
  void attributes(const ClassFile& file);

  std::string& line_;
  std::string part_;
};

void Digest::constants(const ClassFile& file, Bytes bytes) {
  const ConstantPool& pool = file.pool;
  number(pool.size());
  for (std::uint16_t i = 0; i < pool.size(); ++i) {
    const Tag tag = pool.tag(i);
    number(static_cast<std::uint32_t>(tag));
    const auto word = [&](std::uint32_t behind) {
      number(base::ByteReader(bytes.subspan(pool.offset(i) + behind, 4)).u4());
    };
    switch (tag) {
      case Tag::none: break;
      case Tag::utf8: text(pool.utf8(i)); break;
      case Tag::integer:
      case Tag::float_: word(0); break;
      case Tag::long_:
      case Tag::double_:
        word(0);
        word(4);
        break;
      case Tag::class_:
      case Tag::string:
      case Tag::method_type:
      case Tag::module:
      case Tag::package: text(pool.name(i)); break;
      case Tag::field_ref:
      case Tag::method_ref:
      case Tag::interface_method_ref: {
        const MemberRef member = pool.member(i);
        text(member.owner);
        text(member.name);
        text(member.descriptor);
        break;
      }
      case Tag::name_and_type:
        text(pool.name_and_type(i).name);
        text(pool.name_and_type(i).descriptor);
        break;
      case Tag::method_handle:
        number(pool.method_handle(i).kind);
        number(pool.method_handle(i).reference);
        break;
      case Tag::dynamic:
      case Tag::invoke_dynamic: {
        const DynamicConstant constant = pool.dynamic(i);
        number(constant.bootstrap);
        text(constant.name);
        text(constant.descriptor);
        break;
      }
    }
  }
}

void Digest::code(const ClassFile& file, const Code& code) {
  number(code.method);
  number(code.max_stack);
  number(code.max_locals);
  text(base::as_text(code.bytes));
  number(code.refs.count);
  for (const CodeRef& ref : file.refs_of(code)) {
    number(ref.bci);
    number(ref.opcode);
    number(ref.index);
  }
  number(code.handlers.count);
  for (const ExceptionHandler& handler : file.handlers_of(code)) {
    number(handler.start);
    number(handler.end);
    number(handler.handler);
    number(handler.catch_type);
  }
  for (std::uint32_t i = 0; i < code.line_tables.count; ++i) {
    const Bytes table = file.line_tables[code.line_tables.first + i];
    base::ByteReader in(table);
    number(static_cast<std::uint32_t>(table.size() / 4));
    for (std::size_t entry = 0; entry < table.size() / 4; ++entry) {
      number(in.u2());
      number(in.u2());
    }
  }
}

std::vector<VerificationType> initial_locals(const ClassFile& file, const Member& method) {
  constexpr std::uint16_t kParameter = 0xFFFF;
  std::vector<VerificationType> locals;
  if ((method.access & access::kStatic) == 0) {
    const bool fresh = method.name == "<init>" && !file.super_name.empty();
    locals.push_back(fresh ? VerificationType{TypeKind::uninitialized_this, 0}
                           : VerificationType{TypeKind::object, kParameter});
  }
  const std::string_view text = method.descriptor;
  for (std::size_t at = 1; at < text.size() && text[at] != ')'; ++at) {
    switch (text[at]) {
      case 'J': locals.push_back({TypeKind::long_, 0}); break;
      case 'F': locals.push_back({TypeKind::float_, 0}); break;
      case 'D': locals.push_back({TypeKind::double_, 0}); break;
      case 'L':
      case '[':
        locals.push_back({TypeKind::object, kParameter});
        while (text[at] == '[') ++at;
        if (text[at] == 'L') at = text.find(';', at);
        break;
      default: locals.push_back({TypeKind::integer, 0});
    }
  }
  return locals;
}

bool Digest::frames(const ClassFile& file, const Code& code) {
  const auto frames = decode_frames(file, code, initial_locals(file, file.methods[code.method]));
  if (!frames) return false;
  if (frames->empty()) return true;
  const auto types = [&](const std::vector<VerificationType>& list) {
    number(static_cast<std::uint32_t>(list.size()));
    for (const VerificationType& type : list)
      number(static_cast<std::uint32_t>(type.kind) << 16 | type.class_index);
  };
  number(code.method);
  number(static_cast<std::uint32_t>(frames->size()));
  for (const StackFrame& frame : *frames) {
    number(frame.bci);
    types(frame.locals);
    types(frame.stack);
  }
  return true;
}

void Digest::attributes(const ClassFile& file) {
  const auto count = [&](const auto& list) { number(static_cast<std::uint32_t>(list.size())); };
  const auto texts = [&](const std::vector<std::string_view>& list) {
    count(list);
    for (const std::string_view entry : list) text(entry);
  };
  count(file.inner_classes);
  for (const InnerClass& inner : file.inner_classes) {
    text(inner.inner);
    text(inner.outer);
    text(inner.name);
    number(inner.access);
  }
  text(file.source_file);
  text(file.nest_host);
  texts(file.nest_members);
  number(file.has_permitted_subclasses ? 1 : 0);
  texts(file.permitted_subclasses);
  number(file.is_record ? 1 : 0);
  count(file.record_components);
  for (const RecordComponent& component : file.record_components) {
    text(component.name);
    text(component.descriptor);
  }
  count(file.bootstrap_methods);
  for (const BootstrapMethod& method : file.bootstrap_methods) {
    number(method.method_handle);
    const auto arguments = file.arguments_of(method);
    count(arguments);
    for (const std::uint16_t argument : arguments) number(argument);
  }
  texts(file.attributes);
}

bool Digest::write(const ClassFile& file, Bytes bytes) {
  number(file.minor);
  number(file.major);
  number(file.access);
  text(file.this_name);
  text(file.super_name);
  number(static_cast<std::uint32_t>(file.interfaces.size()));
  for (const std::string_view name : file.interfaces) text(name);
  end_part();
  constants(file, bytes);
  end_part();
  for (const std::vector<Member>* members : {&file.fields, &file.methods}) {
    number(static_cast<std::uint32_t>(members->size()));
    for (const Member& member : *members) {
      number(member.access);
      text(member.name);
      text(member.descriptor);
      if (members == &file.methods) number(member.has_code() ? 1 : 0);
    }
    end_part();
  }
  for (const Code& method : file.codes) code(file, method);
  end_part();
  for (const Code& method : file.codes)
    if (!frames(file, method)) return false;
  end_part();
  attributes(file);
  end_part();
  return true;
}

std::string digest_jar(const fs::path& path) {
  std::string out;
  const auto jar = JarFile::open(path);
  if (!jar) return fmt::format("{}: {}\n", path.filename().string(), jar.error().to_string());
  std::vector<std::pair<std::string_view, std::uint32_t>> classes;
  for (const JarEntry& entry : (*jar)->entries())
    if (entry.is_class())
      if (const auto found = (*jar)->find(entry.name); found)
        classes.emplace_back(entry.name, *found);
  std::sort(classes.begin(), classes.end());
  EntryReader reader;
  ClassFile file;
  for (const auto& [name, index] : classes) {
    std::string line;
    const auto bytes = reader.read(**jar, (*jar)->entries()[index]);
    const bool read =
        bytes && parse_class(*bytes, ClassDepth::code, file) && Digest(line).write(file, *bytes);
    out += fmt::format("{}!/{}{}\n", path.filename().string(), name, read ? line : "\trejected");
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: class_digest FOLDER\n");
    return 2;
  }
  auto jars = base::list_files(argv[1], ".jar");
  if (!jars) {
    std::fprintf(stderr, "%s\n", jars.error().to_string().c_str());
    return 3;
  }
  std::erase_if(*jars, [&](const fs::path& jar) {
    return jar.lexically_relative(argv[1]).has_parent_path();
  });
  std::sort(jars->begin(), jars->end());
  for (const fs::path& jar : *jars) fmt::print("{}", digest_jar(jar));
  return 0;
}
