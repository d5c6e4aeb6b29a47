#include "tools/acquire.hpp"

#include <fmt/format.h>

#include "base/checks.hpp"
#include "base/parallel.hpp"

namespace rowgate::tools {
namespace {

std::string origin_text(const pomcheck::FetchedFile& file) {
  switch (file.verification) {
    case pomcheck::Verification::verified: return file.repository + ", checksum verified";
    case pomcheck::Verification::no_checksum_published:
      return file.repository + ", no checksum published";
    case pomcheck::Verification::local: return file.repository;
  }
  return file.repository;
}

}  // namespace

base::Finding fetch_finding(const Error& error, const std::string& subject) {
  const bool absent = error.code == ErrorCode::not_found;
  base::Finding finding =
      base::make_finding(absent ? "RG2001" : "RG2002", subject,
                         error.subject.empty() || error.subject == subject
                             ? error.message
                             : fmt::format("{}: {}", error.subject, error.message));
  finding.symbol = subject;
  finding.location.file = error.subject;
  finding.location.offset = error.offset;
  finding.help = error.remedy;
  return finding;
}

std::vector<AcquiredInput> acquire(const std::vector<Input>& inputs,
                                   pomcheck::Repository* repository,
                                   const base::RunContext& context) {
  return base::parallel_map(inputs, context.jobs, [&](const Input& input) {
    AcquiredInput acquired;
    acquired.input = input;
    if (input.is_path()) {
      acquired.path = input.path();
      return acquired;
    }
    const Result<pomcheck::FetchedFile> file =
        repository->fetch(input.coordinate().path(), context);
    if (file) {
      acquired.path = file->path;
      acquired.origin = origin_text(*file);
    } else {
      acquired.finding = fetch_finding(file.error(), input.coordinate().to_string());
    }
    return acquired;
  });
}

}  // namespace rowgate::tools
