#include "pomcheck/repository_content.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "base/text.hpp"

namespace rowgate::pomcheck {
namespace {

bool starts_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         base::equals_ignoring_case(text.substr(0, start.size()), start);
}

// Behind a byte order mark, white space, comments and processing instructions.
std::string_view skip_prolog(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (true) {
    const std::size_t first = text.find_first_not_of(" \t\r\n\f\v");
    if (first == std::string_view::npos) return {};
    text.remove_prefix(first);
    const bool comment = text.starts_with("<!--");
    if (!comment && !text.starts_with("<?")) return text;
    const std::string_view end_mark = comment ? "-->" : "?>";
    const std::size_t end = text.find(end_mark, 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + end_mark.size());
  }
}

// Without white space, comments and processing instructions at the end. Empty when a comment begins
// before `text` does.
std::string_view skip_epilog(std::string_view text) {
  while (true) {
    const std::size_t last = text.find_last_not_of(" \t\r\n\f\v");
    if (last == std::string_view::npos) return {};
    text = text.substr(0, last + 1);
    const bool comment = text.ends_with("-->");
    if (!comment && !text.ends_with("?>")) return text;
    const std::size_t start = text.rfind(comment ? "<!--" : "<?");
    if (start == std::string_view::npos) return {};
    text = text.substr(0, start);
  }
}

bool ends_with_tag(std::string_view tail, std::string_view root) {
  std::string_view text = skip_epilog(tail);
  if (text.empty()) return tail.size() >= kTailBytes;  // all of it is one long comment
  if (!text.ends_with('>')) return false;
  text.remove_suffix(1);
  text = base::trim(text);
  if (!text.ends_with(root)) return false;
  text.remove_suffix(root.size());
  return text.ends_with("</") ||
         (text.ends_with(':') && text.rfind("</") != std::string_view::npos);
}

// UTF-16 is legal for a POM; whether it is whole is left to the parser.
bool is_utf16(std::string_view head) {
  return head.starts_with("\xFE\xFF") || head.starts_with("\xFF\xFE") ||
         head.substr(0, 2).find('\0') != std::string_view::npos;
}

bool is_zip_name(std::string_view path) {
  constexpr std::array<std::string_view, 6> kExtensions = {".jar", ".war", ".ear",
                                                           ".aar", ".zip", ".rar"};
  return std::any_of(kExtensions.begin(), kExtensions.end(),
                     [&](std::string_view extension) { return path.ends_with(extension); });
}

}  // namespace

bool looks_like_html(std::string_view head) {
  const std::string_view text = skip_prolog(head);
  for (std::string_view start : {"<!doctype html", "<html", "<head", "<body"})
    if (starts_ignoring_case(text, start)) return true;
  return false;
}

Result<void> check_content(std::string_view path, std::string_view head, std::string_view tail) {
  const auto refuse = [&](std::string message) {
    return fail(ErrorCode::malformed, std::move(message), std::string(path), std::nullopt,
                "check what answers for this repository: a proxy, a login page or a broken upload");
  };
  if (head.empty()) return refuse("the answer is empty");
  if (!path.ends_with(".html") && looks_like_html(head))
    return refuse("the answer is an HTML page instead of the file");
  if (path.ends_with(".pom") && !is_utf16(head) && !ends_with_tag(tail, "project"))
    return refuse("the POM is cut off or is none: it does not end with </project>");
  if (path.ends_with("/maven-metadata.xml") && !ends_with_tag(tail, "metadata"))
    return refuse("the metadata is cut off or is none: it does not end with </metadata>");
  if (is_zip_name(path) && tail.rfind("PK\x05\x06") == std::string_view::npos)
    return refuse("the archive is cut off or is none: it has no zip end record");
  return {};
}

Result<void> check_file_content(std::string_view path, const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) {
    std::error_code error;
    const bool there = std::filesystem::exists(file, error);
    return fail(there ? ErrorCode::io : ErrorCode::not_found, "cannot open", file.string());
  }
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 0));
  const auto piece = [&](std::size_t from, std::size_t length) {
    std::string text(length, '\0');
    stream.seekg(static_cast<std::streamoff>(from));
    stream.read(text.data(), static_cast<std::streamsize>(length));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    return text;
  };
  const std::string head = piece(0, std::min(size, kHeadBytes));
  const std::size_t tail_size = std::min(size, kTailBytes);
  const std::string tail = piece(size - tail_size, tail_size);
  if (!stream) return fail(ErrorCode::io, "cannot read", file.string());
  return check_content(path, head, tail);
}

}  // namespace rowgate::pomcheck
