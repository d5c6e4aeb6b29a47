// Any bytes as a class file, at every depth; what was parsed is then used as its users use it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "jarscan/class_file.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

std::size_t use(const ClassFile& file) {
  std::size_t sum = 0;
  for (std::uint16_t i = 0; i < file.pool.size(); ++i)
    sum += file.pool.name(i).size() + file.pool.member(i).owner.size() +
           file.pool.dynamic(i).name.size() + file.pool.method_handle(i).reference;
  for (const Code& code : file.codes) {
    for (const CodeRef& ref : file.refs_of(code))
      sum += static_cast<std::size_t>(file.pool.tag(ref.index)) +
             file.line_at(code, ref.bci).value_or(0);
    for (const ExceptionHandler& handler : file.handlers_of(code))
      sum += file.pool.name(handler.catch_type).size();
    if (const auto frames = decode_frames(file, code, {})) sum += frames->size();
  }
  for (const BootstrapMethod& method : file.bootstrap_methods)
    for (const std::uint16_t argument : file.arguments_of(method)) sum += argument;
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  static ClassFile file;
  bool header_good = false;
  for (const ClassDepth depth : {ClassDepth::header, ClassDepth::members, ClassDepth::code}) {
    const auto parsed = parse_class(bytes, depth, file);
    // What is wrong seen from above stays wrong seen more deeply, and errors have a place inside.
    if (depth == ClassDepth::header) header_good = parsed.has_value();
    if (parsed && !header_good) std::abort();
    if (!parsed && (!parsed.error().offset || *parsed.error().offset > size)) std::abort();
    if (parsed && use(file) == SIZE_MAX) std::abort();
  }
  return 0;
}
