// A report as text for a terminal or a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/report.hpp"

namespace rowgate::reports {

enum class Colour : std::uint8_t { off, on };

// brief: detail tables are named with their size, findings show their first lines of evidence.
// full: everything.
enum class Detail : std::uint8_t { brief, full };

enum class Notes : std::uint8_t { counted, listed };  // findings of severity note

struct TextOptions {
  std::size_t width = 100;  // columns, at least 40; no line is wider
  Colour colour = Colour::off;
  Detail detail = Detail::brief;
  Notes notes = Notes::counted;
  // A date such as 2027-02-28: each finding is followed by an ignore entry that ends then, ready to
  // paste into rowgate.toml. Empty: none. A report has no clock, so the caller says it.
  std::string ignore_until;
};

// No byte of the input reaches the output as a control character: the only ones in it are newlines
// and, with Colour::on, our own SGR sequences. Whatever is left out is counted where it would
// stand. A table that does not fit is wrapped; one with too many columns is written a row a block.
std::string render_text(const base::Report& report, const TextOptions& options = {});

}  // namespace rowgate::reports
