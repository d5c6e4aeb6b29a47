// Runs a fuzz target without a fuzzing engine: every file of the corpus, then seeded mutations of
// them. The same seed gives the same inputs, so a failure repeats. Before each input is handed over
// it is kept in memory, and on a crash (any fatal signal or sanitizer abort) it is written to
// crash-<target>.bin in the working directory.
#include <fcntl.h>
#include <unistd.h>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __attribute__((weak)) __sanitizer_set_death_callback(void (*callback)());

namespace {

std::string current_input;
std::string crash_path;

void keep_input() {
  const int fd = ::open(crash_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return;
  if (::write(fd, current_input.data(), current_input.size()) < 0) std::perror("write");
  ::close(fd);
  std::fprintf(stderr, "the input that failed is in %s\n", crash_path.c_str());
}

void on_signal(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(std::string input) {
  current_input = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current_input.data()),
                         current_input.size());
}

std::string mutate(const std::vector<std::string>& corpus, std::mt19937_64& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  std::string input = corpus[below(corpus.size())];
  for (std::size_t round = 1 + below(6); round > 0; --round) {
    const std::size_t at = below(input.size() + 1);
    switch (below(8)) {
      case 0:  // flip a bit
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:  // a random byte
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 2:  // extreme numbers
        for (std::size_t i = 0, width = std::size_t{1} << below(4), fill = random();
             i < width && at + i < input.size(); ++i)
          input[at + i] = static_cast<char>(fill % 3 == 0 ? 0xFF : fill % 3 == 1 ? 0x00 : 0x7F);
        break;
      case 3:  // cut off
        input.resize(at);
        break;
      case 4:  // remove a run
        input.erase(at, below(32));
        break;
      case 5:  // repeat a run
        input.insert(at, input.substr(below(input.size() + 1), below(64)));
        break;
      case 6:  // insert random bytes
        for (std::size_t i = below(8); i > 0; --i) input.insert(at, 1, static_cast<char>(random()));
        break;
      default: {  // splice with another input
        const std::string& other = corpus[below(corpus.size())];
        input = input.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t mutations = 0, seed = 1;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--mutations" && i + 1 < argc)
      mutations = std::strtoull(argv[++i], nullptr, 10);
    else if (argument == "--seed" && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else
      paths.emplace_back(argument);
  }
  const std::string program = argv[0];
  crash_path = "crash-" + program.substr(program.rfind('/') + 1) + ".bin";
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM})
    std::signal(signal, on_signal);

  std::vector<std::string> corpus;
  for (const std::string& path : paths) {
    std::vector<std::filesystem::path> files = {path};
    if (std::filesystem::is_directory(path)) {
      auto listed = rowgate::base::list_files(path, "");
      if (!listed) {
        std::fprintf(stderr, "%s\n", listed.error().to_string().c_str());
        return 2;
      }
      files = std::move(*listed);
    }
    for (const auto& file : files) {
      auto contents = rowgate::base::read_file(file);
      if (!contents) {
        std::fprintf(stderr, "%s\n", contents.error().to_string().c_str());
        return 2;
      }
      corpus.push_back(std::move(*contents));
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus: a fuzz target without inputs tests nothing\n");
    return 2;
  }
  run("");
  for (const std::string& input : corpus) run(input);
  std::mt19937_64 random(seed);
  for (std::uint64_t i = 0; i < mutations; ++i) {
    ::alarm(20);  // no input may take long: a hang is a failure like a crash
    run(mutate(corpus, random));
  }
  std::printf("%zu inputs, %llu mutations\n", corpus.size(),
              static_cast<unsigned long long>(mutations));
  return 0;
}
