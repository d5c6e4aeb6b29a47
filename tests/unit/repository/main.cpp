// doctest's main, and the child of the test with many processes:
//   <program> --child CACHE URL
// fetches what that test serves and exits with 0 when every answer is right.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string_view>

#include "tests/unit/repository/support.hpp"

namespace {

int child(const char* cache, const char* url) {
  using namespace rowgate;
  pomcheck::RepositoryConfig config;
  config.repositories = {std::string("acme=") + url};
  config.cache_folder = cache;
  const RunContext context = RunContext::quiet();
  auto repositories = pomcheck::open_repositories(std::move(config), context);
  if (!repositories) return 10;
  std::vector<std::string> paths, wanted;
  for (int i = 0; i < 12; ++i) {
    const std::string version = std::to_string(i);
    paths.push_back("org/acme/thing/" + version + "/thing-" + version + ".pom");
    wanted.push_back(test::pom_text(version));
  }
  paths.push_back(test::kJar);
  wanted.push_back(test::jar_bytes(2'000'000));
  const auto answers = repositories->fetch_all(paths, context);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) {
      std::fprintf(stderr, "%s\n", answers[i].error().to_string().c_str());
      return 11;
    }
    if (base::read_file(answers[i]->path) != wanted[i]) return 12;
  }
  const auto missing = repositories->fetch("org/acme/none/1/none-1.pom", context);
  return !missing && missing.error().code == ErrorCode::not_found ? 0 : 13;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--child") return child(argv[2], argv[3]);
  return doctest::Context(argc, argv).run();
}
