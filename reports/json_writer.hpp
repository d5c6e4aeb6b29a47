// Writes JSON (RFC 8259) in the order it is told, so that the same calls give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rowgate::reports {

// Escapes for a JSON string, without the quotes. Beyond what JSON demands, control characters
// (C0, DEL, C1), bidirectional overrides and `<`, `>`, `&` become \uXXXX: the text can be printed
// on a terminal or stand in an HTML script element, and still means the same. Ill-formed UTF-8
// becomes
// `\xNN` in the value, as base::printable does.
void append_json_escaped(std::string& out, std::string_view text);

// A builder with a stack of open containers. Misuse (a value without a key in an object, an
// unbalanced end) is a bug of the caller and not checked.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { block, line };  // one element a line, or all on one line

  JsonWriter& begin_object(Layout layout = Layout::block) { return open('{', layout); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array(Layout layout = Layout::block) { return open('[', layout); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view value);
  JsonWriter& number(double value);  // shortest text that reads back; null for NaN and infinities
  JsonWriter& number(std::uint64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  // key + string, the commonest pair.
  JsonWriter& member(std::string_view name, std::string_view value) {
    return key(name).string(value);
  }

  // The document, ended by a newline.
  std::string take();

 private:
  struct Level {
    Layout layout;
    bool empty;
  };
  JsonWriter& open(char bracket, Layout layout);
  JsonWriter& close(char bracket);
  void before_value();
  void separate();

  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace rowgate::reports
