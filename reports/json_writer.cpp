#include "reports/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/text.hpp"

namespace rowgate::reports {
namespace {

// Code points that printable() would change although JSON allows them as they are.
bool needs_escape(char32_t c) {
  return c == 0x7F || (c >= 0x80 && c <= 0x9F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F || c == 0x2028 || c == 0x2029 ||
         c == 0xFEFF;
}

// Well-formed UTF-8 only; all code points that need_escape are of one to three bytes.
void append_well_formed(std::string& out, std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\' && byte != '<' && byte != '>' &&
        byte != '&') {
      out += text[i++];
      continue;
    }
    switch (byte) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: {
        if (byte < 0x80) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
          break;
        }
        const std::size_t length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        char32_t code_point = byte & (0xFF >> (length + 1));
        for (std::size_t k = 1; k < length; ++k)
          code_point = code_point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3F);
        if (needs_escape(code_point))
          fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                         static_cast<std::uint32_t>(code_point));
        else
          out += text.substr(i, length);
        i += length - 1;
      }
    }
    ++i;
  }
}

}  // namespace

void append_json_escaped(std::string& out, std::string_view text) {
  if (base::is_utf8(text))
    append_well_formed(out, text);
  else
    append_well_formed(out, base::printable(text));
}

void JsonWriter::separate() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.layout == Layout::line ? ", " : ",";
  level.empty = false;
  if (level.layout == Layout::block) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
}

void JsonWriter::before_value() {
  if (after_key_)
    after_key_ = false;
  else
    separate();
}

JsonWriter& JsonWriter::open(char bracket, Layout layout) {
  before_value();
  out_ += bracket;
  // What stands on one line stays on it with all it holds.
  if (!levels_.empty() && levels_.back().layout == Layout::line) layout = Layout::line;
  levels_.push_back({layout, true});
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && level.layout == Layout::block) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  out_ += '"';
  append_json_escaped(out_, name);
  out_ += "\": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
  before_value();
  out_ += '"';
  append_json_escaped(out_, value);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  before_value();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ += "null";
  return *this;
}

std::string JsonWriter::take() {
  out_ += '\n';
  return std::move(out_);
}

}  // namespace rowgate::reports
