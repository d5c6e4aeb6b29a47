// The file: a line that says what it is, a line for each question to the repositories, an empty
// line, and the report as JSON. A question's line: its kind, which repository, whether there is
// such a file, size and time of the file, then the two paths. No path in it has a tab or a line
// break; one that has is not kept.
#include "tools/kept_report.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "reports/json.hpp"

namespace rowgate::tools {
namespace {

namespace fs = std::filesystem;
using pomcheck::AskedFile;

constexpr std::string_view kHead = "rowgate kept report 1\n";
constexpr std::chrono::days kKeepUnusedFor{30};

std::optional<std::string> line_of(const AskedFile& asked) {
  const std::string file = asked.file.string();
  if ((asked.path + file).find_first_of("\t\n") != std::string::npos) return std::nullopt;
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", static_cast<int>(asked.question),
                     asked.repository, static_cast<int>(asked.present), asked.stamp.size_bytes,
                     asked.stamp.modified_ns, asked.path, file);
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<AskedFile> read_line(std::string_view line) {
  const std::vector<std::string_view> parts = base::split(line, '\t');
  unsigned question = 0, present = 0;
  AskedFile asked;
  if (parts.size() != 7 || !read_number(parts[0], question) ||
      question > static_cast<unsigned>(AskedFile::Question::fetch_from) ||
      !read_number(parts[1], asked.repository) || !read_number(parts[2], present) || present > 1 ||
      !read_number(parts[3], asked.stamp.size_bytes) ||
      !read_number(parts[4], asked.stamp.modified_ns))
    return std::nullopt;
  asked.question = static_cast<AskedFile::Question>(question);
  asked.present = present == 1;
  asked.path = parts[5];
  asked.file = parts[6];
  return asked;
}

struct Kept {
  std::vector<AskedFile> asked;
  std::string_view report;  // JSON
};

std::optional<Kept> read_kept(std::string_view text) {
  if (!text.starts_with(kHead)) return std::nullopt;
  text.remove_prefix(kHead.size());
  Kept kept;
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) break;
    auto asked = read_line(line);
    if (!asked) return std::nullopt;
    kept.asked.push_back(std::move(*asked));
  }
  kept.report = text;
  return kept;
}

void remove_unused(const fs::path& folder) {
  std::error_code error;
  const auto old = fs::file_time_type::clock::now() - kKeepUnusedFor;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const auto modified = it->last_write_time(ignored);
    if (!ignored && modified < old) fs::remove(it->path(), ignored);
  }
}

}  // namespace

void add_recompute_option(CLI::App& app, bool& recompute) {
  app.add_flag("--recompute", recompute,
               "Do everything again, though an earlier run on the same input kept its report");
}

KeptReport::KeptReport(const fs::path& cache_folder, const RunKey& key) {
  const auto digest = key.digest();
  if (!cache_folder.empty() && digest) file_ = cache_folder / "reports" / *digest;
}

std::optional<base::Report> KeptReport::find(pomcheck::RepositorySet& repositories,
                                             const base::RunContext& context) const {
  if (file_.empty()) return std::nullopt;
  const auto mapped = base::MappedFile::open(file_);
  if (!mapped) return std::nullopt;
  const auto kept = read_kept(base::as_text(mapped->bytes()));
  if (!kept || !pomcheck::still_so(repositories, kept->asked, context)) return std::nullopt;
  auto report = reports::read_json(kept->report, file_.string());
  if (!report) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(file_, fs::file_time_type::clock::now(), ignored);
  base::Provenance provenance;
  provenance.facts = {{"report of", fmt::format("an earlier run on the same input, {}",
                                                report->provenance.started_at)}};
  report->provenance = std::move(provenance);
  return std::move(*report);
}

void KeptReport::keep(base::Report report, const pomcheck::RepositorySet& repositories,
                      const base::RunContext& context) const {
  if (file_.empty() || context.stopped()) return;
  const auto asked = repositories.asked();
  if (!asked) return;
  std::string text(kHead);
  for (const AskedFile& one : *asked) {
    const auto line = line_of(one);
    if (!line) return;
    text += *line;
  }
  report.provenance = {};
  report.provenance.started_at = base::to_rfc3339(context.clock->now());
  const std::string json = reports::render_json(report);
  const auto again = reports::read_json(json, file_.string());
  if (!again || *again != report) return;
  text += '\n';
  text += json;
  remove_unused(file_.parent_path());
  if (auto written = base::write_file_atomically(file_, text); !written)
    context.warn(written.error().to_string());
}

}  // namespace rowgate::tools
