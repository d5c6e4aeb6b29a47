#include "jarscan/descriptor.hpp"

#include <cstdint>

namespace rowgate::jarscan {
namespace {

constexpr std::size_t kMaxDimensions = 255;
constexpr std::size_t kMaxParameterSlots = 255;

// The internal form of a class or interface name: unqualified names joined by '/'.
bool is_internal_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.back() == '/') return false;
  char before = 'a';
  for (const char c : name) {
    if (c == '.' || c == ';' || c == '[' || (c == '/' && before == '/')) return false;
    before = c;
  }
  return true;
}

}  // namespace

std::size_t field_descriptor_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && text[at] == '[') ++at;
  if (at > kMaxDimensions || at == text.size()) return 0;
  switch (text[at]) {
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z': return at + 1;
    case 'L': {
      const std::size_t end = text.find(';', at + 1);
      if (end == std::string_view::npos) return 0;
      return is_internal_name(text.substr(at + 1, end - at - 1)) ? end + 1 : 0;
    }
    default: return 0;
  }
}

bool is_field_descriptor(std::string_view text) {
  return !text.empty() && field_descriptor_length(text) == text.size();
}

bool is_method_descriptor(std::string_view text) {
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  std::size_t slots = 0;
  while (!text.empty() && text.front() != ')') {
    const std::size_t length = field_descriptor_length(text);
    if (length == 0) return false;
    slots += text.front() == 'J' || text.front() == 'D' ? 2 : 1;
    if (slots > kMaxParameterSlots) return false;
    text.remove_prefix(length);
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  return text == "V" || is_field_descriptor(text);
}

bool is_class_name(std::string_view name) {
  return name.starts_with('[') ? is_field_descriptor(name) : is_internal_name(name);
}

bool is_unqualified_name(std::string_view name) {
  return !name.empty() && name.find_first_of(".;[/") == std::string_view::npos;
}

bool is_method_name(std::string_view name) {
  if (name == "<init>" || name == "<clinit>") return true;
  return is_unqualified_name(name) && name.find_first_of("<>") == std::string_view::npos;
}

}  // namespace rowgate::jarscan
