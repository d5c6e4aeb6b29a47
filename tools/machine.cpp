#include "tools/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fstream>

#include "base/text.hpp"

namespace rowgate::tools {
namespace {

struct FileSystem {
  unsigned long magic;
  const char* name;
};

// statfs(2)
constexpr FileSystem kFileSystems[] = {
    {0x794c7630, "overlay"}, {0xef53, "ext4"},     {0x58465342, "xfs"},  {0x9123683e, "btrfs"},
    {0x01021994, "tmpfs"},   {0x2fc12fc1, "zfs"},  {0x6969, "nfs"},      {0xff534d42, "cifs"},
    {0x65735546, "fuse"},    {0x01021997, "9p"},   {0xf2f52010, "f2fs"}, {0xca451a4e, "bcachefs"},
    {0x858458f6, "ramfs"},   {0x00c36400, "ceph"},
};

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos &&
        base::trim(std::string_view(line).substr(0, colon)) == "model name")
      return base::printable(base::trim(std::string_view(line).substr(colon + 1)));
  }
  return "";
}

}  // namespace

std::string cpu_text() {
  std::string text = cpu_model();
  const long present = ::sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  if (present > 0)
    text += fmt::format("{}{} of {} processors", text.empty() ? "" : ", ",
                        known ? CPU_COUNT(&allowed) : present, present);
  return text.empty() ? "unknown" : text;
}

std::uint64_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
}

std::string file_system_text(const std::filesystem::path& folder) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return "unknown";
  const auto magic = static_cast<unsigned long>(info.f_type);
  for (const FileSystem& known : kFileSystems)
    if (known.magic == magic) return known.name;
  return fmt::format("type 0x{:x}", magic);
}

}  // namespace rowgate::tools
