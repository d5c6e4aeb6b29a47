// The JDK's own classes, from the run-time image `lib/modules` of an installed JDK or JRE (9 or
// later), read with our own code: no Java is started.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"
#include "jarscan/resolve_class.hpp"

namespace rowgate::jarscan {

// A mapped run-time image. Immutable and safe to use from several threads.
class JdkImage {
 public:
  // `home` is the JDK's folder, which holds lib/modules and release. Errors: not_found, io,
  // malformed (with the offset), unsupported (another byte order or version of the format).
  static Result<std::shared_ptr<const JdkImage>> open(const std::filesystem::path& home);
  // Only the image; `release` stays 0.
  static Result<std::shared_ptr<const JdkImage>> open_image(const std::filesystem::path& file);

  // The class file's bytes, valid as long as the image. Errors: not_found; unsupported when the
  // image was made with `jlink --compress`; malformed.
  Result<base::Bytes> find_class(std::string_view internal_name) const;
  bool has_package(std::string_view package) const;  // "java/util"

  std::uint64_t size_bytes() const { return bytes_.size(); }
  unsigned release() const { return release_; }  // feature version, 17; 0 when unknown
  const std::string& name() const { return name_; }

 private:
  struct Location {
    std::uint64_t offset = 0, compressed = 0, size = 0;
  };
  std::optional<Location> find(std::string_view path) const;
  bool decode(std::uint32_t at, std::string_view wanted, Location& out) const;
  std::string_view string_at(std::uint64_t offset) const;
  std::uint32_t word(std::size_t offset) const;  // little-endian
  Result<void> read_header();
  std::vector<std::string_view> modules_of(std::string_view package) const;

  std::string name_;
  base::MappedFile file_;
  base::Bytes bytes_;
  std::uint32_t table_length_ = 0, locations_size_ = 0, strings_size_ = 0;
  std::size_t redirect_ = 0, offsets_ = 0, locations_ = 0, strings_ = 0, resources_ = 0;
  unsigned release_ = 0;
};

// Declarations out of an image. One for each world.
class JdkProvider final : public ClassProvider {
 public:
  explicit JdkProvider(std::shared_ptr<const JdkImage> image) : image_(std::move(image)) {}

  const ClassDecl* find(std::string_view internal_name) override;
  bool has_package(std::string_view package) override { return image_->has_package(package); }
  std::vector<std::string> find_simple(std::string_view, std::size_t) override { return {}; }
  std::span<const Error> unreadable() const override { return unreadable_; }

 private:
  std::shared_ptr<const JdkImage> image_;
  ClassFile scratch_;
  DeclPool pool_;
  std::vector<Error> unreadable_;
};

// The first of the candidate folders that holds a readable image: $JAVA_HOME, the folder above that
// of `java` on the PATH with links resolved, /usr/lib/jvm/*. A candidate may be empty.
std::optional<std::filesystem::path> find_jdk(std::span<const std::filesystem::path> candidates);

}  // namespace rowgate::jarscan
