// A misbehaving repository for tests of the command line:
//   bad_server --root DIR --port-file FILE [--latency MS] [--rule GLOB=BEHAVIOUR]...
// Writes its port to FILE (complete or not at all), serves until its standard input ends.
// Behaviours are listed in bad_repository.hpp.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "tests/support/bad_repository.hpp"

int main(int argc, char** argv) {
  std::string root, port_file;
  long latency_ms = 0;
  std::vector<rowgate::test::Rule> rules;
  try {
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string_view option = argv[i];
      const std::string value = argv[i + 1];
      if (option == "--root")
        root = value;
      else if (option == "--port-file")
        port_file = value;
      else if (option == "--latency")
        latency_ms = std::stol(value);
      else if (option == "--rule")
        rules.push_back(rowgate::test::parse_rule(value));
      else
        port_file.clear();
    }
    if (root.empty() || port_file.empty()) {
      std::fprintf(
          stderr,
          "usage: %s --root DIR --port-file FILE [--latency MS] [--rule GLOB=BEHAVIOUR]...\n",
          argv[0]);
      return 2;
    }
    rowgate::test::BadRepository repository(root, std::move(rules));
    rowgate::test::HttpServer server(std::ref(repository));
    server.set_latency(std::chrono::milliseconds(latency_ms));
    if (auto written =
            rowgate::base::write_file_atomically(port_file, std::to_string(server.port()) + "\n");
        !written) {
      std::fprintf(stderr, "%s\n", written.error().to_string().c_str());
      return 3;
    }
    char ignored[256];
    while (::read(STDIN_FILENO, ignored, sizeof ignored) > 0) {
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 4;
  }
}
