#include "harness/driver_script.hpp"

#include <fmt/format.h>

#include <span>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "harness/embedded_files.hpp"

namespace rowgate::harness {

std::span<const EmbeddedFile> embedded_drivers();  // made by embed.cmake

std::string_view spark_driver_text() {
  return embedded_drivers().front().text;
}

Result<std::filesystem::path> install_spark_driver(const std::filesystem::path& cache) {
  const std::string_view text = spark_driver_text();
  const std::string digest = base::digest(base::DigestKind::sha256, base::as_bytes(text));
  const std::filesystem::path path =
      cache / "drivers" / fmt::format("spark_driver-{}.py", digest.substr(0, 16));
  if (const auto present = base::read_file(path, text.size()); present && *present == text)
    return path;
  ROWGATE_CHECK(base::write_file_atomically(path, text));
  return path;
}

}  // namespace rowgate::harness
