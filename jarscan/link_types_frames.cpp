// The frames of a method's stack map, and what the verifier asks where the walk meets one: at the
// frame's own place, at each branch to it, and at each handler.
#include <algorithm>

#include "base/byte_reader.hpp"
#include "jarscan/link_types_state.hpp"

namespace rowgate::jarscan {

using type_flow::kBudget;

bool TypeFlowAnalysis::State::load_frames(const Code& method) {
  const Member& member = file->methods[method.method];
  std::vector<VerificationType> initial;
  locals.clear();
  stack.clear();
  if ((member.access & access::kStatic) == 0) {
    const bool constructor = member.name == "<init>" && names[self] != "java/lang/Object";
    locals.push_back(constructor ? Type{Kind::uninitialized_this, 0} : Type{Kind::object, self});
    initial.push_back({TypeKind::uninitialized_this, 0});
  }
  std::size_t at = 1;
  while (at < member.descriptor.size() && member.descriptor[at] != ')') {
    const Type type = descriptor_type(member.descriptor, at);
    locals.push_back(type);
    // decode_frames only counts these; their types are taken from `locals` below.
    initial.push_back({type.kind == Kind::long_     ? TypeKind::long_
                       : type.kind == Kind::double_ ? TypeKind::double_
                                                    : TypeKind::integer,
                       0});
    if (type.kind == Kind::long_) locals.push_back({Kind::long_rest, 0});
    if (type.kind == Kind::double_) locals.push_back({Kind::double_rest, 0});
  }
  if (locals.size() > method.max_locals) return false;
  frames.clear();
  if (method.stack_map.empty()) return true;
  // The initial locals are marked with a pool index that no class has, to be told from decoded
  // ones.
  const std::vector<Type> parameters = locals;
  auto decoded = decode_frames(*file, method, initial);
  if (!decoded) return false;
  const auto expand = [&](const std::vector<VerificationType>& from, std::vector<Type>& to,
                          std::size_t inherited) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (i < inherited) {
        to.push_back(parameters[to.size()]);
        if (to.back().kind == Kind::long_) to.push_back({Kind::long_rest, 0});
        if (to.back().kind == Kind::double_) to.push_back({Kind::double_rest, 0});
        continue;
      }
      switch (from[i].kind) {
        case TypeKind::top: to.push_back({}); break;
        case TypeKind::integer: to.push_back({Kind::integer, 0}); break;
        case TypeKind::float_: to.push_back({Kind::float_, 0}); break;
        case TypeKind::long_:
          to.push_back({Kind::long_, 0});
          to.push_back({Kind::long_rest, 0});
          break;
        case TypeKind::double_:
          to.push_back({Kind::double_, 0});
          to.push_back({Kind::double_rest, 0});
          break;
        case TypeKind::null: to.push_back({Kind::null, 0}); break;
        case TypeKind::uninitialized_this: to.push_back({Kind::uninitialized_this, 0}); break;
        case TypeKind::uninitialized:
          to.push_back({Kind::uninitialized, from[i].class_index});
          break;
        case TypeKind::object: to.push_back(class_constant(from[i].class_index)); break;
      }
    }
  };
  // How many of a frame's locals are still the parameters is known from the encoding: until a full
  // frame, chop removes from the end and append adds behind.
  base::ByteReader in(method.stack_map);
  in.skip(2);
  std::size_t inherited = initial.size();
  for (StackFrame& source : *decoded) {
    const std::uint8_t kind = in.u1();
    const auto skip_types = [&](std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        if (in.u1() >= static_cast<std::uint8_t>(TypeKind::object)) in.skip(2);
    };
    if (kind >= 64 && kind <= 127) {
      skip_types(1);
    } else if (kind == 247) {
      in.skip(2);
      skip_types(1);
    } else if (kind >= 248 && kind <= 251) {
      in.skip(2);
    } else if (kind >= 252 && kind <= 254) {
      in.skip(2);
      skip_types(kind - 251U);
    } else if (kind == 255) {
      in.skip(2);
      skip_types(in.u2());
      skip_types(in.u2());
      inherited = 0;
    }
    inherited = std::min(inherited, source.locals.size());
    Frame& frame = frames.emplace_back();
    frame.bci = source.bci;
    expand(source.locals, frame.locals, inherited);
    expand(source.stack, frame.stack, 0);
    budget += frame.locals.size() + frame.stack.size();
    if (budget > kBudget || frame.locals.size() > method.max_locals ||
        frame.stack.size() > method.max_stack)
      return false;
  }
  return true;
}

const TypeFlowAnalysis::State::Frame* TypeFlowAnalysis::State::frame_at(std::uint32_t bci) const {
  const auto found = std::lower_bound(frames.begin(), frames.end(), bci,
                                      [](const Frame& f, std::uint32_t at) { return f.bci < at; });
  return found != frames.end() && found->bci == bci ? &*found : nullptr;
}

void TypeFlowAnalysis::State::check_frame(const Frame& frame) {
  if (frame.stack.size() != stack.size()) {
    broken = true;
    return;
  }
  for (std::size_t i = 0; i < frame.locals.size() && i < locals.size(); ++i)
    assign(locals[i], frame.locals[i]);
  for (std::size_t i = 0; i < stack.size(); ++i) assign(stack[i], frame.stack[i]);
}

void TypeFlowAnalysis::State::branch(std::uint32_t bci) {
  const Frame* frame = frame_at(bci);
  if (frame == nullptr)
    broken = true;
  else
    check_frame(*frame);
}

void TypeFlowAnalysis::State::check_handlers(std::uint32_t bci) {
  for (const ExceptionHandler& handler : file->handlers_of(*code)) {
    if (++budget > kBudget) broken = true;
    if (broken) return;
    if (bci < handler.start || bci >= handler.end || !(locals_changed || bci == handler.start))
      continue;
    const Frame* frame = frame_at(handler.handler);
    if (frame == nullptr || frame->stack.size() != 1) {
      broken = true;
      return;
    }
    for (std::size_t i = 0; i < frame->locals.size() && i < locals.size(); ++i)
      assign(locals[i], frame->locals[i]);
    assign(handler.catch_type == 0 ? Type{Kind::object, throwable}
                                   : class_constant(handler.catch_type),
           frame->stack[0]);
  }
  locals_changed = false;
}

}  // namespace rowgate::jarscan
