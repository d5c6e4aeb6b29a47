#include "harness/lines.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rowgate::harness {

bool Lines::raw_next() {
  if (at_ >= text_.size()) return false;
  const std::size_t end = text_.find('\n', at_);
  line_ = text_.substr(at_, end - at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  ++number_;
  return true;
}

bool Lines::next() {
  if (pending_) {
    pending_ = false;
    return true;
  }
  while (raw_next())
    if (!base::trim(line_).empty() && line_[0] != '#') return true;
  line_ = {};
  return false;
}

std::string_view Lines::word() const {
  const std::string_view trimmed = base::trim(line_);
  return trimmed.substr(0, trimmed.find_first_of(" \t"));
}

std::string_view Lines::rest() const {
  const std::string_view trimmed = base::trim(line_);
  const std::size_t space = trimmed.find_first_of(" \t");
  return space == std::string_view::npos ? std::string_view() : base::trim(trimmed.substr(space));
}

std::size_t Lines::rest_column() const {
  const std::string_view text = rest();
  return text.empty() ? line_.size() + 1 : static_cast<std::size_t>(text.data() - line_.data()) + 1;
}

std::string Lines::block() {
  std::string text;
  std::size_t indentation = 0, blank = 0;
  while (raw_next()) {
    const std::size_t first = line_.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
      ++blank;
      continue;
    }
    if (first == 0) {
      pending_ = line_[0] != '#';
      break;
    }
    if (text.empty()) indentation = first;
    if (!text.empty()) text.append(blank + 1, '\n');
    blank = 0;
    text += line_.substr(std::min(indentation, first));
  }
  return text;
}

tl::unexpected<Error> Lines::error(std::size_t column, std::string message,
                                   std::string remedy) const {
  return error_at(number_ == 0 ? 1 : number_, column, std::move(message), std::move(remedy));
}

tl::unexpected<Error> Lines::error_at(std::size_t line, std::size_t column, std::string message,
                                      std::string remedy) const {
  return fail(ErrorCode::malformed, std::move(message),
              fmt::format("{}:{}:{}", file_, line, column), std::nullopt, std::move(remedy));
}

}  // namespace rowgate::harness
