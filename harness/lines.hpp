// Line-oriented text, as fixtures and strategies have it: a word and its rest at the margin, and
// indented blocks below it. Blank lines and lines whose first character is '#' are skipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::harness {

class Lines {
 public:
  // `file` is for messages. Both must outlive the reader.
  Lines(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // Moves to the next line that counts; false at the end.
  bool next();
  // Steps back, so that `next` gives this line again.
  void unread() { pending_ = true; }

  bool is_indented() const { return !line_.empty() && (line_[0] == ' ' || line_[0] == '\t'); }
  std::string_view line() const { return line_; }  // without its end
  std::size_t number() const { return number_; }   // 1-based
  std::string_view word() const;                   // the first word
  std::string_view rest() const;                   // what follows it, trimmed
  std::size_t rest_column() const;                 // 1-based

  // The indented lines that follow, as they are, less the first one's indentation. Blank lines
  // within it are kept.
  std::string block();

  // malformed, with "file:line:column" as its subject.
  tl::unexpected<Error> error(std::size_t column, std::string message, std::string remedy) const;
  // The same about another line.
  tl::unexpected<Error> error_at(std::size_t line, std::size_t column, std::string message,
                                 std::string remedy) const;

 private:
  bool raw_next();

  std::string_view text_;
  std::string_view file_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t number_ = 0;
  bool pending_ = false;
};

}  // namespace rowgate::harness
