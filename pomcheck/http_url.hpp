// Repository URLs: taken apart, checked, and spelt so that two spellings of one repository are
// equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace rowgate::pomcheck {

struct Credentials {
  std::string username;
  std::string password;

  bool empty() const { return username.empty() && password.empty(); }
};

struct Url {
  std::string scheme;      // "http", "https", "file", lower case
  std::string host;        // lower case; an IPv6 address keeps its brackets; empty for file
  std::uint16_t port = 0;  // never 0 for http and https
  std::string path;   // as written (percent-encoded), without a slash at the end; "" for the root
  std::string query;  // redirects only; repositories have none

  // "https://host:8081/path", without the scheme's default port. Never holds credentials.
  std::string to_string() const;
  // The same without path and query: "https://host:8081".
  std::string origin() const;

  friend bool operator==(const Url&, const Url&) = default;
};

struct RepositoryUrl {
  Url url;
  Credentials credentials;  // what stood before the @, percent-decoded
};

// A repository's base: http, https or file without query and fragment, or a folder's path, which
// becomes a file URL. Errors: usage, unsupported (another protocol). No error quotes a part of the
// text that could be a password.
Result<RepositoryUrl> parse_repository_url(std::string_view text);

// Where a Location header leads, from `base`. Only http and https; a user:password@ in it is
// dropped. Errors: network.
Result<Url> resolve_redirect(const Url& base, std::string_view location);

// "a+b c/é" -> "a+b%20c/%C3%A9": a path in a repository as it stands in a URL.
std::string encode_path(std::string_view path);

// "%41" -> "A". Ill-formed escapes stay as they are.
std::string percent_decode(std::string_view text);

// This machine, as Maven's mirror patterns and HTTP blocker see it: localhost, 127.0.0.1, file.
bool is_local(const Url& url);

}  // namespace rowgate::pomcheck
