#include <fmt/format.h>
#include <libdeflate.h>

#include <new>
#include <stdexcept>

#include "base/text.hpp"
#include "jarscan/jar_file.hpp"

namespace rowgate::jarscan {
namespace {

constexpr std::uint16_t kStored = 0, kDeflated = 8, kEncryptedFlag = 1;
// Deflate's best: a match of 258 bytes for two bits.
constexpr std::uint64_t kMaxRatio = 1032;
// A buffer that one large entry made is not kept for the small ones behind it.
constexpr std::size_t kKeptBuffer = std::size_t{32} << 20;

const char* method_name(std::uint16_t method) {
  switch (method) {
    case 1: return "shrink";
    case 6: return "implode";
    case 9: return "deflate64";
    case 12: return "bzip2";
    case 14: return "lzma";
    case 93: return "zstd";
    case 95: return "xz";
    case 99: return "AES encryption";
    default: return "unknown";
  }
}

}  // namespace

struct EntryReader::State {
  State() : inflater(libdeflate_alloc_decompressor()) {
    if (inflater == nullptr) throw std::bad_alloc();
  }
  ~State() { libdeflate_free_decompressor(inflater); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::byte* room_for(std::size_t size) {
    if (size > capacity || (capacity > kKeptBuffer && size <= kKeptBuffer)) {
      const std::size_t wanted = std::max<std::size_t>(size, 64 << 10);
      buffer.reset();
      buffer = std::make_unique_for_overwrite<std::byte[]>(wanted);
      capacity = wanted;
    }
    return buffer.get();
  }

  libdeflate_decompressor* inflater;
  std::unique_ptr<std::byte[]> buffer;
  std::size_t capacity = 0;
};

EntryReader::EntryReader() : state_(std::make_unique<State>()) {}
EntryReader::~EntryReader() = default;
EntryReader::EntryReader(EntryReader&&) noexcept = default;
EntryReader& EntryReader::operator=(EntryReader&&) noexcept = default;

Result<Bytes> EntryReader::read(const JarFile& jar, const JarEntry& entry,
                                std::uint64_t max_size_bytes) {
  const auto problem = [&](ErrorCode code, std::string message) {
    return fail(code, std::move(message),
                fmt::format("{}!/{}", jar.name(), base::printable(entry.name)),
                entry.header_offset);
  };
  if ((entry.flags & kEncryptedFlag) != 0)
    return problem(ErrorCode::unsupported, "the entry is encrypted");
  if (entry.method != kStored && entry.method != kDeflated)
    return problem(ErrorCode::unsupported,
                   fmt::format("compression method {} ({}) is not supported", entry.method,
                               method_name(entry.method)));
  if (entry.size_bytes > max_size_bytes)
    return problem(ErrorCode::limit, fmt::format("the entry inflates to {} bytes, the limit is {}",
                                                 entry.size_bytes, max_size_bytes));
  ROWGATE_TRY(Bytes contents, jar.raw(entry));
  if (entry.method == kStored) {
    if (entry.size_bytes != entry.compressed_bytes)
      return problem(ErrorCode::malformed,
                     fmt::format("a stored entry of {} bytes says that it is {} long",
                                 entry.compressed_bytes, entry.size_bytes));
  } else {
    if (entry.size_bytes / kMaxRatio > entry.compressed_bytes)
      return problem(ErrorCode::limit, fmt::format("{} compressed bytes cannot inflate to {}",
                                                   entry.compressed_bytes, entry.size_bytes));
    const std::size_t size = entry.size_bytes;
    std::byte* const out = state_->room_for(size);
    std::size_t used = 0;
    switch (libdeflate_deflate_decompress_ex(state_->inflater, contents.data(), contents.size(),
                                             out, size, &used, nullptr)) {
      case LIBDEFLATE_SUCCESS: break;
      case LIBDEFLATE_SHORT_OUTPUT:
        return problem(
            ErrorCode::malformed,
            fmt::format("the entry inflates to less than the {} bytes that the directory "
                        "says",
                        size));
      case LIBDEFLATE_INSUFFICIENT_SPACE:
        return problem(
            ErrorCode::malformed,
            fmt::format("the entry inflates to more than the {} bytes that the directory "
                        "says",
                        size));
      default: return problem(ErrorCode::malformed, "the entry's compressed bytes are damaged");
    }
    if (used != contents.size())
      return problem(
          ErrorCode::malformed,
          fmt::format("the entry's compressed bytes end at {} of {}", used, contents.size()));
    contents = {out, size};
  }
  const std::uint32_t crc = libdeflate_crc32(0, contents.data(), contents.size());
  if (crc != entry.crc32)
    return problem(
        ErrorCode::checksum,
        fmt::format("the entry's CRC is {:08x}, the directory says {:08x}", crc, entry.crc32));
  return contents;
}

}  // namespace rowgate::jarscan
