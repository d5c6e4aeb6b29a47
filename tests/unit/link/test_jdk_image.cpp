#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

#include "base/files.hpp"
#include "link_test.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;

TEST_CASE("the image gives the JDK's classes") {
  JdkProvider jdk(link_test::jdk());
  const ClassDecl* object = jdk.find("java/lang/Object");
  REQUIRE(object != nullptr);
  CHECK(object->super_name.empty());
  const ClassDecl* list = jdk.find("java/util/ArrayList");
  REQUIRE(list != nullptr);
  CHECK(list->super_name == "java/util/AbstractList");
  CHECK(jdk.find("java/sql/Connection")->is_interface());  // of another module
  CHECK(jdk.find("java/util/concurrent/atomic/AtomicLong") != nullptr);
  CHECK(jdk.find("java/util/Nothing") == nullptr);
  CHECK(jdk.find("org/apache/spark/SparkContext") == nullptr);
  CHECK(jdk.find("") == nullptr);
  CHECK(jdk.has_package("java/util/function"));
  CHECK_FALSE(jdk.has_package("java"));
  CHECK_FALSE(jdk.has_package("org/apache/spark"));
  CHECK(jdk.unreadable().empty());
  CHECK(link_test::jdk()->release() >= 17);
}

TEST_CASE("a damaged image is an error or finds nothing, and never reads outside") {
  const auto folder = base::TempDir::create(std::filesystem::temp_directory_path(), "jimage");
  REQUIRE(folder);
  // Enough of a real image for its tables; resources lie behind the end then.
  const auto whole = base::MappedFile::open(link_test::jdk_home() / "lib" / "modules");
  REQUIRE(whole);
  const std::string_view start = base::as_text(whole->bytes()).substr(0, 4 << 20);
  const auto write = [&](const std::string& contents) {
    const auto path = folder->path() / "modules";
    REQUIRE(base::write_file_atomically(path, contents));
    return path;
  };
  SUBCASE("empty") {
    CHECK_FALSE(JdkImage::open_image(write("")));
  }
  SUBCASE("no image") {
    const auto image = JdkImage::open_image(write(std::string(100, 'x')));
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::malformed);
    CHECK(image.error().offset == 0);
  }
  SUBCASE("other byte order") {
    std::string contents(start.substr(0, 100));
    std::swap(contents[0], contents[3]);
    std::swap(contents[1], contents[2]);
    const auto image = JdkImage::open_image(write(contents));
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::unsupported);
  }
  SUBCASE("other version") {
    std::string contents(start.substr(0, 100));
    contents[6] = 9;
    const auto image = JdkImage::open_image(write(contents));
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::unsupported);
    CHECK(image.error().offset == 4);
  }
  SUBCASE("tables cut off") {
    const auto image = JdkImage::open_image(write(std::string(start.substr(0, 1000))));
    REQUIRE_FALSE(image);
    CHECK(image.error().code == ErrorCode::malformed);
    CHECK(image.error().offset == 16);
  }
  SUBCASE("resources cut off") {
    const auto image = JdkImage::open_image(write(std::string(start)));
    REQUIRE(image);
    CHECK_FALSE((*image)->find_class("java/util/ArrayList"));
  }
  SUBCASE("tables full of nonsense") {
    std::string contents(start);
    for (std::size_t i = 28; i < contents.size(); ++i)
      contents[i] = static_cast<char>(i * 2654435761U >> 13);
    const auto image = JdkImage::open_image(write(contents));
    REQUIRE(image);
    for (int i = 0; i < 1000; ++i)
      CHECK_FALSE((*image)->find_class(fmt::format("java/util/C{}", i)));
  }
}

TEST_CASE("the first candidate with an image is the JDK") {
  const std::vector<std::filesystem::path> candidates = {"", "/nonexistent", link_test::jdk_home()};
  CHECK(find_jdk(candidates) == link_test::jdk_home());
  CHECK(find_jdk(std::span(candidates).subspan(0, 2)) == std::nullopt);
}
