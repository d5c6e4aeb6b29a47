// Builds the corpus with the JDK of this machine unless the build of an earlier run fits, then runs
// the tests. Without a JDK it is skipped (exit status 77) and says so.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "link_test.hpp"

namespace fs = std::filesystem;
using namespace rowgate;

namespace {

fs::path corpus, home;

// The folders that a JDK is looked for in, as a user's shell would find it.
std::vector<fs::path> candidates() {
  std::vector<fs::path> found;
  std::error_code error;
  if (const char* java_home = std::getenv("JAVA_HOME")) found.emplace_back(java_home);
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : base::split(path, ':')) {
      const fs::path java = fs::canonical(fs::path(folder) / "java", error);
      if (!error) found.push_back(java.parent_path().parent_path());
    }
  for (const auto& entry : fs::directory_iterator("/usr/lib/jvm", error)) found.push_back(entry);
  std::erase_if(found, [](const fs::path& jdk) { return !fs::exists(jdk / "bin" / "javac"); });
  return found;
}

int run(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// Digest of everything that the build depends on.
std::string stamp() {
  base::Digester digester(base::DigestKind::sha256);
  auto files = base::list_files("tests/linkage", ".case").value();
  files.emplace_back("tests/support/java/RefereeCorpus.java");
  for (const fs::path& file : files) {
    digester.update(base::as_bytes(file.string()));
    digester.update(base::as_bytes(base::read_file(file).value()));
  }
  digester.update(base::as_bytes(home.string()));
  return digester.finish();
}

}  // namespace

namespace rowgate::link_test {

const fs::path& corpus_folder() {
  return corpus;
}
const fs::path& jdk_home() {
  return home;
}

std::shared_ptr<const jarscan::JdkImage> jdk() {
  static const auto image = jarscan::JdkImage::open(home).value();
  return image;
}

std::shared_ptr<const jarscan::ClassIndex> open_jars(const std::vector<fs::path>& paths) {
  std::vector<jarscan::ClassPathJar> jars;
  for (const fs::path& path : paths) jars.push_back({jarscan::JarFile::open(path).value(), {}});
  return std::make_shared<jarscan::ClassIndex>(
      jarscan::ClassIndex::build(std::move(jars), {}, RunContext::quiet()));
}

}  // namespace rowgate::link_test

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: test_link FOLDER_FOR_THE_CORPUS [doctest options]\n");
    return 2;
  }
  corpus = fs::absolute(argv[1]);
  const auto found = jarscan::find_jdk(candidates());
  if (!found) {
    std::printf("skipped: no JDK with javac and lib/modules in JAVA_HOME, PATH or /usr/lib/jvm\n");
    return 77;
  }
  home = *found;
  const std::string wanted = stamp();
  if (base::read_file(corpus / "stamp").value_or("") != wanted) {
    fs::remove_all(corpus);
    const int status =
        run({(home / "bin" / "java").string(), "-XX:+UseSerialGC",
             "tests/support/java/RefereeCorpus.java", "build", "tests/linkage", corpus.string()});
    if (status == 77) return 77;
    if (status != 0) {
      std::fprintf(stderr, "the corpus could not be built: exit status %d\n", status);
      return 1;
    }
    if (!base::write_file_atomically(corpus / "stamp", wanted)) return 1;
  }
  doctest::Context context;
  context.applyCommandLine(argc - 1, argv + 1);
  return context.run();
}
