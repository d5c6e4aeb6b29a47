#include "tools/render.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.hpp"
#include "reports/github.hpp"
#include "reports/html.hpp"
#include "reports/json.hpp"
#include "reports/junit.hpp"
#include "reports/markdown.hpp"
#include "reports/sarif.hpp"
#include "reports/text.hpp"

namespace rowgate::tools {
namespace {

struct Format {
  std::string_view name;
  std::vector<std::string_view> extensions;
  std::string (*render)(const base::Report& report, const RenderOptions& options);
};

std::string as_text(const base::Report& report, const RenderOptions& options) {
  reports::TextOptions text;
  text.width = options.width;
  text.colour = options.color ? reports::Colour::on : reports::Colour::off;
  text.detail = options.detail ? reports::Detail::full : reports::Detail::brief;
  if (options.detail) text.ignore_until = options.ignore_until;
  text.notes = options.show_notes ? reports::Notes::listed : reports::Notes::counted;
  return reports::render_text(report, text);
}

std::string as_markdown(const base::Report& report, const RenderOptions&) {
  return reports::render_markdown(report);
}

std::string as_json(const base::Report& report, const RenderOptions&) {
  return reports::render_json(report);
}

std::string as_html(const base::Report& report, const RenderOptions& options) {
  reports::HtmlOptions html;
  html.ignore_until = options.ignore_until;
  return reports::render_html(report, html);
}

std::string as_junit(const base::Report& report, const RenderOptions&) {
  return reports::render_junit(report);
}

std::string as_sarif(const base::Report& report, const RenderOptions& options) {
  reports::SarifOptions sarif;
  sarif.source_root = options.source_root;
  return reports::render_sarif(report, sarif);
}

std::string as_github(const base::Report& report, const RenderOptions& options) {
  reports::GithubOptions github;
  github.source_root = options.source_root;
  return reports::render_github(report, github);
}

std::string as_nothing(const base::Report&, const RenderOptions&) {
  return "";
}

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats = {
      {"text", {".txt"}, as_text},
      {"markdown", {".md", ".markdown"}, as_markdown},
      {"json", {".json"}, as_json},
      {"html", {".html", ".htm"}, as_html},
      {"junit", {".junit.xml", ".xml"}, as_junit},
      {"sarif", {".sarif", ".sarif.json"}, as_sarif},
      {"github", {}, as_github},
      {"none", {}, as_nothing},
  };
  return kFormats;
}

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return names;
}

Result<std::string> format_for_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  std::vector<std::string> known;
  std::string_view best, chosen;
  for (const Format& format : formats()) {
    for (std::string_view extension : format.extensions) {
      known.emplace_back(extension);
      if (!name.ends_with(extension) || extension.size() <= best.size()) continue;
      best = extension;  // ".sarif.json" is more than ".json"
      chosen = format.name;
    }
  }
  if (!chosen.empty()) return std::string(chosen);
  return fail(ErrorCode::usage, "the extension names no report format", path.string(), {},
              fmt::format("use one of {}", base::join(known, " ")));
}

Result<std::string> render(const base::Report& report, std::string_view format,
                           const RenderOptions& options) {
  for (const Format& known : formats())
    if (known.name == format) return known.render(report, options);
  return fail(ErrorCode::usage, "there is no such format", std::string(format), {},
              fmt::format("use one of {}", base::join(format_names(), ", ")));
}

std::size_t stdout_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<std::size_t>(size.ws_col, 40, 240);
  return 100;
}

}  // namespace rowgate::tools
