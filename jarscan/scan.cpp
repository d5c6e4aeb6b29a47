// A scan in four steps: find the jars, open them (and the jars in them), read runs of entries, join
// the runs. Runs are cut so that one large jar occupies all threads; they are joined in the order
// of jars and entries, so the result does not depend on who read what. Each run has its own arena
// for names. When the last run of a jar is done its pages are given back, so that memory holds what
// was learned and not what was read.
#include "jarscan/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <tuple>

#include "base/checks.hpp"
#include "base/digest.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "jarscan/manifest.hpp"
#include "jarscan/scan_jar.hpp"

namespace rowgate::jarscan {
namespace {

namespace fs = std::filesystem;

// Large enough that the cost of a run does not show, small enough to share a large jar evenly.
constexpr std::uint64_t kRunBytes = std::uint64_t{1} << 20;

struct Opened {
  std::vector<std::shared_ptr<const JarFile>> jars;  // the jar and those in it, outermost first
  std::string sha1;
  std::vector<base::Finding> findings;
  std::uint64_t skipped = 0;
};

struct EntryRun {
  std::size_t jar;
  std::uint32_t first, end;
  std::uint64_t bytes;  // compressed
};

base::Finding unreadable(const Error& error, std::string jar) {
  base::Finding finding = base::make_finding("RG1001", jar, error.message);
  finding.location.file = std::move(jar);
  finding.location.offset = error.offset;
  finding.help = error.remedy;
  return finding;
}

void open_nested(const std::shared_ptr<const JarFile>& jar, Opened& out) {
  for (const std::uint32_t entry : nested_jars(*jar)) {
    auto nested = JarFile::open_nested(jar, entry);
    if (!nested) {
      ++out.skipped;
      out.findings.push_back(unreadable(
          nested.error(),
          fmt::format("{}!/{}", jar->name(), base::printable(jar->entries()[entry].name))));
      continue;
    }
    out.jars.push_back(*nested);
    open_nested(*nested, out);  // JarLimits::nesting bounds the depth
  }
}

Opened open_jar(const fs::path& path, const ScanOptions& options) {
  Opened out;
  auto jar = JarFile::open(path, options.limits);
  if (!jar) {
    ++out.skipped;
    out.findings.push_back(unreadable(jar.error(), path.string()));
    return out;
  }
  if (options.hashing == Hashing::sha1)
    out.sha1 = base::digest(base::DigestKind::sha1, (*jar)->bytes());
  out.jars.push_back(*jar);
  open_nested(*jar, out);
  return out;
}

std::vector<fs::path> find_jars(const std::vector<fs::path>& paths, ScanResult& result) {
  std::vector<fs::path> jars;
  for (const fs::path& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      jars.push_back(path);
      continue;
    }
    auto files = base::list_files(path, ".jar");
    if (!files) {
      ++result.jars_skipped;
      result.findings.push_back(unreadable(files.error(), path.string()));
    } else if (files->empty()) {
      result.findings.push_back(
          base::make_finding("RG1005", path.string(), "the folder holds no jars"));
    } else {
      jars.insert(jars.end(), files->begin(), files->end());
    }
  }
  return jars;
}

std::vector<EntryRun> cut_runs(const std::vector<JarScan>& jars) {
  std::vector<EntryRun> runs;
  for (std::size_t j = 0; j < jars.size(); ++j) {
    const auto entries = jars[j].jar->entries();
    EntryRun run{j, 0, 0, 0};
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      run.end = i + 1;
      if (entries[i].is_class()) run.bytes += entries[i].compressed_bytes;
      if (run.bytes < kRunBytes) continue;
      runs.push_back(run);
      run = {j, i + 1, i + 1, 0};
    }
    if (run.end > run.first) runs.push_back(run);
  }
  return runs;
}

JarScan describe(const std::shared_ptr<const JarFile>& jar, std::string sha1) {
  JarScan scan;
  scan.jar = jar;
  scan.name = jar->name();
  scan.size_bytes = jar->bytes().size();
  scan.sha1 = std::move(sha1);
  scan.entries = jar->entries().size();
  scan.is_multi_release = jar->is_multi_release();
  scan.manifest = Manifest::parse(jar->manifest()).main_attributes;
  return scan;
}

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void join(JarScan& jar, RunFacts& run, std::vector<base::Finding>& findings) {
  append(jar.classes, run.classes);
  append(jar.poms, run.poms);
  append(jar.services, run.services);
  for (const Shim& shim : run.shims) {
    const auto known = std::find_if(jar.shims.begin(), jar.shims.end(),
                                    [&](const Shim& s) { return s.prefix == shim.prefix; });
    if (known == jar.shims.end())
      jar.shims.push_back(shim);
    else
      known->classes += shim.classes;
  }
  append(findings, run.findings);
  jar.classes_read += run.classes_read;
  jar.classes_skipped += run.classes_skipped;
  jar.class_bytes += run.class_bytes;
  jar.has_module_info |= run.has_module_info;
  if (run.max_major != 0) {
    jar.min_major = jar.min_major == 0 ? run.min_major : std::min(jar.min_major, run.min_major);
    jar.max_major = std::max(jar.max_major, run.max_major);
  }
}

// Duplicates and emptiness can be judged only when a jar is complete.
void finish(JarScan& jar, std::vector<base::Finding>& findings) {
  for (const std::uint32_t entry : jar.jar->shadowed()) {
    const std::string name = base::printable(jar.jar->entries()[entry].name);
    if (name.ends_with('/')) continue;  // folders hold nothing
    base::Finding finding =
        base::make_finding("RG1004", jar.name, fmt::format("several entries are named {}", name));
    finding.symbol = name;
    finding.location.file = fmt::format("{}!/{}", jar.name, name);
    findings.push_back(std::move(finding));
  }
  std::sort(jar.poms.begin(), jar.poms.end(), [](const EmbeddedPom& a, const EmbeddedPom& b) {
    return std::tie(a.group_id, a.artifact_id, a.version) <
           std::tie(b.group_id, b.artifact_id, b.version);
  });
  std::sort(jar.services.begin(), jar.services.end(),
            [](const auto& a, const auto& b) { return a.service < b.service; });
  std::sort(jar.shims.begin(), jar.shims.end(),
            [](const auto& a, const auto& b) { return a.prefix < b.prefix; });
  if (jar.classes_read + jar.classes_skipped == 0 && nested_jars(*jar.jar).empty())
    findings.push_back(base::make_finding("RG1005", jar.name, "the jar holds no class files"));
}

}  // namespace

ScanResult::ScanResult() = default;
ScanResult::~ScanResult() = default;
ScanResult::ScanResult(ScanResult&&) noexcept = default;
ScanResult& ScanResult::operator=(ScanResult&&) noexcept = default;

unsigned java_release_of(std::uint16_t major) {
  return major < 45 ? 0 : major - 44U;
}

Result<ScanResult> scan(const std::vector<fs::path>& paths, const ScanOptions& options,
                        const RunContext& context) {
  ScanResult result;
  const std::vector<fs::path> files = find_jars(paths, result);
  std::vector<Opened> opened(files.size());
  base::parallel_for(files.size(), context.jobs, [&](unsigned, std::size_t i) {
    if (!context.stopped()) opened[i] = open_jar(files[i], options);
  });
  for (Opened& one : opened) {
    result.jars_skipped += one.skipped;
    append(result.findings, one.findings);
    for (std::size_t i = 0; i < one.jars.size(); ++i)
      result.jars.push_back(describe(one.jars[i], i == 0 ? std::move(one.sha1) : std::string()));
  }

  const std::vector<EntryRun> runs = cut_runs(result.jars);
  std::uint64_t total = 0;
  std::vector<std::atomic<std::uint32_t>> runs_left(result.jars.size());
  for (const EntryRun& run : runs) {
    total += run.bytes;
    ++runs_left[run.jar];
  }
  const auto progress = context.progress->start("scanning", base::ProgressUnit::bytes, total);
  const unsigned workers = std::max(1U, context.jobs);
  std::vector<std::unique_ptr<RunScanner>> scanners;
  for (unsigned i = 0; i < workers; ++i) {
    result.arenas.push_back(std::make_unique<TextArena>());
    scanners.push_back(std::make_unique<RunScanner>(*result.arenas.back()));
  }
  std::vector<RunFacts> facts(runs.size());
  base::parallel_for(runs.size(), workers, [&](unsigned worker, std::size_t i) {
    if (context.stopped()) return;
    const EntryRun& run = runs[i];
    const JarFile& jar = *result.jars[run.jar].jar;
    facts[i] = scanners[worker]->scan(jar, run.first, run.end);
    if (--runs_left[run.jar] == 0) jar.release_pages();
    progress->advance(run.bytes);
  });
  if (context.stopped()) return fail(ErrorCode::interrupted, "the scan was stopped");

  for (std::size_t i = 0; i < runs.size(); ++i)
    join(result.jars[runs[i].jar], facts[i], result.findings);
  for (JarScan& jar : result.jars) finish(jar, result.findings);
  base::normalise(result.findings);
  return result;
}

}  // namespace rowgate::jarscan
