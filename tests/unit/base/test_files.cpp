#include <doctest/doctest.h>

#include <fstream>

#include "base/files.hpp"

using namespace rowgate;
using namespace rowgate::base;
namespace fs = std::filesystem;

namespace {
TempDir temporary() {
  return std::move(*TempDir::create(fs::temp_directory_path(), "rowgate-test-"));
}
}  // namespace

TEST_CASE("what is written is read, and nothing else is left in the folder") {
  const TempDir dir = temporary();
  const fs::path file = dir.path() / "a" / "b.txt";
  REQUIRE(write_file_atomically(file, "first"));
  REQUIRE(write_file_atomically(file, std::string("sec\0ond", 7)));
  CHECK(read_file(file).value() == std::string("sec\0ond", 7));
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("errors name the file and the reason") {
  const TempDir dir = temporary();
  const auto missing = read_file(dir.path() / "none");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
  CHECK(missing.error().subject == (dir.path() / "none").string());

  const auto folder = read_file(dir.path());
  REQUIRE_FALSE(folder);
  CHECK(folder.error().code == ErrorCode::io);
  CHECK(folder.error().message == "is a directory");
  CHECK_FALSE(MappedFile::open(dir.path()));

  REQUIRE(write_file_atomically(dir.path() / "big", std::string(100, 'x')));
  const auto big = read_file(dir.path() / "big", 99);
  REQUIRE_FALSE(big);
  CHECK(big.error().code == ErrorCode::limit);
}

TEST_CASE("a folder that takes no files is an error, not a crash") {
  const auto refused = write_file_atomically("/proc/rowgate/none", "x");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().subject == "/proc/rowgate");
}

TEST_CASE("a mapped file shows the bytes, an empty one shows none") {
  const TempDir dir = temporary();
  REQUIRE(write_file_atomically(dir.path() / "f", "hello"));
  REQUIRE(write_file_atomically(dir.path() / "empty", ""));
  MappedFile file = std::move(*MappedFile::open(dir.path() / "f"));
  MappedFile moved = std::move(file);
  CHECK(as_text(moved.bytes()) == "hello");
  CHECK(MappedFile::open(dir.path() / "empty")->bytes().empty());
}

TEST_CASE("a temporary folder goes with its owner") {
  fs::path path;
  {
    const TempDir dir = temporary();
    path = dir.path();
    std::ofstream(path / "f") << "x";
    CHECK(fs::exists(path / "f"));
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("listing is sorted, deep, and by suffix") {
  const TempDir dir = temporary();
  for (const char* name : {"b.jar", "a/z.jar", "a/c.txt"})
    REQUIRE(write_file_atomically(dir.path() / name, ""));
  const auto jars = list_files(dir.path(), ".jar");
  REQUIRE(jars);
  CHECK(*jars == std::vector<fs::path>{dir.path() / "a/z.jar", dir.path() / "b.jar"});
  CHECK(list_files(dir.path() / "none", "").error().code == ErrorCode::not_found);
}
