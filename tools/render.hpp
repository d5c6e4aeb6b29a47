// The output formats by name and by file extension.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/report.hpp"
#include "base/result.hpp"

namespace rowgate::tools {

struct RenderOptions {
  std::size_t width = 100;  // columns, for text
  bool color = false;
  std::string source_root;   // files below it are named relative to it (SARIF, annotations)
  std::string ignore_until;  // "2027-02-28": the expiry of paste-ready ignore entries
  bool show_notes = false;
  bool detail = false;  // detail tables and all evidence in text
};

// For --format: "text", "markdown", "json", …
std::vector<std::string> format_names();

// "report.md" -> "markdown". Errors: usage, with the extensions there are.
Result<std::string> format_for_file(const std::filesystem::path& path);

// Errors: usage (no such format).
Result<std::string> render(const base::Report& report, std::string_view format,
                           const RenderOptions& options);

// Columns of the terminal on standard output; 100 when it is none.
std::size_t stdout_width();

}  // namespace rowgate::tools
