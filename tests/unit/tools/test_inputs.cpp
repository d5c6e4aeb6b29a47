#include <doctest/doctest.h>

#include <sstream>

#include "base/files.hpp"
#include "tools/inputs.hpp"

using namespace rowgate;
using namespace rowgate::tools;

namespace {

struct Folder {
  base::TempDir dir = std::move(*base::TempDir::create("/tmp", "rowgate-inputs-"));
  std::string file(const std::string& name) {
    const auto path = dir.path() / name;
    REQUIRE(base::write_file_atomically(path, "x"));
    return path.string();
  }
};

Result<std::vector<Input>> read(const std::vector<std::string>& arguments,
                                const std::string& standard_input = "") {
  std::istringstream stream(standard_input);
  return read_inputs(arguments, stream);
}

std::vector<std::string> texts(const std::vector<Input>& inputs) {
  std::vector<std::string> all;
  for (const Input& input : inputs) all.push_back(input.text);
  return all;
}

}  // namespace

TEST_CASE("files, coordinates and --packages strings keep their order") {
  Folder folder;
  const std::string jar = folder.file("a.jar");
  const auto inputs = read({"g:b:1,g:a:2", jar});
  REQUIRE(inputs);
  CHECK(texts(*inputs) == std::vector<std::string>{"g:b:1", "g:a:2", jar});
  CHECK((*inputs)[0].coordinate().artifact == "b");
  CHECK((*inputs)[2].path() == jar);
}

TEST_CASE("a glob that the shell left alone is expanded and sorted") {
  Folder folder;
  const std::string b = folder.file("b.jar"), a = folder.file("a.jar");
  folder.file("c.txt");
  const auto inputs = read({(folder.dir.path() / "*.jar").string()});
  REQUIRE(inputs);
  CHECK(texts(*inputs) == std::vector<std::string>{a, b});
  const auto none = read({(folder.dir.path() / "*.zip").string()});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::usage);
  CHECK(none.error().message == "matches no file");
}

TEST_CASE("a dash reads a list with comments") {
  const auto inputs = read({"-"}, "# connectors\n g:a:1 # the first\n\ng:b:2\n");
  REQUIRE(inputs);
  CHECK(texts(*inputs) == std::vector<std::string>{"g:a:1", "g:b:2"});
  CHECK_FALSE(read({"-", "-"}, "g:a:1\n"));
  CHECK_FALSE(read({"-"}, "-\n"));
  CHECK_FALSE(read({"-"}, "# nothing\n"));
}

TEST_CASE("what is neither file nor coordinate is named, with what would do") {
  const auto inputs = read({"delta-spark"});
  REQUIRE_FALSE(inputs);
  CHECK(inputs.error().subject == "delta-spark");
  CHECK(inputs.error().code == ErrorCode::usage);
  CHECK_FALSE(inputs.error().remedy.empty());
  CHECK_FALSE(read({}));
}
