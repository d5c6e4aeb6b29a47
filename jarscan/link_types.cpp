// One linear walk over each method, as the type-checking verifier does it (JVMS 4.10.1.6): a
// current frame of types is changed by each instruction; where the method has a stack map frame,
// the current one must be assignable to it and is replaced by it; so it is at every branch, and for
// every exception handler whose range is entered or in whose range a local changes. Each assignment
// from one class to another that the class file alone cannot answer becomes a question.
//
// The walk checks only what it needs to stay in step (slots, widths). A method in which it cannot
// is left at that point and counted. It ends because each instruction is visited once; the work at
// branches is at most a frame's size, and a budget bounds it for absurd methods.
#include "jarscan/link_types.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/byte_reader.hpp"

namespace rowgate::jarscan {
namespace {

enum class Kind : std::uint8_t {
  top,
  integer,
  float_,
  long_,
  long_rest,
  double_,
  double_rest,
  null,
  uninitialized_this,
  uninitialized,  // name: bci of its `new`
  object,         // name: number of its class
};

struct Type {
  Kind kind = Kind::top;
  std::uint32_t name = 0;
};

constexpr std::uint64_t kBudget = 20'000'000;  // assignments and slots of one method
constexpr std::uint16_t kOldestWithFrames = 50;

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

struct Signature {
  std::uint32_t first = 0, count = 0;  // slots of parameters in State::types
  Type result;
  bool known = false, is_void = true;
};

struct Frame {
  std::uint32_t bci = 0;
  std::vector<Type> locals, stack;
};

}  // namespace

struct TypeFlowAnalysis::State {
  const ClassFile* file = nullptr;
  TypeFlow* out = nullptr;
  const Code* code = nullptr;

  std::vector<std::string_view> names;  // by number; 0 is none
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::deque<std::string> made_names;  // array descriptors that the class file does not spell out
  std::vector<std::uint32_t> class_numbers;  // by pool index
  std::vector<Signature> signatures;         // by pool index
  std::vector<Type> types;
  std::unordered_set<std::uint64_t> asked, received;
  std::uint32_t object = 0, throwable = 0, self = 0;

  std::vector<Frame> frames;
  std::vector<Type> locals, stack;
  std::uint64_t budget = 0;
  bool broken = false;

  void start(const ClassFile& class_file, TypeFlow& result) {
    file = &class_file;
    out = &result;
    names.assign(1, {});
    numbers.clear();
    made_names.clear();
    class_numbers.assign(class_file.pool.size(), 0);
    signatures.assign(class_file.pool.size(), {});
    types.clear();
    asked.clear();
    received.clear();
    object = number("java/lang/Object");
    throwable = number("java/lang/Throwable");
    self = number(class_file.this_name);
  }

  std::uint32_t number(std::string_view name) {
    const auto [place, is_new] = numbers.emplace(name, static_cast<std::uint32_t>(names.size()));
    if (is_new) names.push_back(name);
    return place->second;
  }
  Type object_type(std::string_view name) { return {Kind::object, number(name)}; }
  Type class_constant(std::uint16_t index) {
    if (index >= class_numbers.size()) return {};
    if (class_numbers[index] == 0) class_numbers[index] = number(file->pool.name(index));
    return {Kind::object, class_numbers[index]};
  }

  // --- questions ---------------------------------------------------------------------------------
  void assign(Type from, Type to) {
    if (++budget > kBudget) broken = true;
    if (to.kind != Kind::object || from.kind != Kind::object || to.name == from.name ||
        to.name == object)
      return;
    std::string_view from_name = names[from.name], to_name = names[to.name];
    while (from_name.starts_with('[') && to_name.starts_with('[')) {
      from_name.remove_prefix(1);
      to_name.remove_prefix(1);
    }
    if (from_name.data() != names[from.name].data()) {  // components: "Lp/C;", "I" or an array
      if (!from_name.starts_with('L') || !to_name.starts_with('L')) return;
      from_name = from_name.substr(1, from_name.size() - 2);
      to_name = to_name.substr(1, to_name.size() - 2);
    }
    if (from_name.starts_with('[') || to_name.starts_with('[')) return;
    ask(number(from_name), number(to_name), false);
  }
  void ask(std::uint32_t from, std::uint32_t to, bool caught) {
    if (from == to || (to == object && !caught)) return;
    const std::uint64_t key = std::uint64_t{from} << 32 | to << 1 | (caught ? 1U : 0U);
    if (!asked.insert(key).second) return;
    out->questions.push_back({names[from], names[to], code->method, caught});
  }
  void receive(std::uint16_t constant, Type type) {
    if (type.kind != Kind::object || type.name == self) return;
    const std::uint64_t key = std::uint64_t{constant} << 32 | type.name;
    if (received.insert(key).second) out->receivers.push_back({constant, names[type.name]});
  }

  // --- the current frame -------------------------------------------------------------------------
  void push(Type type) {
    if (stack.size() >= code->max_stack) {
      broken = true;
      return;
    }
    stack.push_back(type);
    if (type.kind == Kind::long_ || type.kind == Kind::double_) {
      if (stack.size() >= code->max_stack) broken = true;
      stack.push_back({type.kind == Kind::long_ ? Kind::long_rest : Kind::double_rest, 0});
    }
  }
  Type pop() {
    if (stack.empty()) {
      broken = true;
      return {};
    }
    const Type top = stack.back();
    stack.pop_back();
    if (top.kind == Kind::long_rest || top.kind == Kind::double_rest) {
      if (stack.empty()) {
        broken = true;
        return {};
      }
      const Type first = stack.back();
      stack.pop_back();
      return first;
    }
    return top;
  }
  static Kind kind_of(char letter) {
    switch (letter) {
      case 'J': return Kind::long_;
      case 'F': return Kind::float_;
      case 'D': return Kind::double_;
      case 'A': return Kind::object;
      default: return Kind::integer;
    }
  }
  void apply(const char* effect) {
    const char* arrow = effect;
    while (*arrow != '>') ++arrow;
    for (const char* at = arrow; at != effect; --at) {
      const Type popped = pop();
      const Kind wanted = kind_of(at[-1]);
      if (wanted != Kind::object && popped.kind != wanted) broken = true;
    }
    if (arrow[1] != '\0') push({kind_of(arrow[1]), 0});
  }
  void store(std::uint32_t slot, Type type) {
    const bool wide = type.kind == Kind::long_ || type.kind == Kind::double_;
    if (slot + (wide ? 1U : 0U) >= code->max_locals) {
      broken = true;
      return;
    }
    if (locals.size() < code->max_locals) locals.resize(code->max_locals);
    if (slot > 0 &&
        (locals[slot - 1].kind == Kind::long_ || locals[slot - 1].kind == Kind::double_))
      locals[slot - 1] = {};
    locals[slot] = type;
    if (wide)
      locals[slot + 1] = {type.kind == Kind::long_ ? Kind::long_rest : Kind::double_rest, 0};
    locals_changed = true;
  }
  Type local(std::uint32_t slot) {
    if (slot < locals.size()) return locals[slot];
    broken = true;
    return {};
  }

  // --- descriptors -------------------------------------------------------------------------------
  // The type at `at` of a checked descriptor, which moves behind it.
  Type descriptor_type(std::string_view text, std::size_t& at) {
    const std::size_t start = at;
    while (at < text.size() && text[at] == '[') ++at;
    if (at >= text.size()) return {};
    const std::size_t end = text[at] == 'L' ? text.find(';', at) : at;
    if (end == std::string_view::npos) {
      at = text.size();
      return {};
    }
    const bool array = at != start;
    const char letter = text[at];
    const std::string_view name = array           ? text.substr(start, end + 1 - start)
                                  : letter == 'L' ? text.substr(start + 1, end - start - 1)
                                                  : std::string_view();
    at = end + 1;
    if (!name.empty()) return object_type(name);
    return {letter == 'V' ? Kind::top : kind_of(letter), 0};
  }
  const Signature& signature(std::uint16_t index, std::string_view descriptor) {
    Signature& known = signatures[index];
    if (known.known) return known;
    known.known = true;
    std::size_t at = 0;
    known.first = static_cast<std::uint32_t>(types.size());
    if (descriptor.starts_with('(')) {
      at = 1;
      while (at < descriptor.size() && descriptor[at] != ')')
        types.push_back(descriptor_type(descriptor, at));
      ++at;
    }
    known.count = static_cast<std::uint32_t>(types.size()) - known.first;
    known.is_void = at < descriptor.size() && descriptor[at] == 'V';
    if (!known.is_void) known.result = descriptor_type(descriptor, at);
    return known;
  }

  Type array_of(std::string_view element) {
    std::string name = element.starts_with('[') ? "[" : "[L";
    name += element;
    if (!element.starts_with('[')) name += ';';
    if (const auto known = numbers.find(name); known != numbers.end())
      return {Kind::object, known->second};
    return object_type(made_names.emplace_back(std::move(name)));
  }

  bool locals_changed = false;

  bool load_frames(const Code& method);
  void check_frame(const Frame& frame);
  void check_handlers(std::uint32_t bci);
  void branch(std::uint32_t target);
  const Frame* frame_at(std::uint32_t bci) const;
  void run_method(const Code& method);
  void field(std::uint8_t opcode, std::uint16_t index);
  void invoke(std::uint8_t opcode, std::uint16_t index);
  void load_constant(std::uint16_t index);
  void shuffle(std::uint8_t opcode);
  void switch_targets(std::uint32_t bci, std::uint8_t opcode, std::uint32_t& next);
  void special(std::uint32_t bci, std::uint8_t opcode, std::uint32_t& next);
  void wide(std::uint32_t bci, std::uint32_t& next);

  std::uint8_t u1(std::uint64_t at) {
    if (at < code->bytes.size()) return static_cast<std::uint8_t>(code->bytes[at]);
    broken = true;
    return 0;
  }
  std::uint16_t u2(std::uint64_t at) {
    return static_cast<std::uint16_t>(u1(at) << 8 | u1(at + 1));
  }
  std::uint32_t u4(std::uint64_t at) { return std::uint32_t{u2(at)} << 16 | u2(at + 2); }
  std::uint32_t target(std::uint32_t bci, std::int64_t offset) {
    const std::int64_t at = std::int64_t{bci} + offset;
    if (at < 0 || at >= static_cast<std::int64_t>(code->bytes.size())) {
      broken = true;
      return 0;
    }
    return static_cast<std::uint32_t>(at);
  }
};

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

const Frame* TypeFlowAnalysis::State::frame_at(std::uint32_t bci) const {
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

TypeFlowAnalysis::TypeFlowAnalysis() : state_(std::make_unique<State>()) {}
TypeFlowAnalysis::~TypeFlowAnalysis() = default;

void TypeFlowAnalysis::run(const ClassFile& file, TypeFlow& out) {
  out.questions.clear();
  out.receivers.clear();
  out.unfollowed = 0;
  if (file.major < kOldestWithFrames) return;
  state_->start(file, out);
  for (const Code& code : file.codes) state_->run_method(code);
}

}  // namespace rowgate::jarscan
