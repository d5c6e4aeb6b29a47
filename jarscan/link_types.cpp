// One linear walk over each method, as the type-checking verifier does it (JVMS 4.10.1.6): a
// current frame of types is changed by each instruction; where the method has a stack map frame,
// the current one must be assignable to it and is replaced by it; so it is at every branch, and for
// every exception handler whose range is entered or in whose range a local changes. Each assignment
// from one class to another that the class file alone cannot answer becomes a question.
//
// The walk checks only what it needs to stay in step (slots, widths). A method in which it cannot
// is left at that point and counted. It ends because each instruction is visited once; the work at
// branches is at most a frame's size, and a budget bounds it for absurd methods.
//
// This file has types, questions and the current frame; link_types_frames.cpp the stack map's
// frames, link_types_code.cpp the instructions.
#include "jarscan/link_types.hpp"

#include "jarscan/link_types_state.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint16_t kOldestWithFrames = 50;

}  // namespace

using type_flow::kBudget;

void TypeFlowAnalysis::State::start(const ClassFile& class_file, TypeFlow& result) {
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

std::uint32_t TypeFlowAnalysis::State::number(std::string_view name) {
  const auto [place, is_new] = numbers.emplace(name, static_cast<std::uint32_t>(names.size()));
  if (is_new) names.push_back(name);
  return place->second;
}

TypeFlowAnalysis::State::Type TypeFlowAnalysis::State::object_type(std::string_view name) {
  return {Kind::object, number(name)};
}

TypeFlowAnalysis::State::Type TypeFlowAnalysis::State::class_constant(std::uint16_t index) {
  if (index >= class_numbers.size()) return {};
  if (class_numbers[index] == 0) class_numbers[index] = number(file->pool.name(index));
  return {Kind::object, class_numbers[index]};
}

void TypeFlowAnalysis::State::assign(Type from, Type to) {
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

void TypeFlowAnalysis::State::ask(std::uint32_t from, std::uint32_t to, bool caught) {
  if (from == to || (to == object && !caught)) return;
  const std::uint64_t key = std::uint64_t{from} << 32 | to << 1 | (caught ? 1U : 0U);
  if (!asked.insert(key).second) return;
  out->questions.push_back({names[from], names[to], code->method, caught});
}

void TypeFlowAnalysis::State::receive(std::uint16_t constant, Type type) {
  if (type.kind != Kind::object || type.name == self) return;
  const std::uint64_t key = std::uint64_t{constant} << 32 | type.name;
  if (received.insert(key).second) out->receivers.push_back({constant, names[type.name]});
}

void TypeFlowAnalysis::State::push(Type type) {
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

TypeFlowAnalysis::State::Type TypeFlowAnalysis::State::pop() {
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

TypeFlowAnalysis::State::Kind TypeFlowAnalysis::State::kind_of(char letter) {
  switch (letter) {
    case 'J': return Kind::long_;
    case 'F': return Kind::float_;
    case 'D': return Kind::double_;
    case 'A': return Kind::object;
    default: return Kind::integer;
  }
}

void TypeFlowAnalysis::State::apply(const char* effect) {
  const char* arrow = effect;
  while (*arrow != '>') ++arrow;
  for (const char* at = arrow; at != effect; --at) {
    const Type popped = pop();
    const Kind wanted = kind_of(at[-1]);
    if (wanted != Kind::object && popped.kind != wanted) broken = true;
  }
  if (arrow[1] != '\0') push({kind_of(arrow[1]), 0});
}

void TypeFlowAnalysis::State::store(std::uint32_t slot, Type type) {
  const bool wide = type.kind == Kind::long_ || type.kind == Kind::double_;
  if (slot + (wide ? 1U : 0U) >= code->max_locals) {
    broken = true;
    return;
  }
  if (locals.size() < code->max_locals) locals.resize(code->max_locals);
  if (slot > 0 && (locals[slot - 1].kind == Kind::long_ || locals[slot - 1].kind == Kind::double_))
    locals[slot - 1] = {};
  locals[slot] = type;
  if (wide) locals[slot + 1] = {type.kind == Kind::long_ ? Kind::long_rest : Kind::double_rest, 0};
  locals_changed = true;
}

TypeFlowAnalysis::State::Type TypeFlowAnalysis::State::local(std::uint32_t slot) {
  if (slot < locals.size()) return locals[slot];
  broken = true;
  return {};
}

TypeFlowAnalysis::State::Type TypeFlowAnalysis::State::descriptor_type(std::string_view text,
                                                                       std::size_t& at) {
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

const TypeFlowAnalysis::State::Signature& TypeFlowAnalysis::State::signature(
    std::uint16_t index, std::string_view descriptor) {
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

TypeFlowAnalysis::State::Type TypeFlowAnalysis::State::array_of(std::string_view element) {
  std::string name = element.starts_with('[') ? "[" : "[L";
  name += element;
  if (!element.starts_with('[')) name += ';';
  if (const auto known = numbers.find(name); known != numbers.end())
    return {Kind::object, known->second};
  return object_type(made_names.emplace_back(std::move(name)));
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
