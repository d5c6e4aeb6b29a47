// How fast jars are scanned, beside the floor: reading (mapping the files anew) and inflating the
// same entries with libdeflate and doing nothing else, without and with the CRC. All are measured
// in turns in one run, on the same pages of the page cache, and the median of the turns is printed.
//
//   bench_scan FOLDER [-j N] [--rounds N]
#include <fmt/format.h>
#include <libdeflate.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/parallel.hpp"
#include "jarscan/capabilities.hpp"
#include "jarscan/scan.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

struct Piece {
  Bytes compressed;  // inside the file, or in memory for jars in jars
  std::size_t file;  // kNoFile: in memory
  std::size_t offset;
  std::size_t size;
  bool deflated;
};

constexpr std::size_t kNoFile = static_cast<std::size_t>(-1);

struct Time {
  double wall_s, cpu_s;
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long peak_rss_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

Time timed(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          cpu_seconds() - cpu};
}

enum class Crc { no, yes };

// The floor. Runs of pieces are shared as the scan shares its own.
void inflate_all(const std::vector<std::string>& files, const std::vector<Piece>& pieces,
                 unsigned jobs, Crc crc) {
  std::vector<base::MappedFile> mapped;
  for (const std::string& file : files) {
    auto opened = base::MappedFile::open(file);
    if (!opened) std::abort();
    mapped.push_back(std::move(*opened));
  }
  constexpr std::size_t kRun = 256;
  struct Worker {
    libdeflate_decompressor* inflater = libdeflate_alloc_decompressor();
    std::vector<std::byte> buffer;
    std::uint32_t sum = 0;
  };
  std::vector<Worker> workers(jobs);
  base::parallel_for((pieces.size() + kRun - 1) / kRun, jobs, [&](unsigned w, std::size_t run) {
    Worker& worker = workers[w];
    for (std::size_t i = run * kRun; i < std::min(pieces.size(), (run + 1) * kRun); ++i) {
      const Piece& piece = pieces[i];
      if (worker.buffer.size() < piece.size) worker.buffer.resize(piece.size * 2);
      const std::byte* out = worker.buffer.data();
      const std::byte* const in = piece.file == kNoFile
                                      ? piece.compressed.data()
                                      : mapped[piece.file].bytes().data() + piece.offset;
      if (!piece.deflated)
        out = in;
      else if (libdeflate_deflate_decompress(worker.inflater, in, piece.compressed.size(),
                                             worker.buffer.data(), piece.size,
                                             nullptr) != LIBDEFLATE_SUCCESS)
        std::abort();
      if (crc == Crc::yes) worker.sum += libdeflate_crc32(0, out, piece.size);
    }
  });
  for (Worker& worker : workers) libdeflate_free_decompressor(worker.inflater);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Row {
  const char* name;
  std::function<void()> work;
  std::vector<double> wall, cpu;
};

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  unsigned jobs = 2, rounds = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "-j" && i + 1 < argc)
      jobs = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (argument == "--rounds" && i + 1 < argc)
      rounds = static_cast<unsigned>(std::atoi(argv[++i]));
    else
      folder = argument;
  }
  if (folder.empty() || jobs == 0 || rounds == 0) {
    std::fprintf(stderr, "usage: bench_scan FOLDER [-j N] [--rounds N]\n");
    return 2;
  }
  RunContext context = RunContext::quiet();
  context.jobs = jobs;

  // Memory first: nothing else has touched the jars yet.
  ScanOptions options;
  options.hashing = Hashing::none;
  const auto first = scan({folder}, options, context);
  if (!first) {
    std::fprintf(stderr, "%s\n", first.error().to_string().c_str());
    return 3;
  }
  const long scan_rss = peak_rss_kib();
  std::uint64_t classes = 0, bytes = 0, compressed = 0;
  std::vector<Piece> pieces;
  std::vector<std::string> files;
  for (const JarScan& jar : first->jars) {
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(jar.name, ignored);
    if (is_file) files.push_back(jar.name);
    classes += jar.classes_read;
    bytes += jar.class_bytes;
    for (const JarEntry& entry : jar.jar->entries()) {
      if (!entry.is_class()) continue;
      if (const auto raw = jar.jar->raw(entry)) {
        const auto offset = static_cast<std::size_t>(raw->data() - jar.jar->bytes().data());
        pieces.push_back({*raw, is_file ? files.size() - 1 : kNoFile, offset, entry.size_bytes,
                          entry.method != 0});
        compressed += raw->size();
      }
    }
  }
  if (classes == 0) {
    std::fprintf(stderr, "no classes below %s\n", folder.c_str());
    return 3;
  }

  ScanOptions hashed;
  std::vector<Row> rows = {
      {"floor: read, inflate", [&] { inflate_all(files, pieces, jobs, Crc::no); }, {}, {}},
      {"floor: read, inflate, CRC", [&] { inflate_all(files, pieces, jobs, Crc::yes); }, {}, {}},
      {"scan", [&] { (void)scan({folder}, options, context); }, {}, {}},
      {"scan + SHA-1 of each jar", [&] { (void)scan({folder}, hashed, context); }, {}, {}},
      {"scan + capabilities",
       [&] { (void)analyse_capabilities(*scan({folder}, options, context), {}); },
       {},
       {}},
  };
  for (unsigned round = 0; round < rounds; ++round)
    for (Row& row : rows) {
      const Time time = timed(row.work);
      row.wall.push_back(time.wall_s);
      row.cpu.push_back(time.cpu_s);
    }

  fmt::print("{} jars, {} classes, {:.1f} MB deflated, {:.1f} MB inflated, -j {}, {} rounds\n",
             first->jars.size(), classes, static_cast<double>(compressed) / 1e6,
             static_cast<double>(bytes) / 1e6, jobs, rounds);
  fmt::print("{:<28}{:>9}{:>9}{:>12}{:>9}{:>12}{:>12}\n", "", "wall s", "cpu s", "classes/s",
             "MB/s", "wall ratio", "cpu ratio");
  const double floor_wall = median(rows[0].wall), floor_cpu = median(rows[0].cpu);
  for (const Row& row : rows) {
    const double wall = median(row.wall), cpu = median(row.cpu);
    fmt::print("{:<28}{:>9.3f}{:>9.3f}{:>12.0f}{:>9.0f}{:>12.2f}{:>12.2f}\n", row.name, wall, cpu,
               static_cast<double>(classes) / wall, static_cast<double>(bytes) / 1e6 / wall,
               wall / floor_wall, cpu / floor_cpu);
  }
  fmt::print("peak memory of the scan: {:.0f} MB\n", static_cast<double>(scan_rss) / 1024);
  return 0;
}
