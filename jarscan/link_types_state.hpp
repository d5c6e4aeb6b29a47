// The state of the verifier's walk over one class, shared by the files that implement it. Internal
// to link_types.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "jarscan/link_types.hpp"

namespace rowgate::jarscan {
namespace type_flow {

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

inline constexpr std::uint64_t kBudget = 20'000'000;  // assignments and slots of one method

struct Signature {
  std::uint32_t first = 0, count = 0;  // slots of parameters in State::types
  Type result;
  bool known = false, is_void = true;
};

struct Frame {
  std::uint32_t bci = 0;
  std::vector<Type> locals, stack;
};

}  // namespace type_flow

struct TypeFlowAnalysis::State {
  using Kind = type_flow::Kind;
  using Type = type_flow::Type;
  using Signature = type_flow::Signature;
  using Frame = type_flow::Frame;

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
  bool broken = false;  // the method cannot be followed any further
  bool locals_changed = false;

  void start(const ClassFile& class_file, TypeFlow& result);

  std::uint32_t number(std::string_view name);
  Type object_type(std::string_view name);
  Type class_constant(std::uint16_t index);

  // --- questions (link_types.cpp) ----------------------------------------------------------------
  void assign(Type from, Type to);
  void ask(std::uint32_t from, std::uint32_t to, bool caught);
  void receive(std::uint16_t constant, Type type);

  // --- the current frame (link_types.cpp) --------------------------------------------------------
  void push(Type type);
  Type pop();
  static Kind kind_of(char letter);
  void apply(const char* effect);
  void store(std::uint32_t slot, Type type);
  Type local(std::uint32_t slot);

  // --- descriptors (link_types.cpp) --------------------------------------------------------------
  // The type at `at` of a checked descriptor, which moves behind it.
  Type descriptor_type(std::string_view text, std::size_t& at);
  const Signature& signature(std::uint16_t index, std::string_view descriptor);
  Type array_of(std::string_view element);

  // --- frames of the stack map (link_types_frames.cpp) -------------------------------------------
  bool load_frames(const Code& method);
  void check_frame(const Frame& frame);
  void check_handlers(std::uint32_t bci);
  void branch(std::uint32_t bci);
  const Frame* frame_at(std::uint32_t bci) const;

  // --- instructions (link_types_code.cpp) --------------------------------------------------------
  void run_method(const Code& method);
  void field(std::uint8_t opcode, std::uint16_t index);
  void invoke(std::uint8_t opcode, std::uint16_t index);
  void load_constant(std::uint16_t index);
  void shuffle(std::uint8_t opcode);
  void switch_targets(std::uint32_t bci, std::uint8_t opcode, std::uint32_t& next);
  void special(std::uint32_t bci, std::uint8_t opcode, std::uint32_t& next);
  void wide(std::uint32_t bci, std::uint32_t& next);

  // Of the method's code; behind its end 0, and the method is broken.
  std::uint8_t u1(std::uint64_t at);
  std::uint16_t u2(std::uint64_t at);
  std::uint32_t u4(std::uint64_t at);
  std::uint32_t target(std::uint32_t bci, std::int64_t offset);
};

}  // namespace rowgate::jarscan
