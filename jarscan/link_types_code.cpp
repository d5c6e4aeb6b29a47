// What each instruction does to the current frame, and the walk over them.
#include <algorithm>
#include <array>

#include "jarscan/link_types_state.hpp"

namespace rowgate::jarscan {
namespace {

// What the plain instructions pop and push: I F J D, A a reference. nullptr: handled by name.
constexpr std::array<const char*, 202> effects() {
  std::array<const char*, 202> table{};
  const auto set = [&](unsigned first, unsigned last, const char* effect) {
    for (unsigned i = first; i <= last; ++i) table[i] = effect;
  };
  set(0, 0, ">");
  set(2, 8, ">I");
  set(9, 10, ">J");
  set(11, 13, ">F");
  set(14, 15, ">D");
  set(16, 17, ">I");
  set(21, 21, ">I");
  set(22, 22, ">J");
  set(23, 23, ">F");
  set(24, 24, ">D");
  set(26, 29, ">I");
  set(30, 33, ">J");
  set(34, 37, ">F");
  set(38, 41, ">D");
  set(46, 46, "AI>I");
  set(47, 47, "AI>J");
  set(48, 48, "AI>F");
  set(49, 49, "AI>D");
  set(51, 53, "AI>I");
  set(79, 79, "AII>");
  set(80, 80, "AIJ>");
  set(81, 81, "AIF>");
  set(82, 82, "AID>");
  set(83, 83, "AIA>");
  set(84, 86, "AII>");
  for (unsigned i = 96; i <= 112; i += 4) {
    set(i, i, "II>I");
    set(i + 1, i + 1, "JJ>J");
    set(i + 2, i + 2, "FF>F");
    set(i + 3, i + 3, "DD>D");
  }
  set(116, 116, "I>I");
  set(117, 117, "J>J");
  set(118, 118, "F>F");
  set(119, 119, "D>D");
  for (unsigned i = 120; i <= 124; i += 2) {
    set(i, i, "II>I");
    set(i + 1, i + 1, "JI>J");
  }
  for (unsigned i = 126; i <= 130; i += 2) {
    set(i, i, "II>I");
    set(i + 1, i + 1, "JJ>J");
  }
  set(132, 132, ">");
  const char* conversions[] = {"I>J", "I>F", "I>D", "J>I", "J>F", "J>D",
                               "F>I", "F>J", "F>D", "D>I", "D>J", "D>F"};
  for (unsigned i = 0; i < 12; ++i) set(133 + i, 133 + i, conversions[i]);
  set(145, 147, "I>I");
  set(148, 148, "JJ>I");
  set(149, 150, "FF>I");
  set(151, 152, "DD>I");
  set(153, 158, "I>");
  set(159, 164, "II>");
  set(165, 166, "AA>");
  set(167, 167, ">");
  set(170, 172, "I>");
  set(173, 173, "J>");
  set(174, 174, "F>");
  set(175, 175, "D>");
  set(177, 177, ">");
  set(190, 190, "A>I");
  set(193, 193, "A>I");
  set(194, 195, "A>");
  set(198, 199, "A>");
  set(200, 200, ">");
  return table;
}
constexpr std::array<const char*, 202> kEffects = effects();

// Of all instructions but the switches and wide, which give their own.
unsigned instruction_length(std::uint8_t opcode) {
  if (opcode == 16 || opcode == 18 || (opcode >= 21 && opcode <= 25) ||
      (opcode >= 54 && opcode <= 58) || opcode == 169 || opcode == 188)
    return 2;
  if (opcode == 17 || opcode == 19 || opcode == 20 || opcode == 132 ||
      (opcode >= 153 && opcode <= 168) || (opcode >= 178 && opcode <= 184) || opcode == 187 ||
      opcode == 189 || opcode == 192 || opcode == 193 || opcode == 198 || opcode == 199)
    return 3;
  if (opcode == 197) return 4;
  if (opcode == 185 || opcode == 186 || opcode == 200 || opcode == 201) return 5;
  return 1;
}

}  // namespace

std::uint8_t TypeFlowAnalysis::State::u1(std::uint64_t at) {
  if (at < code->bytes.size()) return static_cast<std::uint8_t>(code->bytes[at]);
  broken = true;
  return 0;
}

std::uint16_t TypeFlowAnalysis::State::u2(std::uint64_t at) {
  return static_cast<std::uint16_t>(u1(at) << 8 | u1(at + 1));
}

std::uint32_t TypeFlowAnalysis::State::u4(std::uint64_t at) {
  return std::uint32_t{u2(at)} << 16 | u2(at + 2);
}

std::uint32_t TypeFlowAnalysis::State::target(std::uint32_t bci, std::int64_t offset) {
  const std::int64_t at = std::int64_t{bci} + offset;
  if (at < 0 || at >= static_cast<std::int64_t>(code->bytes.size())) {
    broken = true;
    return 0;
  }
  return static_cast<std::uint32_t>(at);
}

void TypeFlowAnalysis::State::field(std::uint8_t opcode, std::uint16_t index) {
  const MemberRef member = file->pool.member(index);
  const Signature& known = signature(index, member.descriptor);
  const bool writes = opcode == 179 || opcode == 181, instance = opcode >= 180;
  if (writes) assign(pop(), known.result);
  if (instance) {
    const Type receiver = pop();
    if (receiver.kind == Kind::object) {
      assign(receiver, object_type(member.owner));
      receive(index, receiver);
    }
  }
  if (!writes) push(known.result);
}

void TypeFlowAnalysis::State::invoke(std::uint8_t opcode, std::uint16_t index) {
  const bool dynamic = opcode == 186;
  const MemberRef member = dynamic ? MemberRef{} : file->pool.member(index);
  const Signature known =
      signature(index, dynamic ? file->pool.dynamic(index).descriptor : member.descriptor);
  for (std::uint32_t i = known.count; i-- > 0 && !broken;) assign(pop(), types[known.first + i]);
  if (!dynamic && opcode != 184) {
    const Type receiver = pop();
    if (opcode == 183 && member.name == "<init>") {
      Type made = {Kind::object, self};
      if (receiver.kind == Kind::uninitialized) {
        made = class_constant(u2(std::uint64_t{receiver.name} + 1));
        receive(index, made);
      } else if (receiver.kind != Kind::uninitialized_this) {
        broken = true;
      }
      const auto initialise = [&](std::vector<Type>& slots) {
        for (Type& type : slots)
          if (type.kind == receiver.kind && type.name == receiver.name) type = made;
      };
      initialise(locals);
      initialise(stack);
      locals_changed = true;
    } else if (receiver.kind == Kind::object) {
      assign(receiver, object_type(member.owner));
      if (opcode != 185) receive(index, receiver);
    }
  }
  if (!known.is_void) push(known.result);
}

void TypeFlowAnalysis::State::load_constant(std::uint16_t index) {
  switch (file->pool.tag(index)) {
    case Tag::integer: return push({Kind::integer, 0});
    case Tag::float_: return push({Kind::float_, 0});
    case Tag::long_: return push({Kind::long_, 0});
    case Tag::double_: return push({Kind::double_, 0});
    case Tag::string: return push(object_type("java/lang/String"));
    case Tag::class_: return push(object_type("java/lang/Class"));
    case Tag::method_handle: return push(object_type("java/lang/invoke/MethodHandle"));
    case Tag::method_type: return push(object_type("java/lang/invoke/MethodType"));
    case Tag::dynamic: return push(signature(index, file->pool.dynamic(index).descriptor).result);
    default: broken = true;
  }
}

// pop, pop2, dup, dup_x1, dup_x2, dup2, dup2_x1, dup2_x2, swap on slots.
void TypeFlowAnalysis::State::shuffle(std::uint8_t opcode) {
  const auto needs = [&](std::size_t count) {
    if (stack.size() < count) broken = true;
    return !broken;
  };
  const auto copy = [&](std::size_t count, std::size_t below) {
    if (!needs(count + below)) return;
    if (stack.size() + count > code->max_stack) {
      broken = true;
      return;
    }
    const std::vector<Type> top(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    stack.insert(stack.end() - static_cast<std::ptrdiff_t>(count + below), top.begin(), top.end());
  };
  switch (opcode) {
    case 87:
      if (needs(1)) stack.pop_back();
      return;
    case 88:
      if (needs(2)) stack.resize(stack.size() - 2);
      return;
    case 89: return copy(1, 0);
    case 90: return copy(1, 1);
    case 91: return copy(1, 2);
    case 92: return copy(2, 0);
    case 93: return copy(2, 1);
    case 94: return copy(2, 2);
    default:
      if (needs(2)) std::swap(stack[stack.size() - 1], stack[stack.size() - 2]);
  }
}

void TypeFlowAnalysis::State::switch_targets(std::uint32_t bci, std::uint8_t opcode,
                                             std::uint32_t& next) {
  const std::uint64_t operands = (std::uint64_t{bci} + 4) & ~std::uint64_t{3};
  const auto jump = [&](std::uint64_t at) {
    branch(target(bci, static_cast<std::int32_t>(u4(at))));
  };
  jump(operands);
  std::uint64_t at = operands + 8, step = 8, count = u4(operands + 4);
  if (opcode == 170) {
    const std::int64_t low = static_cast<std::int32_t>(u4(operands + 4));
    const std::int64_t high = static_cast<std::int32_t>(u4(operands + 8));
    count = high < low ? 0 : static_cast<std::uint64_t>(high - low + 1);
    at = operands + 12;
    step = 4;
  }
  for (std::uint64_t i = 0; i < count && !broken; ++i) jump(at + i * step + (step == 8 ? 4 : 0));
  const std::uint64_t end = at + count * step;
  next = end <= code->bytes.size() ? static_cast<std::uint32_t>(end) : 0;
  if (next == 0) broken = true;
}

void TypeFlowAnalysis::State::wide(std::uint32_t bci, std::uint32_t& next) {
  const std::uint8_t opcode = u1(bci + 1);
  const std::uint16_t slot = u2(bci + 2);
  next = bci + (opcode == 132 ? 6 : 4);
  if (opcode == 25)
    push(local(slot));
  else if (opcode >= 21 && opcode <= 24)
    apply(kEffects[opcode]);
  else if (opcode >= 54 && opcode <= 58)
    store(slot, pop());
  else if (opcode != 132)
    broken = true;
}

void TypeFlowAnalysis::State::special(std::uint32_t bci, std::uint8_t opcode, std::uint32_t& next) {
  if (opcode == 1) return push({Kind::null, 0});
  if (opcode == 18) return load_constant(u1(bci + 1));
  if (opcode == 19 || opcode == 20) return load_constant(u2(bci + 1));
  if (opcode == 25) return push(local(u1(bci + 1)));
  if (opcode >= 42 && opcode <= 45) return push(local(opcode - 42U));
  if (opcode == 50) {
    pop();
    const Type array = pop();
    if (array.kind != Kind::object) return push({Kind::null, 0});
    const std::string_view name = names[array.name];
    if (name.size() < 2 || name[0] != '[') {
      broken = true;
      return;
    }
    std::size_t at = 1;
    return push(descriptor_type(name, at));
  }
  if (opcode >= 54 && opcode <= 58) return store(u1(bci + 1), pop());
  if (opcode >= 59 && opcode <= 78) return store((opcode - 59U) % 4, pop());
  if (opcode >= 87 && opcode <= 95) return shuffle(opcode);
  if (opcode == 176) {
    const std::string_view descriptor = file->methods[code->method].descriptor;
    std::size_t at = descriptor.rfind(')') + 1;
    return assign(pop(), descriptor_type(descriptor, at));
  }
  if (opcode >= 178 && opcode <= 181) return field(opcode, u2(bci + 1));
  if (opcode >= 182 && opcode <= 186) return invoke(opcode, u2(bci + 1));
  if (opcode == 187) return push({Kind::uninitialized, bci});
  if (opcode == 188) {
    constexpr std::string_view kArrays[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    const unsigned type = u1(bci + 1);
    if (type < 4 || type > 11) broken = true;
    pop();
    return push(object_type(kArrays[(type - 4) % 8]));
  }
  if (opcode == 189) {
    pop();
    return push(array_of(file->pool.name(u2(bci + 1))));
  }
  if (opcode == 191) return assign(pop(), {Kind::object, throwable});
  if (opcode == 192) {
    pop();
    return push(class_constant(u2(bci + 1)));
  }
  if (opcode == 196) return wide(bci, next);
  if (opcode == 197) {
    for (unsigned i = u1(bci + 3); i > 0 && !broken; --i) pop();
    return push(class_constant(u2(bci + 1)));
  }
  broken = true;  // jsr, ret
}

void TypeFlowAnalysis::State::run_method(const Code& method) {
  code = &method;
  budget = 0;
  broken = false;
  locals_changed = true;
  if (!load_frames(method)) {
    ++out->unfollowed;
    return;
  }
  const auto size = static_cast<std::uint32_t>(method.bytes.size());
  bool reachable = true;
  std::size_t next_frame = 0;
  for (std::uint32_t bci = 0, next = 0; bci < size && !broken; bci = next) {
    while (next_frame < frames.size() && frames[next_frame].bci < bci) ++next_frame;
    if (next_frame < frames.size() && frames[next_frame].bci == bci) {
      if (reachable) check_frame(frames[next_frame]);
      locals = frames[next_frame].locals;
      stack = frames[next_frame].stack;
      reachable = locals_changed = true;
    } else if (!reachable) {
      broken = true;  // code that follows a jump has a frame
      break;
    }
    const std::uint8_t opcode = u1(bci);
    if (method.handlers.count != 0) check_handlers(bci);
    next = bci + instruction_length(opcode);
    if (opcode >= kEffects.size()) {
      broken = true;
    } else if (kEffects[opcode] != nullptr) {
      apply(kEffects[opcode]);
    } else {
      special(bci, opcode, next);
    }
    if (broken) break;
    if ((opcode >= 153 && opcode <= 167) || opcode == 198 || opcode == 199)
      branch(target(bci, static_cast<std::int16_t>(u2(bci + 1))));
    else if (opcode == 200)
      branch(target(bci, static_cast<std::int32_t>(u4(bci + 1))));
    else if (opcode == 170 || opcode == 171)
      switch_targets(bci, opcode, next);
    if (opcode == 167 || opcode == 200 || (opcode >= 170 && opcode <= 177) || opcode == 191)
      reachable = false;
  }
  if (broken) ++out->unfollowed;
  for (const ExceptionHandler& handler : file->handlers_of(method))
    if (handler.catch_type != 0) ask(class_constant(handler.catch_type).name, throwable, true);
}

}  // namespace rowgate::jarscan
