// Whether what came back for a path can be that file at all. Servers answer 200 with login pages,
// empty bodies and cut-off files; a cache that keeps one of them is poisoned for good.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::pomcheck {

// Bytes at both ends of a file that the check looks at. The tail holds a zip archive's end record
// with the longest comment it can have.
inline constexpr std::size_t kHeadBytes = 4096;
inline constexpr std::size_t kTailBytes = 65'557;

// `path` is the path in the repository, whose extension says what is expected. `head` and `tail`
// are the file's first and last bytes (they overlap in small files). Refused: an empty file, an
// HTML page, a POM or metadata file that does not end with its root element's end tag, a jar
// without a zip end record. Says nothing else about validity: that is for whoever parses the file.
// Errors: malformed.
Result<void> check_content(std::string_view path, std::string_view head, std::string_view tail);

// The same for a file on disk. Errors also: io, not_found.
Result<void> check_file_content(std::string_view path, const std::filesystem::path& file);

// An HTML document by its first bytes, whatever the Content-Type said.
bool looks_like_html(std::string_view head);

}  // namespace rowgate::pomcheck
