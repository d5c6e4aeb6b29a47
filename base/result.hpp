// Errors are values: whatever input, files, the network or a child process can cause is returned as
// `Result<T>`. Exceptions are left to bugs; a library's exceptions become an `Error` in the one
// file that includes that library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace rowgate::base {

enum class ErrorCode {
  usage,          // wrong arguments or configuration           -> exit status 2
  not_found,      // the thing asked for is not there (404, ENOENT)
  io,             // the file system failed
  network,        // transfer failed, or the server's answer says nothing about existence
  malformed,      // input breaks its format
  unsupported,    // input is well formed, but of a kind that is not handled
  limit,          // input exceeds a stated limit
  checksum,       // contents differ from their checksum
  child_process,  // a child process or an engine failed
  interrupted,    // the user stopped the run                    -> exit status 130
  internal,       // a broken promise of our own                 -> exit status 4
};

// The stable spelling used in reports, e.g. "not-found".
const char* to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  // One line in lower case, without a full stop: what is wrong.
  std::string message;
  // What it is wrong with: `a.jar!/p/C.class`, a URL, `late_update.fixture:12`.
  std::string subject;
  // Byte offset in the subject, where there is one.
  std::optional<std::uint64_t> offset;
  // What the user can do about it; empty where nothing sensible can be said.
  std::string remedy;

  // "subject: message (at byte 12); remedy"
  std::string to_string() const;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string subject = {},
                                  std::optional<std::uint64_t> offset = std::nullopt,
                                  std::string remedy = {}) {
  return tl::unexpected<Error>(
      Error{code, std::move(message), std::move(subject), offset, std::move(remedy)});
}

}  // namespace rowgate::base

// The names that every signature carries are lifted, so that all libraries spell them alike.
namespace rowgate {
using base::Error;
using base::ErrorCode;
using base::fail;
using base::Result;
}  // namespace rowgate

#define ROWGATE_CONCAT_INNER(a, b) a##b
#define ROWGATE_CONCAT(a, b) ROWGATE_CONCAT_INNER(a, b)

// ROWGATE_TRY(auto x, f()): x is the value of f(), or the error is returned from here.
#define ROWGATE_TRY(declaration, expression) \
  ROWGATE_TRY_INNER(ROWGATE_CONCAT(rowgate_try_, __LINE__), declaration, expression)
#define ROWGATE_TRY_INNER(temporary, declaration, expression)                          \
  auto temporary = (expression);                                                       \
  if (!temporary) return tl::unexpected<rowgate::Error>(std::move(temporary).error()); \
  declaration = std::move(*temporary)

// ROWGATE_CHECK(f()): for Result<void>.
#define ROWGATE_CHECK(expression)                                                \
  do {                                                                           \
    if (auto rowgate_checked = (expression); !rowgate_checked)                   \
      return tl::unexpected<rowgate::Error>(std::move(rowgate_checked).error()); \
  } while (false)
