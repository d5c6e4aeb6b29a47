#include "tools/session.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <system_error>
#include <thread>

#include "base/files.hpp"
#include "base/version.hpp"
#include "tools/render.hpp"

namespace rowgate::tools {
namespace {

bool use_color(const CommonOptions& options, const Environment& environment, int fd) {
  if (options.color != "auto") return options.color == "always";
  return ::isatty(fd) == 1 && !environment.get("NO_COLOR") && environment.get("TERM") != "dumb";
}

base::LogLevel threshold(const CommonOptions& options) {
  if (options.quiet) return base::LogLevel::error;
  return options.verbosity > 0 ? base::LogLevel::debug : base::LogLevel::info;
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_option("-f,--format", options.format, "Format of standard output")
      ->check(CLI::IsMember(format_names()));
  app.add_option("-o,--output", options.outputs,
                 "Also write the report to this file; its extension says the format (repeatable)")
      ->type_name("FILE");
  app.add_flag("-a,--all", options.show_all, "Show notes too");
  app.add_option("-j,--jobs", options.jobs, "Threads to use (default: one a core)")
      ->check(CLI::Range(1U, 256U))
      ->type_name("N");
  app.add_option("--color", options.color, "Colour on standard output")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("-v,--verbose", options.verbosity, "Say more on standard error");
  app.add_flag("-q,--quiet", options.quiet, "Only errors on standard error");
}

Session::Session(Environment environment, const CommonOptions& options,
                 const std::atomic<bool>& stop)
    : environment_(std::move(environment)),
      options_(options),
      terminal_(STDERR_FILENO, threshold(options),
                options.quiet ? Terminal::ShowProgress::never : Terminal::ShowProgress::on_terminal,
                use_color(options, environment_, STDERR_FILENO), clock_),
      context_{&terminal_, &terminal_, &clock_,
               options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency()),
               &stop},
      started_at_(clock_.now()),
      started_tick_(clock_.tick()) {}

Result<void> Session::deliver(base::Report report) {
  report.provenance.tool_version = base::kVersion;
  report.provenance.started_at = base::to_rfc3339(started_at_);
  report.provenance.elapsed_ms =
      std::chrono::duration<double, std::milli>(clock_.tick() - started_tick_).count();
  utsname system{};
  if (::uname(&system) == 0)
    report.provenance.facts.emplace_back(
        "system", fmt::format("{} {} {}", system.sysname, system.release, system.machine));
  return deliver_as_it_is(std::move(report));
}

Result<void> Session::deliver_as_it_is(base::Report report) {
  base::normalise(report.findings);

  RenderOptions render_options;
  render_options.color = use_color(options_, environment_, STDOUT_FILENO);
  render_options.show_notes = options_.show_all;
  render_options.detail = options_.verbosity > 0;
  render_options.width = stdout_width();
  // Long enough to wait for a connector's next release, short enough to be asked again.
  constexpr std::chrono::days kIgnoreFor{90};
  render_options.ignore_until = base::to_rfc3339(clock_.now() + kIgnoreFor).substr(0, 10);
  std::error_code ignored;
  render_options.source_root = std::filesystem::current_path(ignored).string();
  for (const std::filesystem::path& path : options_.outputs) {
    ROWGATE_TRY(const std::string format, format_for_file(path));
    RenderOptions for_file = render_options;
    for_file.color = false;
    ROWGATE_TRY(const std::string text, render(report, format, for_file));
    ROWGATE_CHECK(base::write_file_atomically(path, text));
  }
  ROWGATE_TRY(const std::string text,
              render(report, options_.format.empty() ? "text" : options_.format, render_options));
  return write_stdout(text);
}

Result<void> write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0)
      return fail(ErrorCode::io,
                  fmt::format("cannot write: {}", std::generic_category().message(errno)),
                  "standard output");
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace rowgate::tools
