#include <cstdio>
#include <exception>

#include "base/version.hpp"
#include "tools/command.hpp"

int main(int argc, char** argv) {
  try {
    return static_cast<int>(rowgate::tools::run_program(argc, argv));
  } catch (const std::exception& bug) {
    std::fprintf(stderr,
                 "rowgate: internal error: %s\n"
                 "rowgate: this is a bug in rowgate %s; please report it with the command line\n",
                 bug.what(), rowgate::base::kVersion);
    return static_cast<int>(rowgate::tools::ExitStatus::internal);
  }
}
