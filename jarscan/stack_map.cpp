// StackMapTable (JVMS 4.7.4): frames are stored as differences from the one before; this expands
// them. A frame copies at most max_locals + max_stack types, so the cost is bounded by the number
// of frames (at most the attribute's bytes) times 128 Ki.
#include <fmt/format.h>

#include "base/byte_reader.hpp"
#include "jarscan/class_file.hpp"

namespace rowgate::jarscan {
namespace {

using base::ByteReader;

class FrameReader {
 public:
  FrameReader(const ClassFile& file, const Code& code)
      : file_(file), code_(code), in_(code.stack_map) {}

  Result<std::vector<StackFrame>> read(const std::vector<VerificationType>& initial) {
    std::vector<StackFrame> frames;
    if (code_.stack_map.empty()) return frames;
    StackFrame current;
    current.locals = initial;
    const std::uint16_t count = in_.u2();
    for (std::uint16_t i = 0; i < count; ++i) {
      const std::uint8_t kind = in_.u1();
      std::uint32_t delta = 0;
      current.stack.clear();
      if (!read_frame(kind, delta, current)) return error();
      current.bci = i == 0 ? delta : current.bci + delta + 1;
      if (current.bci >= code_.bytes.size())
        return wrong(fmt::format("frame {} is at {}, behind the code", i, current.bci));
      if (current.locals.size() > code_.max_locals || current.stack.size() > code_.max_stack)
        return wrong(fmt::format("frame {} has more types than the method's maxima", i));
      types_ += current.locals.size() + current.stack.size();
      if (types_ > kMaxTypes) return wrong("the frames hold too many types");
      frames.push_back(current);
    }
    if (in_.failed() || in_.remaining() != 0) return wrong("its length differs from its contents");
    return frames;
  }

 private:
  static constexpr std::size_t kMaxTypes = 16'000'000;

  bool read_frame(std::uint8_t kind, std::uint32_t& delta, StackFrame& frame) {
    if (kind <= 63) {  // same
      delta = kind;
    } else if (kind <= 127) {  // same_locals_1_stack_item
      delta = kind - 64U;
      return read_types(1, frame.stack);
    } else if (kind == 247) {  // same_locals_1_stack_item_extended
      delta = in_.u2();
      return read_types(1, frame.stack);
    } else if (kind >= 248 && kind <= 250) {  // chop
      delta = in_.u2();
      const std::size_t chopped = 251U - kind;
      if (chopped > frame.locals.size()) return false;
      frame.locals.resize(frame.locals.size() - chopped);
    } else if (kind == 251) {  // same_extended
      delta = in_.u2();
    } else if (kind >= 252 && kind <= 254) {  // append
      delta = in_.u2();
      return read_types(kind - 251U, frame.locals);
    } else if (kind == 255) {  // full
      delta = in_.u2();
      frame.locals.clear();
      const std::uint16_t locals = in_.u2();
      if (!read_types(locals, frame.locals)) return false;
      const std::uint16_t stack = in_.u2();
      return read_types(stack, frame.stack);
    } else {
      return false;
    }
    return !in_.failed();
  }

  bool read_types(std::size_t count, std::vector<VerificationType>& types) {
    for (std::size_t i = 0; i < count; ++i) {
      VerificationType type;
      const std::uint8_t tag = in_.u1();
      if (tag > static_cast<std::uint8_t>(TypeKind::uninitialized)) return false;
      type.kind = static_cast<TypeKind>(tag);
      if (type.kind == TypeKind::object || type.kind == TypeKind::uninitialized)
        type.class_index = in_.u2();
      if (in_.failed()) return false;
      if (type.kind == TypeKind::object && file_.pool.tag(type.class_index) != Tag::class_)
        return false;
      types.push_back(type);
    }
    return true;
  }

  tl::unexpected<Error> wrong(const std::string& what) const {
    const auto start = static_cast<std::uint64_t>(code_.stack_map.data() - code_.bytes.data());
    return fail(ErrorCode::malformed,
                fmt::format("StackMapTable of method {}: {}", code_.method, what), {},
                code_.offset + start + in_.offset());
  }
  tl::unexpected<Error> error() const { return wrong("a frame that cannot be read"); }

  const ClassFile& file_;
  const Code& code_;
  ByteReader in_;
  std::size_t types_ = 0;
};

}  // namespace

Result<std::vector<StackFrame>> decode_frames(const ClassFile& file, const Code& code,
                                              const std::vector<VerificationType>& initial) {
  return FrameReader(file, code).read(initial);
}

}  // namespace rowgate::jarscan
